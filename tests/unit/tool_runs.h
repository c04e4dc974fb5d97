/* SPDX-License-Identifier: MIT */
/* Runs straight into evidence, for the tests of evidence and header. */
#ifndef TEK_TESTS_TOOL_RUNS_H
#define TEK_TESTS_TOOL_RUNS_H

#include "evidence.h"
#include "tool_fixture.h"

/* Adds the run and frees it. */
void runs_add(struct evidence *evidence, struct fixture *run);

/* @count runs from @first on, in each of which the role returned with the peak. */
void runs_repeat(struct evidence *evidence, uint32_t first, uint32_t count, const char *role,
		 uint32_t peak);

/* The role's line on x86-64; fails the test if there is no such role. */
const struct evidence_line *runs_line(const struct evidence *evidence, const char *role);
const char *runs_reason(const struct evidence *evidence, const char *role);

#endif
