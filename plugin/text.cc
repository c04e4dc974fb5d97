/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tek-plugin.h"

void tek_text_add(struct tek_text *text, const char *format, ...)
{
	va_list list;
	char *piece;
	size_t length;

	va_start(list, format);
	piece = xvasprintf(format, list);
	va_end(list);
	length = strlen(piece);
	if (text->length + length + 1 > text->room) {
		text->room = 2 * (text->length + length + 1);
		text->data = XRESIZEVEC(char, text->data, text->room);
	}
	memcpy(text->data + text->length, piece, length + 1);
	text->length += length;
	free(piece);
}

/* A NUL-terminated string as the assembler reads it: whatever is not plain goes in octal. */
void tek_text_string(struct tek_text *text, const char *string)
{
	tek_text_add(text, "\t.asciz\t\"");
	for (const unsigned char *c = (const unsigned char *)string; *c; c++) {
		if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\')
			tek_text_add(text, "\\%03o", *c);
		else
			tek_text_add(text, "%c", *c);
	}
	tek_text_add(text, "\"\n");
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo), over the string and its NUL. */
uint64_t tek_hash(uint64_t hash, const char *string)
{
	do {
		hash ^= (unsigned char)*string;
		hash *= 0x100000001b3ull;
	} while (*string++);
	return hash;
}

/* RFC 3629: no overlong form, no surrogate, nothing beyond U+10FFFF. */
bool tek_is_utf8(const char *text, size_t length)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + length;

	while (at < end) {
		unsigned lead = *at++, count, low = 0x80, high = 0xbf;

		if (lead < 0x80)
			continue;
		if (lead < 0xc2 || lead > 0xf4)
			return false;
		count = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
		if (lead == 0xe0)
			low = 0xa0;
		else if (lead == 0xed)
			high = 0x9f;
		else if (lead == 0xf0)
			low = 0x90;
		else if (lead == 0xf4)
			high = 0x8f;
		for (; count; count--, low = 0x80, high = 0xbf) {
			if (at == end || *at < low || *at > high)
				return false;
			at++;
		}
	}
	return true;
}
