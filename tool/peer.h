/* SPDX-License-Identifier: MIT */
/*
 * The process behind a run file, held so that a later process with its number is never taken for
 * it.
 */
#ifndef TEK_PEER_H
#define TEK_PEER_H

#include "live.h"

struct peer {
	pid_t pid;
	int pagemap; /* tied to the address space that was there when it was opened */
};

/**
 * peer_open - find the process that writes @live
 * @pid: its number here, or 0: as the file's header says, else whichever process maps the file (it
 *       may have another number in its own PID namespace)
 *
 * Start time, and either the owner or the mapping of the file must fit. Returns 0, -ESRCH,
 * -ESTALE (another process), or why it may not be read. peer_close() is due in any case.
 */
int peer_open(struct peer *peer, const struct live_file *live, pid_t pid);

void peer_close(struct peer *peer);

/* True while the address space that peer_open() found is in use. */
bool peer_same(const struct peer *peer);

/* Opens /proc/PID/pagemap: descriptor or negative errno. */
int peer_pagemap(pid_t pid);

/* Lowest mapped address of the stack between @lo and @end whose top is mapped, or @end. */
uint64_t peer_stack_start(const struct peer *peer, uint64_t lo, uint64_t end);

/* Field 22 of /proc/PID/stat, clock ticks; 0 if there is none. @parent and @state may be null. */
unsigned long long peer_stat(pid_t pid, pid_t *parent, char *state);

#endif
