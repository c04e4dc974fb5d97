/* SPDX-License-Identifier: MIT */
#include "header.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recommend.h"
#include "target.h"

#define SECTION_MARK "/* tek section "
#define PRAGMA "#pragma tek stack(\""

char *header_macro(const char *role, bool clash)
{
	char *name = clash || !*role
			     ? text_format("TEK_STACK_%s_%016" PRIX64, role, text_hash(role))
			     : text_format("TEK_STACK_%s", role);
	char *at;

	for (at = name; *at; at++)
		*at = isascii(*at) && isalnum(*at) ? (char)toupper(*at) : '_';
	return name;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Clashes are looked for among all roles of all sections: a name means one role on every target. */
static char **list_macros(const struct evidence *evidence, size_t *count)
{
	char **macros = NULL;
	const char **roles = NULL;
	size_t capacity = 0, role_capacity = 0, role_count = 0, i, k;

	for (i = 0; i < evidence->section_count; i++) {
		for (k = 0; k < evidence->sections[i].role_count; k++) {
			roles = text_grow(roles, &role_capacity, role_count + 1, sizeof(*roles));
			roles[role_count++] = evidence->sections[i].roles[k].name;
		}
	}
	text_sort(roles, role_count, sizeof(*roles), by_text);
	for (i = 0, *count = 0; i < role_count; i++) {
		if (i && strcmp(roles[i], roles[i - 1]) == 0)
			continue;
		macros = text_grow(macros, &capacity, *count + 1, sizeof(*macros));
		macros[(*count)++] = header_macro(roles[i], false);
	}
	text_sort(macros, *count, sizeof(*macros), by_text);
	free(roles);
	return macros;
}

static bool clashes(char *const *macros, size_t count, const char *role)
{
	char *macro = header_macro(role, false);
	char **found = count ? bsearch(&macro, macros, count, sizeof(*macros), by_text) : NULL;
	bool twice = found && ((found > macros && strcmp(found[-1], macro) == 0) ||
			       (found + 1 < macros + count && strcmp(found[1], macro) == 0));

	free(macro);
	return twice;
}

static void put_line(FILE *to, const struct evidence_role *role)
{
	char *name = text_c_string(role->name), *reason = text_c_string(role->reason);

	if (role->line.usable)
		fprintf(to, "/* %s */\n" PRAGMA "%s\", %" PRIu64 "%s)\n", reason, name,
			role->line.usable, role->line.override ? ", override" : "");
	else
		fprintf(to, "/* \"%s\": %s */\n", name, reason);
	free(name);
	free(reason);
}

static void put_macro(FILE *to, const struct evidence_section *section,
		      const struct evidence_role *role, bool clash)
{
	char *macro = header_macro(role->name, clash);

	fprintf(to, "#define %s %" PRIu64 "\n", macro,
		policy_attribute(role->line.usable, section->overhead, section->signal_reserve,
				 section->page_size ? section->page_size : 4096,
				 section->minimum_stack));
	free(macro);
}

static void put_section(FILE *to, const struct evidence_section *section, char *const *macros,
			size_t macro_count)
{
	size_t i;

	fprintf(to, "\n#if %s\n" SECTION_MARK "%s */\n#ifdef __TEK__\n",
		target_condition(section->name), section->name);
	for (i = 0; i < section->role_count; i++)
		put_line(to, &section->roles[i]);
	fputs("#endif\n", to);
	for (i = 0; i < section->role_count; i++)
		if (section->roles[i].line.usable)
			put_macro(to, section, &section->roles[i],
				  clashes(macros, macro_count, section->roles[i].name));
	fputs("#endif\n", to);
}

/* Of what must be the same in two headers that say the same and lies in comments. */
static uint64_t essence(const struct evidence *evidence, const char *body)
{
	uint64_t hash = 0;
	size_t i, k;

	for (i = 0; i < evidence->section_count; i++)
		for (k = 0; k < evidence->sections[i].role_count; k++)
			hash = hash * 31 + text_hash(evidence->sections[i].roles[k].name);
	for (; (body = strstr(body, "\n#")); body++) {
		const char *end = strchr(body + 1, '\n');
		char *line = strndup(body, (size_t)(end - body));

		hash = hash * 31 + text_hash(line ? line : "");
		free(line);
	}
	return hash;
}

char *header_text(const struct evidence *evidence)
{
	char *body = NULL, *text, **macros;
	size_t size, count, i;
	uint64_t guard;
	FILE *to = open_memstream(&body, &size);

	if (!to)
		return NULL;
	macros = list_macros(evidence, &count);
	for (i = 0; i < evidence->section_count; i++)
		if (target_condition(evidence->sections[i].name) &&
		    evidence->sections[i].role_count)
			put_section(to, &evidence->sections[i], macros, count);
	for (i = 0; i < count; i++)
		free(macros[i]);
	free(macros);
	if (fclose(to) != 0) {
		free(body);
		return NULL;
	}
	guard = essence(evidence, body);
	text = text_format(
		"/*\n"
		" * Stack sizes by `tek sizes` from measured runs: do not edit, it is written "
		"anew.\n"
		" * Pragmas: usable bytes below the entry. Macros: for pthread_attr_setstacksize.\n"
		" */\n"
		"#ifndef TEK_STACK_SIZES_%016" PRIX64 "\n"
		"#define TEK_STACK_SIZES_%016" PRIX64 "\n"
		"%s\n#endif\n",
		guard, guard, body);
	free(body);
	return text;
}

/* The next line that is no comment; our comments start a line and hold no newline but the first. */
static const char *next_line(const char *text, size_t *length)
{
	while (*text) {
		*length = strcspn(text, "\n");
		if (*text == '#')
			return text;
		text += *length + (text[*length] == '\n');
	}
	return NULL;
}

bool header_same(const char *one, const char *two)
{
	size_t length_one, length_two;

	for (;;) {
		one = next_line(one, &length_one);
		two = next_line(two, &length_two);
		if (!one || !two)
			return one == two;
		if (length_one != length_two || memcmp(one, two, length_one) != 0)
			return false;
		one += length_one;
		two += length_two;
	}
}

/* The C string at @text up to its closing quote. Return: behind the quote, or NULL. */
static const char *read_string(const char *text, char *to)
{
	while (*text && *text != '\n' && *text != '"') {
		unsigned value = 0;
		int digits;

		if (*text != '\\') {
			*to++ = *text++;
			continue;
		}
		text++;
		for (digits = 0; digits < 3 && *text >= '0' && *text <= '7'; digits++)
			value = value * 8 + (unsigned)(*text++ - '0');
		if (digits && (!value || value > 255))
			return NULL;
		if (!digits && *text != '"' && *text != '\\')
			return NULL;
		*to++ = digits ? (char)value : *text++;
	}
	*to = '\0';
	return *text == '"' ? text + 1 : NULL;
}

static bool take_line(struct evidence *evidence, struct evidence_section *section, const char *text)
{
	char *name = text_alloc(strcspn(text, "\n") + 1, 1), *valid, *end;
	const char *rest = read_string(text, name);
	struct evidence_role *role;
	bool override;
	uint64_t usable;

	usable = rest && *rest == ',' ? strtoull(rest + 1, &end, 10) : 0;
	if (!usable || usable > (uint64_t)1 << 48 || !*name) {
		free(name);
		return false;
	}
	override = strncmp(end, ", override)", 11) == 0;
	valid = text_valid(name);
	role = evidence_role(evidence, section, valid);
	if (role->line.usable != usable)
		role->line = (struct evidence_line){ .usable = usable, .build = -1 };
	role->line.override = override;
	free(valid);
	free(name);
	return true;
}

unsigned header_take(struct evidence *evidence, const char *text)
{
	struct evidence_section *section = NULL;
	unsigned count = 0;
	char name[32];

	while (*text) {
		if (sscanf(text, SECTION_MARK "%31s */", name) == 1)
			section = target_condition(name) ? evidence_section(evidence, name) : NULL;
		else if (section && strncmp(text, PRAGMA, strlen(PRAGMA)) == 0)
			count += take_line(evidence, section, text + strlen(PRAGMA));
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return count;
}

bool header_foreign(const char *text)
{
	const char *at = text;

	if (strstr(text, "#pragma tek stack") || strstr(text, "TEK_STACK_SIZES"))
		return false;
	for (;;) {
		at += strspn(at, " \t\r\n\f\v");
		if (strncmp(at, "/*", 2) == 0)
			at = strstr(at + 2, "*/") ? strstr(at + 2, "*/") + 2 : "";
		else if (strncmp(at, "//", 2) == 0)
			at += strcspn(at, "\n");
		else
			return *at != '\0';
	}
}
