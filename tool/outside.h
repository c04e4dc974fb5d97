/* SPDX-License-Identifier: MIT */
/*
 * Reading the stacks of another process's living threads without stopping it: which pages were
 * touched from /proc/PID/pagemap, their contents by process_vm_readv. Only touched pages are ever
 * read, so that the process does not grow by being looked at.
 *
 * A reading is kept only if its thread was the same thread before and after, in the same address
 * space; everything else is thrown away.
 */
#ifndef TEK_OUTSIDE_H
#define TEK_OUTSIDE_H

#include "live.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct outside_result {
	uint32_t living; /* threads whose slot is live */
	uint32_t read;	 /* of these: read and kept, or ended meanwhile */
	bool inside;	 /* the runtime read them all, asked to */
};

/**
 * outside_forbidden - whether this system lets a process read its own child from outside
 * @why: on a non-zero return, the means that is refused
 *
 * Tried on a child forked for it. Returns 0 or a negative errno.
 */
int outside_forbidden(const char **why);

/**
 * outside_read - one reading of every living thread's stack into the file's samples
 * @live: an open run file
 * @pid: the process as this one names it, or 0: to be found
 * @result: filled in
 *
 * Returns 0, or: -ESRCH: the process is gone; -ESTALE: @pid is another process than the file's,
 * or it cannot be found; -ENOTSUP: the process does not measure; -EPERM, -EACCES: it may not be
 * read and does not read itself; -ETIMEDOUT: it reads itself but has not answered; -EBUSY: another
 * `tek` is at it.
 */
int outside_read(struct live_file *live, pid_t pid, struct outside_result *result);

/* The text for an error of outside_read() or live_open(): what is wrong; what to do. */
const char *outside_text(int error);

#endif
