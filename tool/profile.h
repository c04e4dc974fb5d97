/* SPDX-License-Identifier: MIT */
/*
 * A profile: what any number of run files say, merged by role. Targets (32 and 64 bit, or two
 * machines) are kept apart as sections.
 */
#ifndef TEK_TOOL_PROFILE_H
#define TEK_TOOL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runfile.h"
#include "text.h"

/* What decides whether two readings speak of the same build. Texts are "" where unknown. */
struct build {
	const char *target;
	const char *compiler;
	const char *libc;
	uint64_t options;
};

struct profile_run {
	uint8_t id[16];
	const char *path;
	const char *section; /* "x86_64", "i386", ...; see target.h */
	struct build build;
	uint64_t start_ns;
	uint32_t flags; /* TEK_RUN_* */
	bool exited;	/* exit() was reached: nothing can be added any more */
	bool duplicate; /* another file of the profile tells more of the same run */
	uint64_t ended; /* threads read at their end */
	uint64_t depth; /* sum of all peaks: of two files of a run the later one has the larger */
	uint32_t rank;	/* position by time of start */
	uint32_t page_size, minimum_stack, overhead, signal_reserve;
	uint32_t low_percent, high_percent;
	uint32_t untotalled, unprobed;
};

/* One role in one run. */
struct reading {
	uint32_t run;	/* index into profile.runs */
	uint32_t flags; /* TEK_SITE_* and TEK_TOTAL_* of all its records, or-ed */
	uint64_t started, ended, returned, running;
	uint64_t sampled; /* living threads whose stack was read from outside */
	uint64_t explicit_count, tuned_count, retries, high_count, alive_max;
	uint64_t peak_low, peak_high;
	uint64_t usable_max, usable_min, explicit_max, tuned;
};

struct role {
	const char *name; /* final after profile_finish(): `role` or `role@file` */
	const char *base;
	const char *variant; /* file of a static entry, else NULL */
	const char *section;
	bool main_thread;
	bool nameless;	/* no symbol found: "module+0xoffset" */
	uint32_t flags; /* or-ed over all readings */
	/* Of the record with the deepest peak. */
	const char *entry, *file;
	uint32_t line;
	uint64_t deepest;
	bool ran;		  /* that record has instances */
	struct reading *readings; /* by rank of their runs; duplicates dropped */
	size_t count, capacity;
};

struct profile {
	struct names names;
	struct profile_run *runs;
	size_t run_count, run_capacity;
	struct role *roles; /* by section and name after profile_finish() */
	size_t role_count, role_capacity;
	uint32_t *index; /* hash of (section, base, variant, main) to 1 + role */
	size_t index_capacity;
	struct symbols *symbols;
};

/* One role over all runs of the profile. */
struct role_sum {
	uint64_t started, ended, returned, explicit_count, tuned_count;
	uint64_t alive_max; /* most at once in any run */
	uint64_t peak_low, peak_high;
	uint64_t usable_max, explicit_max;
	bool partial;  /* an instance was never seen to end */
	bool measured; /* a peak is known, if only a lower bound */
};

void profile_init(struct profile *profile);

/* Copies what it needs of @run. */
void profile_add(struct profile *profile, const char *path, const struct run_file *run);

/* Names the roles, drops second copies of runs and sorts; no profile_add() after it. */
void profile_finish(struct profile *profile);

struct role_sum role_sum(const struct role *role);

/* Instances of a reading of which nothing but a lower bound can be known. */
uint64_t reading_unread(const struct reading *reading);

bool build_same(const struct build *a, const struct build *b);

void profile_free(struct profile *profile);

#endif
