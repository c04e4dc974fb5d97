/* SPDX-License-Identifier: MIT */
/*
 * What all verbs of `tek` share: the verbs' entry points, exit codes and the one form of messages.
 */
#ifndef TEK_TOOL_H
#define TEK_TOOL_H

/* Exit codes of every verb but run and check. */
#define TOOL_DONE 0
#define TOOL_SKIPPED 1 /* done, but an input was skipped */
#define TOOL_NOTHING 2 /* nothing done */

/* argv[0] is the verb. Each returns the process's exit status. */
int cmd_run(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_gc(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_sizes(int argc, char **argv);
int cmd_check(int argc, char **argv);

/**
 * tool_problem - one line on stderr: "tek: SUBJECT: TEXT"
 * @subject: the file, option or program that it is about; NULL leaves it out
 * @format: what is wrong; what to do
 */
__attribute__((format(printf, 2, 3))) void tool_problem(const char *subject, const char *format,
							...);

#endif
