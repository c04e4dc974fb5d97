/* SPDX-License-Identifier: MIT */
/* What the runtime's tests share: CMocka, and a look into the own process's table. */
#ifndef TEK_RUNTIME_FIXTURE_H
#define TEK_RUNTIME_FIXTURE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "process.h"

/* The real one, as the linker's --wrap names it: threads that the runtime does not see. */
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* ThreadSanitizer makes every stack larger than asked for and takes much of it. */
#if defined(__SANITIZE_THREAD__)
#define STACKS_AS_ASKED false
#define STACK (2048u * 1024)
#else
#define STACKS_AS_ASKED true
#define STACK (256u * 1024)
#endif

/* Sanitizers map more than can be locked. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define MEMORY_CAN_BE_LOCKED false
#else
#define MEMORY_CAN_BE_LOCKED true
#endif

/*
 * Sanitizers make frames larger, and the locks of their allocators may be held for ever in a
 * forked child.
 */
#define FRAMES_AS_COMPILED MEMORY_CAN_BE_LOCKED
#define FORKS_AMID_THREADS MEMORY_CAN_BE_LOCKED

static inline const char *text_of(uint32_t offset)
{
	return offset == TEK_RUN_NONE ? "" : tek_process->strings + offset;
}

/* The record of @role made at @line (0: any), or null. */
static inline struct tek_run_total *total_named(const char *role, uint32_t line)
{
	uint32_t i;

	/* What an ended thread counted comes before its release of the lock. */
	lock_take(&tek_process->lock);
	lock_give(&tek_process->lock);
	for (i = 0; i < tek_process->header->totals.used; i++) {
		struct tek_run_total *total = &tek_process->totals[i];

		if (!strcmp(text_of(total->role), role) && (!line || total->line == line))
			return total;
	}
	return NULL;
}

#endif
