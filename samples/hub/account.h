/* SPDX-License-Identifier: MIT */
#ifndef HUB_ACCOUNT_H
#define HUB_ACCOUNT_H

#include <pthread.h>
#include <stdint.h>

struct account {
	uint64_t given; /* bytes */
	uint64_t used;
};

/**
 * account_add - add one living thread's stack
 * Returns 0; a positive errno, or -1 if the stack could not be read.
 */
int account_add(struct account *account, pthread_t thread);

#endif
