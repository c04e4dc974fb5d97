/* SPDX-License-Identifier: MIT */
/*
 * The Thread Information Table in memory: areas, strings, totals, slots. Layout and who may write
 * what: runfile.h. Every function here but the counters' is called under process.lock.
 */
#ifndef TEK_TABLE_H
#define TEK_TABLE_H

#include "process.h"

/* What makes a totals record: one per (site, entry, role). Strings may be null. */
struct tek_identity {
	const char *role;
	const char *entry;
	const char *entry_file;
	const char *file;
	const char *function;
	const char *module;
	uint32_t line;
	uint32_t column;
	uint32_t flags; /* TEK_SITE_*, TEK_TOTAL_*; no part of the identity */
	uint64_t entry_offset;
	uint64_t usable; /* tuned; no part of the identity */
};

/* Bytes of a table's mapping. */
TEK_HIDDEN size_t table_length(void);

/* table_attach - lay out a zeroed mapping and let @process use it; `valid` stays 0 */
TEK_HIDDEN int table_attach(struct tek_process *process, void *base);

/* table_string - offset of @text in the strings, or TEK_RUN_NONE (null text, no room) */
TEK_HIDDEN uint32_t table_string(struct tek_process *process, const char *text);

/* table_total - index of the record for @identity, made if new, or TEK_RUN_NONE */
TEK_HIDDEN uint32_t table_total(struct tek_process *process, const struct tek_identity *identity);

/* table_claim - a free slot's index with a fresh generation, or TEK_RUN_NONE */
TEK_HIDDEN uint32_t table_claim(struct tek_process *process);
TEK_HIDDEN void table_release(struct tek_process *process, uint32_t index);

/* table_samples - make the samples up to @count writable; -ENOSPC */
TEK_HIDDEN int table_samples(struct tek_process *process, uint32_t count);

/* The sequence lock of a slot; its owner alone writes. Signal handlers do not write slots. */
static inline void slot_write_begin(struct tek_run_slot *slot)
{
	__atomic_store_n(&slot->sequence, slot->sequence + 1, __ATOMIC_RELAXED);
	/* Orders the odd number before the fields. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void slot_write_end(struct tek_run_slot *slot)
{
	/* Orders the fields before the even number. */
	__atomic_store_n(&slot->sequence, slot->sequence + 1, __ATOMIC_RELEASE);
}

static inline void count_up(uint32_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static inline void count_down(uint32_t *counter)
{
	__atomic_fetch_sub(counter, 1, __ATOMIC_RELAXED);
}

static inline void raise_to(uint32_t *maximum, uint32_t value)
{
	uint32_t seen = __atomic_load_n(maximum, __ATOMIC_RELAXED);

	while (seen < value && !__atomic_compare_exchange_n(maximum, &seen, value, 1,
							    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
}

#endif
