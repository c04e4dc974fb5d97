/* SPDX-License-Identifier: MIT */
/*
 * What the bench programs share: figures of CPU time, children, and the one form of a claim.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

/* bench_json - whether --json stands on the command line: claims only, one object a line */
bool bench_json(int argc, char **argv);

/* bench_note - a line for people; nothing with --json */
__attribute__((format(printf, 1, 2))) void bench_note(const char *format, ...);

/**
 * bench_claim - say whether a claim holds
 * @claim: what is claimed, with the unit of the value
 * @value: what was measured in this run
 * @bar: what it may be; @at_most: or else what it must at least be
 * Returns whether it holds.
 */
bool bench_claim(const char *claim, double value, double bar, bool at_most);

/* bench_cpu - seconds of CPU time, user and system, that this process has used */
double bench_cpu(void);

/* bench_median - the median of `count` values, which are sorted */
double bench_median(double *values, size_t count);
double bench_least(const double *values, size_t count);

struct bench_run {
	int status; /* as wait() gives it */
	struct rusage usage;
	double wall;	  /* seconds */
	size_t length;	  /* of the text */
	char text[16384]; /* what it wrote to stdout, cut, NUL-terminated */
};

/**
 * bench_run - run a program to its end
 * @argv: argv[0] is its path, or its name to be looked for in $PATH
 * @environment: "NAME=value" strings to add, or NULL
 * Returns 0, or a negative errno.
 */
int bench_run(char *const argv[], char *const environment[], struct bench_run *run);

/* bench_number - the number after `key` in a run's text, for example "cpu 1.5"; NAN if none */
double bench_number(const struct bench_run *run, const char *key);

/* bench_path - path of a file beside this program; NULL and a message on failure; to be freed */
char *bench_path(const char *name);

/* bench_directory - a fresh directory below $TMPDIR or /tmp; NULL on failure; to be freed */
char *bench_directory(void);
/* bench_remove - remove such a directory with the files in it */
void bench_remove(const char *directory);

#endif
