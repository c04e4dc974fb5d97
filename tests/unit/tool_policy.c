/* SPDX-License-Identifier: MIT */
/* The sizing policy and the zones, by tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "recommend.h"

static void margin_follows_the_evidence(void **state)
{
	static const struct {
		uint64_t runs, last_raise;
		unsigned margin;
	} cases[] = {
		{ 0, 0, 100 },	{ 1, 0, 100 },	{ 4, 0, 100 },	   { 5, 0, 50 },   { 6, 2, 100 },
		{ 7, 2, 50 },	{ 19, 0, 50 },	{ 20, 0, 25 },	   { 20, 15, 25 }, { 20, 16, 100 },
		{ 21, 16, 25 }, { 500, 0, 25 }, { 500, 498, 100 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(
			policy_margin(&(struct policy_runs){ cases[i].runs, cases[i].last_raise }),
			cases[i].margin);
}

static void usable_is_peak_margin_and_reserve_rounded_up(void **state)
{
	static const struct {
		uint64_t peak;
		unsigned margin;
		uint64_t reserve, usable;
	} cases[] = {
		/* The peak counts as 1 KiB at least, the margin as 4096 at least. */
		{ 0, 100, 0, 5120 },
		{ 1024, 25, 0, 5120 },
		{ 1025, 25, 0, 6144 },
		{ 4096, 100, 0, 8192 },
		{ 4097, 100, 0, 9216 },
		{ 16384, 25, 0, 20480 },
		{ 16388, 25, 0, 20 * 1024 + 1024 },
		{ 100000, 25, 0, 125952 },
		{ 100000, 50, 0, 150528 },
		{ 100000, 100, 0, 200704 },
		{ 0, 100, 4608, 10240 },
		{ 100000, 25, 4608, 130048 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(policy_usable(cases[i].peak, cases[i].margin, cases[i].reserve),
				 cases[i].usable);
}

static void no_size_is_ever_below_its_peak(void **state)
{
	static const unsigned margins[] = { 25, 50, 100 };
	uint64_t peak;
	size_t i;

	(void)state;
	for (peak = 0; peak < (uint64_t)1 << 40; peak = peak * 3 + 7)
		for (i = 0; i < 3; i++) {
			uint64_t usable = policy_usable(peak, margins[i], 0);

			assert_true(usable >= peak + 4096);
			assert_int_equal(usable % 1024, 0);
			/* The judge without evidence must never call such a line outgrown. */
			assert_true(policy_largest_peak(usable) >= peak);
		}
	/* Nonsense from a damaged file must not wrap around. */
	assert_true(policy_usable(UINT64_MAX, 100, 4608) >= (uint64_t)1 << 48);
}

static void reserve_is_for_glibc_alone(void **state)
{
	(void)state;
	assert_int_equal(policy_exit_reserve("glibc 2.36", true), 4608);
	assert_int_equal(policy_exit_reserve("glibc 2.36", false), 0);
	assert_int_equal(policy_exit_reserve("musl 1.2.3", true), 0);
	assert_int_equal(policy_exit_reserve("", true), 0);
}

static void lines_grow_at_once_and_shrink_reluctantly(void **state)
{
	(void)state;
	assert_int_equal(policy_change(0, 5120, false), POLICY_MAKE);
	assert_int_equal(policy_change(8192, 9216, false), POLICY_GROW);
	assert_int_equal(policy_change(8192, 8192, true), POLICY_KEEP);
	assert_int_equal(policy_change(8192, 6144, true), POLICY_KEEP); /* 75 % is not below */
	assert_int_equal(policy_change(8192, 5120, true), POLICY_SHRINK);
	assert_int_equal(policy_change(8192, 5120, false), POLICY_KEEP);
}

static void attribute_is_good_for_setstacksize(void **state)
{
	(void)state;
	assert_int_equal(policy_attribute(20480, 4400, 3376, 4096, 16384), 28672);
	assert_int_equal(policy_attribute(5120, 4400, 3376, 4096, 16384), 16384);
	assert_int_equal(policy_attribute(5120, 4400, 3376, 65536, 131072), 131072);
	assert_int_equal(policy_attribute(5120, 0, 0, 4096, 17000), 20480);
}

static void percent_borders_are_low_below_high_from(void **state)
{
	/* used = peak + 1000 + 1000, given = usable + 1000 = 100000 */
	static const struct {
		uint64_t peak;
		enum zone zone;
	} cases[] = {
		{ 0, ZONE_LOW },	{ 37999, ZONE_LOW },  { 38000, ZONE_NORMAL },
		{ 72999, ZONE_NORMAL }, { 73000, ZONE_HIGH }, { 99000, ZONE_HIGH },
		{ 400000, ZONE_HIGH },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(zone_by_percent(cases[i].peak, 99000, 1000, 1000, 40, 75),
				 cases[i].zone);
	assert_int_equal(zone_by_percent(1, 0, 0, 0, 40, 75), ZONE_NONE);
}

static void tuned_is_high_as_soon_as_it_eats_margin(void **state)
{
	(void)state;
	assert_int_equal(zone_tuned(12000, 24576, 12000), ZONE_NORMAL);
	assert_int_equal(zone_tuned(12001, 24576, 12000), ZONE_HIGH);
	/* Below 1 KiB nothing is ever High: a size never assumes less. */
	assert_int_equal(zone_tuned(1000, 5120, 500), ZONE_NORMAL);
	/* Without the evidence: by the smallest margin the policy knows. */
	assert_int_equal(zone_tuned(80000, 100000, 0), ZONE_NORMAL);
	assert_int_equal(zone_tuned(80001, 100000, 0), ZONE_HIGH);
	assert_int_equal(zone_tuned(6145, 10240, 0), ZONE_HIGH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(margin_follows_the_evidence),
		cmocka_unit_test(usable_is_peak_margin_and_reserve_rounded_up),
		cmocka_unit_test(no_size_is_ever_below_its_peak),
		cmocka_unit_test(reserve_is_for_glibc_alone),
		cmocka_unit_test(lines_grow_at_once_and_shrink_reluctantly),
		cmocka_unit_test(attribute_is_good_for_setstacksize),
		cmocka_unit_test(percent_borders_are_low_below_high_from),
		cmocka_unit_test(tuned_is_high_as_soon_as_it_eats_margin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
