/* SPDX-License-Identifier: MIT */
/*
 * The sizing policy: pure arithmetic on what was measured, no files. All sizes are usable bytes
 * unless said. Sources: docs/tek-sizes.1, section POLICY.
 */
#ifndef TEK_TOOL_RECOMMEND_H
#define TEK_TOOL_RECOMMEND_H

#include <stdbool.h>
#include <stdint.h>

#define POLICY_PEAK_MIN 1024u	/* libc's exit path below the last reading */
#define POLICY_MARGIN_MIN 4096u /* below a page a margin means nothing */
#define POLICY_EXIT_GLIBC 4608u /* first pthread_exit or cancellation loads the unwinder */
#define POLICY_ROUND 1024u
#define POLICY_STABLE_RUNS 5u	/* so many last runs must not have raised the peak */
#define POLICY_SETTLED_RUNS 20u /* from here on the smallest margin */
#define POLICY_MARGIN_NEW 100u	/* percent of the peak */
#define POLICY_MARGIN_STABLE 50u
#define POLICY_MARGIN_SETTLED 25u
#define POLICY_SHRINK_PERCENT 75u /* a new size must be below this part of the old one */

/* Runs that count, and how many of them passed when one last raised the peak (0: none did). */
struct policy_runs {
	uint64_t runs;
	uint64_t last_raise;
};

bool policy_stable(const struct policy_runs *runs);

/* Percent of the peak. */
unsigned policy_margin(const struct policy_runs *runs);

/**
 * policy_usable - the size for a peak
 * @peak: largest peak_high measured
 * @margin: percent
 * @exit_reserve: POLICY_EXIT_GLIBC or 0
 */
uint64_t policy_usable(uint64_t peak, unsigned margin, uint64_t exit_reserve);

/* The largest peak that can have led to a size: what a tuned stack is judged by if nobody knows. */
uint64_t policy_largest_peak(uint64_t usable);

/* Reserve for ends that the readings have not in them. */
uint64_t policy_exit_reserve(const char *libc, bool needed);

enum policy_change {
	POLICY_KEEP,
	POLICY_MAKE,
	POLICY_GROW,
	POLICY_SHRINK
};

/**
 * policy_change - what becomes of a line
 * @old: its size in force; 0: none
 * @wanted: what the evidence asks for
 * @stable: the evidence is stable
 */
enum policy_change policy_change(uint64_t old, uint64_t wanted, bool stable);

/* What pthread_attr_setstacksize must be given for so many usable bytes. */
uint64_t policy_attribute(uint64_t usable, uint64_t overhead, uint64_t signal_reserve,
			  uint64_t page, uint64_t minimum);

enum zone {
	ZONE_NONE,
	ZONE_LOW,
	ZONE_NORMAL,
	ZONE_HIGH
};

/* Of a size that TEK did not choose; borders in percent, all else in bytes. */
enum zone zone_by_percent(uint64_t peak, uint64_t usable, uint64_t overhead,
			  uint64_t signal_reserve, unsigned low, unsigned high);

/* Of a tuned size; @built_on: the peak its line was built on, 0 if unknown. */
enum zone zone_tuned(uint64_t peak, uint64_t usable, uint64_t built_on);

/* "low", "normal", "high"; NULL for ZONE_NONE. */
const char *zone_name(enum zone zone);

#endif
