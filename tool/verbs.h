/* SPDX-License-Identifier: MIT */
/* The verbs this build of `tek` has; ends with a null name. */
#ifndef TEK_TOOL_VERBS_H
#define TEK_TOOL_VERBS_H

struct tool_verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

extern const struct tool_verb tool_verbs[];

#endif
