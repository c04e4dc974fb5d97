/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>

#include "config.h"
#include "helper.h"
#include "tek/tek.h"
#include "zone.h"

/*
 * The header does not say with which margin a line was built. The least is a quarter of the peak,
 * which is a fifth of the line, and never below 4 KiB (tek-sizes(1), POLICY): a peak beyond that has
 * used up the margin of every line. `tek report`, which knows the evidence, judges exactly.
 */
#define LEAST_MARGIN 4096u

static size_t tuned_border(size_t usable)
{
	size_t margin = usable / 5 > LEAST_MARGIN ? usable / 5 : LEAST_MARGIN;

	return usable > margin ? usable - margin : 0;
}

static struct {
	tek_high_zone_fn *fn;
	void *argument;
	uint32_t lock;
} listener;

/* As `tek report` judges: (peak + reserve + overhead) / (given + overhead) >= percent. */
static size_t percent_border(size_t given)
{
	size_t overhead = __atomic_load_n(&tek_target.overhead, __ATOMIC_RELAXED);
	size_t border = (given + overhead) / 100 * tek_config.high_percent;
	size_t less = tek_target.signal_reserve + overhead;

	return border > less ? border - less : 0;
}

uintptr_t zone_event(const struct tek_launch *launch, const struct tek_run_total *total)
{
	size_t given = launch->cfa - launch->lo;
	size_t border;

	if (launch->flags & LAUNCH_TUNED) {
		border = tuned_border((size_t)total->tuned);
	} else {
		border = percent_border(given);
	}
	/* Without any stack left below the border, or with all of it High, there is no crossing. */
	return border && border < given ? given - border : 0;
}

/* LIVE, which orders what is read here, is set in arch_*.S, where ThreadSanitizer does not see it. */
TEK_UNSANITIZED static void tell(struct tek_process *process, uint32_t index)
{
	struct tek_run_slot *slot = &process->slots[index];
	struct tek_launch *launch = &process->launches[index];
	struct tek_high_zone_event event = { .size = sizeof(event) };
	uintptr_t lowest;
	uint32_t role;
	bool crossed;

	lock_take(&process->lock);
	crossed = (__atomic_load_n(&slot->flags, __ATOMIC_ACQUIRE) &
		   (TEK_SLOT_HIGH | TEK_SLOT_LIVE)) == (TEK_SLOT_HIGH | TEK_SLOT_LIVE) &&
		  !(launch->flags & LAUNCH_HIGH_TOLD) && launch->total != TEK_RUN_NONE;
	if (crossed) {
		__atomic_fetch_or(&launch->flags, LAUNCH_HIGH_TOLD, __ATOMIC_RELAXED);
		lowest = __atomic_load_n(slot_lowest(slot), __ATOMIC_RELAXED);
		role = process->totals[launch->total].role;
		event.tid = (int)slot->tid;
		event.usable = launch->cfa - launch->lo;
		event.used = event.usable - lowest;
		event.role = role == TEK_RUN_NONE ? NULL : process->strings + role;
	}
	lock_give(&process->lock);
	if (crossed)
		listener.fn(&event, listener.argument);
}

static void *watch(void *argument)
{
	struct tek_process *process = argument;
	uint32_t seen = 0, now, i;

	for (;;) {
		now = __atomic_load_n(&process->high.sequence, __ATOMIC_ACQUIRE);
		if (now == seen) {
			arch_call(SYS_futex, (long)&process->high.sequence, FUTEX_WAIT_PRIVATE,
				  (long)seen, 0);
			continue;
		}
		seen = now;
		for (i = 0; i < __atomic_load_n(&process->header->slots.used, __ATOMIC_ACQUIRE);
		     i++) {
			if (__atomic_load_n(&process->slots[i].flags, __ATOMIC_RELAXED) &
			    TEK_SLOT_HIGH)
				tell(process, i);
		}
	}
	return NULL;
}

int zone_watch(struct tek_process *process)
{
	int error;

	if (!listener.fn || process->watcher)
		return 0;
	__atomic_store_n(&process->high.watched, 1, __ATOMIC_RELEASE);
	error = helper_start(watch, process);
	process->watcher = !error;
	return error;
}

TEK_EXPORT int __tek_on_high_zone(tek_high_zone_fn *fn, void *argument)
{
	struct tek_process *process = process_ready();
	int error = 0;

	if (!process)
		return ENOMEM;
	if (!fn)
		return EINVAL;
	lock_take(&listener.lock);
	if (listener.fn) {
		error = EBUSY;
	} else {
		listener.argument = argument;
		listener.fn = fn;
		error = zone_watch(process);
		if (error)
			listener.fn = NULL;
	}
	lock_give(&listener.lock);
	return error;
}
