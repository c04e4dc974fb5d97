// SPDX-License-Identifier: MIT
/*
 * A recursive-descent reader for the documents that the cloud sends: its stack use follows the
 * nesting of the document.
 */
#include "hub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX 96

struct writer {
	char *text;
	size_t length;
	size_t capacity;
};

static void put(struct writer *writer, const char *text)
{
	size_t length = strlen(text);

	if (length >= writer->capacity - writer->length)
		return;
	memcpy(writer->text + writer->length, text, length + 1);
	writer->length += length;
}

static void make_value(struct task *task, struct writer *writer, uint32_t depth)
{
	char number[40];
	uint32_t members = input_range(task, 1, 3);

	if (!depth) {
		snprintf(number, sizeof(number), "%.3f", input_real(task, -40, 90));
		put(writer, number);
		return;
	}
	put(writer, depth & 1 ? "[" : "{");
	for (uint32_t i = 0; i < members; i++) {
		if (i)
			put(writer, ",");
		if (!(depth & 1)) {
			snprintf(number, sizeof(number), "\"key%u\":", input_range(task, 0, 999));
			put(writer, number);
		}
		/* The first member goes as deep as asked, the others are shallow. */
		make_value(task, writer, i ? input_range(task, 0, 1) & (depth - 1) : depth - 1);
	}
	put(writer, depth & 1 ? "]" : "}");
}

size_t json_make(struct task *task, char *text, size_t capacity, uint32_t depth)
{
	struct writer writer = { .text = text, .capacity = capacity };

	*text = '\0';
	make_value(task, &writer, depth);
	return writer.length;
}

static const char *parse_value(const char *text, uint64_t *hash);

static const char *parse_string(const char *text, char *out, size_t capacity)
{
	size_t length = 0;

	for (text++; *text && *text != '"'; text++) {
		if (length + 1 < capacity)
			out[length++] = *text;
	}
	out[length] = '\0';
	return *text ? text + 1 : text;
}

static const char *parse_members(const char *text, uint64_t *hash, char end)
{
	char key[KEY_MAX];
	uint64_t member;

	for (text++; *text && *text != end;) {
		member = 0;
		if (end == '}') {
			text = parse_string(text, key, sizeof(key));
			member = mix_bytes(member, key, strlen(key));
			if (*text == ':')
				text++;
		}
		text = parse_value(text, &member);
		*hash = mix(*hash, member);
		if (*text == ',')
			text++;
	}
	return *text ? text + 1 : text;
}

static const char *parse_value(const char *text, uint64_t *hash)
{
	char *end;

	if (*text == '{')
		return parse_members(text, hash, '}');
	if (*text == '[')
		return parse_members(text, hash, ']');
	*hash = mix(*hash, (uint64_t)(int64_t)(strtod(text, &end) * 1000));
	return end > text ? end : text + 1;
}

uint64_t json_digest(const char *text)
{
	uint64_t hash = 0;

	while (*text)
		text = parse_value(text, &hash);
	return hash;
}
