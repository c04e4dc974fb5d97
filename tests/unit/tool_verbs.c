/* SPDX-License-Identifier: MIT */
/* report, sizes and check as a caller sees them: exit status, files, the two streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <jansson.h>

#include "files.h"
#include "text.h"
#include "tool.h"
#include "tool_fixture.h"

static char folder[64];
static int home;

static int enter_folder(void **state)
{
	(void)state;
	home = open(".", O_RDONLY | O_DIRECTORY);
	strcpy(folder, "/tmp/tek-unit-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 && mkdir("runs", 0777) == 0 ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

static int leave_folder(void **state)
{
	(void)state;
	if (fchdir(home) != 0)
		return -1;
	close(home);
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static char *content(const char *path)
{
	char *text;
	size_t size;

	if (files_read(path, &text, &size))
		return text_format("%s", "");
	return text;
}

static char *out, *err;

/* Runs a verb with both streams in files; the texts are in @out and @err until the next call. */
static int run(int (*verb)(int, char **), ...)
{
	char *arguments[16] = { 0 };
	int count = 0, streams[2], status, i;
	va_list list;

	va_start(list, verb);
	while ((arguments[count] = va_arg(list, char *)))
		count++;
	va_end(list);
	for (i = 0; i < 2; i++) {
		fflush(i ? stderr : stdout);
		streams[i] = dup(i + 1);
		close(i + 1);
		assert_int_equal(open(i ? "err" : "out", O_WRONLY | O_CREAT | O_TRUNC, 0600),
				 i + 1);
	}
	status = verb(count, arguments);
	for (i = 0; i < 2; i++) {
		fflush(i ? stderr : stdout);
		dup2(streams[i], i + 1);
		close(streams[i]);
	}
	free(out);
	free(err);
	out = content("out");
	err = content("err");
	return status;
}

static unsigned lines(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static void put_run(uint32_t number, uint32_t peak)
{
	struct fixture *made = fixture_new(number);
	char name[32];

	fixture_role(made, "net", 2, peak, 8u << 20);
	fixture_role(made, "main", 1, 20000, 8u << 20)->flags |= TEK_TOTAL_MAIN;
	snprintf(name, sizeof(name), "%u.tek", number);
	assert_int_equal(fixture_write(made, "runs", name), 0);
	free(made);
}

static void put_text(const char *path, const char *text)
{
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	fputs(text, to);
	fclose(to);
}

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
		TEST(header_does_not_depend_on_which_target_came_first),
		TEST(header_is_written_only_when_a_number_changes),
		TEST(evidence_outlives_its_run_files),
		TEST(damaged_evidence_is_never_overwritten),
		TEST(link_and_mode_of_a_header_are_kept),
		TEST(explicit_sizes_are_overridden_on_request_alone),
		TEST(check_ors_what_it_finds),
		TEST(mistakes_are_named_with_the_usage),
		TEST(picture_is_well_formed),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(out);
	free(err);
	return failed;
}
