/* SPDX-License-Identifier: MIT */
/* tek_stack_sizes.h: written from evidence, and its lines read back. */
#ifndef TEK_TOOL_HEADER_H
#define TEK_TOOL_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evidence.h"

/* The header's text, to be freed. */
char *header_text(const struct evidence *evidence);

/*
 * Two headers say the same: all but comments is equal, and so are the roles they speak of (whose
 * names are hashed into the include guard).
 */
bool header_same(const char *one, const char *two);

/**
 * header_take - make the lines of a header's text the lines in force
 * What the evidence knows of a line stays if its size is the same. Sections of the header without
 * any line change nothing.
 * Return: number of lines met.
 */
unsigned header_take(struct evidence *evidence, const char *text);

/* A text that is neither a sizes header nor empty but for comments: somebody's own file. */
bool header_foreign(const char *text);

/* "TEK_STACK_GAS_DETECTION", to be freed. @clash: another role would get the same: adds a hash. */
char *header_macro(const char *role, bool clash);

#endif
