/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "options.h"

static char message[200];

static int parse(struct tek_options *options, const char *key, const char *value)
{
	message[0] = '\0';
	return tek_options_parse(options, "tek", key, value, message, sizeof(message));
}

static void refuses(const char *key, const char *value, const char *text)
{
	struct tek_options options = TEK_OPTIONS_DEFAULT;

	assert_int_equal(parse(&options, key, value), -EINVAL);
	if (strcmp(message, text))
		fail_msg("says: %s", message);
	assert_int_equal(options.creator_count, 0);
	assert_int_equal(options.probe, TEK_PROBE_FRAMES);
}

static void probe_takes_its_three_words(void **state)
{
	struct tek_options options = TEK_OPTIONS_DEFAULT;

	(void)state;
	assert_int_equal(parse(&options, "probe", "none"), 0);
	assert_int_equal(options.probe, TEK_PROBE_NONE);
	assert_int_equal(parse(&options, "probe", "all"), 0);
	assert_int_equal(options.probe, TEK_PROBE_ALL);
	assert_int_equal(parse(&options, "probe", "frames"), 0);
	assert_int_equal(options.probe, TEK_PROBE_FRAMES);
}

static void what_is_wrong_names_the_argument(void **state)
{
	(void)state;
	refuses("prob", "all",
		"-fplugin-arg-tek-prob=all: unknown argument; there are probe and creator");
	refuses("probe", NULL, "-fplugin-arg-tek-probe: no such probe; use none, frames or all");
	refuses("probe", "", "-fplugin-arg-tek-probe=: no such probe; use none, frames or all");
	refuses("probe", "All",
		"-fplugin-arg-tek-probe=All: no such probe; use none, frames or all");
}

static void creators_are_kept_in_order(void **state)
{
	struct tek_options options = TEK_OPTIONS_DEFAULT;

	(void)state;
	assert_int_equal(parse(&options, "creator", "task_spawn:3"), 0);
	assert_int_equal(parse(&options, "creator", "g_thread_new:2:1"), 0);
	assert_int_equal(options.creator_count, 2);
	assert_string_equal(options.creators[0].name, "task_spawn");
	assert_int_equal(options.creators[0].entry, 3);
	assert_int_equal(options.creators[0].name_arg, 0);
	assert_string_equal(options.creators[1].name, "g_thread_new");
	assert_int_equal(options.creators[1].entry, 2);
	assert_int_equal(options.creators[1].name_arg, 1);
	assert_int_equal(parse(&options, "creator", "task_spawn:1"), -EINVAL);
	assert_non_null(strstr(message, "'task_spawn' is given twice"));
	assert_int_equal(options.creator_count, 2);
	tek_options_free(&options);
	assert_null(options.creators);
}

static void creators_want_numbers(void **state)
{
	static const char *const bad[] = { "f:0",
					   "f:",
					   "f:x",
					   "f:1x",
					   "f:128",
					   "f:-1",
					   "f:1:",
					   "f:1:0",
					   "f:1:2:",
					   "f:1:2:3",
					   "f:99999999999999999999",
					   "f: 1" };
	struct tek_options options = TEK_OPTIONS_DEFAULT;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(&options, "creator", bad[i]), -EINVAL);
		if (!strstr(message, "not an argument number of 1 to 127"))
			fail_msg("%s: says %s", bad[i], message);
	}
	assert_int_equal(parse(&options, "creator", "f:2:2"), -EINVAL);
	assert_non_null(strstr(message, "same argument"));
	assert_int_equal(parse(&options, "creator", ":1"), -EINVAL);
	assert_int_equal(parse(&options, "creator", "f"), -EINVAL);
	assert_int_equal(parse(&options, "creator", NULL), -EINVAL);
	assert_int_equal(options.creator_count, 0);
}

static void a_long_message_is_cut(void **state)
{
	struct tek_options options = TEK_OPTIONS_DEFAULT;
	char value[400];

	(void)state;
	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	assert_int_equal(parse(&options, "probe", value), -EINVAL);
	assert_int_equal(strlen(message), sizeof(message) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probe_takes_its_three_words),
		cmocka_unit_test(what_is_wrong_names_the_argument),
		cmocka_unit_test(creators_are_kept_in_order),
		cmocka_unit_test(creators_want_numbers),
		cmocka_unit_test(a_long_message_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
