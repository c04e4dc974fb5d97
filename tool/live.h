/* SPDX-License-Identifier: MIT */
/*
 * The run file of a living process, as `tek` on the same machine sees it: header and slots are
 * read, samples are written. The file is read and written by system calls, never through a
 * mapping: another program may truncate it at any moment, which here is a short read.
 */
#ifndef TEK_LIVE_H
#define TEK_LIVE_H

#include <tek/runfile.h>
#include <stdbool.h>
#include <sys/types.h>

struct live_file {
	int fd; /* -1: not open */
	uid_t owner;
	dev_t device;
	ino_t inode;
	struct tek_run_header header; /* as it was when last checked */
};

/**
 * live_open - open a run file and check its header against the file's size
 * @live: filled in; close it with live_close()
 * @directory: descriptor that @name is relative to, or AT_FDCWD
 * @name: never followed where it is a symbolic link
 *
 * Returns 0; -EBADMSG: not a run file, or not yet complete; -EPROTO: written by another version or
 * for another byte order; or the error of open().
 */
int live_open(struct live_file *live, int directory, const char *name);

void live_close(struct live_file *live);

/* True while the process that writes the file lives: it holds the file's flock. */
bool live_owned(const struct live_file *live);

/* Reads and checks the header again: 0 or an error as of live_open(). */
int live_refresh(struct live_file *live);

/**
 * live_lock - become the only `tek` that samples this file, until live_close()
 *
 * An open-file-description lock, since flock() is the owner's. Returns 0 or -EBUSY: another `tek`
 * has been at it for more than a second.
 */
int live_lock(const struct live_file *live);

/* Copies slot @index as it is at this moment, maybe torn: to see whether it is worth a closer look. */
int live_glance(const struct live_file *live, uint32_t index, struct tek_run_slot *slot);

/* Copies slot @index under its sequence lock: 0, -EAGAIN after 100 tries, -ENODATA: file cut. */
int live_slot(const struct live_file *live, uint32_t index, struct tek_run_slot *slot);

/* True if slot @index still is in the state that @slot was copied in. */
bool live_slot_same(const struct live_file *live, uint32_t index, const struct tek_run_slot *slot);

/**
 * live_sample - keep a reading of the thread in slot @index
 *
 * Never less than an earlier reading of the same thread. The caller holds live_lock().
 */
int live_sample(const struct live_file *live, uint32_t index, uint32_t generation, uint32_t low,
		uint32_t high);

/**
 * live_ask_inside - let the runtime read its own threads' stacks (TEK_RUN_INSIDE)
 * @milliseconds: how long to wait for it; it may be stopped, or die
 *
 * Returns 0, -EOPNOTSUPP: this process does not read from inside, -ETIMEDOUT, -ESRCH: it died.
 */
int live_ask_inside(struct live_file *live, int milliseconds);

#endif
