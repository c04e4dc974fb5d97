/* SPDX-License-Identifier: MIT */
/* A verb as a caller has it: a folder of its own, arguments, exit status, the two streams. */
#ifndef TEK_TESTS_TOOL_CALLER_H
#define TEK_TESTS_TOOL_CALLER_H

#include <stdint.h>

/* Set-up and tear-down of a test: a new folder with an empty one, runs, is the present one. */
int enter_folder(void **state);
int leave_folder(void **state);

/* What the last verb wrote to its two streams. */
extern char *out, *err;

/* Runs a verb with arguments up to a null one. Returns its exit status. */
int run(int (*verb)(int, char **), ...);

/* A file's text, to be freed; "" if there is none. */
char *content(const char *path);
void put_text(const char *path, const char *text);

unsigned lines(const char *text);

/* A run file of a role net with two instances, and main. */
void put_run(uint32_t number, uint32_t peak);

#endif
