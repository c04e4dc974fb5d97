/* SPDX-License-Identifier: MIT */
/* What makes, grows, shrinks and keeps a line, and that the json holds all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "evidence.h"
#include "tool_runs.h"

static struct evidence evidence;

static int start(void **state)
{
	(void)state;
	memset(&evidence, 0, sizeof(evidence));
	return 0;
}

static int stop(void **state)
{
	(void)state;
	evidence_free(&evidence);
	return 0;
}

static void one_run_makes_a_line_with_the_full_margin(void **state)
{
	(void)state;
	runs_repeat(&evidence, 1, 1, "net", 100000);
	assert_int_equal(runs_line(&evidence, "net")->usable, 200704);
	assert_int_equal(runs_line(&evidence, "net")->peak, 100000);
}

static void margin_shrinks_after_twenty_stable_runs(void **state)
{
	(void)state;
	runs_repeat(&evidence, 1, 19, "net", 100000);
	/* 50 % of 5 stable runs asks for 150528, which is 75 % of the line: kept. */
	assert_int_equal(runs_line(&evidence, "net")->usable, 200704);
	runs_repeat(&evidence, 20, 1, "net", 100000);
	assert_int_equal(runs_line(&evidence, "net")->usable, 125952);
	assert_int_equal(runs_line(&evidence, "net")->margin, 25);
}

static void a_run_counts_once_ever(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 30; i++)
		runs_repeat(&evidence, 7, 1, "net", 100000);
	assert_int_equal(runs_line(&evidence, "net")->usable, 200704);
	assert_int_equal(evidence.sections[0].run_count, 1);
	assert_int_equal(evidence.sections[0].roles[0].builds[0].instances, 2);
	/* A second look at a run that went on may still raise the peak. */
	runs_repeat(&evidence, 7, 1, "net", 120000);
	assert_int_equal(runs_line(&evidence, "net")->peak, 120000);
	assert_int_equal(evidence.sections[0].roles[0].builds[0].runs.runs, 1);
}

static void a_higher_peak_grows_the_line_at_once(void **state)
{
	(void)state;
	runs_repeat(&evidence, 1, 25, "net", 100000);
	assert_int_equal(runs_line(&evidence, "net")->usable, 125952);
	runs_repeat(&evidence, 26, 1, "net", 100008);
	/* No longer stable: the full margin again. */
	assert_int_equal(runs_line(&evidence, "net")->usable, 200704);
	runs_repeat(&evidence, 27, 4, "net", 50000);
	assert_int_equal(runs_line(&evidence, "net")->usable, 200704);
	runs_repeat(&evidence, 31, 1, "net", 50000);
	assert_int_equal(runs_line(&evidence, "net")->usable, 125952);
}

static void exit_reserve_where_an_instance_did_not_return(void **state)
{
	struct fixture *run = fixture_new(1);

	(void)state;
	fixture_role(run, "exits", 3, 100000, 8u << 20)->returned = 2;
	fixture_role(run, "stays", 3, 100000, 8u << 20)->running = 1;
	run->totals[1].returned = 2;
	fixture_role(run, "returns", 3, 100000, 8u << 20);
	runs_add(&evidence, run);
	assert_int_equal(runs_line(&evidence, "exits")->usable, 204800);
	assert_int_equal(runs_line(&evidence, "stays")->usable, 204800);
	assert_int_equal(runs_line(&evidence, "returns")->usable, 200704);
}

static void partial_readings_alone_make_no_line_but_raise_one(void **state)
{
	struct fixture *run = fixture_new(1);

	(void)state;
	fixture_living(run, fixture_role(run, "net", 0, 0, 0), 30000);
	runs_add(&evidence, run);
	assert_int_equal(runs_line(&evidence, "net")->usable, 0);
	assert_non_null(strstr(runs_reason(&evidence, "net"), "partial"));

	runs_repeat(&evidence, 2, 1, "net", 20000);
	/* The lower bound of the first run still counts. */
	assert_int_equal(runs_line(&evidence, "net")->peak, 30000);
	run = fixture_new(3);
	fixture_living(run, fixture_role(run, "net", 4, 1000, 65536), 50000);
	runs_add(&evidence, run);
	assert_int_equal(runs_line(&evidence, "net")->peak, 50000);
	assert_int_equal(evidence.sections[0].roles[0].builds[0].runs.runs, 1);
}

/* Of another build there are partial readings only: the line grows, or is said to be kept. */
static void a_partial_reading_of_a_new_build_says_what_it_did(void **state)
{
	struct fixture *run;

	(void)state;
	runs_repeat(&evidence, 1, 1, "net", 20000);
	assert_int_equal(runs_line(&evidence, "net")->usable, 40960);
	run = fixture_new(2);
	run->header.options_lo = 0x5678;
	fixture_living(run, fixture_role(run, "net", 0, 0, 0), 20400);
	runs_add(&evidence, run);
	assert_int_equal(runs_line(&evidence, "net")->usable, 40960);
	assert_non_null(strstr(runs_reason(&evidence, "net"), "kept"));
	assert_null(strstr(runs_reason(&evidence, "net"), "raised"));
	run = fixture_new(3);
	run->header.options_lo = 0x5678;
	fixture_living(run, fixture_role(run, "net", 0, 0, 0), 30000);
	runs_add(&evidence, run);
	assert_int_equal(runs_line(&evidence, "net")->usable, 60416);
	assert_non_null(strstr(runs_reason(&evidence, "net"), "raised"));
}

static void sampled_threads_are_evidence_with_reserve(void **state)
{
	struct fixture *run = fixture_new(1);

	(void)state;
	fixture_living(run, fixture_role(run, "daemon", 0, 0, 0), 30000);
	run->samples[0] = (struct tek_run_sample){ .generation = 1, .low = 90000, .high = 100000 };
	runs_add(&evidence, run);
	assert_int_equal(runs_line(&evidence, "daemon")->usable, 204800);
	assert_int_equal(runs_line(&evidence, "daemon")->exit_reserve, 4608);
	assert_non_null(strstr(runs_reason(&evidence, "daemon"), "read while running"));
}

/* It may have gone deeper between the last sample and its death. */
static void samples_alone_make_no_margin_smaller(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 1; i <= 25; i++) {
		struct fixture *run = fixture_new(i);

		fixture_living(run, fixture_role(run, "daemon", 0, 0, 0), 30000);
		run->samples[0] =
			(struct tek_run_sample){ .generation = 1, .low = 90000, .high = 100000 };
		runs_add(&evidence, run);
	}
	assert_int_equal(runs_line(&evidence, "daemon")->usable, 204800);
	assert_int_equal(runs_line(&evidence, "daemon")->margin, 100);
}

static void sanitized_runs_never_touch_a_size(void **state)
{
	struct fixture *run = fixture_new(1);

	(void)state;
	fixture_role(run, "net", 1, 500000, 8u << 20);
	run->header.flags |= TEK_RUN_SANITIZED;
	runs_add(&evidence, run);
	assert_int_equal(runs_line(&evidence, "net")->usable, 0);
	assert_non_null(strstr(runs_reason(&evidence, "net"), "sanitizer"));
	runs_repeat(&evidence, 2, 1, "net", 100000);
	run = fixture_new(3);
	fixture_role(run, "net", 1, 900000, 8u << 20);
	run->header.flags |= TEK_RUN_COVERAGE;
	runs_add(&evidence, run);
	assert_int_equal(runs_line(&evidence, "net")->usable, 200704);
	assert_int_equal(evidence.sections[0].run_count, 1);
}

static void roles_without_trustworthy_evidence_get_no_line(void **state)
{
	struct fixture *run = fixture_new(1);

	(void)state;
	fixture_role(run, "never", 0, 0, 0);
	fixture_role(run, "own stack", 1, 5000, 65536)->flags |= TEK_TOTAL_FOREIGN;
	fixture_role(run, "huge", 1, UINT32_MAX, (uint64_t)8 << 30)->flags |= TEK_TOTAL_SATURATED;
	runs_add(&evidence, run);
	assert_int_equal(runs_line(&evidence, "never")->usable, 0);
	assert_non_null(strstr(runs_reason(&evidence, "never"), "never ran"));
	assert_int_equal(runs_line(&evidence, "own stack")->usable, 0);
	assert_non_null(strstr(runs_reason(&evidence, "own stack"), "pthread_attr_setstack"));
	assert_int_equal(runs_line(&evidence, "huge")->usable, 0);
	assert_non_null(strstr(runs_reason(&evidence, "huge"), "4 GiB"));

	run = fixture_new(2);
	fixture_role(run, "published", 1, 5000, 65536);
	run->header.flags = TEK_RUN_PUBLISH;
	runs_add(&evidence, run);
	assert_int_equal(runs_line(&evidence, "published")->usable, 0);
	assert_non_null(strstr(runs_reason(&evidence, "published"), "did not measure"));
}

static void foreign_stacks_say_nothing_of_their_high_end(void **state)
{
	struct fixture *run = fixture_new(1);
	struct tek_run_total *total = fixture_role(run, "net", 1, 5000, 1u << 20);

	(void)state;
	total->flags |= TEK_TOTAL_FOREIGN;
	total->peak_high = 1u << 20; /* its owner's data */
	runs_add(&evidence, run);
	assert_int_equal(runs_line(&evidence, "net")->usable, 0);
	/* Other instances of the role make a line, which the lower bound may raise. */
	runs_repeat(&evidence, 2, 1, "net", 3000);
	assert_int_equal(runs_line(&evidence, "net")->peak, 5000);
}

static void main_thread_never_gets_a_line(void **state)
{
	struct fixture *run = fixture_new(1);

	(void)state;
	fixture_role(run, "main", 1, 100000, 8u << 20)->flags |= TEK_TOTAL_MAIN;
	fixture_role(run, "net", 1, 100000, 8u << 20);
	runs_add(&evidence, run);
	assert_int_equal(evidence.sections[0].role_count, 1);
	assert_string_equal(evidence.sections[0].roles[0].name, "net");
}

static void unseen_pages_keep_the_full_margin(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 1; i <= 25; i++) {
		struct fixture *run = fixture_new(i);

		fixture_role(run, "net", 1, 100000, 8u << 20);
		run->header.flags |= TEK_RUN_NO_PAGES;
		runs_add(&evidence, run);
	}
	assert_int_equal(runs_line(&evidence, "net")->usable, 200704);
}

static void add_other_build(uint32_t number, uint32_t peak)
{
	struct fixture *run = fixture_new(number);

	fixture_role(run, "net", 2, peak, 8u << 20);
	run->header.options_lo = 0x9999;
	runs_add(&evidence, run);
}

static void stale_evidence_never_shrinks_or_removes(void **state)
{
	uint32_t i;

	(void)state;
	runs_repeat(&evidence, 1, 25, "net", 100000);
	runs_repeat(&evidence, 26, 1, "gone", 100000);
	assert_int_equal(runs_line(&evidence, "net")->usable, 125952);
	/* A new build needs less; one run of it proves little and shrinks nothing. */
	add_other_build(100, 10000);
	assert_int_equal(runs_line(&evidence, "net")->usable, 125952);
	assert_int_equal(runs_line(&evidence, "gone")->usable, 200704);
	/* The same need with thinner evidence does not blow the line up either. */
	add_other_build(101, 100000);
	assert_int_equal(runs_line(&evidence, "net")->usable, 125952);
	/* A deeper peak does. */
	add_other_build(102, 100001);
	assert_int_equal(runs_line(&evidence, "net")->usable, 200704);
	/* Stable evidence of the new build may shrink. */
	for (i = 103; i < 140; i++)
		add_other_build(i, 100001);
	assert_int_equal(runs_line(&evidence, "net")->usable, 125952);
	assert_int_equal(runs_line(&evidence, "gone")->usable, 200704);
}

static void alternating_builds_do_not_shrink_each_other(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < 60; i += 2) {
		runs_repeat(&evidence, 1 + i, 1, "net", 100000);
		add_other_build(2 + i, 10000);
	}
	assert_int_equal(runs_line(&evidence, "net")->usable, 200704);
}

static void an_old_run_that_comes_late_is_not_the_present(void **state)
{
	(void)state;
	add_other_build(50, 10000);
	runs_repeat(&evidence, 1, 1, "net", 900000);
	assert_int_equal(runs_line(&evidence, "net")->peak, 10000);
}

static void nine_builds_are_held_in_eight_places(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 1; i < 30; i++) {
		struct fixture *run = fixture_new(i);

		fixture_role(run, "net", 1, 10000 + i, 8u << 20);
		run->header.options_hi = i;
		runs_add(&evidence, run);
	}
	assert_int_equal(runs_line(&evidence, "net")->peak, 10029);
	assert_int_equal(evidence.sections[0].run_count, 29);
}

static void json_round_trip_is_exact(void **state)
{
	struct fixture *run = fixture_new(90);
	struct evidence again;
	char why[EVIDENCE_WHY_SIZE], *one, *two;

	(void)state;
	runs_repeat(&evidence, 1, 25, "net \"x\" \n", 100000);
	add_other_build(60, 5000);
	fixture_role(run, "explicit", 2, 5000, 65536)->explicit_count = 1;
	fixture_living(run, fixture_role(run, "lives", 0, 0, 0), 3000);
	fixture_role(run, "never", 0, 0, 0);
	run->header.elf_class = 1;
	run->header.target = fixture_string(run, "i386-linux-gnu");
	runs_add(&evidence, run);
	one = evidence_text(&evidence);
	assert_int_equal(evidence_parse(&again, one, strlen(one), why), 0);
	two = evidence_text(&again);
	assert_string_equal(one, two);
	evidence_free(&again);
	free(one);
	free(two);
}

static void foreign_or_damaged_json_is_refused(void **state)
{
	static const struct {
		const char *text, *says;
		int error;
	} cases[] = {
		{ "", "not JSON", -EBADMSG },
		{ "{", "not JSON", -EBADMSG },
		{ "{}", "schema", -EBADMSG },
		{ "[]", "schema", -EBADMSG },
		{ "{\"schema\": 2, \"sections\": {}}", "version 2", -EPROTONOSUPPORT },
		{ "{\"schema\": 1}", "sections", -EBADMSG },
		{ "{\"schema\": 1, \"schema\": 1, \"sections\": {}}", "not JSON", -EBADMSG },
		{ "{\"schema\": 1, \"sections\": {\"x86_64\": 5}}", "page_size", -EBADMSG },
	};
	struct evidence read;
	char why[EVIDENCE_WHY_SIZE];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(evidence_parse(&read, cases[i].text, strlen(cases[i].text), why),
				 cases[i].error);
		if (!strstr(why, cases[i].says))
			fail_msg("%s says: %s", cases[i].text, why);
		assert_int_equal(read.section_count, 0);
	}
}

/* Each number and word of a good file replaced by nonsense: refused or read, never a crash. */
static void every_wrong_value_is_survived(void **state)
{
	static const char *const nonsense[] = {
		"-1", "9223372036854775807", "null", "\"\"", "[]", "{}", "true", "1e3"
	};
	char *text, *copy, *at, why[EVIDENCE_WHY_SIZE];
	struct evidence read;
	unsigned refused = 0;
	size_t i;

	(void)state;
	runs_repeat(&evidence, 1, 2, "net", 100000);
	text = evidence_text(&evidence);
	for (at = text; (at = strchr(at, ':')); at++) {
		size_t length = strcspn(at + 2, ",\n");

		for (i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++) {
			if (at[2] == '{' || at[2] == '[')
				continue;
			copy = text_format("%.*s%s%s", (int)(at + 2 - text), text, nonsense[i],
					   at + 2 + length);
			if (evidence_parse(&read, copy, strlen(copy), why))
				refused++;
			else
				evidence_free(&read);
			free(copy);
		}
	}
	assert_true(refused > 50);
	free(text);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_run_makes_a_line_with_the_full_margin),
		TEST(margin_shrinks_after_twenty_stable_runs),
		TEST(a_run_counts_once_ever),
		TEST(a_higher_peak_grows_the_line_at_once),
		TEST(exit_reserve_where_an_instance_did_not_return),
		TEST(partial_readings_alone_make_no_line_but_raise_one),
		TEST(a_partial_reading_of_a_new_build_says_what_it_did),
		TEST(sampled_threads_are_evidence_with_reserve),
		TEST(samples_alone_make_no_margin_smaller),
		TEST(sanitized_runs_never_touch_a_size),
		TEST(roles_without_trustworthy_evidence_get_no_line),
		TEST(foreign_stacks_say_nothing_of_their_high_end),
		TEST(main_thread_never_gets_a_line),
		TEST(unseen_pages_keep_the_full_margin),
		TEST(stale_evidence_never_shrinks_or_removes),
		TEST(alternating_builds_do_not_shrink_each_other),
		TEST(an_old_run_that_comes_late_is_not_the_present),
		TEST(nine_builds_are_held_in_eight_places),
		TEST(json_round_trip_is_exact),
		TEST(foreign_or_damaged_json_is_refused),
		TEST(every_wrong_value_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
