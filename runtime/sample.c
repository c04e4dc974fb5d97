/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "config.h"
#include "helper.h"
#include "sample.h"
#include "table.h"
#include "thread.h"

static bool readable_slot(struct tek_process *process, uint32_t index)
{
	/* LIVE is set once the stack is clean and cleared under the lock before it can be unmapped. */
	return __atomic_load_n(&process->slots[index].flags, __ATOMIC_ACQUIRE) & TEK_SLOT_LIVE;
}

/* LIVE, which orders what is read here, is set in arch_*.S, where ThreadSanitizer does not see it. */
TEK_UNSANITIZED static void sample_one(struct tek_process *process, uint32_t index)
{
	struct tek_run_sample *sample = &process->samples[index];
	uint32_t low, high;

	lock_take(&process->lock);
	if (!readable_slot(process, index) || table_samples(process, index + 1))
		goto out;
	thread_read_other(process, &process->launches[index], &low, &high);
	__atomic_store_n(&sample->odd, 1, __ATOMIC_RELAXED);
	/* Orders the mark before the fields. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	sample->generation = process->slots[index].generation;
	sample->low = low;
	sample->high = high;
	__atomic_store_n(&sample->odd, 0, __ATOMIC_RELEASE);
out:
	lock_give(&process->lock);
}

static uint32_t elapsed_ms(struct tek_process *process)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint32_t)(((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec -
			   process->start_ns) /
			  1000000u);
}

/* How the readings that follow tell touched pages. */
static void note_pages(struct tek_process *process)
{
	if (!process->measure)
		return;
	process_look_for_swap();
	__atomic_fetch_or(&process->header->flags,
			  (tek_target.swap ? TEK_RUN_SWAP : 0) |
				  (tek_target.no_pages ? TEK_RUN_NO_PAGES : 0),
			  __ATOMIC_RELAXED);
}

static void *sample_for_ever(void *argument)
{
	struct tek_process *process = argument;
	struct tek_run_header *header = process->header;
	struct timespec period = {
		.tv_sec = tek_config.sample_inside / 1000,
		.tv_nsec = (long)(tek_config.sample_inside % 1000) * 1000000,
	};
	uint32_t i, request;

	for (;;) {
		request = __atomic_load_n(&header->sample_request, __ATOMIC_ACQUIRE);
		note_pages(process);
		for (i = 0; i < __atomic_load_n(&header->slots.used, __ATOMIC_ACQUIRE); i++)
			sample_one(process, i);
		__atomic_store_n(&header->heartbeat, elapsed_ms(process), __ATOMIC_RELAXED);
		__atomic_store_n(&header->sample_done, request, __ATOMIC_RELEASE);
		/* Shared futexes: the other side is another process. */
		arch_call(SYS_futex, (long)&header->sample_done, FUTEX_WAKE, 0x7fffffff, 0);
		arch_call(SYS_futex, (long)&header->sample_request, FUTEX_WAIT, (long)request,
			  (long)&period);
	}
	return NULL;
}

int sample_start(struct tek_process *process)
{
	int error;

	if (!tek_config.sample_inside || !process->measure || process->sampler)
		return 0;
	__atomic_fetch_or(&process->header->flags, TEK_RUN_INSIDE, __ATOMIC_RELAXED);
	error = helper_start(sample_for_ever, process);
	process->sampler = !error;
	return error;
}

/*
 * The calling thread is one of the living: its frames are part of its use, as exit() is. Readings
 * happen under the lock, without which no thread comes to its end.
 */
bool sample_close(struct tek_process *process)
{
	struct tek_launch *launch;
	uint32_t i;

	note_pages(process);
	for (i = 0; i < __atomic_load_n(&process->header->slots.used, __ATOMIC_ACQUIRE); i++) {
		launch = &process->launches[i];
		if (!lock_take_soon(&process->lock))
			return false;
		if (readable_slot(process, i) && !(launch->flags & LAUNCH_READ_AT_EXIT)) {
			if (process->measure)
				thread_read_other(process, launch, NULL, NULL);
			thread_count_end(process, launch, true);
			__atomic_fetch_or(&launch->flags, LAUNCH_READ_AT_EXIT, __ATOMIC_RELAXED);
		}
		lock_give(&process->lock);
	}
	return true;
}
