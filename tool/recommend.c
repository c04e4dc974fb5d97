/* SPDX-License-Identifier: MIT */
#include "recommend.h"

#include <stddef.h>
#include <string.h>

/* Sizes beyond this are no stacks; keeps all arithmetic below far from overflow. */
#define LARGEST ((uint64_t)1 << 48)

static uint64_t cut(uint64_t bytes)
{
	return bytes < LARGEST ? bytes : LARGEST;
}

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

bool policy_stable(const struct policy_runs *runs)
{
	return runs->runs >= runs->last_raise &&
	       runs->runs - runs->last_raise >= POLICY_STABLE_RUNS;
}

unsigned policy_margin(const struct policy_runs *runs)
{
	if (!policy_stable(runs))
		return POLICY_MARGIN_NEW;
	return runs->runs >= POLICY_SETTLED_RUNS ? POLICY_MARGIN_SETTLED : POLICY_MARGIN_STABLE;
}

uint64_t policy_usable(uint64_t peak, unsigned margin, uint64_t exit_reserve)
{
	uint64_t extra;

	peak = cut(peak);
	if (peak < POLICY_PEAK_MIN)
		peak = POLICY_PEAK_MIN;
	extra = (peak * margin + 99) / 100;
	if (extra < POLICY_MARGIN_MIN)
		extra = POLICY_MARGIN_MIN;
	return round_up(peak + extra + exit_reserve, POLICY_ROUND);
}

uint64_t policy_largest_peak(uint64_t usable)
{
	uint64_t by_part = cut(usable) * 100 / (100 + POLICY_MARGIN_SETTLED);
	uint64_t by_page = usable > POLICY_MARGIN_MIN ? cut(usable) - POLICY_MARGIN_MIN : 0;

	return by_part < by_page ? by_part : by_page;
}

uint64_t policy_exit_reserve(const char *libc, bool needed)
{
	return needed && strncmp(libc, "glibc", 5) == 0 ? POLICY_EXIT_GLIBC : 0;
}

enum policy_change policy_change(uint64_t old, uint64_t wanted, bool stable)
{
	if (!old)
		return POLICY_MAKE;
	if (wanted > old)
		return POLICY_GROW;
	if (stable && wanted * 100 < cut(old) * POLICY_SHRINK_PERCENT)
		return POLICY_SHRINK;
	return POLICY_KEEP;
}

uint64_t policy_attribute(uint64_t usable, uint64_t overhead, uint64_t signal_reserve,
			  uint64_t page, uint64_t minimum)
{
	uint64_t bytes = round_up(cut(usable) + overhead + signal_reserve, page);

	return bytes < minimum ? round_up(minimum, page) : bytes;
}

enum zone zone_by_percent(uint64_t peak, uint64_t usable, uint64_t overhead,
			  uint64_t signal_reserve, unsigned low, unsigned high)
{
	uint64_t used = cut(peak) + signal_reserve + overhead;
	uint64_t given = cut(usable) + overhead;

	if (!given)
		return ZONE_NONE;
	if (used * 100 >= given * high)
		return ZONE_HIGH;
	return used * 100 < given * low ? ZONE_LOW : ZONE_NORMAL;
}

enum zone zone_tuned(uint64_t peak, uint64_t usable, uint64_t built_on)
{
	if (!built_on)
		built_on = policy_largest_peak(usable);
	if (built_on < POLICY_PEAK_MIN)
		built_on = POLICY_PEAK_MIN;
	return peak > built_on ? ZONE_HIGH : ZONE_NORMAL;
}

const char *zone_name(enum zone zone)
{
	static const char *const names[] = { NULL, "low", "normal", "high" };

	return names[zone];
}
