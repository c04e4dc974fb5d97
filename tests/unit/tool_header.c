/* SPDX-License-Identifier: MIT */
/* The header's text: what compilers make of it is tried in tests/fuzz and tests/loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "header.h"
#include "tool_runs.h"

static void add_i386(struct evidence *evidence, uint32_t number, uint32_t peak)
{
	struct fixture *run = fixture_new(number);

	fixture_role(run, "net", 1, peak, 65536);
	run->header.elf_class = 1;
	run->header.target = fixture_string(run, "i386-linux-gnu");
	runs_add(evidence, run);
}

/* A role that never ran. */
static void add_idle(struct evidence *evidence, uint32_t number, const char *role)
{
	struct fixture *run = fixture_new(number);

	fixture_role(run, role, 0, 0, 0);
	runs_add(evidence, run);
}

static void lines_and_macros_stand_in_their_section(void **state)
{
	struct evidence evidence = { 0 };
	char *text;

	(void)state;
	runs_repeat(&evidence, 1, 1, "gas detection", 100000);
	add_i386(&evidence, 2, 50000);
	text = header_text(&evidence);
	assert_non_null(strstr(text, "\n#if defined(__x86_64__) && !defined(__ILP32__)\n"));
	assert_non_null(strstr(text, "\n#ifdef __TEK__\n/* peak 97.7K + margin 100 % (1 run) */\n"
				     "#pragma tek stack(\"gas detection\", 200704)\n#endif\n"
				     "#define TEK_STACK_GAS_DETECTION 208896\n#endif\n"));
	assert_non_null(strstr(text, "\n#if defined(__i386__)\n"));
	assert_non_null(strstr(text, "#pragma tek stack(\"net\", 100352)\n"));
	free(text);
	evidence_free(&evidence);
}

static void comments_do_not_make_another_header(void **state)
{
	struct evidence evidence = { 0 };
	char *one, *two, *three;

	(void)state;
	runs_repeat(&evidence, 1, 1, "net", 100000);
	one = header_text(&evidence);
	runs_repeat(&evidence, 2, 1, "net", 100000);
	two = header_text(&evidence);
	assert_string_not_equal(one, two); /* "1 run", "2 runs" */
	assert_true(header_same(one, two));
	runs_repeat(&evidence, 3, 1, "net", 200000);
	three = header_text(&evidence);
	assert_false(header_same(two, three));
	assert_false(header_same(two, ""));
	/* A role without a size is said, once it is known. */
	free(three);
	add_idle(&evidence, 4, "new");
	three = header_text(&evidence);
	assert_non_null(strstr(three, "/* \"new\": no size: never ran */"));
	free(one);
	free(two);
	free(three);
	evidence_free(&evidence);
}

static void odd_names_stay_inside_their_quotes(void **state)
{
	struct evidence evidence = { 0 };
	char *text;

	(void)state;
	runs_repeat(&evidence, 1, 1, "a\"b\\c*/d\ne", 2000);
	text = header_text(&evidence);
	assert_non_null(strstr(text, "stack(\"a\\\"b\\\\c*\\057d\\012e\", 6144)"));
	assert_non_null(strstr(text, "#define TEK_STACK_A_B_C__D_E "));
	free(text);
	evidence_free(&evidence);
}

static void clashing_macros_are_told_apart(void **state)
{
	struct evidence evidence = { 0 };
	char *text, *plain, *hashed;

	(void)state;
	runs_repeat(&evidence, 1, 1, "gas-detection", 2000);
	runs_repeat(&evidence, 2, 1, "gas detection", 2000);
	runs_repeat(&evidence, 3, 1, "net", 2000);
	text = header_text(&evidence);
	assert_null(strstr(text, "TEK_STACK_GAS_DETECTION "));
	hashed = header_macro("gas-detection", true);
	assert_non_null(strstr(text, hashed));
	free(hashed);
	hashed = header_macro("gas detection", true);
	assert_non_null(strstr(text, hashed));
	plain = header_macro("net", false);
	assert_string_equal(plain, "TEK_STACK_NET");
	assert_non_null(strstr(text, "#define TEK_STACK_NET "));
	free(plain);
	free(hashed);
	free(text);
	evidence_free(&evidence);
}

static void lines_are_read_back(void **state)
{
	static const char edited[] = "#if defined(__x86_64__) && !defined(__ILP32__)\n"
				     "/* tek section x86_64 */\n"
				     "#pragma tek stack(\"a\\\"b\\\\c*\\057d\\012e\", 6144)\n"
				     "#pragma tek stack(\"by hand\", 99328, override)\n"
				     "#pragma tek stack(\"broken\\q\", 5)\n"
				     "#pragma tek stack(\"no size\")\n"
				     "#pragma tek stack(\"zero\", 0)\n"
				     "#pragma tek stack(\"open, 5\n";
	struct evidence evidence = { 0 };

	(void)state;
	runs_repeat(&evidence, 1, 1, "a\"b\\c*/d\ne", 2000);
	assert_int_equal(header_take(&evidence, edited), 2);
	/* Same size: what it was built on is still known. */
	assert_int_equal(runs_line(&evidence, "a\"b\\c*/d\ne")->peak, 2000);
	assert_int_equal(runs_line(&evidence, "by hand")->usable, 99328);
	assert_int_equal(runs_line(&evidence, "by hand")->peak, 0);
	assert_true(runs_line(&evidence, "by hand")->override);
	/* A line that nobody can explain is not shrunk by thin evidence, and grows by need. */
	runs_repeat(&evidence, 2, 1, "by hand", 20000);
	assert_int_equal(runs_line(&evidence, "by hand")->usable, 99328);
	runs_repeat(&evidence, 3, 1, "by hand", 79000);
	assert_int_equal(runs_line(&evidence, "by hand")->usable, 99328);
	runs_repeat(&evidence, 4, 1, "by hand", 80000);
	assert_int_equal(runs_line(&evidence, "by hand")->usable, 160768);
	evidence_free(&evidence);
}

static void text_survives_its_own_reader(void **state)
{
	struct evidence evidence = { 0 }, again = { 0 };
	char *text;

	(void)state;
	runs_repeat(&evidence, 1, 1,
		    "t\xc3\xa4sk ?"
		    "?/ //",
		    2000);
	runs_repeat(&evidence, 2, 1, "\xe2\x80\xae", 2000);
	text = header_text(&evidence);
	assert_int_equal(header_take(&again, text), 2);
	assert_int_equal(runs_line(&again, "t\xc3\xa4sk ?"
					   "?/ //")
				 ->usable,
			 6144);
	assert_int_equal(runs_line(&again, "\xe2\x80\xae")->usable, 6144);
	free(text);
	evidence_free(&evidence);
	evidence_free(&again);
}

/* @command is given the header's path for its %s. */
static int compile(const char *command, const char *path)
{
	char *line = text_format(command, path, path, path);
	int status = system(line);

	free(line);
	return status;
}

static void compilers_take_it_without_a_word(void **state)
{
	char path[] = "/tmp/tek-unit-XXXXXX";
	struct evidence evidence = { 0 };
	int fd = mkstemp(path);
	char *text;

	(void)state;
	assert_true(fd >= 0);
	runs_repeat(&evidence, 1, 1,
		    "t\xc3\xa4sk ?"
		    "?/ \n \"*/\\",
		    2000);
	runs_repeat(&evidence, 2, 1, "net", 2000);
	add_idle(&evidence, 4,
		 "?"
		 "?/\n*/ int x = 1; /*");
	add_i386(&evidence, 3, 2000);
	text = header_text(&evidence);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
#define WARNINGS " -Wall -Wextra -Wundef -Werror -pedantic -fsyntax-only -include %s -include %s "
	assert_int_equal(
		compile("printf 'int size = TEK_STACK_NET;\\n' | cc -std=c99 -trigraphs" WARNINGS
			"-x c -",
			path),
		0);
	assert_int_equal(compile("printf 'int size = TEK_STACK_NET;\\n' | c++ -std=c++98" WARNINGS
				 "-x c++ -",
				 path),
			 0);
	assert_int_equal(
		compile("command -v clang >/dev/null || exit 0; "
			"printf 'int size = TEK_STACK_NET;\\n' | clang -Weverything" WARNINGS
			"-Wno-missing-variable-declarations -x c -",
			path),
		0);
	unlink(path);
	free(text);
	evidence_free(&evidence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_macros_stand_in_their_section),
		cmocka_unit_test(comments_do_not_make_another_header),
		cmocka_unit_test(odd_names_stay_inside_their_quotes),
		cmocka_unit_test(clashing_macros_are_told_apart),
		cmocka_unit_test(lines_are_read_back),
		cmocka_unit_test(text_survives_its_own_reader),
		cmocka_unit_test(compilers_take_it_without_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
