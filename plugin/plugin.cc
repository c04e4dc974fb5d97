/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The implementation for one compiler: tek-gcc<major>-<target>.so, started by tek.so. Silent
 * unless something is wrong; no environment variable is read and no file written.
 */
#include "tek-plugin.h"

#define EXPORT __attribute__((visibility("default")))

extern "C" {
EXPORT extern int plugin_is_GPL_compatible;
int plugin_is_GPL_compatible;
EXPORT int plugin_init(struct plugin_name_args *, struct plugin_gcc_version *);
}

struct tek_options tek_options = TEK_OPTIONS_DEFAULT;
const char *tek_configured_target = TEK_TARGET;

/*
 * The same major and minor version: the compiler's inner layout may change between those. The rest
 * of what plugin_default_version_check() compares changes with every rebuild by a distribution
 * (date, configure line with the package's version) and does no harm.
 */
static bool same_version(const struct plugin_gcc_version *running)
{
	unsigned built[2] = { 0, 0 }, now[2] = { 0, 0 };

	sscanf(gcc_version.basever, "%u.%u", &built[0], &built[1]);
	sscanf(running->basever, "%u.%u", &now[0], &now[1]);
	if (built[0] == now[0] && built[1] == now[1])
		return true;
	error("tek: this plugin was built for gcc %s and runs in gcc %s; rebuild TEK with the "
	      "package gcc-%u-plugin-dev",
	      gcc_version.basever, running->basever, now[0]);
	return false;
}

static bool read_arguments(const struct plugin_name_args *info)
{
	char message[300];
	bool good = true;

	for (int i = 0; i < info->argc; i++) {
		const struct plugin_argument *argument = &info->argv[i];

		if (tek_options_parse(&tek_options, info->base_name, argument->key, argument->value,
				      message, sizeof(message)) == 0)
			continue;
		error("tek: %s", message);
		good = false;
	}
	return good;
}

static void on_attributes(void *, void *)
{
	tek_register_attributes();
}

static void on_pragmas(void *, void *)
{
	tek_register_pragma();
}

/* All functions are lowered, none is optimised yet: what is emitted here is the same at each -O. */
static void on_ipa_start(void *, void *)
{
	if (in_lto_p || !symtab->first_defined_function())
		return;
	tek_emit_module();
	tek_emit_sizes();
	tek_emit_roles();
}

static void on_ipa_end(void *, void *)
{
	tek_prepare_probes();
}

static void on_finish_unit(void *, void *)
{
	tek_finish_module();
}

#define ROOT(variable)                                                                   \
	{                                                                                \
		&(variable), 1, sizeof(tree), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node \
	}

static const struct ggc_root_tab roots[] = {
	ROOT(tek_role_places),	   ROOT(tek_create_roots[0]), ROOT(tek_create_roots[1]),
	ROOT(tek_create_roots[2]), ROOT(tek_create_roots[3]), ROOT(tek_probe_roots[0]),
	ROOT(tek_probe_roots[1]),  LAST_GGC_ROOT_TAB,
};

static void register_pass(const char *plugin, opt_pass *pass, const char *reference,
			  enum pass_positioning_ops position)
{
	struct register_pass_info info = { pass, reference, 1, position };

	register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

int plugin_init(struct plugin_name_args *info, struct plugin_gcc_version *version)
{
	const char *name = info->base_name;

	if (!same_version(version) || !read_arguments(info))
		return 1;
	if (tek_options.probe != TEK_PROBE_NONE && !tek_arch_can_probe()) {
		error("tek: there is no stack probe for this target; use "
		      "%<-fplugin-arg-%s-probe=none%>",
		      name);
		return 1;
	}
	register_callback(name, PLUGIN_REGISTER_GGC_ROOTS, NULL, CONST_CAST(ggc_root_tab *, roots));
	register_callback(name, PLUGIN_ATTRIBUTES, on_attributes, NULL);
	register_callback(name, PLUGIN_PRAGMAS, on_pragmas, NULL);
	register_callback(name, PLUGIN_ALL_IPA_PASSES_START, on_ipa_start, NULL);
	register_callback(name, PLUGIN_ALL_IPA_PASSES_END, on_ipa_end, NULL);
	register_callback(name, PLUGIN_FINISH_UNIT, on_finish_unit, NULL);

	/*
	 * All functions pass through here once at every -O, in cc1 and cc1plus alone, before
	 * anything is inlined or removed: the same sites at -O0 and -O3 and through LTO.
	 */
	register_pass(name, tek_make_create_pass(g), "cfg", PASS_POS_INSERT_AFTER);
	/*
	 * The last GIMPLE pass of every -O: inlining is over, so a function that vanished into
	 * another brings no probe, and no optimiser moves the reading of SP.
	 */
	register_pass(name, tek_make_probe_pass(g), "optimized", PASS_POS_INSERT_BEFORE);
	return 0;
}
