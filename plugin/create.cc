/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Creation calls. Before:
 *
 *	r = pthread_create(thread, attr, entry, arg);
 *
 * after:
 *
 *	static struct tek_site site = { ... };		section tek_sites
 *	if (__tek_pthread_create)			weak: null without libtek
 *		r = __tek_pthread_create(thread, attr, entry, arg, &site);
 *	else
 *		r = pthread_create(thread, attr, entry, arg);
 *
 * and for a function of -fplugin-arg-tek-creator:
 *
 *	if (__tek_creator_enter) {
 *		__tek_creator_enter(&site, entry, name);
 *		r = task_spawn(...);
 *		__tek_creator_leave(&site);		also when an exception passes
 *	} else
 *		r = task_spawn(...);
 *
 * The call gets a block of its own, so that the second call can have the same edges.
 */
#include "tek-plugin.h"

enum {
	PTHREAD_CREATE,
	THRD_CREATE,
	CREATOR_ENTER,
	CREATOR_LEAVE
};
tree tek_create_roots[4];

struct creation {
	gcall *call;
	const struct tek_creator *creator; /* null: pthread_create or thrd_create */
	bool thrd;
	unsigned entry; /* index of the argument */
};

static void add_attribute(tree decl, const char *name)
{
	DECL_ATTRIBUTES(decl) = tree_cons(get_identifier(name), NULL_TREE, DECL_ATTRIBUTES(decl));
}

static tree runtime_function(int which)
{
	static const char *const names[] = { "__tek_pthread_create", "__tek_thrd_create",
					     "__tek_creator_enter", "__tek_creator_leave" };
	tree p = ptr_type_node, type, decl = tek_create_roots[which];

	if (decl)
		return decl;
	switch (which) {
	case PTHREAD_CREATE:
		type = build_function_type_list(integer_type_node, p, p, p, p, p, NULL_TREE);
		break;
	case THRD_CREATE:
		type = build_function_type_list(integer_type_node, p, p, p, p, NULL_TREE);
		break;
	case CREATOR_ENTER:
		type = build_function_type_list(void_type_node, p, p, p, NULL_TREE);
		break;
	default:
		type = build_function_type_list(void_type_node, p, NULL_TREE);
		break;
	}
	decl = build_fn_decl(names[which], type);
	DECL_ARTIFICIAL(decl) = 1;
	/* GCC writes `.weak` for an external function only where it finds the attribute. */
	DECL_WEAK(decl) = 1;
	add_attribute(decl, "weak");
	/* These two only note something: they never throw, and never come back into this unit. */
	if (which == CREATOR_ENTER || which == CREATOR_LEAVE) {
		TREE_NOTHROW(decl) = 1;
		add_attribute(decl, "leaf");
	}
	tek_create_roots[which] = decl;
	return decl;
}

static bool has_pointers(gcall *call, unsigned count)
{
	if (gimple_call_num_args(call) != count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (!POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(call, i))))
			return false;
	}
	return true;
}

/*
 * The C library's function and no other of that name: a method or a namespace's function has
 * another assembler name, a static one is not public, and one that is defined here is not libc's.
 */
static bool is_library_call(gcall *call, tree decl, const char *name, unsigned count)
{
	return TREE_PUBLIC(decl) && DECL_EXTERNAL(decl) && strcmp(tek_symbol_of(decl), name) == 0 &&
	       has_pointers(call, count);
}

/* A pointer to char; a string literal is passed as a pointer to an array of it. */
static bool is_text(tree type)
{
	if (!POINTER_TYPE_P(type))
		return false;
	type = TREE_TYPE(type);
	if (TREE_CODE(type) == ARRAY_TYPE)
		type = TREE_TYPE(type);
	return TREE_CODE(type) == INTEGER_TYPE && TYPE_PRECISION(type) == BITS_PER_UNIT;
}

static bool fits_creator(gcall *call, const struct tek_creator *creator)
{
	const unsigned count = gimple_call_num_args(call);
	location_t place = gimple_location(call);

	if (creator->entry > count || creator->name_arg > count) {
		error_at(place,
			 "tek: this call of %qs has %u arguments, and "
			 "%<-fplugin-arg-tek-creator%> names argument %u",
			 creator->name, count, MAX(creator->entry, creator->name_arg));
		return false;
	}
	if (!POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(call, creator->entry - 1)))) {
		error_at(place,
			 "tek: argument %u of %qs is no pointer, and "
			 "%<-fplugin-arg-tek-creator%> calls it the start routine",
			 creator->entry, creator->name);
		return false;
	}
	if (creator->name_arg &&
	    !is_text(TREE_TYPE(gimple_call_arg(call, creator->name_arg - 1)))) {
		error_at(place,
			 "tek: argument %u of %qs is no string, and "
			 "%<-fplugin-arg-tek-creator%> calls it the name",
			 creator->name_arg, creator->name);
		return false;
	}
	return true;
}

static bool is_creation(gcall *call, struct creation *creation)
{
	tree decl = gimple_call_fndecl(call);

	if (!decl || fndecl_built_in_p(decl))
		return false;
	for (size_t i = 0; i < tek_options.creator_count; i++) {
		const struct tek_creator *creator = &tek_options.creators[i];

		if (strcmp(creator->name, tek_symbol_of(decl)) == 0) {
			*creation = { call, creator, false, creator->entry - 1 };
			return fits_creator(call, creator);
		}
	}
	if (is_library_call(call, decl, "pthread_create", 4)) {
		*creation = { call, NULL, false, 2 };
		return true;
	}
	if (is_library_call(call, decl, "thrd_create", 3)) {
		*creation = { call, NULL, true, 1 };
		return true;
	}
	return false;
}

/* The text of a string literal that is passed as the name; null: known only at run time. */
static const char *literal_name(const struct creation *creation)
{
	const struct tek_creator *creator = creation->creator;
	tree value;

	if (!creator || !creator->name_arg)
		return NULL;
	value = gimple_call_arg(creation->call, creator->name_arg - 1);
	STRIP_NOPS(value);
	return c_getstr(value);
}

static void describe(const struct creation *creation, struct tek_entry *entry)
{
	tree decl = tek_entry_of(gimple_call_arg(creation->call, creation->entry), creation->call);
	const char *name = literal_name(creation);

	*entry = {};
	if (decl) {
		tek_note_entry(decl);
		tek_describe_entry(decl, entry);
	}
	if (name && *name) {
		const struct tek_size_line *line = tek_find_size(name);

		entry->role = name;
		entry->usable = line ? line->usable : 0;
		entry->flags &= ~(TEK_SITE_OVERRIDE | TEK_SITE_ROLE_ATTRIBUTE);
		if (line && line->override_caller)
			entry->flags |= TEK_SITE_OVERRIDE;
	}
	if (creation->creator)
		entry->flags |= TEK_SITE_CREATOR;
	if (creation->thrd)
		entry->flags |= TEK_SITE_THRD;
}

static tree build_site(const struct creation *creation)
{
	expanded_location place = expand_location(gimple_location(creation->call));
	struct tek_record record;
	struct tek_entry entry;

	describe(creation, &entry);
	tek_record_begin(&record, "uuppppuupwuu");
	tek_record_number(&record, tree_to_uhwi(TYPE_SIZE_UNIT(record.type)));
	tek_record_number(&record, entry.flags);
	tek_record_string(&record, entry.role);
	tek_record_string(&record, entry.symbol);
	tek_record_string(&record,
			  remap_macro_filename(place.file ? place.file : main_input_filename));
	tek_record_string(&record, tek_readable_name(current_function_decl));
	tek_record_number(&record, place.line);
	tek_record_number(&record, place.column);
	tek_record_string(&record, entry.file);
	tek_record_number(&record, entry.usable);
	tek_record_number(&record, 0);
	tek_record_number(&record, 0);
	/* A body that only another unit emits (extern inline) leaves a site where it is inlined. */
	return build_fold_addr_expr(tek_record_end(&record, TEK_SECTION_SITES, "tek_site",
						   !DECL_EXTERNAL(current_function_decl)));
}

/* Puts the call into a block of its own; the same blocks with and without -g. */
static basic_block isolate(gcall *call)
{
	gimple_stmt_iterator at = gsi_for_stmt(call);
	basic_block block = gimple_bb(call);

	gsi_prev(&at);
	if (gsi_end_p(at) || gimple_code(gsi_stmt(at)) == GIMPLE_LABEL)
		block = split_block_after_labels(block)->dest;
	else
		block = split_block(block, gsi_stmt(at))->dest;
	if (!stmt_ends_bb_p(call))
		split_block(block, call);
	return block;
}

/* The block behind the call, reached by no other way; null if the call does not return. */
static basic_block block_behind(basic_block block)
{
	edge behind = find_fallthru_edge(block->succs);

	return behind ? split_edge(behind) : NULL;
}

/* A result in SSA form (the gimplifier makes such) would be defined twice. */
static void share_result(gcall *call, basic_block behind)
{
	tree result = gimple_call_lhs(call), shared;
	gimple_stmt_iterator at;

	if (!result || TREE_CODE(result) != SSA_NAME)
		return;
	shared = create_tmp_reg(TREE_TYPE(result));
	gimple_call_set_lhs(call, shared);
	at = gsi_after_labels(behind);
	gsi_insert_before(&at, gimple_build_assign(result, shared), GSI_NEW_STMT);
}

static gcall *with_place(gcall *call, gcall *like)
{
	gimple_set_location(call, gimple_location(like));
	gimple_set_block(call, gimple_block(like));
	return call;
}

/* The same call of the runtime's function, with the site behind the arguments. */
static gcall *redirected(gcall *call, tree function, tree site)
{
	auto_vec<tree> arguments;
	gcall *other;

	for (unsigned i = 0; i < gimple_call_num_args(call); i++)
		arguments.safe_push(gimple_call_arg(call, i));
	arguments.safe_push(site);
	other = gimple_build_call_vec(function, arguments);
	gimple_call_set_lhs(other, gimple_call_lhs(call));
	gimple_call_set_nothrow(other, gimple_call_nothrow_p(call));
	gimple_call_set_tail(other, gimple_call_tail_p(call));
	return with_place(other, call);
}

/*
 * Gives a block with one call a twin with another call, which has the same edges, those of
 * exceptions and of setjmp included, and is taken if the function is there.
 */
static void branch(basic_block block, gcall *call, gcall *other, tree function)
{
	edge plain = single_pred_edge(block), known, way;
	basic_block head = plain->src, twin = create_empty_bb(block);
	gimple_stmt_iterator at = gsi_last_bb(head);
	edge_iterator i;

	gsi_insert_after(&at,
			 gimple_build_cond(NE_EXPR, build_fold_addr_expr(function),
					   null_pointer_node, NULL_TREE, NULL_TREE),
			 GSI_NEW_STMT);
	plain->flags = (plain->flags & ~EDGE_FALLTHRU) | EDGE_FALSE_VALUE;
	known = make_edge(head, twin, EDGE_TRUE_VALUE);
	known->probability = profile_probability::even();
	plain->probability = known->probability.invert();
	twin->count = block->count;
	at = gsi_start_bb(twin);
	gsi_insert_after(&at, other, GSI_NEW_STMT);
	maybe_duplicate_eh_stmt(other, call);
	FOR_EACH_EDGE(way, i, block->succs)
	make_edge(twin, way->dest, way->flags)->probability = way->probability;
	if (current_loops)
		add_bb_to_loop(twin, block->loop_father);
}

static gcall *leave_call(gcall *call, tree site)
{
	return with_place(gimple_build_call(runtime_function(CREATOR_LEAVE), 1, site), call);
}

/*
 * A creator that an exception leaves: its name must not stay for a later thread. A landing pad of
 * the call's own calls leave and lets the exception go on, to where it went before.
 */
static void leave_on_exception(gcall *call, tree site)
{
	const int outer = lookup_stmt_eh_lp(call);
	tree label = create_artificial_label(gimple_location(call));
	basic_block block = gimple_bb(call), pad_block;
	gimple_stmt_iterator at;
	eh_landing_pad pad;
	edge way, went = NULL;
	edge_iterator i;
	gresx *on;

	FOR_EACH_EDGE(way, i, block->succs)
	{
		if (way->flags & EDGE_EH)
			went = way;
	}
	if (went)
		remove_edge(went);
	pad = gen_eh_landing_pad(gen_eh_region_cleanup(
		outer ? get_eh_landing_pad_from_number(outer)->region : NULL));
	pad->post_landing_pad = label;
	EH_LANDING_PAD_NR(label) = pad->index;
	pad_block = create_empty_bb(block);
	pad_block->count = profile_count::zero();
	if (current_loops)
		add_bb_to_loop(pad_block, block->loop_father);
	on = gimple_build_resx(pad->region->index);
	gimple_set_location(on, gimple_location(call));
	at = gsi_start_bb(pad_block);
	gsi_insert_after(&at, gimple_build_label(label), GSI_NEW_STMT);
	gsi_insert_after(&at, leave_call(call, site), GSI_NEW_STMT);
	gsi_insert_after(&at, on, GSI_NEW_STMT);
	if (outer) {
		remove_stmt_from_eh_lp(call);
		add_stmt_to_eh_lp(on, outer);
		make_eh_edges(on);
	}
	add_stmt_to_eh_lp(call, pad->index);
	make_eh_edges(call);
}

/* Encloses the call of a creator in enter and leave. */
static void enclose(const struct creation *creation, gcall *call, tree site)
{
	const unsigned name = creation->creator->name_arg;
	gimple_stmt_iterator at = gsi_for_stmt(call);
	edge behind = find_fallthru_edge(gimple_bb(call)->succs);
	gcall *enter;

	enter = gimple_build_call(runtime_function(CREATOR_ENTER), 3, site,
				  gimple_call_arg(call, creation->entry),
				  name ? gimple_call_arg(call, name - 1) : null_pointer_node);
	gsi_insert_before(&at, with_place(enter, call), GSI_SAME_STMT);
	if (behind) {
		at = gsi_after_labels(split_edge(behind));
		gsi_insert_before(&at, leave_call(call, site), GSI_SAME_STMT);
	}
	/* A negative landing pad: nothing may throw here, the program ends. */
	if (stmt_could_throw_p(cfun, call) && lookup_stmt_eh_lp(call) >= 0)
		leave_on_exception(call, site);
}

static void rewrite(const struct creation *creation)
{
	tree site = build_site(creation);
	basic_block block, behind;
	gcall *call = creation->call, *other;
	tree function;

	block = isolate(call);
	behind = block_behind(block);
	if (behind)
		share_result(call, behind);
	if (creation->creator) {
		function = runtime_function(CREATOR_ENTER);
		other = as_a<gcall *>(gimple_copy(call));
		branch(block, call, other, function);
		enclose(creation, other, site);
	} else {
		function = runtime_function(creation->thrd ? THRD_CREATE : PTHREAD_CREATE);
		other = redirected(call, function, site);
		branch(block, call, other, function);
	}
}

static unsigned int rewrite_function(function *fun)
{
	auto_vec<struct creation> found;
	struct creation creation;
	basic_block block;

	FOR_EACH_BB_FN(block, fun)
	{
		for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
			gcall *call = dyn_cast<gcall *>(gsi_stmt(at));

			if (call && is_creation(call, &creation))
				found.safe_push(creation);
		}
	}
	for (unsigned i = 0; i < found.length(); i++)
		rewrite(&found[i]);
	if (found.length()) {
		free_dominance_info(CDI_DOMINATORS);
		free_dominance_info(CDI_POST_DOMINATORS);
		loops_state_set(LOOPS_NEED_FIXUP);
	}
	return 0;
}

namespace
{
const pass_data create_data = {
	GIMPLE_PASS, "tek_create", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0,
};

struct create_pass : gimple_opt_pass {
	explicit create_pass(gcc::context *context) : gimple_opt_pass(create_data, context)
	{
	}

	unsigned int execute(function *fun) final
	{
		return rewrite_function(fun);
	}
};
} // namespace

gimple_opt_pass *tek_make_create_pass(gcc::context *context)
{
	return new create_pass(context);
}
