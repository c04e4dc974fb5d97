// SPDX-License-Identifier: MIT
/*
 * table [--json]: writing and reading one slot of the Thread Information Table against one
 * uncontended lock and unlock of a mutex, and reads while the owner writes.
 */
#include "bench.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "table.h" /* the runtime's own */

#define OPERATIONS 4000000u
#define READS 10000000u
#define CHANGES 100000u /* so many reads at least must have met the owner at work */
#define MOST 2000000000u

/* A slot and a line on either side that nobody else uses. */
static _Alignas(64) struct tek_run_slot slots[3];
static uint32_t stop;

/* All fields follow from one number, so that a mix of two writes shows. */
static inline __attribute__((always_inline)) void write_slot(struct tek_run_slot *slot, uint32_t n)
{
	slot_write_begin(slot);
	slot->tid = n;
	slot->lo = (uint64_t)n << 12;
	slot->usable = ~(uint64_t)n;
	slot->flags = n ^ TEK_SLOT_LIVE;
	slot->total = n + 1;
	slot->created_ms = n * 3;
	slot_write_end(slot);
}

/* As runfile.h says: at most 100 tries. The copy is of volatile words, the sum of what tears. */
static inline __attribute__((always_inline)) bool read_slot(const struct tek_run_slot *slot,
							    struct tek_run_slot *copy)
{
	for (int i = 0; i < 100; i++) {
		uint32_t before = __atomic_load_n(&slot->sequence, __ATOMIC_ACQUIRE);

		if (before & 1)
			continue;
		copy->tid = __atomic_load_n(&slot->tid, __ATOMIC_RELAXED);
		copy->lo = __atomic_load_n(&slot->lo, __ATOMIC_RELAXED);
		copy->usable = __atomic_load_n(&slot->usable, __ATOMIC_RELAXED);
		copy->flags = __atomic_load_n(&slot->flags, __ATOMIC_RELAXED);
		copy->total = __atomic_load_n(&slot->total, __ATOMIC_RELAXED);
		copy->created_ms = __atomic_load_n(&slot->created_ms, __ATOMIC_RELAXED);
		/* Orders the fields before the second look at the number. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&slot->sequence, __ATOMIC_RELAXED) == before)
			return true;
	}
	return false;
}

static bool whole(const struct tek_run_slot *copy)
{
	uint32_t n = copy->tid;

	return copy->lo == (uint64_t)n << 12 && copy->usable == ~(uint64_t)n &&
	       copy->flags == (n ^ TEK_SLOT_LIVE) && copy->total == n + 1 &&
	       copy->created_ms == n * 3;
}

static double time_writes(void)
{
	double start = bench_cpu();

	for (uint32_t i = 0; i < OPERATIONS; i++)
		write_slot(&slots[1], i);
	return (bench_cpu() - start) / OPERATIONS;
}

static double time_reads(void)
{
	double start = bench_cpu();
	struct tek_run_slot copy;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < OPERATIONS; i++) {
		sum += read_slot(&slots[1], &copy);
		/* The copy is wanted: each of its fields. */
		__asm__ volatile("" : : "m"(copy));
	}
	return sum == OPERATIONS ? (bench_cpu() - start) / OPERATIONS : NAN;
}

static double time_mutex(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	double start = bench_cpu();

	for (uint32_t i = 0; i < OPERATIONS; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return (bench_cpu() - start) / OPERATIONS;
}

/* The owner: writes without end, with a gap in which a reader finds an even number. */
static void *writer(void *argument)
{
	for (uint32_t n = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); n++) {
		write_slot(&slots[1], n);
		for (uint32_t i = 0; i < 64 + n % 64; i++)
			__asm__ volatile("");
	}
	return argument;
}

static double torn_reads(void)
{
	struct tek_run_slot copy = { 0 };
	uint32_t torn = 0, refused = 0, changed = 0, last = 0, reads = 0;
	pthread_t thread;

	write_slot(&slots[1], 0);
	if (pthread_create(&thread, NULL, writer, NULL))
		return NAN;
	while ((reads < READS || changed < CHANGES) && reads + refused < MOST) {
		if (!read_slot(&slots[1], &copy)) {
			refused++;
			continue;
		}
		reads++;
		/* Out of step with the writer, so that reads begin in every phase of a write. */
		for (uint32_t i = 0; i < reads % 32; i++)
			__asm__ volatile("");
		torn += !whole(&copy);
		changed += copy.tid != last;
		last = copy.tid;
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	bench_note("  %u reads of a slot in use, %u of them found another value than the last; "
		   "gave up %u times",
		   reads, changed, refused);
	return reads >= READS && changed >= CHANGES ? torn : NAN;
}

int main(int argc, char **argv)
{
	double writes[5], reads[5], mutexes[5], write, read, mutex;
	bool good;

	bench_json(argc, argv);
	for (int i = 0; i < 5; i++) {
		writes[i] = time_writes();
		reads[i] = time_reads();
		mutexes[i] = time_mutex();
	}
	write = bench_least(writes, 5);
	read = bench_least(reads, 5);
	mutex = bench_least(mutexes, 5);
	bench_note("  slot of %zu bytes: write %.1f ns, read %.1f ns; mutex lock+unlock %.1f ns "
		   "(the paper: 40 bytes, 67 ns, 46 ns)",
		   sizeof(struct tek_run_slot), write * 1e9, read * 1e9, mutex * 1e9);
	good = bench_claim("table: write of a slot / mutex lock+unlock", write / mutex, 1, true);
	good &= bench_claim("table: read of a slot / mutex lock+unlock", read / mutex, 1, true);
	good &= bench_claim("table: torn reads in 10 M while the owner writes", torn_reads(), 0,
			    true);
	return good ? 0 : 1;
}
