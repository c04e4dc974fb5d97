/* SPDX-License-Identifier: MIT */
/* getopt_long() with the house's messages. */
#ifndef TEK_TOOL_OPTIONS_H
#define TEK_TOOL_OPTIONS_H

#include <getopt.h>

/**
 * options_next - the next option of a verb
 * @usage: the verb's usage line, printed with every mistake
 * Return: the option's letter; -1 at the end (optind is then the first argument); '?' after a
 * mistake, which has its lines on stderr.
 */
int options_next(int argc, char **argv, const char *letters, const struct option *options,
		 const char *usage);

/* Starts over: for a second verb in one process, as tests have it. */
void options_reset(void);

/* A mistake that only the verb can see. */
void options_mistake(const char *subject, const char *text, const char *usage);

#endif
