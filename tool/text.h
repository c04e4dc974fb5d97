/* SPDX-License-Identifier: MIT */
/*
 * Text as people and parsers may see it: UTF-8 made valid, control characters made visible,
 * bytes in human units, and a set of names that gives each text one address.
 */
#ifndef TEK_TOOL_TEXT_H
#define TEK_TOOL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Allocations that end the process with a line on stderr when memory is out. */
void *text_alloc(size_t count, size_t size);
void *text_grow(void *memory, size_t *capacity, size_t wanted, size_t size);
/* qsort() that also takes no items, which may have no address. */
void text_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));
__attribute__((format(printf, 1, 2))) char *text_format(const char *format, ...);

/**
 * text_rune - decode one UTF-8 sequence
 * @text: NUL-terminated, not at its end
 * @rune: the code point
 * Return: its length in bytes, or 0 where the bytes are not valid UTF-8.
 */
size_t text_rune(const char *text, uint32_t *rune);

/* A copy in which every byte that is not UTF-8 is written as \xNN. */
char *text_valid(const char *text);

/* A copy in which control and direction characters are written as \n, \t, \u{NN}. */
char *text_visible(const char *text);

/* Terminal columns of visible text. */
size_t text_width(const char *text);

/* The inside of a C string literal (also harmless in a comment): ASCII escapes, UTF-8 kept. */
char *text_c_string(const char *text);

/* One word for a POSIX shell. */
char *text_shell_word(const char *text);

#define TEXT_BYTES_SIZE 24
/* "812", "11.2K", "8.0M": rounded up, so that no need looks smaller than it is. */
const char *text_bytes(char buffer[TEXT_BYTES_SIZE], uint64_t bytes);

uint64_t text_hash(const char *text);

/* A set of texts; equal texts get equal addresses, valid until names_free(). */
struct names {
	char **slots;
	size_t capacity;
	size_t used;
};
const char *names_put(struct names *names, const char *text);
void names_free(struct names *names);

#endif
