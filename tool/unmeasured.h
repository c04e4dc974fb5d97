/* SPDX-License-Identifier: MIT */
/* Why a program left no run file: told from its file alone, which is trusted in nothing. */
#ifndef TEK_UNMEASURED_H
#define TEK_UNMEASURED_H

#include <limits.h>
#include <stdbool.h>

/* The file that execvp() runs for @name: false if there is none. */
bool unmeasured_find(const char *name, char path[PATH_MAX]);

/* One line on stderr: why the program in @path left no run file in @directory; what to do. */
void unmeasured_explain(const char *path, const char *directory);

#endif
