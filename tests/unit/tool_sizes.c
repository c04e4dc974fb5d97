/* SPDX-License-Identifier: MIT */
/* sizes as a caller sees it: exit status, header, evidence, the two streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <tek/runfile.h>

#include "text.h"
#include "tool.h"
#include "tool_caller.h"
#include "tool_fixture.h"

static void header_does_not_depend_on_which_target_came_first(void **state)
{
	struct fixture *made = fixture_new(2);

	(void)state;
	put_run(1, 5000);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	fixture_role(made, "net", 1, 3000, 65536);
	made->header.elf_class = 1;
	made->header.target = fixture_string(made, "i386-linux-gnu");
	assert_int_equal(fixture_write(made, "runs", "2.tek"), 0);
	free(made);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	assert_string_equal(out, "sizes.h: unchanged; roles with a size: 2, without: 0\n");
}

static struct timespec written(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_mtim;
}

static void header_is_written_only_when_a_number_changes(void **state)
{
	struct timespec first, second;
	char *before, *after, *json;
	struct stat status;

	(void)state;
	put_run(1, 5000);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	assert_string_equal(out, "sizes.h: written; roles with a size: 1, without: 0\n");
	before = content("sizes.h");
	json = content("sizes.json");
	assert_non_null(strstr(before, "#pragma tek stack(\"net\", 10240)\n"));
	assert_int_equal(stat("sizes.json", &status), 0);

	/* The same input again, then one more run that says the same. */
	first = written("sizes.h");
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	assert_int_equal(written("sizes.json").tv_nsec, status.st_mtim.tv_nsec);
	put_run(2, 5000);
	assert_int_equal(run(cmd_sizes, "sizes", "-osizes.h", "--", "runs", NULL), TOOL_DONE);
	assert_string_equal(out, "sizes.h: unchanged; roles with a size: 1, without: 0\n");
	after = content("sizes.h");
	assert_string_equal(before, after);
	second = written("sizes.h");
	assert_memory_equal(&first, &second, sizeof(first));
	free(after);
	after = content("sizes.json");
	assert_string_not_equal(json, after);
	free(after);
	free(json);

	put_run(3, 9000);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	after = content("sizes.h");
	assert_string_not_equal(before, after);
	free(before);
	free(after);
}

static void evidence_outlives_its_run_files(void **state)
{
	char *header;

	(void)state;
	put_run(1, 50000);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	assert_int_equal(unlink("runs/1.tek"), 0);
	put_run(2, 5000);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	header = content("sizes.h");
	assert_non_null(strstr(header, "stack(\"net\", 100352)"));
	free(header);
	/* The header is gone: it is made anew from the json. */
	assert_int_equal(unlink("sizes.h"), 0);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	header = content("sizes.h");
	assert_non_null(strstr(header, "stack(\"net\", 100352)"));
	free(header);
	/* The json is gone: the header's line is not shrunk. */
	assert_int_equal(unlink("sizes.json"), 0);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	header = content("sizes.h");
	assert_non_null(strstr(header, "stack(\"net\", 100352)"));
	free(header);
}

static void damaged_evidence_is_never_overwritten(void **state)
{
	char *text;

	(void)state;
	put_run(1, 5000);
	put_text("sizes.json", "{ \"mine\": 1 }\n");
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_NOTHING);
	assert_int_equal(lines(err), 1);
	text = content("sizes.json");
	assert_string_equal(text, "{ \"mine\": 1 }\n");
	free(text);
	assert_int_equal(access("sizes.h", F_OK), -1);
	/* A folder that is not there, and an output that would be the evidence. */
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "no/sizes.h", "runs", NULL), TOOL_NOTHING);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.json", "runs", NULL), TOOL_NOTHING);
	/* Nothing readable: nothing written. */
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "new.h", "missing.tek", NULL), TOOL_NOTHING);
	assert_int_equal(access("new.h", F_OK), -1);
}

static void link_and_mode_of_a_header_are_kept(void **state)
{
	struct stat status;

	(void)state;
	put_run(1, 5000);
	put_text("real.h", "");
	assert_int_equal(chmod("real.h", 0640), 0);
	assert_int_equal(symlink("real.h", "sizes.h"), 0);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	assert_int_equal(lstat("sizes.h", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat("real.h", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	assert_true(status.st_size > 0);
}

static void explicit_sizes_are_overridden_on_request_alone(void **state)
{
	struct fixture *made = fixture_new(1);
	struct tek_run_total *total = fixture_role(made, "net", 2, 5000, 1u << 20);
	char *header;

	(void)state;
	total->explicit_count = 2;
	total->explicit_max = 1u << 20;
	fixture_role(made, "ui", 1, 5000, 1u << 20);
	assert_int_equal(fixture_write(made, "runs", "it's.tek"), 0);
	free(made);
	assert_int_equal(run(cmd_report, "report", "runs/it's.tek", NULL), TOOL_DONE);
	assert_non_null(strstr(out, "tek sizes --override-explicit -o tek_stack_sizes.h -- "
				    "'runs/it'\\''s.tek'\n"));
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	header = content("sizes.h");
	assert_null(strstr(header, "override"));
	free(header);
	assert_int_equal(
		run(cmd_sizes, "sizes", "--override-explicit", "-o", "sizes.h", "runs", NULL),
		TOOL_DONE);
	/* It stays: an overridden role is not explicit any more in the next run. */
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	header = content("sizes.h");
	assert_non_null(strstr(header, "stack(\"net\", 10240, override)"));
	assert_non_null(strstr(header, "stack(\"ui\", 10240)"));
	free(header);
	assert_int_equal(run(cmd_report, "report", "--header=sizes.h", "runs", NULL), TOOL_DONE);
	assert_null(strstr(out, "override-explicit"));
	assert_int_equal(run(cmd_sizes, "sizes", "--keep-explicit", "-o", "sizes.h", "runs", NULL),
			 TOOL_DONE);
	header = content("sizes.h");
	assert_null(strstr(header, "override"));
	free(header);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(header_does_not_depend_on_which_target_came_first),
		TEST(header_is_written_only_when_a_number_changes),
		TEST(evidence_outlives_its_run_files),
		TEST(damaged_evidence_is_never_overwritten),
		TEST(link_and_mode_of_a_header_are_kept),
		TEST(explicit_sizes_are_overridden_on_request_alone),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(out);
	free(err);
	return failed;
}
