/* SPDX-License-Identifier: MIT */
/*
 * Peaks against the truth. Each scenario runs twice, in processes of their own: once painted, on a
 * stack that this program fills with a pattern and TEK does not touch, and once measured by TEK.
 * Depths are counted from a 64-byte boundary just above the scenario's code, because code that
 * aligns its stack uses up to 63 bytes more or less depending on where it starts.
 */
#ifndef BENCH_TRUTH_H
#define BENCH_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

enum ending {
	RETURNS,
	EXITS,
	CANCELLED,
	STAYS
};

struct scenario {
	const char *name;
	void (*deep)(void);
	enum ending ending;
	bool unprobed_zero; /* deepest word is zero and was never at a probe's stack pointer */
	bool locked;	    /* memory locked: mlockall() */
	bool reused;	    /* on a stack that a deeper thread has left */
	bool in_destructor; /* of a thread-specific key */
};

extern const struct scenario truth_scenarios[];
extern const unsigned int truth_scenario_count;

/* Where the scenario starts and the lowest stack pointer it had: the part of the truth that paint
 * cannot show, since what is reserved need not be written. */
extern uintptr_t truth_base;
extern uintptr_t truth_lowest_sp;

/* truth_aligned - run @deep from a 64-byte boundary, stored in truth_base */
void truth_aligned(void (*deep)(void));

/* truth_zeros - in a unit without probes: 12 KiB that are written with zeros only */
void truth_zeros(void);

#endif
