/* SPDX-License-Identifier: MIT */
/* The full tool, for the developer's machine. */
#include "verbs.h"

#include <stddef.h>

#include "tool.h"

const struct tool_verb tool_verbs[] = {
	{ "run", cmd_run, "run a program under measurement" },
	{ "snapshot", cmd_snapshot, "read the stacks of a measuring process now" },
	{ "gc", cmd_gc, "remove what dead processes left behind" },
	{ "report", cmd_report, "show what run files say, role by role" },
	{ "sizes", cmd_sizes, "write tek_stack_sizes.h from run files" },
	{ "check", cmd_check, "for CI: High Zone, outgrown lines, stale or missing evidence" },
	{ NULL, NULL, NULL },
};
