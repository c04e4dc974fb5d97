/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sizes header: lines `#pragma tek stack("ROLE", USABLE[, override])`. Functions are lowered
 * when the whole unit has been read, so a line holds wherever it stands.
 *
 * Each line also becomes a record (tek_sizes), so that a role known only at run time finds its
 * size. These are toplevel assembler text: many units include the same header, and text can stand
 * in a comdat group of its content, of which the linker keeps one copy a module.
 */
#include "tek-plugin.h"

static auto_vec<struct tek_size_line> lines;

const struct tek_size_line *tek_find_size(const char *role)
{
	for (unsigned i = 0; i < lines.length(); i++) {
		if (strcmp(lines[i].role, role) == 0)
			return &lines[i];
	}
	return NULL;
}

static bool malformed(location_t location, const char *what)
{
	error_at(location, "tek: %s; use %<#pragma tek stack(\"ROLE\", BYTES[, override])%>", what);
	return false;
}

/* The role's text, a plain narrow string. */
static bool read_role(location_t location, struct tek_size_line *line)
{
	tree token;

	if (pragma_lex(&token) != CPP_STRING)
		return malformed(location, "the role is no string");
	if (TYPE_PRECISION(TREE_TYPE(TREE_TYPE(token))) != BITS_PER_UNIT)
		return malformed(location, "the role is a wide string");
	line->role = xstrndup(TREE_STRING_POINTER(token), TREE_STRING_LENGTH(token));
	if (!*line->role)
		return malformed(location, "the role is empty");
	return true;
}

static bool read_usable(location_t location, struct tek_size_line *line)
{
	tree token;

	if (pragma_lex(&token) != CPP_NUMBER || TREE_CODE(token) != INTEGER_CST)
		return malformed(location, "the size is no whole number");
	if (!tree_fits_uhwi_p(token) || tree_to_uhwi(token) == 0 ||
	    tree_to_uhwi(token) >> (POINTER_SIZE - 1))
		return malformed(location, "the size is out of range");
	line->usable = tree_to_uhwi(token);
	return true;
}

/* `)` or `, override)`, and the end of the line. */
static bool read_rest(location_t location, struct tek_size_line *line)
{
	enum cpp_ttype type;
	tree token;

	type = pragma_lex(&token);
	if (type == CPP_COMMA) {
		if (pragma_lex(&token) != CPP_NAME ||
		    strcmp(IDENTIFIER_POINTER(token), "override") != 0)
			return malformed(location, "the third word is not 'override'");
		line->override_caller = true;
		type = pragma_lex(&token);
	}
	if (type != CPP_CLOSE_PAREN)
		return malformed(location, "there is no ')' where one is due");
	if (pragma_lex(&token) != CPP_EOF)
		return malformed(location, "there is something behind the ')'");
	return true;
}

static bool read_line(location_t location, struct tek_size_line *line)
{
	tree token;

	if (pragma_lex(&token) != CPP_OPEN_PAREN)
		return malformed(location, "there is no '(' where one is due");
	if (!read_role(location, line))
		return false;
	if (pragma_lex(&token) != CPP_COMMA)
		return malformed(location, "there is no ',' behind the role");
	return read_usable(location, line) && read_rest(location, line);
}

static void read_stack_pragma(cpp_reader *)
{
	struct tek_size_line line = { NULL, 0, false, input_location };
	const struct tek_size_line *known;

	if (!read_line(line.location, &line)) {
		free(line.role);
		return;
	}
	known = tek_find_size(line.role);
	if (!known) {
		lines.safe_push(line);
		return;
	}
	if (known->usable != line.usable || known->override_caller != line.override_caller) {
		error_at(line.location, "tek: role %qs has two different sizes; keep one line",
			 line.role);
		inform(known->location, "the first is here");
	}
	free(line.role);
}

void tek_register_pragma(void)
{
	if (c_register_pragma)
		c_register_pragma("tek", "stack", read_stack_pragma);
}

void tek_emit_sizes(void)
{
	const char *word = POINTER_SIZE == 64 ? ".quad" : ".long";

	for (unsigned i = 0; i < lines.length(); i++) {
		const struct tek_size_line *line = &lines[i];
		struct tek_text text = { NULL, 0, 0 };
		uint64_t id;
		char number[40];

		snprintf(number, sizeof(number), HOST_WIDE_INT_PRINT_UNSIGNED " %d", line->usable,
			 line->override_caller);
		id = tek_hash(tek_hash(TEK_HASH_START, line->role), number);
		tek_text_add(&text, ".ifndef .Ltek_size_%016" PRIx64 "\n", id);
		tek_text_add(&text, "\t.set\t.Ltek_size_%016" PRIx64 ", 1\n", id);
		tek_text_add(&text,
			     "\t.pushsection\t.rodata.tek_size,\"aG\",%%progbits,"
			     "tek_size.%016" PRIx64 ",comdat\n771:\n",
			     id);
		tek_text_string(&text, line->role);
		tek_text_add(&text,
			     "\t.popsection\n\t.pushsection\t" TEK_SECTION_SIZES
			     ",\"awG\",%%progbits,tek_size.%016" PRIx64 ",comdat\n",
			     id);
		tek_text_add(&text, "\t.balign\t%d\n\t.long\t%d\n\t.long\t%d\n", POINTER_SIZE / 8,
			     POINTER_SIZE == 64 ? 24 : 16,
			     line->override_caller ? TEK_SIZE_OVERRIDE : 0);
		tek_text_add(&text, "\t%s\t771b\n\t%s\t" HOST_WIDE_INT_PRINT_UNSIGNED "\n", word,
			     word, line->usable);
		tek_text_add(&text, "\t.popsection\n\t.endif\n");
		symtab->finalize_toplevel_asm(build_string(text.length, text.data));
		free(text.data);
	}
}
