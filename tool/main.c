/* SPDX-License-Identifier: MIT */
/* tek VERB ...: which verb, help, version. */
#include <stdio.h>
#include <string.h>

#include "tool.h"
#include "verbs.h"

static void help(FILE *to)
{
	const struct tool_verb *verb;

	fputs("usage: tek VERB [OPTION]... [ARGUMENT]...\n\n", to);
	for (verb = tool_verbs; verb->name; verb++)
		fprintf(to, "  %-10s %s\n", verb->name, verb->summary);
	fputs("\n`tek VERB --help` tells a verb's options; see also tek(1).\n", to);
}

static const struct tool_verb *find_verb(const char *name)
{
	const struct tool_verb *verb;

	for (verb = tool_verbs; verb->name; verb++)
		if (strcmp(verb->name, name) == 0)
			return verb;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct tool_verb *verb;

	if (argc < 2) {
		help(stderr);
		return TOOL_NOTHING;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		help(stdout);
		return TOOL_DONE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("tek " TEK_VERSION);
		return TOOL_DONE;
	}
	verb = find_verb(argv[1]);
	if (!verb) {
		tool_problem(argv[1], "no such verb; `tek --help` lists them");
		return TOOL_NOTHING;
	}
	return verb->run(argc - 1, argv + 1);
}
