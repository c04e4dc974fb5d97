/* SPDX-License-Identifier: MIT */
/* The same rows as table, JSON and CSV, by golden text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>

#include "emit.h"

static const struct emit_column columns[] = {
	{ "role", "ROLE", EMIT_TEXT },		{ "instances", "RAN", EMIT_COUNT },
	{ "stack_bytes", "STACK", EMIT_BYTES }, { "entry", NULL, EMIT_TEXT },
	{ "partial", "PART", EMIT_FLAG },
};

static char *print(enum emit_format format, const char *role)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct emit *emit = emit_new(format, to, "roles", columns, 5);

	emit_row(emit, (struct emit_value[]){ { true, role, 0 },
					      { true, NULL, 3 },
					      { true, NULL, 8u << 20 },
					      { true, "f", 0 },
					      { true, NULL, 1 } });
	emit_row(emit, (struct emit_value[]){ { true, "b", 0 },
					      { true, NULL, 12345 },
					      { false, "ignored", 7 },
					      { false, "ignored", 7 },
					      { true, NULL, 0 } });
	emit_total(emit, "stack_bytes", "given", EMIT_BYTES, 2048);
	emit_note(emit, "a note of %d words", 4);
	assert_int_equal(emit_end(emit), 0);
	fclose(to);
	return text;
}

static void table_is_aligned(void **state)
{
	char *text = print(EMIT_TABLE, "t\xc3\xa4sk\n");

	(void)state;
	assert_string_equal(text, "ROLE      RAN  STACK  PART\n"
				  "t\xc3\xa4sk\\n      3     8M  yes\n"
				  "b       12345      -  no\n"
				  "\n"
				  "given          2K\n"
				  "\n"
				  "a note of 4 words\n");
	free(text);
}

static void csv_quotes_what_must_be(void **state)
{
	char *text = print(EMIT_CSV, "a,\"b\"\nc");

	(void)state;
	assert_string_equal(text, "role,instances,stack_bytes,entry,partial\n"
				  "\"a,\"\"b\"\"\nc\",3,8388608,f,true\n"
				  "b,12345,,,false\n");
	free(text);
}

static void json_holds_the_same(void **state)
{
	char *text = print(EMIT_JSON, "a\n\xff\"");
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *row;

	(void)state;
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
	assert_int_equal(json_array_size(json_object_get(root, "roles")), 2);
	row = json_array_get(json_object_get(root, "roles"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "role")), "a\n\\xff\"");
	assert_int_equal(json_integer_value(json_object_get(row, "stack_bytes")), 8u << 20);
	assert_true(json_is_true(json_object_get(row, "partial")));
	row = json_array_get(json_object_get(root, "roles"), 1);
	assert_true(json_is_null(json_object_get(row, "stack_bytes")));
	assert_true(json_is_null(json_object_get(row, "entry")));
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(root, "totals"), "stack_bytes")),
		2048);
	json_decref(root);
	free(text);
}

static void no_rows_are_an_answer_too(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(emit_end(emit_new(EMIT_JSON, to, "roles", columns, 5)), 0);
	assert_int_equal(emit_end(emit_new(EMIT_CSV, to, "roles", columns, 5)), 0);
	fclose(to);
	assert_string_equal(text, "{\n  \"schema\": 1,\n  \"roles\": [],\n  \"totals\": {}\n}\n"
				  "role,instances,stack_bytes,entry,partial\n");
	free(text);
}

static void a_full_disk_is_an_error(void **state)
{
	FILE *to = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(to);
	assert_true(emit_end(emit_new(EMIT_CSV, to, "roles", columns, 5)) < 0);
	fclose(to);
}

static void formats_have_names(void **state)
{
	enum emit_format format = EMIT_TABLE;

	(void)state;
	assert_true(emit_format_of("csv", &format));
	assert_int_equal(format, EMIT_CSV);
	assert_false(emit_format_of("yaml", &format));
	assert_false(emit_format_of("", &format));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_aligned),
		cmocka_unit_test(csv_quotes_what_must_be),
		cmocka_unit_test(json_holds_the_same),
		cmocka_unit_test(no_rows_are_an_answer_too),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(formats_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
