/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "text.h"

static void check(char *got, const char *wanted)
{
	assert_string_equal(got, wanted);
	free(got);
}

static void bytes_round_up(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 1023, "1023" },
		{ 1024, "1K" },
		{ 1025, "1.1K" },
		{ 11264, "11K" },
		{ 11265, "11.1K" },
		{ 8u << 20, "8M" },
		{ (8u << 20) + 1, "8.1M" },
		{ UINT64_MAX, "16.0E" },
		{ 1048575, "1024.0K" },
	};
	char buffer[TEXT_BYTES_SIZE];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(text_bytes(buffer, cases[i].bytes), cases[i].text);
}

static void bytes_that_are_no_utf8_become_visible(void **state)
{
	(void)state;
	check(text_valid("gas \xc3\xa4"), "gas \xc3\xa4");
	check(text_valid("\xff\xfe"), "\\xff\\xfe");
	check(text_valid("\xc3"), "\\xc3");
	check(text_valid("\xc0\x80"), "\\xc0\\x80");	      /* overlong */
	check(text_valid("\xed\xa0\x80"), "\\xed\\xa0\\x80"); /* a surrogate */
	check(text_valid("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

static void what_moves_a_terminal_is_escaped(void **state)
{
	(void)state;
	check(text_visible("a\nb\t\x1b[2J"), "a\\nb\\t\\u{1b}[2J");
	check(text_visible("\xe2\x80\xae"), "\\u{202e}"); /* right-to-left override */
	check(text_visible("\xc2\x9b"), "\\u{9b}");	  /* C1: CSI */
	check(text_visible("t\xc3\xa4sk"), "t\xc3\xa4sk");
}

static void width_counts_columns(void **state)
{
	(void)state;
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("t\xc3\xa4sk"), 4);
	assert_int_equal(text_width("\xe5\xb7\xa5"), 2); /* a wide character */
	assert_int_equal(text_width("\xff"), 1);
}

static void c_strings_cannot_break_out(void **state)
{
	(void)state;
	check(text_c_string("a\"b\\c"), "a\\\"b\\\\c");
	check(text_c_string("x*/y"), "x*\\057y");
	check(text_c_string("x/*y"), "x/\\052y");
	check(text_c_string("http://"), "http:/\\057");
	check(text_c_string("?"
			    "?/"),
	      "?\\077/");
	check(text_c_string("a\nb"), "a\\012b");
	check(text_c_string("\xc3\xa4"), "\xc3\xa4");
}

static void shell_words_are_one_word(void **state)
{
	(void)state;
	check(text_shell_word("tek-out/a_b.tek"), "tek-out/a_b.tek");
	check(text_shell_word(""), "''");
	check(text_shell_word("a b"), "'a b'");
	check(text_shell_word("it's"), "'it'\\''s'");
}

static void equal_texts_have_one_address(void **state)
{
	struct names names = { 0 };
	char text[16];
	int i;

	(void)state;
	for (i = 0; i < 2000; i++) {
		snprintf(text, sizeof(text), "%d", i % 1000);
		assert_string_equal(names_put(&names, text), text);
	}
	assert_int_equal(names.used, 1000);
	assert_ptr_equal(names_put(&names, "7"), names_put(&names, "7"));
	names_free(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_round_up),
		cmocka_unit_test(bytes_that_are_no_utf8_become_visible),
		cmocka_unit_test(what_moves_a_terminal_is_escaped),
		cmocka_unit_test(width_counts_columns),
		cmocka_unit_test(c_strings_cannot_break_out),
		cmocka_unit_test(shell_words_are_one_word),
		cmocka_unit_test(equal_texts_have_one_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
