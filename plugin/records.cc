/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records are variables in a named section, not assembler text: text that cc1 prints is dropped by
 * every LTO link. The section is a dense array, so a record has the alignment of a pointer and no
 * more: DECL_USER_ALIGN keeps GCC from aligning large aggregates to 32 bytes.
 *
 * Records of comdat functions stand outside the function's group. They name it by its global
 * symbol, which the linker resolves to the copy that it kept; a unit whose copy was dropped leaves
 * one more record of the same place, and the runtime takes equal records as one.
 */
#include "tek-plugin.h"

tree tek_word_type(void)
{
	return build_nonstandard_integer_type(POINTER_SIZE, 1);
}

static tree field_type(char letter)
{
	switch (letter) {
	case 'u':
		return unsigned_type_node;
	case 'w':
		return tek_word_type();
	default:
		return const_ptr_type_node;
	}
}

void tek_record_begin(struct tek_record *record, const char *layout)
{
	tree type = make_node(RECORD_TYPE);
	tree fields = NULL_TREE;

	for (const char *letter = layout; *letter; letter++) {
		tree field =
			build_decl(UNKNOWN_LOCATION, FIELD_DECL, NULL_TREE, field_type(*letter));

		DECL_CONTEXT(field) = type;
		DECL_CHAIN(field) = fields;
		fields = field;
	}
	TYPE_FIELDS(type) = nreverse(fields);
	layout_type(type);
	*record = { type, TYPE_FIELDS(type), NULL };
}

static void put(struct tek_record *record, tree value)
{
	CONSTRUCTOR_APPEND_ELT(record->values, record->field,
			       fold_convert(TREE_TYPE(record->field), value));
	record->field = DECL_CHAIN(record->field);
}

void tek_record_number(struct tek_record *record, unsigned HOST_WIDE_INT value)
{
	put(record, build_int_cstu(TREE_TYPE(record->field), value));
}

void tek_record_pointer(struct tek_record *record, tree address)
{
	put(record, address);
}

void tek_record_string(struct tek_record *record, const char *text)
{
	if (text)
		put(record, build_string_literal(strlen(text) + 1, text));
	else
		put(record, null_pointer_node);
}

/*
 * Makes the variable. keep: it stays though nothing refers to it, so that the number of records
 * does not depend on what the optimisers remove.
 */
tree tek_record_end(struct tek_record *record, const char *place, const char *stem, bool keep)
{
	static unsigned count;
	char name[40];
	tree var;

	snprintf(name, sizeof(name), "%s.%u", stem, count++);
	var = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name), record->type);
	SET_DECL_ASSEMBLER_NAME(var, DECL_NAME(var));
	TREE_STATIC(var) = 1;
	TREE_ADDRESSABLE(var) = 1;
	TREE_USED(var) = 1;
	DECL_ARTIFICIAL(var) = 1;
	DECL_IGNORED_P(var) = 1;
	DECL_PRESERVE_P(var) = keep;
	SET_DECL_ALIGN(var, POINTER_SIZE);
	DECL_USER_ALIGN(var) = 1;
	DECL_INITIAL(var) = build_constructor(record->type, record->values);
	TREE_CONSTANT(DECL_INITIAL(var)) = 1;
	TREE_STATIC(DECL_INITIAL(var)) = 1;
	set_decl_section_name(var, place);
	varpool_node::finalize_decl(var);
	/* Before IPA the queue of new variables has been worked off already. */
	if (symtab->state >= IPA && !varpool_node::get(var)->analyzed)
		varpool_node::get(var)->analyze();
	return var;
}
