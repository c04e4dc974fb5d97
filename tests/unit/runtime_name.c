/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runfile.h"
#include "runtime_fixture.h"

static void fields_are_filled(void **state)
{
	char name[256], wanted[256], host[65] = "";

	(void)state;
	gethostname(host, sizeof(host) - 1);
	snprintf(wanted, sizeof(wanted), "/d/runtime_test_name-%s-%ld-100%%-%%z.tek", host,
		 (long)getpid());
	assert_int_equal(runfile_name(name, sizeof(name), "/d/%e-%h-%p-100%%-%z.tek", 0), 0);
	assert_string_equal(name, wanted);
}

static void a_taken_name_gets_a_number(void **state)
{
	char name[64];

	(void)state;
	assert_int_equal(runfile_name(name, sizeof(name), "/d/a.tek", 2), 0);
	assert_string_equal(name, "/d/a-2.tek");
	assert_int_equal(runfile_name(name, sizeof(name), "/d/a", 1), 0);
	assert_string_equal(name, "/d/a-1");
}

static void too_long_is_an_error(void **state)
{
	char name[8];

	(void)state;
	assert_int_equal(runfile_name(name, sizeof(name), "/d/a.tek", 0), -ENAMETOOLONG);
	assert_int_equal(runfile_name(name, sizeof(name), "/d/%e", 0), -ENAMETOOLONG);
	assert_int_equal(runfile_name(name, sizeof(name), "/d/abcd", 0), 0);
	assert_int_equal(runfile_name(name, sizeof(name), "/d/abcd", 1), -ENAMETOOLONG);
}

static void a_directory_gets_the_usual_name(void **state)
{
	char pattern[PATH_MAX] = "/tmp", relative[PATH_MAX] = "x.tek", wanted[PATH_MAX + 8];
	char cwd[PATH_MAX];

	(void)state;
	assert_int_equal(runfile_pattern(pattern, sizeof(pattern)), 0);
	assert_string_equal(pattern, "/tmp/%e-%h-%p.tek");
	assert_int_equal(runfile_pattern(relative, sizeof(relative)), 0);
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(wanted, sizeof(wanted), "%s/x.tek", cwd);
	assert_string_equal(relative, wanted);
}

static void the_own_file_is_private_and_valid(void **state)
{
	struct tek_run_header header;
	struct stat status;
	FILE *file;

	(void)state;
	assert_int_equal(stat(tek_process->path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	file = fopen(tek_process->path, "r");
	assert_non_null(file);
	assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
	fclose(file);
	assert_memory_equal(header.magic, TEK_RUN_MAGIC, 8);
	assert_int_equal(header.valid, 1);
	assert_int_equal(header.pid, getpid());
	assert_true(header.start_ticks != 0);
	assert_true(header.flags & TEK_RUN_MEASURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_filled),
		cmocka_unit_test(a_taken_name_gets_a_number),
		cmocka_unit_test(too_long_is_an_error),
		cmocka_unit_test(a_directory_gets_the_usual_name),
		cmocka_unit_test(the_own_file_is_private_and_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
