/* SPDX-License-Identifier: MIT */
/* Builds run files through the layout's own structures, one call an item. */
#ifndef TEK_TESTS_TOOL_FIXTURE_H
#define TEK_TESTS_TOOL_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tek/runfile.h>

#define FIXTURE_SLOTS 64
#define FIXTURE_TOTALS 400
#define FIXTURE_STRINGS 65536

struct fixture {
	struct tek_run_header header;
	struct tek_run_slot slots[FIXTURE_SLOTS];
	struct tek_run_sample samples[FIXTURE_SLOTS];
	struct tek_run_total totals[FIXTURE_TOTALS];
	char strings[FIXTURE_STRINGS];
};

/**
 * fixture_new - a finished x86-64 run without any role
 * @number: becomes its id, process and time of start
 */
struct fixture *fixture_new(uint32_t number);

/* Offset of a text in the strings area; the same text has one offset. */
uint32_t fixture_string(struct fixture *run, const char *text);

/* A role of which @count instances ran, all returned, with the given peak. */
struct tek_run_total *fixture_role(struct fixture *run, const char *role, uint32_t count,
				   uint32_t peak, uint64_t usable);

/* A living thread of the role; the file becomes one of a process that was killed. */
struct tek_run_slot *fixture_living(struct fixture *run, const struct tek_run_total *total,
				    uint64_t probed);

/* Writes DIR/NAME; 0 or a negative errno. */
int fixture_write(const struct fixture *run, const char *directory, const char *name);

#endif
