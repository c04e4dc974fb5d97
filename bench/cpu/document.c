// SPDX-License-Identifier: MIT
/*
 * CPU program 2: a document reader. Recursive-descent parser, a tree of nodes, a symbol table, a
 * sort with a callback and a printer: many calls of middling functions.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	NUMBER,
	STRING,
	LIST,
	OBJECT
};

struct node {
	enum kind kind;
	double number;
	const char *text; /* a string's, or a member's name */
	struct node *child;
	struct node *next;
	uint32_t children;
};

#define SYMBOLS 8192
#define POOL (1u << 16)

struct reader {
	const char *at;
	struct node *pool;
	uint32_t nodes;
	char *symbols[SYMBOLS];
	uint32_t symbol_count;
};

static uint32_t hash_text(const char *text, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

/* One copy of each name. */
static const char *intern(struct reader *reader, const char *text, size_t length)
{
	uint32_t at = hash_text(text, length) % SYMBOLS;

	while (reader->symbols[at]) {
		if (!strncmp(reader->symbols[at], text, length) && !reader->symbols[at][length])
			return reader->symbols[at];
		at = (at + 1) % SYMBOLS;
	}
	if (++reader->symbol_count == SYMBOLS)
		abort();
	reader->symbols[at] = strndup(text, length);
	return reader->symbols[at];
}

static void skip_space(struct reader *reader)
{
	while (isspace((unsigned char)*reader->at))
		reader->at++;
}

static bool accept(struct reader *reader, char wanted)
{
	skip_space(reader);
	if (*reader->at != wanted)
		return false;
	reader->at++;
	return true;
}

static struct node *node_new(struct reader *reader, enum kind kind)
{
	struct node *node = &reader->pool[reader->nodes];

	if (++reader->nodes == POOL)
		abort();
	memset(node, 0, sizeof(*node));
	node->kind = kind;
	return node;
}

static const char *read_text(struct reader *reader)
{
	char text[64];
	size_t length = 0;

	for (; *reader->at && *reader->at != '"'; reader->at++) {
		if (*reader->at == '\\' && reader->at[1])
			reader->at++;
		if (length < sizeof(text))
			text[length++] = *reader->at;
	}
	if (*reader->at)
		reader->at++;
	return intern(reader, text, length);
}

static double read_number(struct reader *reader)
{
	double value = 0, scale = 1;
	bool negative = accept(reader, '-');

	while (isdigit((unsigned char)*reader->at))
		value = value * 10 + (*reader->at++ - '0');
	if (*reader->at == '.') {
		for (reader->at++; isdigit((unsigned char)*reader->at); reader->at++)
			value += (*reader->at - '0') * (scale /= 10);
	}
	return negative ? -value : value;
}

static struct node *read_value(struct reader *reader);

static void read_members(struct reader *reader, struct node *parent, char end)
{
	struct node **last = &parent->child;

	while (!accept(reader, end) && *reader->at) {
		const char *name = NULL;

		if (end == '}' && accept(reader, '"')) {
			name = read_text(reader);
			accept(reader, ':');
		}
		*last = read_value(reader);
		if ((*last)->kind != STRING)
			(*last)->text = name;
		last = &(*last)->next;
		parent->children++;
		accept(reader, ',');
	}
}

static struct node *read_value(struct reader *reader)
{
	struct node *node;

	if (accept(reader, '{')) {
		node = node_new(reader, OBJECT);
		read_members(reader, node, '}');
	} else if (accept(reader, '[')) {
		node = node_new(reader, LIST);
		read_members(reader, node, ']');
	} else if (accept(reader, '"')) {
		node = node_new(reader, STRING);
		node->text = read_text(reader);
	} else {
		const char *before = reader->at;

		node = node_new(reader, NUMBER);
		node->number = read_number(reader);
		if (reader->at == before && *reader->at)
			reader->at++;
	}
	return node;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct node *left = *(struct node *const *)a, *right = *(struct node *const *)b;

	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	if (left->text != right->text && left->text && right->text)
		return strcmp(left->text, right->text);
	return (left->number > right->number) - (left->number < right->number);
}

/* The same document in one order: members sorted, children first. */
static void canonical(struct node *node)
{
	struct node *sorted[node->children + 1];
	uint32_t count = 0;

	for (struct node *child = node->child; child; child = child->next) {
		if (child->child)
			canonical(child);
		sorted[count++] = child;
	}
	qsort(sorted, count, sizeof(*sorted), compare_nodes);
	for (uint32_t i = 0; i < count; i++)
		sorted[i]->next = i + 1 < count ? sorted[i + 1] : NULL;
	if (count)
		node->child = sorted[0];
}

static uint64_t digest(const struct node *node)
{
	uint64_t hash = node->kind + (uint64_t)(int64_t)(node->number * 1000);

	if (node->text)
		hash ^= hash_text(node->text, strlen(node->text));
	for (const struct node *child = node->child; child; child = child->next)
		hash = hash * 0x100000001b3u + digest(child);
	return hash;
}

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static size_t write_document(char *text, size_t room, uint32_t *state, uint32_t depth)
{
	uint32_t members = depth ? 3 + next(state) % 5 : 0;
	size_t at = 0;

	if (room < 64)
		return (size_t)sprintf(text, "0");
	if (!depth) {
		uint32_t first = next(state), second = next(state) % 10;

		return (size_t)sprintf(text, first % 3 ? "%u.%u" : "\"text%u.%u\"", first / 3 % 300,
				       second);
	}
	text[at++] = depth & 1 ? '[' : '{';
	for (uint32_t i = 0; i < members; i++) {
		if (i)
			at += (size_t)sprintf(text + at, ",\n ");
		if (!(depth & 1))
			at += (size_t)sprintf(text + at, "\"member%u\": ", next(state) % 800);
		at += write_document(text + at, (room - at) / (members - i) - 32, state,
				     next(state) % 4 ? depth - 1 : 0);
	}
	text[at++] = depth & 1 ? ']' : '}';
	text[at] = '\0';
	return at;
}

int main(int argc, char **argv)
{
	static struct reader reader;
	static char text[1 << 20];
	int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
	uint32_t state = 42;
	uint64_t hash = 0;

	reader.pool = calloc(POOL, sizeof(*reader.pool));
	if (!reader.pool)
		return 1;
	write_document(text, sizeof(text), &state, 8);
	for (int i = 0; i < rounds * 3; i++) {
		struct node *root;

		reader.at = text;
		reader.nodes = 0;
		root = read_value(&reader);
		canonical(root);
		hash += digest(root);
	}
	printf("%u nodes, %u names, digest %016llx\n", reader.nodes, reader.symbol_count,
	       (unsigned long long)hash);
	return 0;
}
