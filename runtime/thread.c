/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"
#include "module.h"
#include "table.h"
#include "thread.h"
#include "zone.h"

_Thread_local struct tek_self tek_self;
TEK_EXPORT _Thread_local struct tek_words __tek_words;

/*
 * glibc keeps the values of keys 0 to 31 in the thread block; a higher key would allocate in every
 * thread. The last of them leaves the numbers below to the program.
 */
#define LAST_INLINE_KEY 31u

/*
 * What our own code below the key destructor's frame may have dirtied after a reading. Later
 * passes do not look into it: use of less than this is below the 1 KiB that no peak goes under.
 */
#define OWN_DEPTH 768u

/*
 * Passes of the key's destructors: the last is the thread's end. ThreadSanitizer takes a thread for
 * gone in its own destructor's last pass, and ours would come after it.
 */
#if defined(__SANITIZE_THREAD__)
#define PASSES (PTHREAD_DESTRUCTOR_ITERATIONS - 1)
#else
#define PASSES PTHREAD_DESTRUCTOR_ITERATIONS
#endif

static pthread_key_t end_key;

static struct tek_run_slot *slot_of(struct tek_process *process, struct tek_launch *launch)
{
	return &process->slots[launch - process->launches];
}

static struct tek_run_total *total_of(struct tek_process *process, struct tek_launch *launch)
{
	return launch->total == TEK_RUN_NONE ? NULL : &process->totals[launch->total];
}

void thread_arm(struct tek_words *words, const struct tek_launch *launch, struct tek_run_slot *slot,
		uintptr_t event)
{
	/* The line comes last: until then the words are not armed and nobody follows `lowest`. */
	words->lo = launch->lo;
	words->lowest = slot_lowest(slot);
	words->event = event;
	words->handler = (uintptr_t)tek_event_handler;
	__atomic_store_n(&words->line, launch->cfa - launch->lo, __ATOMIC_RELEASE);
}

static void disarm(struct tek_words *words)
{
	__atomic_store_n(&words->event, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&words->line, 0, __ATOMIC_RELEASE);
}

static void fill_slot(struct tek_run_slot *slot, const struct tek_launch *launch, uint32_t flags)
{
	slot_write_begin(slot);
	slot->tid = (uint32_t)arch_call(SYS_gettid, 0, 0, 0, 0);
	slot->lo = launch->lo;
	slot->usable = launch->cfa - launch->lo;
	__atomic_fetch_or(&slot->flags, flags, __ATOMIC_RELAXED);
	slot_write_end(slot);
}

/* A size that TEK chose must leave USABLE and the signal reserve below the entry. */
static void verify_overhead(struct tek_launch *launch, const struct tek_run_total *total,
			    struct tek_run_header *header)
{
	size_t given = launch->cfa - launch->lo;
	size_t wanted = (size_t)total->tuned + tek_target.signal_reserve;
	size_t seen = __atomic_load_n(&tek_target.overhead, __ATOMIC_RELAXED);

	if (given >= wanted)
		return;
	/* Two threads may correct at once: by the same amount, so that one of them is enough. */
	if (__atomic_compare_exchange_n(&tek_target.overhead, &seen, seen + wanted - given, 0,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		__atomic_store_n(&header->overhead, (uint32_t)(seen + wanted - given),
				 __ATOMIC_RELAXED);
}

/*
 * 64-bit fields without 64-bit atomics: written under the lock, and only when they change. Looked at
 * without it: a 32-bit target's stacks are below 4 GiB, so that the halves of a value that is being
 * written decide as the old or the new one does.
 */
TEK_UNSANITIZED static void bound_usable(struct tek_process *process, struct tek_run_total *total,
					 uint64_t usable)
{
	if (total->usable_max >= usable && total->usable_min <= usable)
		return;
	lock_take(&process->lock);
	if (total->usable_max < usable)
		total->usable_max = usable;
	if (total->usable_min > usable)
		total->usable_min = usable;
	lock_give(&process->lock);
}

/* A foreign stack's own data: what lies below the lowest of it is clean until used. */
TEK_UNSANITIZED static void look_at_foreign(struct tek_launch *launch, struct tek_run_slot *slot)
{
	struct stack_reading reading = stack_read(launch->lo, UINTPTR_MAX, arch_sp());
	uintptr_t clean = reading.low - launch->lo;

	slot->clean = clean < UINT32_MAX ? (uint32_t)clean : UINT32_MAX;
}

TEK_UNSANITIZED uintptr_t tek_thread_begin(struct tek_launch *launch, uintptr_t cfa)
{
	struct tek_process *process = tek_process;
	struct tek_run_slot *slot = slot_of(process, launch);
	struct tek_run_total *total = total_of(process, launch);
	bool foreign = launch->flags & LAUNCH_FOREIGN;
	bool clean = process->measure && !foreign;
	uintptr_t event = 0, from;

	if (foreign)
		launch->lo = (launch->cfa + sizeof(uintptr_t) - 1) & ~(sizeof(uintptr_t) - 1);
	else
		launch->lo = stack_end(cfa, launch->lo,
				       process->measure && !(launch->flags & LAUNCH_NO_GUARD));
	launch->cfa = cfa;
	launch->low = cfa;
	launch->page = (uintptr_t)slot; /* until tek_start_thread() has cleaned */
	launch->words = &__tek_words;
	if (total) {
		event = zone_event(launch, total);
		bound_usable(process, total, cfa - launch->lo);
		if (launch->flags & LAUNCH_TUNED)
			verify_overhead(launch, total, process->header);
	}
	fill_slot(slot, launch, clean ? TEK_SLOT_CLEANED : 0);
	tek_self.slot = slot;
	tek_self.high_count = total ? &total->high_count : NULL;
	tek_self.high = &process->high;
	tek_self.launch = launch;
	thread_arm(&__tek_words, launch, slot, event);
	module_arm_copies(launch, slot);
	pthread_setspecific(end_key, launch);
	if (!clean) {
		if (process->measure)
			look_at_foreign(launch, slot);
		return 0;
	}
	if (tek_target.huge_pages && launch->lo < (cfa & ~(tek_target.page - 1)))
		arch_call(SYS_madvise, (long)launch->lo,
			  (long)((cfa & ~(tek_target.page - 1)) - launch->lo), MADV_NOHUGEPAGE, 0);
	/* Last, so that what this function's calls wrote is cleaned as well. */
	from = stack_clean(launch->lo, arch_sp());
	slot_write_begin(slot);
	slot->painted = from;
	if (from == launch->lo)
		__atomic_fetch_or(&slot->flags, TEK_SLOT_PAINTED, __ATOMIC_RELAXED);
	slot_write_end(slot);
	return from;
}

static uint32_t cut(uint64_t bytes, struct tek_run_total *total)
{
	if (bytes <= UINT32_MAX)
		return (uint32_t)bytes;
	if (total)
		__atomic_fetch_or(&total->flags, TEK_TOTAL_SATURATED, __ATOMIC_RELAXED);
	return UINT32_MAX;
}

/* Peaks from what is known of the thread: readings and the probe's minimum. */
static void publish_peaks(struct tek_process *process, struct tek_launch *launch, uint32_t *low,
			  uint32_t *high)
{
	struct tek_run_slot *slot = slot_of(process, launch);
	struct tek_run_total *total = total_of(process, launch);
	uintptr_t probed = __atomic_load_n(slot_lowest(slot), __ATOMIC_RELAXED);
	uintptr_t deepest = launch->low, page = launch->page;
	uint32_t peak_low, peak_high;

	if (probed < launch->cfa - launch->lo && launch->lo + probed < deepest)
		deepest = launch->lo + probed;
	if (deepest < page)
		page = deepest;
	peak_low = cut(launch->cfa - deepest, total);
	peak_high = cut(launch->cfa - page, total);
	if (total) {
		raise_to(&total->peak_low, peak_low);
		raise_to(&total->peak_high, peak_high);
	}
	if (low)
		*low = peak_low;
	if (high)
		*high = peak_high;
}

static void take_reading(struct tek_launch *launch, const struct tek_run_slot *slot,
			 struct stack_reading reading)
{
	/*
	 * Data that a foreign stack held from the start tells nothing about what the thread used;
	 * where it lies only bounds the peak from above.
	 */
	if ((!(launch->flags & LAUNCH_FOREIGN) || reading.low - launch->lo < slot->clean) &&
	    reading.low < launch->low)
		launch->low = reading.low;
	if (reading.page < launch->page)
		launch->page = reading.page;
}

/* Where the paint of a thread's stack begins; beyond every limit if there is none. */
static uintptr_t paint_of(const struct tek_run_slot *slot)
{
	return slot->painted ? (uintptr_t)slot->painted : UINTPTR_MAX;
}

TEK_UNSANITIZED void thread_read_other(struct tek_process *process, struct tek_launch *launch,
				       uint32_t *low, uint32_t *high)
{
	const struct tek_run_slot *slot = slot_of(process, launch);
	uintptr_t lo = launch->lo;

	if (launch->flags & LAUNCH_MAIN)
		lo = stack_mapping_start(launch->cfa - 1);
	take_reading(launch, slot,
		     stack_read(lo, paint_of(slot), launch->cfa & ~(sizeof(uintptr_t) - 1)));
	publish_peaks(process, launch, low, high);
}

void thread_count_end(struct tek_process *process, struct tek_launch *launch, bool running)
{
	struct tek_run_total *total = total_of(process, launch);

	if (!total)
		return;
	count_up(&total->ended);
	if (running)
		count_up(&total->running);
	else if (launch->flags & LAUNCH_RETURNED)
		count_up(&total->returned);
}

/* The thread's last words: its slot goes back, and nothing of it may be looked at any more. */
static void finish(struct tek_process *process, struct tek_launch *launch)
{
	struct tek_run_slot *slot = slot_of(process, launch);
	struct tek_run_total *total = total_of(process, launch);

	disarm(&__tek_words);
	module_disarm_copies();
	tek_self.launch = NULL;
	tek_self.slot = NULL;
	lock_take(&process->lock);
	if (!(launch->flags & LAUNCH_READ_AT_EXIT))
		thread_count_end(process, launch, false);
	if (total)
		count_down(&total->alive);
	slot_write_begin(slot);
	slot->tid = 0;
	__atomic_fetch_and(&slot->flags, ~TEK_SLOT_LIVE, __ATOMIC_RELEASE);
	slot_write_end(slot);
	table_release(process, (uint32_t)(launch - process->launches));
	lock_give(&process->lock);
}

/*
 * The key's destructor. The reading comes before any call, so that nothing but this function's own
 * frame lies below the caller's. The first is exact; the last finds what the destructors of all
 * passes have left, so that those between would find nothing that it does not.
 */
TEK_UNSANITIZED static void thread_end(void *value)
{
	struct tek_launch *launch = value;
	struct tek_process *process = tek_process;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uint32_t pass = launch->flags >> LAUNCH_PASS_SHIFT & 0xff;
	uintptr_t limit = pass ? here - OWN_DEPTH : arch_sp();
	const struct tek_run_slot *slot;

	if (!__atomic_load_n(&process->ready, __ATOMIC_ACQUIRE) || tek_self.launch != launch)
		return; /* a child of _Fork(): its parent's thread */
	slot = slot_of(process, launch);
	if (process->measure && limit > launch->lo && (!pass || pass + 1 == PASSES)) {
		struct stack_reading reading =
			stack_read(launch->lo, paint_of(slot), limit & ~(uintptr_t)15);

		/* Nothing below our own frame: libc's exit path, which called us, is the peak. */
		if (reading.low >= (limit & ~(uintptr_t)15)) {
			reading.low = here;
			reading.page = here & ~(tek_target.page - 1);
		}
		if (reading.page > reading.low)
			reading.page = reading.low & ~(tek_target.page - 1);
		take_reading(launch, slot, reading);
	}
	publish_peaks(process, launch, NULL, NULL);
	if (pass + 1 < PASSES) {
		launch->flags += 1u << LAUNCH_PASS_SHIFT;
		pthread_setspecific(end_key, launch);
		return;
	}
	finish(process, launch);
}

int thread_key(void)
{
	pthread_key_t made[LAST_INLINE_KEY + 1];
	unsigned int count = 0, i;
	int error = 0;

	while (count <= LAST_INLINE_KEY) {
		error = pthread_key_create(&made[count], thread_end);
		if (error || made[count++] >= LAST_INLINE_KEY)
			break;
	}
	if (!count)
		return -error;
	end_key = made[count - 1];
	for (i = 0; i + 1 < count; i++)
		pthread_key_delete(made[i]);
	return 0;
}

void thread_adopt(struct tek_process *process, uintptr_t lo, uintptr_t cfa, bool grows)
{
	uint32_t index = table_claim(process);
	struct tek_identity identity = { .role = "main", .flags = TEK_TOTAL_MAIN };
	struct tek_run_total *total;
	struct tek_launch *launch;
	struct tek_run_slot *slot;

	if (index == TEK_RUN_NONE)
		return;
	launch = &process->launches[index];
	*launch = (struct tek_launch){ .lo = lo,
				       .cfa = cfa,
				       .low = cfa,
				       .page = cfa,
				       .words = &__tek_words,
				       .flags = grows ? LAUNCH_MAIN : 0,
				       .total = table_total(process, &identity) };
	slot = slot_of(process, launch);
	slot_write_begin(slot);
	slot->generation++;
	slot->total = launch->total;
	__atomic_store_n(&slot->flags, TEK_SLOT_MAIN, __ATOMIC_RELAXED);
	slot->policy = -1;
	slot->priority = 0;
	slot->lowest = UINTPTR_MAX;
	slot->painted = 0;
	slot_write_end(slot);
	total = total_of(process, launch);
	if (total) {
		count_up(&total->started);
		count_up(&total->alive);
		raise_to(&total->alive_max, 1);
		total->usable_max = total->usable_min = cfa - lo;
	}
	fill_slot(slot, launch, TEK_SLOT_LIVE);
	tek_self.slot = slot;
	tek_self.high_count = NULL;
	tek_self.high = &process->high;
	tek_self.launch = launch;
	thread_arm(&__tek_words, launch, slot, 0);
	module_arm_copies(launch, slot);
	/* The stack of a fork's first thread, if it is not main's, is unmapped some time after its end. */
	if (!grows)
		pthread_setspecific(end_key, launch);
}

void thread_forget(void)
{
	disarm(&__tek_words);
	module_disarm_copies();
	tek_self.launch = NULL;
	tek_self.slot = NULL;
	pthread_setspecific(end_key, NULL);
}
