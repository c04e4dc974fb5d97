/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Entries: what they are called, what they are for (tek_role, tek_time_critical), and a record for
 * each that this unit defines, so that an entry passed as a value is known at run time.
 */
#include "tek-plugin.h"

/* TREE_LIST of (arguments of a tek_role attribute, place of its declaration). */
tree tek_role_places;

/* DECL_UIDs of the entries seen at creation sites. */
static hash_set<int_hash<unsigned, 0, UINT_MAX>> noted;

const char *tek_symbol_of(tree decl)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));

	return name + (*name == '*');
}

static location_t place_of_role(tree arguments, tree decl)
{
	for (tree place = tek_role_places; place; place = TREE_CHAIN(place)) {
		if (TREE_PURPOSE(place) == arguments)
			return (location_t)tree_to_uhwi(TREE_VALUE(place));
	}
	return DECL_SOURCE_LOCATION(decl);
}

static tree role_argument(tree decl)
{
	tree attribute = lookup_attribute("tek_role", DECL_ATTRIBUTES(decl));

	return attribute ? TREE_VALUE(attribute) : NULL_TREE;
}

static bool is_function(tree decl, tree name)
{
	if (TREE_CODE(decl) == FUNCTION_DECL)
		return true;
	error_at(DECL_P(decl) ? DECL_SOURCE_LOCATION(decl) : input_location,
		 "tek: %qE belongs on a function that a thread starts in", name);
	return false;
}

static bool is_role_text(tree decl, tree text)
{
	location_t place = DECL_SOURCE_LOCATION(decl);

	if (TREE_CODE(text) != STRING_CST ||
	    TYPE_PRECISION(TREE_TYPE(TREE_TYPE(text))) != BITS_PER_UNIT) {
		error_at(place, "tek: the argument of %<tek_role%> is no string; "
				"write %<tek_role(\"...\")%>");
		return false;
	}
	if (TREE_STRING_LENGTH(text) <= 1) {
		error_at(place, "tek: the role is empty; write %<tek_role(\"...\")%>");
		return false;
	}
	for (int i = 0; i < TREE_STRING_LENGTH(text) - 1; i++) {
		if ((unsigned char)TREE_STRING_POINTER(text)[i] < ' ') {
			error_at(place, "tek: the role has a control character in it");
			return false;
		}
	}
	/* abi.h: all strings are UTF-8. Other bytes would be escaped in the header and never match. */
	if (!tek_is_utf8(TREE_STRING_POINTER(text), TREE_STRING_LENGTH(text) - 1)) {
		error_at(place, "tek: the role is no UTF-8 text");
		return false;
	}
	return true;
}

static void report_conflict(location_t here, tree decl, tree role, location_t before, tree known)
{
	error_at(here, "tek: %qD has role %qs here and role %qs before", decl,
		 TREE_STRING_POINTER(TREE_VALUE(role)), TREE_STRING_POINTER(TREE_VALUE(known)));
	inform(before, "tek: the role before is here");
}

/* An earlier role, on this declaration or on the one before it, must say the same. */
static bool agrees(tree decl, tree earlier, tree arguments)
{
	tree known = earlier ? role_argument(earlier) : NULL_TREE;

	if (!known || strcmp(TREE_STRING_POINTER(TREE_VALUE(known)),
			     TREE_STRING_POINTER(TREE_VALUE(arguments))) == 0)
		return true;
	report_conflict(DECL_SOURCE_LOCATION(decl), decl, arguments, place_of_role(known, earlier),
			known);
	return false;
}

/* node[1] is the declaration before this one, if there is one (decl_attributes, since GCC 8). */
static tree handle_role(tree *node, tree name, tree arguments, int, bool *no_add_attrs)
{
	*no_add_attrs = true;
	if (!is_function(node[0], name) || !is_role_text(node[0], TREE_VALUE(arguments)))
		return NULL_TREE;
	if (!agrees(node[0], node[0], arguments) || !agrees(node[0], node[1], arguments))
		return NULL_TREE;
	tek_role_places = tree_cons(
		arguments,
		build_int_cstu(long_long_unsigned_type_node, DECL_SOURCE_LOCATION(node[0])),
		tek_role_places);
	*no_add_attrs = false;
	return NULL_TREE;
}

static tree handle_time_critical(tree *node, tree name, tree, int, bool *no_add_attrs)
{
	*no_add_attrs = !is_function(node[0], name);
	return NULL_TREE;
}

void tek_register_attributes(void)
{
	static const struct attribute_spec specs[] = {
		{ "tek_role", 1, 1, true, false, false, false, handle_role, NULL },
		{ "tek_time_critical", 0, 0, true, false, false, false, handle_time_critical,
		  NULL },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(specs); i++)
		register_attribute(&specs[i]);
}

/* IDENTIFIER_LAMBDA_P of the C++ front end's header, which lto1 and cc1 do not go with. */
static bool is_lambda(tree type)
{
	tree name = RECORD_OR_UNION_TYPE_P(type) ? TYPE_IDENTIFIER(type) : NULL_TREE;

	return name && name->base.protected_flag;
}

/*
 * A lambda's function of that name: the class does not list all of them, the symbol table does.
 * Null where there are several, that is, for a generic lambda.
 */
static tree lambda_function(tree type, const char *name)
{
	tree found = NULL_TREE;
	cgraph_node *node;

	FOR_EACH_FUNCTION(node)
	{
		tree decl = node->decl;

		if (DECL_CONTEXT(decl) != type || !DECL_NAME(decl) ||
		    strcmp(IDENTIFIER_POINTER(DECL_NAME(decl)), name) != 0)
			continue;
		if (found && found != decl)
			return NULL_TREE;
		found = decl;
	}
	return found;
}

/* A lambda has no name that stays: it is called by the function around it and its line. */
static const char *lambda_name(tree decl)
{
	tree around = TYPE_CONTEXT(DECL_CONTEXT(decl));
	char line[20];

	snprintf(line, sizeof(line), "lambda:%d", DECL_SOURCE_LINE(decl));
	if (around && TREE_CODE(around) == FUNCTION_DECL)
		return concat(tek_readable_name(around), "::", line, NULL);
	return xstrdup(line);
}

/*
 * C: the identifier. C++: qualified, without parameters. What stands in an unnamed namespace is
 * called as what is static is: by its own name, and told apart by its file.
 */
const char *tek_readable_name(tree decl)
{
	static const char unnamed[] = "{anonymous}::";
	char *name, *at;

	if (DECL_CONTEXT(decl) && is_lambda(DECL_CONTEXT(decl)))
		return lambda_name(decl);
	name = xstrdup(lang_hooks.decl_printable_name(decl, 1));
	while ((at = strstr(name, unnamed)))
		memmove(at, at + strlen(unnamed), strlen(at + strlen(unnamed)) + 1);
	return name;
}

/* A lambda becomes a plain function by its member _FUN, which a conversion operator hands out. */
static tree converted_lambda(gimple *statement)
{
	tree operation = gimple_call_fndecl(statement);
	tree type = operation ? DECL_CONTEXT(operation) : NULL_TREE;

	if (!type || !is_lambda(type) || !POINTER_TYPE_P(TREE_TYPE(TREE_TYPE(operation))))
		return NULL_TREE;
	return lambda_function(type, "_FUN");
}

/*
 * What defines a temporary of the gimplifier: it has one definition, in a straight line before its
 * use. Without optimisation such a temporary is a variable, with it an SSA name.
 */
static gimple *definition_of(tree value, gimple *use)
{
	gimple_stmt_iterator at = gsi_for_stmt(use);
	basic_block block = gimple_bb(use);

	if (TREE_CODE(value) == SSA_NAME)
		return SSA_NAME_DEF_STMT(value);
	if (!VAR_P(value) || !DECL_ARTIFICIAL(value) || !DECL_IGNORED_P(value) ||
	    TREE_ADDRESSABLE(value) || TREE_STATIC(value))
		return NULL;
	gsi_prev(&at);
	for (;;) {
		if (!gsi_end_p(at)) {
			if (gimple_get_lhs(gsi_stmt(at)) == value)
				return gsi_stmt(at);
			gsi_prev(&at);
			continue;
		}
		if (!single_pred_p(block))
			return NULL;
		block = single_pred(block);
		if (block == ENTRY_BLOCK_PTR_FOR_FN(cfun))
			return NULL;
		at = gsi_last_bb(block);
	}
}

/* The function whose address a value is, as far as that can be seen without optimisation. */
tree tek_entry_of(tree value, gimple *use)
{
	for (;;) {
		gimple *definition;

		STRIP_NOPS(value);
		if (TREE_CODE(value) == ADDR_EXPR) {
			tree decl = TREE_OPERAND(value, 0);

			return TREE_CODE(decl) == FUNCTION_DECL ? decl : NULL_TREE;
		}
		definition = definition_of(value, use);
		if (!definition)
			return NULL_TREE;
		if (is_gimple_call(definition))
			return converted_lambda(definition);
		if (!gimple_assign_single_p(definition) && !gimple_assign_cast_p(definition))
			return NULL_TREE;
		value = gimple_assign_rhs1(definition);
		use = definition;
	}
}

/* The attributes of a lambda stand on its operator(). */
static tree attributed(tree decl)
{
	tree body;

	if (!DECL_CONTEXT(decl) || !is_lambda(DECL_CONTEXT(decl)))
		return decl;
	body = lambda_function(DECL_CONTEXT(decl), "operator()");
	return body ? body : decl;
}

static void find_entry_size(struct tek_entry *entry)
{
	const struct tek_size_line *line = NULL;

	if ((entry->flags & (TEK_SITE_ROLE_ATTRIBUTE | TEK_SITE_STATIC_ENTRY)) ==
	    TEK_SITE_STATIC_ENTRY) {
		char *precise = concat(entry->name, "@", entry->file, NULL);

		line = tek_find_size(precise);
		free(precise);
	}
	if (!line)
		line = tek_find_size(entry->role);
	entry->usable = line ? line->usable : 0;
	if (line && line->override_caller)
		entry->flags |= TEK_SITE_OVERRIDE;
}

void tek_describe_entry(tree decl, struct tek_entry *entry)
{
	tree bearer = attributed(decl);
	tree role = role_argument(bearer);
	const char *file = DECL_SOURCE_FILE(decl);

	entry->name = tek_readable_name(decl);
	entry->role = role ? TREE_STRING_POINTER(TREE_VALUE(role)) : entry->name;
	entry->symbol = tek_symbol_of(decl);
	entry->file = file ? lbasename(file) : "";
	entry->flags = 0;
	if (role)
		entry->flags |= TEK_SITE_ROLE_ATTRIBUTE;
	if (lookup_attribute("tek_time_critical", DECL_ATTRIBUTES(bearer)))
		entry->flags |= TEK_SITE_TIME_CRITICAL;
	if (!TREE_PUBLIC(decl))
		entry->flags |= TEK_SITE_STATIC_ENTRY;
	find_entry_size(entry);
}

void tek_note_entry(tree decl)
{
	noted.add(DECL_UID(decl) + 1);
}

/* void *(*)(void *), or int (*)(void *) as thrd_create takes it. */
static bool starts_threads(tree type)
{
	tree result = TREE_TYPE(type), arguments = TYPE_ARG_TYPES(type);

	if (TREE_CODE(type) != FUNCTION_TYPE || !arguments || arguments == void_list_node ||
	    TREE_CHAIN(arguments) != void_list_node)
		return false;
	return TYPE_MAIN_VARIANT(TREE_VALUE(arguments)) == ptr_type_node &&
	       (TYPE_MAIN_VARIANT(result) == ptr_type_node ||
		TYPE_MAIN_VARIANT(result) == integer_type_node);
}

static bool may_be_entry(cgraph_node *node)
{
	tree decl = node->decl;

	if (node->alias || node->thunk || DECL_EXTERNAL(decl) || node->inlined_to)
		return false;
	if (lookup_attribute("tek_role", DECL_ATTRIBUTES(decl)) ||
	    lookup_attribute("tek_time_critical", DECL_ATTRIBUTES(decl)))
		return TREE_CODE(TREE_TYPE(decl)) == FUNCTION_TYPE;
	return noted.contains(DECL_UID(decl) + 1) ||
	       (node->address_taken && starts_threads(TREE_TYPE(decl)));
}

static int by_order(const void *a, const void *b)
{
	return (*(cgraph_node *const *)a)->order - (*(cgraph_node *const *)b)->order;
}

static void emit_role(tree decl)
{
	struct tek_record record;
	struct tek_entry entry;

	tek_describe_entry(decl, &entry);
	tek_record_begin(&record, "uuppppwuu");
	tek_record_number(&record, tree_to_uhwi(TYPE_SIZE_UNIT(record.type)));
	tek_record_number(&record, entry.flags);
	tek_record_pointer(&record, build_fold_addr_expr(decl));
	tek_record_string(&record, entry.role);
	tek_record_string(&record, entry.symbol);
	tek_record_string(&record, entry.file);
	tek_record_number(&record, entry.usable);
	tek_record_number(&record, DECL_SOURCE_LINE(decl));
	tek_record_number(&record, 0);
	tek_record_end(&record, TEK_SECTION_ROLES, "tek_role", true);
}

/*
 * C++ does not show an attribute's handler the earlier declaration of a member: both roles then
 * stand on the merged declaration.
 */
static void check_merged_roles(tree decl)
{
	tree one = lookup_attribute("tek_role", DECL_ATTRIBUTES(decl));
	tree other = one ? lookup_attribute("tek_role", TREE_CHAIN(one)) : NULL_TREE;
	location_t first, second;

	if (!other)
		return;
	first = place_of_role(TREE_VALUE(one), decl);
	second = place_of_role(TREE_VALUE(other), decl);
	if (first > second) {
		std::swap(one, other);
		std::swap(first, second);
	}
	report_conflict(second, decl, TREE_VALUE(other), first, TREE_VALUE(one));
}

/* Before IPA, where nothing has been removed yet, whatever -O says. */
void tek_emit_roles(void)
{
	auto_vec<cgraph_node *> entries;
	cgraph_node *node;

	FOR_EACH_FUNCTION(node)
	{
		check_merged_roles(node->decl);
	}
	FOR_EACH_DEFINED_FUNCTION(node)
	{
		if (may_be_entry(node))
			entries.safe_push(node);
	}
	entries.qsort(by_order);
	for (unsigned i = 0; i < entries.length(); i++)
		emit_role(entries[i]->decl);
}
