/* SPDX-License-Identifier: MIT */
/* The table's memory: private, or a file that outlives the process. */
#ifndef TEK_RUNTIME_RUNFILE_H
#define TEK_RUNTIME_RUNFILE_H

#include "process.h"

/**
 * runfile_open - give @process its table, as tek_config asks
 *
 * A file that cannot be had is named on stderr and replaced by private memory: the program runs on,
 * unmeasured. Sets process.measure, process.path and the header's flags.
 *
 * Returns: 0, or -ENOMEM.
 */
TEK_HIDDEN int runfile_open(struct tek_process *process);

/* runfile_close - at exit(): a published file goes unless it is to be kept */
TEK_HIDDEN void runfile_close(struct tek_process *process);

/* name.c: the file's name number @attempt from @pattern; -ENAMETOOLONG */
TEK_HIDDEN int runfile_name(char *path, size_t size, const char *pattern, unsigned int attempt);

/* name.c: @pattern made absolute, a directory with the usual name added; -ENAMETOOLONG */
TEK_HIDDEN int runfile_pattern(char *pattern, size_t size);

/* name.c: absolute path of the executable, "" if unknown */
TEK_HIDDEN const char *program_path(void);

/* publish.c: path for a published table; removes those of dead processes. -errno */
TEK_HIDDEN int publish_path(char *path, size_t size);

/* publish.c: field 22 of /proc/self/stat, 0 without /proc */
TEK_HIDDEN uint64_t start_ticks(void);

#endif
