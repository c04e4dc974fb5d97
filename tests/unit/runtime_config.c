/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "runtime_fixture.h"

static char said[8192];

/* Runs config_parse on @text with stderr in `said`. */
static int parse(struct tek_config *config, const char *text)
{
	char copy[1024], name[] = "/tmp/tek-config-XXXXXX";
	int kept = dup(STDERR_FILENO), file = mkstemp(name), problems;
	ssize_t length;

	assert_true(kept >= 0 && file >= 0);
	unlink(name);
	snprintf(copy, sizeof(copy), "%s", text);
	dup2(file, STDERR_FILENO);
	problems = config_parse(config, copy, "test.conf") + config_check(config, "test.conf");
	dup2(kept, STDERR_FILENO);
	length = pread(file, said, sizeof(said) - 1, 0);
	said[length > 0 ? length : 0] = '\0';
	close(kept);
	close(file);
	return problems;
}

static void values_are_taken(void **state)
{
	struct tek_config config = { .low_percent = 40, .high_percent = 75 };

	(void)state;
	assert_int_equal(parse(&config, "# comment\n\n low_percent = 30\nhigh_percent=80 \r\n"
					"publish = on\nverbose=yes\nsample_inside = 250\n"
					"out = /var/tmp/%e.tek"),
			 0);
	assert_int_equal(config.low_percent, 30);
	assert_int_equal(config.high_percent, 80);
	assert_int_equal(config.sample_inside, 250);
	assert_true(config.publish && config.verbose && !config.keep);
	assert_string_equal(config.out, "/var/tmp/%e.tek");
	assert_string_equal(said, "");
}

static void problems_are_named_with_their_line(void **state)
{
	struct tek_config config = { .low_percent = 40, .high_percent = 75 };

	(void)state;
	assert_int_equal(parse(&config, "colour = red\n\nlow_percent = 101\nhigh_percent = 7x\n"
					"publish = perhaps\nrubbish\nhigh_percent = -1\n"),
			 6);
	assert_non_null(strstr(said, "tek: test.conf:1: unknown key `colour'"));
	assert_non_null(strstr(said, "tek: test.conf:3: low_percent: bad value `101'"));
	assert_non_null(strstr(said, "tek: test.conf:4: high_percent: bad value `7x'"));
	assert_non_null(strstr(said, "tek: test.conf:5: publish: bad value `perhaps'"));
	assert_non_null(strstr(said, "tek: test.conf:6: `rubbish' is not KEY = VALUE"));
	assert_non_null(strstr(said, "tek: test.conf:7: high_percent: bad value `-1'"));
	assert_int_equal(config.low_percent, 40);
	assert_int_equal(config.high_percent, 75);
	assert_false(config.publish);
}

static void crossed_borders_fall_back(void **state)
{
	struct tek_config config = { .low_percent = 40, .high_percent = 75 };

	(void)state;
	assert_int_equal(parse(&config, "low_percent = 80\nhigh_percent = 80\n"), 1);
	assert_non_null(strstr(said, "is not below"));
	assert_int_equal(config.low_percent, 40);
	assert_int_equal(config.high_percent, 75);
}

static void variables_beat_the_file(void **state)
{
	char name[] = "/tmp/tek-config-XXXXXX";
	int file = mkstemp(name);

	(void)state;
	assert_true(write(file, "low_percent = 11\nhigh_percent = 91\n", 35) == 35);
	close(file);
	setenv("TEK_CONFIG", name, 1);
	setenv("TEK_HIGH_PERCENT", "92", 1);
	config_read(false);
	assert_int_equal(tek_config.low_percent, 11);
	assert_int_equal(tek_config.high_percent, 92);
	/* AT_SECURE: neither is looked at. */
	tek_config.low_percent = 40;
	tek_config.high_percent = 75;
	config_read(true);
	assert_int_equal(tek_config.high_percent, 75);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_taken),
		cmocka_unit_test(problems_are_named_with_their_line),
		cmocka_unit_test(crossed_borders_fall_back),
		cmocka_unit_test(variables_beat_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
