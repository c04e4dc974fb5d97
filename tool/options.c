/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <stdio.h>
#include <string.h>

#include "tool.h"

void options_reset(void)
{
	optind = 0;
}

void options_mistake(const char *subject, const char *text, const char *usage)
{
	tool_problem(subject, "%s", text);
	fprintf(stderr, "usage: %s\n", usage);
}

int options_next(int argc, char **argv, const char *letters, const struct option *options,
		 const char *usage)
{
	int at = optind ? optind : 1, letter;
	char name[3] = "-";

	opterr = 0;
	letter = getopt_long(argc, argv, letters, options, NULL);
	if (letter != '?' && letter != ':')
		return letter;
	name[1] = (char)optopt;
	/* A long option's mistake leaves optopt 0 or a letter that is no short option. */
	if (optind > at && strncmp(argv[optind - 1], "--", 2) == 0)
		options_mistake(argv[optind - 1],
				letter == ':' ? "needs an argument"
					      : "unknown, ambiguous or with an argument too many",
				usage);
	else
		options_mistake(name, letter == ':' ? "needs an argument" : "unknown option",
				usage);
	return '?';
}
