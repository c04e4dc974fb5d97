/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack probe, at the entry of a function and behind each alloca:
 *
 *	off = SP - words.lo;
 *	if (off < words.line) {				unlikely, one assembler statement:
 *		old = *words.lowest;
 *		if (off < old && *words.lowest == old)	one instruction
 *			*words.lowest = off;
 *		words.line = *words.lowest;
 *		if (off < words.event)
 *			__tek_event
 *	}
 *
 * No call in the compiler's eyes, so a leaf stays a leaf and keeps its frame: the tool would
 * otherwise measure itself. Nor does x86-64 write to the stack: what lies below SP would be found
 * by the scan for the lowest non-zero byte. GCC is told of the cold path's scratch registers
 * alone (arch-*.cc). How the event's handler is entered and left stands in tek/abi.h, at struct
 * tek_words.
 *
 * SP is read as a register variable: an instruction that uses SP stays behind the prologue.
 */
#include "tek-plugin.h"

enum {
	STACK_POINTER,
	WORDS
};
tree tek_probe_roots[2];
bool tek_probed;

enum {
	WORD_LO,
	WORD_LINE,
	WORD_EVENT,
	WORD_HANDLER,
	WORD_LOWEST,
	WORD_COUNT
};

/* Functions that run before the thread's words exist: ifunc resolvers and what they call. */
typedef hash_set<int_hash<unsigned, 0, UINT_MAX>> uid_set;
static uid_set early;

/* Functions that may call themselves, also by way of others of the unit. */
static uid_set recursive;

static tree stack_pointer(void)
{
	tree var = tek_probe_roots[STACK_POINTER];
	char name[20];

	if (var)
		return var;
	var = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("__tek_sp"), tek_word_type());
	TREE_PUBLIC(var) = 1;
	TREE_STATIC(var) = 1;
	DECL_REGISTER(var) = 1;
	DECL_HARD_REGISTER(var) = 1;
	DECL_ARTIFICIAL(var) = 1;
	DECL_IGNORED_P(var) = 1;
	snprintf(name, sizeof(name), "*%s", reg_names[STACK_POINTER_REGNUM]);
	SET_DECL_ASSEMBLER_NAME(var, get_identifier(name));
	tek_probe_roots[STACK_POINTER] = var;
	return var;
}

/*
 * The thread's words. Initial-exec everywhere: objects made for an executable are linked into
 * shared libraries too, where the linker refuses local-exec; for an executable it relaxes this.
 */
static tree words(void)
{
	tree var = tek_probe_roots[WORDS];

	if (var)
		return var;
	var = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("__tek_words"),
			 build_array_type_nelts(tek_word_type(), WORD_COUNT));
	TREE_PUBLIC(var) = 1;
	DECL_EXTERNAL(var) = 1;
	DECL_ARTIFICIAL(var) = 1;
	DECL_IGNORED_P(var) = 1;
	set_decl_tls_model(var, TLS_MODEL_INITIAL_EXEC);
	varpool_node::get_create(var);
	tek_probe_roots[WORDS] = var;
	return var;
}

static tree word(int index)
{
	return build4(ARRAY_REF, tek_word_type(), words(), build_int_cst(integer_type_node, index),
		      NULL_TREE, NULL_TREE);
}

static void append(basic_block block, gimple *statement)
{
	gimple_stmt_iterator at = gsi_last_bb(block);

	gsi_insert_after(&at, statement, GSI_NEW_STMT);
}

static tree load(basic_block block, tree source)
{
	tree value = make_ssa_name(TREE_TYPE(source));

	append(block, gimple_build_assign(value, source));
	return value;
}

/* Ends a block that has one successor with `if (a < b)`; returns the unlikely block of it. */
static basic_block if_less(basic_block block, tree a, tree b)
{
	edge past = single_succ_edge(block), into, out;
	basic_block unlikely = create_empty_bb(block);

	append(block, gimple_build_cond(LT_EXPR, a, b, NULL_TREE, NULL_TREE));
	past->flags = (past->flags & ~EDGE_FALLTHRU) | EDGE_FALSE_VALUE;
	into = make_edge(block, unlikely, EDGE_TRUE_VALUE);
	/* Unlikely, and not never: a block that never runs would get a section of its own. */
	into->probability = profile_probability::very_unlikely();
	past->probability = into->probability.invert();
	out = make_single_succ_edge(unlikely, past->dest, EDGE_FALLTHRU);
	out->probability = profile_probability::always();
	unlikely->count = into->count();
	if (dom_info_available_p(CDI_DOMINATORS))
		set_immediate_dominator(CDI_DOMINATORS, unlikely, block);
	if (current_loops)
		add_bb_to_loop(unlikely, block->loop_father);
	return unlikely;
}

/* Appends the probe to a block that has one successor and does nothing behind it. */
static void put_probe(basic_block block)
{
	tree offset = make_ssa_name(tek_word_type());
	tree sp = load(block, stack_pointer());
	tree lo = load(block, word(WORD_LO));

	/* A loop may begin right behind: its PHI nodes must not get a second edge from here. */
	split_edge(single_succ_edge(block));
	append(block, gimple_build_assign(offset, MINUS_EXPR, sp, lo));
	append(if_less(block, offset, load(block, word(WORD_LINE))), tek_arch_cold_path());
}

static bool is_alloca(gimple *statement)
{
	return gimple_call_builtin_p(statement, BUILT_IN_ALLOCA) ||
	       gimple_call_builtin_p(statement, BUILT_IN_ALLOCA_WITH_ALIGN) ||
	       gimple_call_builtin_p(statement, BUILT_IN_ALLOCA_WITH_ALIGN_AND_MAX);
}

static void find_allocas(function *fun, vec<gimple *> *found)
{
	basic_block block;

	FOR_EACH_BB_FN(block, fun)
	{
		for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
			if (is_alloca(gsi_stmt(at)))
				found->safe_push(gsi_stmt(at));
		}
	}
}

static bool has_any_attribute(tree decl, const char *const *names)
{
	for (; *names; names++) {
		if (lookup_attribute(*names, DECL_ATTRIBUTES(decl)) ||
		    lookup_attribute(*names, TYPE_ATTRIBUTES(TREE_TYPE(decl))))
			return true;
	}
	return false;
}

/*
 * no_instrument_function is looked up as an attribute: GCC sets the flag that it stands for on
 * functions that do not carry it.
 */
static bool may_probe(function *fun)
{
	static const char *const barred[] = { "naked",	"interrupt", "interrupt_handler",
					      "signal", "isr",	     "no_instrument_function",
					      NULL };
	tree decl = fun->decl;
	const char *place = DECL_SECTION_NAME(decl);

	if (has_any_attribute(decl, barred) || cgraph_node::get(decl)->thunk)
		return false;
	/* Pieces of one function that crti.o begins and crtn.o ends. */
	if (place && (strcmp(place, ".init") == 0 || strcmp(place, ".fini") == 0))
		return false;
	return !early.contains(DECL_UID(decl) + 1);
}

static bool is_at_least(function *fun, unsigned statements)
{
	unsigned count = 0;
	basic_block block;

	FOR_EACH_BB_FN(block, fun)
	{
		for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at);
		     gsi_next_nondebug(&at)) {
			if (++count >= statements)
				return true;
		}
	}
	return false;
}

/*
 * Where a probe can matter. A frame below LEAST_FRAME bytes (as GCC estimates them before register
 * allocation) adds less to the peak than the bracket of the scan leaves open anyway: the return
 * address of the next call, which is not zero, lies right below it. Recursion adds such frames up:
 * there a High Zone could be crossed between two probes, so it is probed too, but for functions so
 * short that the probe's 5 instructions would be felt.
 */
enum {
	LEAST_FRAME = 32,
	LEAST_RECURSION = 30
};

static bool worth_probing(function *fun)
{
	if (tek_options.probe == TEK_PROBE_ALL || fun->calls_alloca)
		return true;
	if (estimated_stack_frame_size(cgraph_node::get(fun->decl)) >= LEAST_FRAME)
		return true;
	return recursive.contains(DECL_UID(fun->decl) + 1) && is_at_least(fun, LEAST_RECURSION);
}

static unsigned int probe_function(function *fun)
{
	auto_vec<gimple *> allocas;

	if (!may_probe(fun) || !worth_probing(fun))
		return 0;
	tek_probed = true;
	find_allocas(fun, &allocas);
	/* On the entry edge, not in the first block: a loop may lead back to that. */
	put_probe(split_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun))));
	for (unsigned i = 0; i < allocas.length(); i++) {
		basic_block block = gimple_bb(allocas[i]);

		split_block(block, allocas[i]);
		put_probe(block);
	}
	free_dominance_info(CDI_POST_DOMINATORS);
	return TODO_update_ssa_only_virtuals;
}

static void mark_early(cgraph_node *node)
{
	node = node->ultimate_alias_target();
	if (!node->definition || early.add(DECL_UID(node->decl) + 1))
		return;
	for (cgraph_edge *call = node->callees; call; call = call->next_callee)
		mark_early(call->callee);
}

static void find_early(void)
{
	cgraph_node *node;

	FOR_EACH_FUNCTION(node)
	{
		if (node->ifunc_resolver)
			mark_early(node);
	}
}

static int component(cgraph_node *node)
{
	return ((struct ipa_dfs_info *)node->aux)->scc_no;
}

static bool calls_itself(cgraph_node *node)
{
	for (cgraph_edge *call = node->callees; call; call = call->next_callee) {
		if (call->callee->ultimate_alias_target() == node)
			return true;
	}
	return false;
}

/* A body that is inlined counts as the function that it went into. */
static void note_recursive(cgraph_node *node)
{
	recursive.add(DECL_UID((node->inlined_to ? node->inlined_to : node)->decl) + 1);
}

static void find_recursive(void)
{
	cgraph_node **order = XCNEWVEC(cgraph_node *, symtab->cgraph_count);
	unsigned *members = XCNEWVEC(unsigned, symtab->cgraph_count + 1);
	cgraph_node *node;

	ipa_reduced_postorder(order, true, NULL);
	FOR_EACH_DEFINED_FUNCTION(node)
	{
		if (node->aux)
			members[component(node)]++;
	}
	FOR_EACH_DEFINED_FUNCTION(node)
	{
		if (node->aux && (members[component(node)] > 1 || calls_itself(node)))
			note_recursive(node);
	}
	ipa_free_postorder_info();
	free(members);
	free(order);
}

/* When IPA has ended: the last time at which the whole call graph stands. */
void tek_prepare_probes(void)
{
	if (tek_options.probe == TEK_PROBE_NONE)
		return;
	find_early();
	if (tek_options.probe == TEK_PROBE_FRAMES)
		find_recursive();
}

namespace
{
const pass_data probe_data = {
	GIMPLE_PASS, "tek_probe", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};

struct probe_pass : gimple_opt_pass {
	explicit probe_pass(gcc::context *context) : gimple_opt_pass(probe_data, context)
	{
	}

	bool gate(function *) final
	{
		return tek_options.probe != TEK_PROBE_NONE;
	}

	unsigned int execute(function *fun) final
	{
		return probe_function(fun);
	}
};
} // namespace

gimple_opt_pass *tek_make_probe_pass(gcc::context *context)
{
	return new probe_pass(context);
}
