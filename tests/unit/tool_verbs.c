/* SPDX-License-Identifier: MIT */
/* report and check as a caller sees them: exit status and the two streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <jansson.h>

#include "tool.h"
#include "tool_caller.h"
#include "tool_fixture.h"

static void wrong_files_have_a_line_each_and_the_others_are_merged(void **state)
{
	(void)state;
	put_run(1, 5000);
	put_run(2, 9000);
	put_text("runs/empty.tek", "");
	put_text("runs/garbage.tek", "#!/bin/sh\nexit 0\n");
	assert_int_equal(mkfifo("runs/fifo.tek", 0600), 0);
	assert_int_equal(mkdir("runs/folder.tek", 0700), 0);
	assert_int_equal(symlink("nowhere", "runs/broken.tek"), 0);
	put_text("runs/other.txt", "not asked for");
	assert_int_equal(run(cmd_report, "report", "--format=json", "runs", "missing.tek", NULL),
			 TOOL_SKIPPED);
	assert_int_equal(lines(err), 6);
	assert_non_null(strstr(err, "tek: runs/empty.tek: empty; skipped\n"));
	assert_non_null(strstr(err, "tek: runs/garbage.tek: not a run file; skipped\n"));
	assert_non_null(strstr(err, "tek: runs/fifo.tek: not a regular file; skipped\n"));
	assert_non_null(strstr(out, "\"peak_high_bytes\": 9000"));
	assert_int_equal(run(cmd_report, "report", "missing.tek", "runs/empty.tek", NULL),
			 TOOL_NOTHING);
	assert_string_equal(out, "");
	assert_int_equal(run(cmd_report, "report", "runs/1.tek", NULL), TOOL_DONE);
	assert_string_equal(err, "");
}

static void json_has_the_fields_of_its_schema(void **state)
{
	static const char *const fields[] = {
		"role",		  "entry",	     "site",	    "class",
		"instances",	  "explicit",	     "stack_bytes", "recommended_bytes",
		"peak_low_bytes", "peak_high_bytes", "zone",	    "partial",
		"reason",
	};
	json_t *root, *row, *totals;
	size_t i;

	(void)state;
	put_run(1, 5000);
	assert_int_equal(run(cmd_report, "report", "--format", "json", "runs", NULL), TOOL_DONE);
	root = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
	totals = json_object_get(root, "totals");
	assert_int_equal(json_integer_value(json_object_get(totals, "runs")), 1);
	assert_int_equal(json_integer_value(json_object_get(totals, "threads")), 2);
	/* Of the fixture: 4,400 bytes of TLS and thread block, 3,376 of signal reserve. */
	assert_int_equal(json_integer_value(json_object_get(totals, "stack_bytes")),
			 2 * ((8 << 20) + 4400));
	assert_int_equal(json_integer_value(json_object_get(totals, "recommended_bytes")),
			 2 * 5 * 4096);
	assert_int_equal(json_integer_value(json_object_get(totals, "used_bytes")),
			 2 * (5000 + 4400));
	assert_int_equal(json_integer_value(json_object_get(totals, "wasted_bytes")),
			 2 * ((8 << 20) - 5000));
	row = json_array_get(json_object_get(root, "roles"), 0);
	assert_int_equal(json_object_size(row), sizeof(fields) / sizeof(*fields));
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		assert_non_null(json_object_get(row, fields[i]));
	assert_string_equal(json_string_value(json_object_get(row, "role")), "net");
	assert_string_equal(json_string_value(json_object_get(row, "zone")), "low");
	assert_string_equal(json_string_value(json_object_get(row, "site")), "src/main.c:101");
	assert_int_equal(json_integer_value(json_object_get(row, "recommended_bytes")), 10240);
	json_decref(root);
}

/* A damaged file's claims are beyond 64 bits together; no sum may come out small. */
static void sums_beyond_64_bits_stay_large(void **state)
{
	const json_int_t largest = INT64_MAX;
	struct fixture *made = fixture_new(1);
	json_t *root, *totals;

	(void)state;
	fixture_role(made, "net", 64, 5000, (uint64_t)1 << 57)->alive_max = UINT32_MAX;
	fixture_role(made, "log", 64, 5000, (uint64_t)1 << 57)->alive_max = 1u << 7;
	assert_int_equal(fixture_write(made, "runs", "1.tek"), 0);
	free(made);
	assert_int_equal(run(cmd_report, "report", "--format=json", "runs", NULL), TOOL_DONE);
	root = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	totals = json_object_get(root, "totals");
	assert_int_equal(json_integer_value(json_object_get(totals, "stack_bytes")), largest);
	assert_int_equal(json_integer_value(json_object_get(totals, "wasted_bytes")), largest);
	json_decref(root);
}

static void both_targets_are_told_apart_in_rows(void **state)
{
	struct fixture *made = fixture_new(2);

	(void)state;
	put_run(1, 5000);
	fixture_role(made, "net", 1, 3000, 65536);
	made->header.elf_class = 1;
	made->header.target = fixture_string(made, "i386-linux-gnu");
	assert_int_equal(fixture_write(made, "runs", "2.tek"), 0);
	free(made);
	assert_int_equal(run(cmd_report, "report", "--format=csv", "runs", NULL), TOOL_DONE);
	assert_non_null(strstr(out, "role,target,entry,"));
	assert_non_null(strstr(out, "\nnet,i386,net,"));
	assert_non_null(strstr(out, "\nnet,x86_64,net,"));
}

static void put_tuned(uint32_t number, uint32_t peak, uint64_t line)
{
	struct fixture *made = fixture_new(number);
	struct tek_run_total *total = fixture_role(made, "net", 2, peak, line + 4096);
	char name[32];

	total->tuned = line;
	total->tuned_count = 2;
	snprintf(name, sizeof(name), "%u.tek", number);
	assert_int_equal(fixture_write(made, "runs", name), 0);
	free(made);
}

static void check_ors_what_it_finds(void **state)
{
	struct fixture *made;

	(void)state;
	put_run(1, 50000);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	assert_int_equal(run(cmd_check, "check", "--header=sizes.h", "runs", NULL), 0);
	assert_string_equal(out, "");

	/* Within what the line was built on: fine at 50 % of its size. One byte more: both. */
	put_tuned(2, 50000, 100352);
	assert_int_equal(run(cmd_check, "check", "--header=sizes.h", "runs/2.tek", NULL), 0);
	put_tuned(2, 50001, 100352);
	assert_int_equal(run(cmd_check, "check", "--header=sizes.h", "runs/2.tek", NULL), 1);
	put_tuned(2, 60000, 100352);
	assert_int_equal(run(cmd_check, "check", "--header=sizes.h", "runs/2.tek", NULL), 1 | 2);

	made = fixture_new(3);
	fixture_role(made, "new", 0, 0, 0);
	assert_int_equal(fixture_write(made, "runs", "3.tek"), 0);
	assert_int_equal(run(cmd_check, "check", "--header=sizes.h", "runs/3.tek", NULL), 8);
	made->header.options_lo++;
	assert_int_equal(fixture_write(made, "runs", "3.tek"), 0);
	assert_int_equal(run(cmd_check, "check", "--header=sizes.h", "runs/3.tek", NULL), 4 | 8);
	assert_int_equal(run(cmd_check, "check", "--header=sizes.h", "runs/3.tek", "none", NULL),
			 4 | 8 | 32);
	free(made);
	assert_int_equal(run(cmd_check, "check", "--header=missing.h", "runs/1.tek", NULL), 32);
	/* A conventional size by percent: 50000 of 65536. */
	made = fixture_new(4);
	fixture_role(made, "net", 1, 50000, 65536);
	assert_int_equal(fixture_write(made, "runs", "4.tek"), 0);
	free(made);
	assert_int_equal(run(cmd_check, "check", "runs/4.tek", NULL), 1);
	/* check changes nothing. */
	assert_int_equal(access("tek_stack_sizes.json", F_OK), -1);
}

static void nobodys_own_file_is_a_header(void **state)
{
	char text[64] = "";
	FILE *file;

	(void)state;
	put_run(1, 50000);
	put_text("victim.c", "/* mine */ int main(void);\n");
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "victim.c", "runs", NULL), TOOL_NOTHING);
	assert_non_null(strstr(err, "tek: victim.c: is no sizes header"));
	file = fopen("victim.c", "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, "/* mine */ int main(void);\n");
	assert_int_equal(run(cmd_check, "check", "--header=victim.c", "runs", NULL), 32);
	/* What CMake and touch make is empty but for a comment. */
	put_text("sizes.h", "// no run yet\n/* see\n tek-sizes(1) */\n");
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "sizes.h", "runs", NULL), TOOL_DONE);
	assert_int_equal(run(cmd_check, "check", "--header=sizes.h", "runs", NULL), 0);
	/* Without its evidence nobody knows what the header's sizes came from. */
	assert_int_equal(unlink("sizes.json"), 0);
	assert_int_equal(run(cmd_check, "check", "--header=sizes.h", "runs", NULL) & 32, 32);
	assert_non_null(strstr(err, "tek: sizes.json: is not there"));
}

static void mistakes_are_named_with_the_usage(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "report", "--nonsense", "runs", NULL), TOOL_NOTHING);
	assert_non_null(strstr(err, "--nonsense"));
	assert_non_null(strstr(err, "\nusage: tek report "));
	assert_int_equal(run(cmd_report, "report", "-x", "runs", NULL), TOOL_NOTHING);
	assert_non_null(strstr(err, "tek: -x: unknown option"));
	assert_int_equal(run(cmd_report, "report", "--format=yaml", "runs", NULL), TOOL_NOTHING);
	assert_non_null(strstr(err, "yaml"));
	assert_int_equal(run(cmd_report, "report", "runs", "--header", NULL), TOOL_NOTHING);
	assert_non_null(strstr(err, "tek: --header: needs an argument"));
	assert_int_equal(run(cmd_report, "report", NULL), TOOL_NOTHING);
	assert_int_equal(run(cmd_sizes, "sizes", "runs", NULL), TOOL_NOTHING);
	assert_int_equal(run(cmd_sizes, "sizes", "-o", NULL), TOOL_NOTHING);
	assert_non_null(strstr(err, "tek: -o: needs an argument"));
	assert_int_equal(run(cmd_sizes, "sizes", "-o", "x.h", NULL), TOOL_NOTHING);
	assert_int_equal(run(cmd_check, "check", NULL), 64);
	assert_int_equal(run(cmd_check, "check", "--nonsense", "runs", NULL), 64);
	assert_string_equal(out, "");
	/* Behind `--` all are files. */
	assert_int_equal(run(cmd_report, "report", "--", "--format=json", NULL), TOOL_NOTHING);
	assert_non_null(strstr(err, "tek: --format=json: cannot be opened"));
	assert_int_equal(run(cmd_check, "check", "--help", NULL), 0);
	assert_non_null(strstr(out, "usage: tek check "));
}

static void picture_is_well_formed(void **state)
{
	struct fixture *made = fixture_new(1);

	(void)state;
	fixture_role(made, "<a & \"b\"> \n a name that is much too long for a label", 1, 700,
		     8u << 20);
	fixture_role(made, "big", 1, 2u << 20, 8u << 20);
	assert_int_equal(fixture_write(made, "runs", "1.tek"), 0);
	free(made);
	assert_int_equal(run(cmd_report, "report", "--format=svg", "runs", NULL), TOOL_DONE);
	assert_non_null(strstr(out, "logarithmic"));
	assert_non_null(strstr(out, "&lt;a &amp; \"b\"&gt; \\n"));
	assert_null(strstr(out, "nan"));
	assert_non_null(strstr(out, "</svg>\n"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(wrong_files_have_a_line_each_and_the_others_are_merged),
		TEST(json_has_the_fields_of_its_schema),
		TEST(sums_beyond_64_bits_stay_large),
		TEST(both_targets_are_told_apart_in_rows),
		TEST(check_ors_what_it_finds),
		TEST(nobodys_own_file_is_a_header),
		TEST(mistakes_are_named_with_the_usage),
		TEST(picture_is_well_formed),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(out);
	free(err);
	return failed;
}
