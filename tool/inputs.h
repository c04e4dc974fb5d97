/* SPDX-License-Identifier: MIT */
/* FILE|DIR... of the command line: which run files they mean, read into a profile. */
#ifndef TEK_TOOL_INPUTS_H
#define TEK_TOOL_INPUTS_H

#include <stdbool.h>

struct profile;

/**
 * inputs_read - read every run file that the arguments name into a profile
 * @paths: files, and directories (all *.tek in them, sorted)
 * @skipped: set if an input could not be used; each has its line on stderr
 * Return: the number of run files read.
 */
unsigned inputs_read(struct profile *profile, char **paths, int count, bool *skipped);

#endif
