/* SPDX-License-Identifier: MIT */
#include "emit.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define EMIT_SCHEMA 1

struct total {
	const char *name;
	const char *heading;
	struct emit_value value;
	enum emit_type type;
};

struct emit {
	enum emit_format format;
	FILE *to;
	const char *rows_key;
	const struct emit_column *columns;
	size_t column_count;
	struct emit_value *values; /* rows after rows */
	size_t row_count, capacity;
	struct total *totals;
	size_t total_count, total_capacity;
	char **notes;
	size_t note_count, note_capacity;
};

bool emit_format_of(const char *name, enum emit_format *format)
{
	static const char *const names[] = { "table", "json", "csv" };
	size_t i;

	for (i = 0; i < 3; i++) {
		if (strcmp(name, names[i]) == 0) {
			*format = (enum emit_format)i;
			return true;
		}
	}
	return false;
}

struct emit *emit_new(enum emit_format format, FILE *to, const char *rows_key,
		      const struct emit_column *columns, size_t count)
{
	struct emit *emit = text_alloc(1, sizeof(*emit));

	emit->format = format;
	emit->to = to;
	emit->rows_key = rows_key;
	emit->columns = columns;
	emit->column_count = count;
	return emit;
}

void emit_row(struct emit *emit, const struct emit_value *values)
{
	size_t i, at = emit->row_count++ * emit->column_count;

	emit->values = text_grow(emit->values, &emit->capacity, at + emit->column_count,
				 sizeof(*emit->values));
	for (i = 0; i < emit->column_count; i++) {
		bool text = emit->columns[i].type == EMIT_TEXT && values[i].known;

		emit->values[at + i] = values[i];
		emit->values[at + i].text = text ? text_valid(values[i].text) : NULL;
	}
}

void emit_total(struct emit *emit, const char *name, const char *heading, enum emit_type type,
		uint64_t number)
{
	emit->totals = text_grow(emit->totals, &emit->total_capacity, emit->total_count + 1,
				 sizeof(*emit->totals));
	emit->totals[emit->total_count++] = (struct total){
		.name = name,
		.heading = heading,
		.value = { .known = true, .number = number },
		.type = type,
	};
}

void emit_note(struct emit *emit, const char *format, ...)
{
	va_list arguments;

	emit->notes = text_grow(emit->notes, &emit->note_capacity, emit->note_count + 1,
				sizeof(*emit->notes));
	va_start(arguments, format);
	if (vasprintf(&emit->notes[emit->note_count], format, arguments) >= 0)
		emit->note_count++;
	va_end(arguments);
}

/* Table */

static char *cell(const struct emit_value *value, enum emit_type type)
{
	char bytes[TEXT_BYTES_SIZE];

	if (!value->known)
		return text_format("-");
	switch (type) {
	case EMIT_TEXT:
		return text_visible(value->text);
	case EMIT_BYTES:
		return text_format("%s", text_bytes(bytes, value->number));
	case EMIT_FLAG:
		return text_format("%s", value->number ? "yes" : "no");
	case EMIT_COUNT:
		break;
	}
	return text_format("%" PRIu64, value->number);
}

static void put_cell(FILE *to, const char *text, size_t width, bool right, bool last)
{
	size_t pad = width - text_width(text);

	if (right)
		fprintf(to, "%*s%s", (int)pad, "", text);
	else
		fprintf(to, "%s%*s", text, last ? 0 : (int)pad, "");
	fputs(last ? "\n" : "  ", to);
}

static void put_table_rows(const struct emit *emit)
{
	size_t columns = emit->column_count, count = (emit->row_count + 1) * columns;
	char **cells = text_alloc(count, sizeof(*cells));
	size_t *widths = text_alloc(columns, sizeof(*widths));
	size_t last = 0, i;

	for (i = 0; columns && i < count; i++) {
		const struct emit_column *column = &emit->columns[i % columns];

		if (!column->heading)
			continue;
		last = i % columns > last ? i % columns : last;
		cells[i] = i < columns ? text_format("%s", column->heading)
				       : cell(&emit->values[i - columns], column->type);
		if (text_width(cells[i]) > widths[i % columns])
			widths[i % columns] = text_width(cells[i]);
	}
	for (i = 0; columns && i < count; i++) {
		enum emit_type type = emit->columns[i % columns].type;

		if (cells[i])
			put_cell(emit->to, cells[i], widths[i % columns],
				 type == EMIT_COUNT || type == EMIT_BYTES, i % columns == last);
		free(cells[i]);
	}
	free(cells);
	free(widths);
}

static void put_table(const struct emit *emit)
{
	size_t i, width = 0;

	put_table_rows(emit);
	if (emit->total_count)
		fputc('\n', emit->to);
	for (i = 0; i < emit->total_count; i++)
		if (emit->totals[i].heading && text_width(emit->totals[i].heading) > width)
			width = text_width(emit->totals[i].heading);
	for (i = 0; i < emit->total_count; i++) {
		const struct total *total = &emit->totals[i];
		char *text;

		if (!total->heading)
			continue;
		text = cell(&total->value, total->type);
		put_cell(emit->to, total->heading, width, false, false);
		fprintf(emit->to, "%10s\n", text);
		free(text);
	}
	if (emit->note_count)
		fputc('\n', emit->to);
	for (i = 0; i < emit->note_count; i++)
		fprintf(emit->to, "%s\n", emit->notes[i]);
}

/* JSON */

static json_t *json_value(const struct emit_value *value, enum emit_type type)
{
	if (!value->known)
		return json_null();
	if (type == EMIT_TEXT)
		return json_string(value->text);
	if (type == EMIT_FLAG)
		return json_boolean(value->number);
	return json_integer(value->number < INT64_MAX ? (json_int_t)value->number : INT64_MAX);
}

static int put_json(const struct emit *emit)
{
	json_t *rows = json_array(), *totals = json_object();
	json_t *root = json_pack("{s:i, s:o, s:o}", "schema", EMIT_SCHEMA, emit->rows_key, rows,
				 "totals", totals);
	size_t i, k;
	int ret;

	for (i = 0; i < emit->row_count; i++) {
		json_t *row = json_object();

		for (k = 0; k < emit->column_count; k++)
			json_object_set_new(row, emit->columns[k].name,
					    json_value(&emit->values[i * emit->column_count + k],
						       emit->columns[k].type));
		json_array_append_new(rows, row);
	}
	for (i = 0; i < emit->total_count; i++)
		json_object_set_new(totals, emit->totals[i].name,
				    json_value(&emit->totals[i].value, emit->totals[i].type));
	ret = root ? json_dumpf(root, emit->to, JSON_INDENT(2)) : -1;
	fputc('\n', emit->to);
	json_decref(root);
	return ret;
}

/* CSV, RFC 4180 with LF line ends as Unix tools want them */

static void put_field(FILE *to, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, to);
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

static void put_csv(const struct emit *emit)
{
	size_t i, columns = emit->column_count;

	for (i = 0; i < columns; i++)
		fprintf(emit->to, "%s%s", emit->columns[i].name, i + 1 < columns ? "," : "\n");
	for (i = 0; i < emit->row_count * columns; i++) {
		const struct emit_value *value = &emit->values[i];

		if (value->known && emit->columns[i % columns].type == EMIT_TEXT)
			put_field(emit->to, value->text);
		else if (value->known && emit->columns[i % columns].type == EMIT_FLAG)
			fputs(value->number ? "true" : "false", emit->to);
		else if (value->known)
			fprintf(emit->to, "%" PRIu64, value->number);
		fputc((i + 1) % columns ? ',' : '\n', emit->to);
	}
}

int emit_end(struct emit *emit)
{
	size_t i;
	int ret = 0;

	if (emit->format == EMIT_TABLE)
		put_table(emit);
	else if (emit->format == EMIT_CSV)
		put_csv(emit);
	else
		ret = put_json(emit);
	if (fflush(emit->to) != 0 || ferror(emit->to))
		ret = -1;
	for (i = 0; i < emit->row_count * emit->column_count; i++)
		free((char *)emit->values[i].text);
	for (i = 0; i < emit->note_count; i++)
		free(emit->notes[i]);
	free(emit->values);
	free(emit->totals);
	free(emit->notes);
	free(emit);
	return ret ? -EIO : 0;
}
