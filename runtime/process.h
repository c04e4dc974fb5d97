/* SPDX-License-Identifier: MIT */
/*
 * The state of the process and of its threads.
 *
 * struct tek_process lies on a page of its own that the kernel wipes in every kind of forked child
 * (MADV_WIPEONFORK): `ready` is then 0, every lock free, and the child starts anew.
 *
 *	what			writer				reader
 *	process.ready		process_start(), last, release	everybody, acquire
 *	process.lock guards	free list, index tables, string and total areas' growth, the list
 *				of modules, LIVE of slots against the reading of living stacks
 *	launch block		the creator, then its thread	under process.lock: the reader of
 *								living stacks (lo, cfa)
 *	tek_self, __tek_words	their thread			their thread
 */
#ifndef TEK_PROCESS_H
#define TEK_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch.h"
#include "index.h"
#include "lock.h"
#include "tek/abi.h"
#include "tek/runfile.h"

#define TEK_HIDDEN __attribute__((visibility("hidden")))
#define TEK_EXPORT __attribute__((visibility("default")))

/* Code that reads or writes what others write, by design, or runs where sanitizers do not follow. */
#define TEK_UNSANITIZED __attribute__((no_sanitize("address", "thread", "undefined")))

/* Capacity of the areas. Pages of them are touched only when used. */
#define TEK_SLOTS 32768u
#define TEK_TOTALS 4096u
#define TEK_STRINGS (1u << 20)

/* launch.flags beyond those of arch.h */
#define LAUNCH_FOREIGN 0x10	  /* stack from pthread_attr_setstack */
#define LAUNCH_NO_GUARD 0x20	  /* guardsize 0: do not look for the stack's end */
#define LAUNCH_TUNED 0x40	  /* runs with a size that TEK chose */
#define LAUNCH_READ_AT_EXIT 0x100 /* counted as ended and running by exit() */
#define LAUNCH_MAIN 0x200
#define LAUNCH_HIGH_TOLD 0x400 /* the watcher has seen this thread's crossing */
#define LAUNCH_PASS_SHIFT 16   /* passes of the key destructor so far, 8 bits */

/* One thread, private memory; item i belongs to slot i. At most 64 bytes. */
struct tek_launch {
	void *(*fn)(void *); /* while free: unused */
	void *arg;	     /* while free: index of the next free block + 1 */
	uintptr_t lo;	     /* before the start: the size asked for */
	uintptr_t cfa;	     /* of the entry; before the start: a foreign stack's lowest address */
	uintptr_t low;	     /* lowest address known as used */
	uintptr_t page; /* start of the lowest page known as touched; before the entry: the slot */
	struct tek_words *words;
	uint32_t flags; /* LAUNCH_* */
	uint32_t total; /* index or TEK_RUN_NONE */
};

/* The target's word in a slot's 64 bits; the probe writes it through words.lowest. */
typedef uintptr_t __attribute__((may_alias)) tek_lowest;

static inline tek_lowest *slot_lowest(struct tek_run_slot *slot)
{
	return (tek_lowest *)(void *)&slot->lowest;
}

struct tek_high {
	uint32_t sequence; /* +1 at each crossing into the High Zone; a futex */
	uint32_t watched;  /* somebody waits for it */
};

/* The calling thread as the runtime sees it. arch_*.S knows the first 11 words. */
struct tek_self {
	uintptr_t scratch[8]; /* registers that the event handler keeps */
	struct tek_run_slot *slot;
	uint32_t *high_count; /* of its total */
	struct tek_high *high;
	struct tek_launch *launch; /* null: not registered */
	const char *next_role;	   /* tek_next_role() */
	/* __tek_creator_enter(): names the next creation. */
	struct tek_site *pending;
	const void *pending_entry;
	const char *pending_name;
	uintptr_t pending_sp; /* SP of the call; a creation above it comes after its end */
	uint32_t pending_depth;
	uint32_t pending_used;
	uint32_t in_room; /* inside the real pthread_create: an inner door passes through */
};

struct tek_process {
	uint32_t ready;	     /* 1: all below holds */
	uint32_t start_lock; /* held while `ready` is being made true */
	uint32_t lock;
	struct tek_high high;
	uint32_t measure; /* stacks are cleaned and read */
	/* The table: see runfile.h. */
	struct tek_run_header *header;
	struct tek_run_slot *slots;
	struct tek_run_sample *samples;
	struct tek_run_total *totals;
	char *strings;
	uint32_t slots_ready; /* items whose memory is known to be there */
	uint32_t totals_ready;
	uint32_t strings_ready;
	uint32_t samples_ready;
	struct tek_launch *launches;
	uint32_t free_list; /* 1 + index of the first free block */
	struct tek_index string_index;
	struct tek_index total_index;
	uint64_t start_ns; /* CLOCK_MONOTONIC_COARSE */
	uint32_t watcher;  /* the thread of tek_on_high_zone() lives */
	uint32_t sampler;  /* the thread of inside sampling lives */
	char path[1024];   /* of the run file; "" if private */
};

/* What start-up finds out once; unchanged in a child. */
struct tek_target {
	size_t page;
	size_t default_stack;
	size_t minimum_stack;
	size_t overhead; /* may grow: atomic */
	size_t signal_reserve;
	uintptr_t main_sp; /* SP at the process's entry */
	bool huge_pages;   /* /sys/kernel/mm/transparent_hugepage/enabled is `always` */
	bool swap;	   /* touched pages come from pagemap */
	bool no_pages;	   /* they cannot be read */
};

extern TEK_HIDDEN struct tek_process *tek_process;
extern TEK_HIDDEN struct tek_target tek_target;
extern TEK_HIDDEN _Thread_local struct tek_self tek_self __attribute__((tls_model("initial-exec")));
extern TEK_EXPORT _Thread_local struct tek_words __tek_words
	__attribute__((tls_model("initial-exec")));

/*
 * process_ready - start the runtime unless it has started
 *
 * Returns: the state, or null if there is no memory for it.
 */
TEK_HIDDEN struct tek_process *process_ready(void);

/*
 * process_look_for_swap - from now on touched pages come from pagemap, if there is swap now
 *
 * Swap may come long after the start; a reading of the living stacks asks again, since a page
 * that has been swapped out is no longer resident.
 */
TEK_HIDDEN void process_look_for_swap(void);

TEK_HIDDEN void *tek_start_thread(void *launch);
TEK_HIDDEN void tek_event_handler(void);

/* The order that arch_*.S relies on. */
#define TEK_OFFSET(type, field, word) \
	_Static_assert(offsetof(struct type, field) == (word) * sizeof(void *), #field " moved")
TEK_OFFSET(tek_launch, fn, LAUNCH_FN);
TEK_OFFSET(tek_launch, arg, LAUNCH_ARG);
TEK_OFFSET(tek_launch, lo, LAUNCH_LO);
TEK_OFFSET(tek_launch, cfa, LAUNCH_CFA);
TEK_OFFSET(tek_launch, page, LAUNCH_PAGE);
TEK_OFFSET(tek_launch, flags, LAUNCH_FLAGS);
TEK_OFFSET(tek_self, scratch, SELF_SCRATCH);
TEK_OFFSET(tek_self, slot, SELF_SLOT);
TEK_OFFSET(tek_self, high_count, SELF_HIGH_COUNT);
TEK_OFFSET(tek_self, high, SELF_HIGH);
TEK_OFFSET(tek_words, event, WORDS_EVENT);
_Static_assert(offsetof(struct tek_run_slot, flags) == SLOT_FLAGS, "slot.flags moved");
_Static_assert(TEK_SLOT_LIVE == SLOT_LIVE, "TEK_SLOT_LIVE moved");
_Static_assert(TEK_SLOT_HIGH == 1u << SLOT_HIGH_BIT, "TEK_SLOT_HIGH moved");
_Static_assert(sizeof(struct tek_launch) <= 64, "a launch block is at most 64 bytes");

#endif
