/* SPDX-License-Identifier: MIT */
/*
 * One emitter for all that `tek` prints as data: rows of typed columns, given once, shown as a
 * table for people, as JSON or as CSV.
 */
#ifndef TEK_TOOL_EMIT_H
#define TEK_TOOL_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum emit_format {
	EMIT_TABLE,
	EMIT_JSON,
	EMIT_CSV
};

enum emit_type {
	EMIT_TEXT,
	EMIT_COUNT,
	EMIT_BYTES, /* human units in a table, plain bytes elsewhere */
	EMIT_FLAG,
};

struct emit_column {
	const char *name;    /* JSON key and CSV header */
	const char *heading; /* of the table; NULL: not shown there */
	enum emit_type type;
};

struct emit_value {
	bool known;	  /* false: null, an empty field, "-" */
	const char *text; /* EMIT_TEXT */
	uint64_t number;  /* all others */
};

struct emit;

/**
 * emit_new - start an answer
 * @rows_key: JSON key of the array of rows
 * @columns: kept, not copied
 */
struct emit *emit_new(enum emit_format format, FILE *to, const char *rows_key,
		      const struct emit_column *columns, size_t count);

/* As many values as columns; texts are copied. */
void emit_row(struct emit *emit, const struct emit_value *values);

/* One named number beside the rows: JSON "totals", a line under the table, nothing in CSV. */
void emit_total(struct emit *emit, const char *name, const char *heading, enum emit_type type,
		uint64_t number);

/* A sentence under the table; nothing elsewhere. */
__attribute__((format(printf, 2, 3))) void emit_note(struct emit *emit, const char *format, ...);

/* Prints and frees. Return: 0 or -EIO if the stream has an error. */
int emit_end(struct emit *emit);

/* "table", "json", "csv". Return: false if it is none of them. */
bool emit_format_of(const char *name, enum emit_format *format);

#endif
