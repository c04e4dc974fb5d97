/* SPDX-License-Identifier: MIT */
/*
 * A futex lock: 0 free, 1 held, 2 held and waited for. No libc call, no errno, no cancellation
 * point, four bytes that a wiped page leaves free (fork).
 *
 * Taken by: thread creation, the end of a thread, registration of modules, exit(). Never in the
 * probe, never in its event handler. A holder makes no call that can wait for another thread.
 */
#ifndef TEK_LOCK_H
#define TEK_LOCK_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "arch.h"

static inline void lock_take(uint32_t *lock)
{
	uint32_t seen = 0;

	if (__atomic_compare_exchange_n(lock, &seen, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE) != 0)
		arch_call(SYS_futex, (long)lock, FUTEX_WAIT_PRIVATE, 2, 0);
}

/*
 * lock_take_soon - false if the lock is not to be had within a second
 *
 * For exit() from a signal handler that interrupted the holder.
 */
static inline bool lock_take_soon(uint32_t *lock)
{
	struct timespec pause = { .tv_nsec = 10000000 };
	int attempts = 100;

	while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE) != 0) {
		if (!attempts--)
			return false;
		arch_call(SYS_futex, (long)lock, FUTEX_WAIT_PRIVATE, 2, (long)&pause);
	}
	return true;
}

static inline void lock_give(uint32_t *lock)
{
	if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2)
		arch_call(SYS_futex, (long)lock, FUTEX_WAKE_PRIVATE, 1, 0);
}

#endif
