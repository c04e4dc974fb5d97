/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "tool.h"

static void out_of_memory(void)
{
	tool_problem(NULL, "out of memory; give it fewer files at a time");
	exit(TOOL_NOTHING);
}

void *text_alloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *text_grow(void *memory, size_t *capacity, size_t wanted, size_t size)
{
	size_t more = *capacity ? *capacity * 2 : 16;

	if (wanted <= *capacity)
		return memory;
	if (more < wanted)
		more = wanted;
	memory = reallocarray(memory, more, size);
	if (!memory)
		out_of_memory();
	*capacity = more;
	return memory;
}

void text_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(items, count, size, compare);
}

char *text_format(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		out_of_memory();
	return text;
}

size_t text_rune(const char *text, uint32_t *rune)
{
	const unsigned char *byte = (const unsigned char *)text;
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length, i;

	if (byte[0] < 0x80) {
		*rune = byte[0];
		return 1;
	}
	length = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
	if (byte[0] < 0xc2 || byte[0] > 0xf4)
		return 0;
	*rune = byte[0] & (0x7fu >> length);
	for (i = 1; i < length; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		*rune = *rune << 6 | (byte[i] & 0x3fu);
	}
	if (*rune < smallest[length] || *rune > 0x10ffff || (*rune >= 0xd800 && *rune < 0xe000))
		return 0;
	return length;
}

char *text_valid(const char *text)
{
	char *copy = text_alloc(strlen(text) + 1, 4);
	char *to = copy;
	uint32_t rune;

	while (*text) {
		size_t length = text_rune(text, &rune);

		if (length) {
			memcpy(to, text, length);
			to += length;
			text += length;
		} else {
			to += sprintf(to, "\\x%02x", (unsigned char)*text++);
		}
	}
	return copy;
}

/* C0, DEL, C1, and what turns or breaks a line in a terminal that knows Unicode. */
static bool unseen(uint32_t rune)
{
	return rune < 0x20 || (rune >= 0x7f && rune < 0xa0) || rune == 0x61c ||
	       (rune >= 0x200b && rune <= 0x200f) || (rune >= 0x2028 && rune <= 0x202e) ||
	       (rune >= 0x2066 && rune <= 0x2069) || rune == 0xfeff;
}

char *text_visible(const char *text)
{
	/* The longest form, \u{2028}, takes 8 bytes for 3; \u{1} takes 5 for 1. */
	char *copy = text_alloc(strlen(text) + 1, 8);
	char *to = copy;
	uint32_t rune;

	while (*text) {
		size_t length = text_rune(text, &rune);

		if (!length) {
			to += sprintf(to, "\\x%02x", (unsigned char)*text++);
			continue;
		}
		if (rune == '\n' || rune == '\t' || rune == '\r')
			to += sprintf(to, "\\%c", rune == '\n' ? 'n' : rune == '\t' ? 't' : 'r');
		else if (unseen(rune))
			to += sprintf(to, "\\u{%x}", (unsigned)rune);
		else
			to = mempcpy(to, text, length);
		text += length;
	}
	return copy;
}

size_t text_width(const char *text)
{
	static locale_t utf8;
	static bool tried;
	locale_t before = (locale_t)0;
	size_t width = 0;
	uint32_t rune;

	if (!tried) {
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
		tried = true;
	}
	if (utf8)
		before = uselocale(utf8);
	while (*text) {
		size_t length = text_rune(text, &rune);
		int columns = utf8 && length ? wcwidth((wchar_t)rune) : 1;

		width += columns < 0 ? 1 : (size_t)columns;
		text += length ? length : 1;
	}
	if (utf8)
		uselocale(before);
	return width;
}

char *text_c_string(const char *text)
{
	char *copy = text_alloc(strlen(text) + 1, 4);
	char *to = copy;
	uint32_t rune;
	char before = 0;

	for (; *text; before = *text++) {
		size_t length = text_rune(text, &rune);
		/* An end or a start of a comment, and a trigraph, must not come about. */
		bool joins = (*text == '/' && (before == '*' || before == '/')) ||
			     (*text == '*' && before == '/') || (*text == '?' && before == '?');

		if (*text == '"' || *text == '\\') {
			*to++ = '\\';
			*to++ = *text;
		} else if (!length || unseen(rune) || joins) {
			size_t i, count = length ? length : 1;

			for (i = 0; i < count; i++)
				to += sprintf(to, "\\%03o", (unsigned char)text[i]);
			text += count - 1;
		} else {
			to = mempcpy(to, text, length);
			text += length - 1;
		}
	}
	return copy;
}

char *text_shell_word(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_@%+=:,./-";
	char *copy = text_alloc(strlen(text) + 1, 4);
	char *to = copy;

	if (*text && strspn(text, plain) == strlen(text)) {
		memcpy(copy, text, strlen(text) + 1);
		return copy;
	}
	*to++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *text;
	}
	*to = '\'';
	return copy;
}

const char *text_bytes(char buffer[TEXT_BYTES_SIZE], uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	uint64_t unit = 1024;
	int i = 0;

	if (bytes < 1024) {
		snprintf(buffer, TEXT_BYTES_SIZE, "%u", (unsigned)bytes);
		return buffer;
	}
	while (units[i + 1] && bytes / unit >= 1024) {
		unit *= 1024;
		i++;
	}
	if (bytes % unit == 0)
		snprintf(buffer, TEXT_BYTES_SIZE, "%u%c", (unsigned)(bytes / unit), units[i]);
	else {
		uint64_t tenths = bytes / unit * 10 + (bytes % unit * 10 + unit - 1) / unit;

		snprintf(buffer, TEXT_BYTES_SIZE, "%u.%u%c", (unsigned)(tenths / 10),
			 (unsigned)(tenths % 10), units[i]);
	}
	return buffer;
}

/* FNV-1a, 64 bit. */
uint64_t text_hash(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static char **names_slot(char **slots, size_t capacity, const char *text)
{
	size_t at = (size_t)text_hash(text) & (capacity - 1);

	while (slots[at] && strcmp(slots[at], text) != 0)
		at = (at + 1) & (capacity - 1);
	return &slots[at];
}

const char *names_put(struct names *names, const char *text)
{
	char **slot;

	if (names->used * 2 >= names->capacity) {
		size_t i, capacity = names->capacity ? names->capacity * 2 : 256;
		char **slots = text_alloc(capacity, sizeof(*slots));

		for (i = 0; i < names->capacity; i++)
			if (names->slots[i])
				*names_slot(slots, capacity, names->slots[i]) = names->slots[i];
		free(names->slots);
		names->slots = slots;
		names->capacity = capacity;
	}
	slot = names_slot(names->slots, names->capacity, text);
	if (!*slot) {
		*slot = text_format("%s", text);
		names->used++;
	}
	return *slot;
}

void names_free(struct names *names)
{
	size_t i;

	for (i = 0; i < names->capacity; i++)
		free(names->slots[i]);
	free(names->slots);
	*names = (struct names){ 0 };
}
