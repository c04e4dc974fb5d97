/* SPDX-License-Identifier: MIT */
/* The life of a registered thread: start, readings, end. */
#ifndef TEK_THREAD_H
#define TEK_THREAD_H

#include "process.h"
#include "stack.h"

/* thread_key - make the key whose destructor reads the stack; 0 or negative errno */
TEK_HIDDEN int thread_key(void);

/* Called by tek_start_thread: where the stack is to be painted from, or 0. */
TEK_HIDDEN uintptr_t tek_thread_begin(struct tek_launch *launch, uintptr_t cfa);

/*
 * thread_adopt - register the calling thread, which no door created
 * @grows: the process's first thread, whose mapping grows; else the thread that called fork()
 */
TEK_HIDDEN void thread_adopt(struct tek_process *process, uintptr_t lo, uintptr_t cfa, bool grows);

/* thread_forget - disarm the calling thread's words and drop its registration (after fork) */
TEK_HIDDEN void thread_forget(void);

/* thread_arm - let the words at @words watch [lo, cfa) for @slot; event 0: no border */
TEK_HIDDEN void thread_arm(struct tek_words *words, const struct tek_launch *launch,
			   struct tek_run_slot *slot, uintptr_t event);

/*
 * thread_read_other - read the stack of a thread that cannot end meanwhile; under process.lock
 *
 * Raises launch.low and launch.page and its total's peaks; fills @low and @high (bytes below the
 * entry) if not null.
 */
TEK_HIDDEN void thread_read_other(struct tek_process *process, struct tek_launch *launch,
				  uint32_t *low, uint32_t *high);

/* thread_count_end - the counters of a thread that has been read for the last time */
TEK_HIDDEN void thread_count_end(struct tek_process *process, struct tek_launch *launch,
				 bool running);

#endif
