/* SPDX-License-Identifier: MIT */
/* What report, check and the picture show: one row per role, from inputs and evidence together. */
#ifndef TEK_TOOL_ROWS_H
#define TEK_TOOL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evidence.h"
#include "profile.h"
#include "recommend.h"

/* What a damaged file claims may be beyond 64 bits: the largest number then, never a small one. */
static inline uint64_t bytes_times(uint64_t count, uint64_t bytes)
{
	uint64_t product;

	return __builtin_mul_overflow(count, bytes, &product) ? UINT64_MAX : product;
}

static inline uint64_t bytes_plus(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

struct row {
	const struct role *role;
	struct role_sum sum;
	enum zone zone;
	struct evidence_line line_before; /* in force before these inputs; usable 0: none */
	struct evidence_line line;	  /* as `tek sizes` would write it now */
	const char *reason;
	bool measured; /* a whole reading in the inputs or in the evidence */
	/* Address space of all its threads that lived at once, without guards. */
	uint64_t given, after, used;
	uint64_t wasted;   /* in the Low Zone: given and not used */
	uint64_t withheld; /* what an explicit size keeps from `after` */
};

struct rows {
	struct profile profile;
	struct evidence evidence;
	struct row *rows;
	size_t count;
	bool sections;	   /* more than one target among the rows */
	bool had_evidence; /* a json was there */
	bool had_header;
	bool *stale_run; /* of each run: of another build than the evidence was */
};

/**
 * rows_load - read inputs, header and evidence
 * @header: path of tek_stack_sizes.h; the json is looked for beside it
 * @required: the header must be there
 * @skipped: set when an input, header or evidence could not be used; its line is on stderr
 * Return: number of run files read.
 */
unsigned rows_load(struct rows *rows, const char *header, bool required, char **paths, int count,
		   bool *skipped);

void rows_free(struct rows *rows);

#endif
