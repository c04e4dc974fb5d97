/* SPDX-License-Identifier: MIT */
/*
 * Who else got this signal? A process cannot see whether a signal was sent to it alone or to its
 * whole process group: by the terminal, by a shell's `kill %1`, by kill(0, ...). The witness is
 * another member of the group that does nothing but keep its signals pending. What it has got too,
 * the program has got as well, and must not get twice.
 */
#ifndef TEK_WITNESS_H
#define TEK_WITNESS_H

#include <stdbool.h>
#include <sys/types.h>

struct witness {
	pid_t pid;
	int line; /* a signal's number goes out, whether it was pending comes back */
};

/**
 * witness_start - fork a witness into this process group
 *
 * The caller has blocked every signal. The witness holds no file and no folder of the caller's open
 * and ends with it, even by SIGKILL. Returns 0 or a negative errno.
 */
int witness_start(struct witness *witness);

/* Whether the witness got @signal as well; asking takes it away from it. False if it is gone. */
bool witness_got(struct witness *witness, int signal);

void witness_end(struct witness *witness);

#endif
