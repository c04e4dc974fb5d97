// SPDX-License-Identifier: MIT
/*
 * CPU program 1: a script interpreter. Byte code over registers, values with types, hash tables
 * behind small functions: the call density of an embedded scripting language.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	NIL,
	INTEGER,
	REAL,
	TABLE
};

struct value {
	enum kind kind;
	union {
		int64_t integer;
		double real;
		struct table *table;
	} as;
};

struct entry {
	struct value key;
	struct value value;
};

struct table {
	struct entry *entries;
	uint32_t capacity; /* a power of two */
	uint32_t used;
};

enum code {
	CONST,
	MOVE,
	ADD,
	MULTIPLY,
	MODULO,
	LESS,
	JUMP,
	JUMP_UNLESS,
	GET,
	SET,
	CALL,
	RETURN
};

struct instruction {
	uint8_t code;
	uint8_t a;
	uint8_t b;
	uint8_t c;
	int32_t d;
};

struct function {
	const struct instruction *code;
	uint32_t registers;
};

#define STACK 4096

struct machine {
	struct value stack[STACK];
	const struct function *functions;
	uint64_t executed;
};

static uint32_t hash_value(const struct value *value)
{
	uint64_t bits = (uint64_t)value->as.integer * 0x9e3779b97f4a7c15u;

	return (uint32_t)(bits >> 32) ^ value->kind;
}

static bool same(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->as.integer == b->as.integer;
}

static struct entry *table_find(struct table *table, const struct value *key)
{
	uint32_t at = hash_value(key) & (table->capacity - 1);

	while (table->entries[at].key.kind != NIL && !same(&table->entries[at].key, key))
		at = (at + 1) & (table->capacity - 1);
	return &table->entries[at];
}

static struct table *table_new(uint32_t capacity)
{
	struct table *table = calloc(1, sizeof(*table));

	if (table)
		table->entries = calloc(capacity, sizeof(*table->entries));
	if (!table || !table->entries)
		abort();
	table->capacity = capacity;
	return table;
}

static void table_set(struct table *table, const struct value *key, const struct value *value);

static void table_grow(struct table *table)
{
	struct table *larger = table_new(table->capacity * 2);

	for (uint32_t i = 0; i < table->capacity; i++) {
		if (table->entries[i].key.kind != NIL)
			table_set(larger, &table->entries[i].key, &table->entries[i].value);
	}
	free(table->entries);
	*table = *larger;
	free(larger);
}

static void table_set(struct table *table, const struct value *key, const struct value *value)
{
	struct entry *entry;

	if (table->used * 4 >= table->capacity * 3)
		table_grow(table);
	entry = table_find(table, key);
	if (entry->key.kind == NIL) {
		entry->key = *key;
		table->used++;
	}
	entry->value = *value;
}

static struct value table_get(struct table *table, const struct value *key)
{
	return table_find(table, key)->value;
}

static double as_real(const struct value *value)
{
	return value->kind == INTEGER ? (double)value->as.integer : value->as.real;
}

__attribute__((noinline)) static struct value arithmetic(enum code code, const struct value *a,
							 const struct value *b)
{
	struct value result = { .kind = REAL };
	double x = as_real(a), y = as_real(b);

	result.as.real = code == ADD ? x + y : x * y;
	return result;
}

static struct value execute(struct machine *machine, uint32_t number, uint32_t base)
{
	const struct function *function = &machine->functions[number];
	const struct instruction *at = function->code;
	struct value *r = machine->stack + base;

	if (base + 2 * function->registers >= STACK)
		abort();
	for (;; at++) {
		machine->executed++;
		switch (at->code) {
		case CONST:
			r[at->a] = (struct value){ INTEGER, { at->d } };
			break;
		case MOVE:
			r[at->a] = r[at->b];
			break;
		case ADD:
		case MULTIPLY:
			if (r[at->b].kind == INTEGER && r[at->c].kind == INTEGER) {
				int64_t x = r[at->b].as.integer, y = r[at->c].as.integer;

				r[at->a].kind = INTEGER;
				r[at->a].as.integer = at->code == ADD ? x + y : x * y;
			} else {
				r[at->a] = arithmetic(at->code, &r[at->b], &r[at->c]);
			}
			break;
		case MODULO:
			r[at->a].kind = INTEGER;
			r[at->a].as.integer = r[at->b].as.integer % r[at->c].as.integer;
			break;
		case LESS:
			r[at->a].kind = INTEGER;
			r[at->a].as.integer = r[at->b].as.integer < r[at->c].as.integer;
			break;
		case JUMP:
			at += at->d;
			break;
		case JUMP_UNLESS:
			if (!r[at->a].as.integer)
				at += at->d;
			break;
		case GET:
			r[at->a] = table_get(r[at->b].as.table, &r[at->c]);
			break;
		case SET:
			table_set(r[at->a].as.table, &r[at->b], &r[at->c]);
			break;
		case CALL:
			/* Arguments stand from register c on and become the callee's first. */
			r[at->a] = execute(machine, at->b, base + at->c);
			break;
		case RETURN:
			return r[at->a];
		}
	}
}

/* fib(r0): the script's own recursion. */
static const struct instruction fib[] = {
	{ CONST, 1, 0, 0, 2 },	{ LESS, 2, 0, 1, 0 },	{ JUMP_UNLESS, 2, 0, 0, 1 },
	{ RETURN, 0, 0, 0, 0 }, { CONST, 3, 0, 0, -1 }, { ADD, 4, 0, 3, 0 },
	{ CALL, 5, 0, 4, 0 },	{ ADD, 6, 0, 3, 0 },	{ ADD, 6, 6, 3, 0 },
	{ CALL, 6, 0, 6, 0 },	{ ADD, 5, 5, 6, 0 },	{ RETURN, 5, 0, 0, 0 },
};

/* A congruential walk that counts its visits in table r0, r1 steps; returns the last count. */
static const struct instruction walk[] = {
	{ CONST, 2, 0, 0, 1 },	       { CONST, 3, 0, 0, 0 },	       { CONST, 4, 0, 0, 1 },
	{ CONST, 5, 0, 0, 16807 },     { CONST, 6, 0, 0, 2147483647 }, { CONST, 7, 0, 0, 1009 },
	/* 6: */ { LESS, 8, 3, 1, 0 }, { JUMP_UNLESS, 8, 0, 0, 8 },    { MULTIPLY, 2, 2, 5, 0 },
	{ MODULO, 2, 2, 6, 0 },	       { MODULO, 9, 2, 7, 0 },	       { GET, 10, 0, 9, 0 },
	{ ADD, 10, 10, 4, 0 },	       { SET, 0, 9, 10, 0 },	       { ADD, 3, 3, 4, 0 },
	{ JUMP, 0, 0, 0, -10 },	       { RETURN, 10, 0, 0, 0 },
};

int main(int argc, char **argv)
{
	static const struct function functions[] = { { fib, 8 }, { walk, 12 } };
	static struct machine machine = { .functions = functions };
	int64_t scale = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
	struct value result;

	machine.stack[0] = (struct value){ INTEGER, { 18 } };
	result = execute(&machine, 0, 0);
	printf("fib %lld\n", (long long)result.as.integer);
	machine.stack[0] = (struct value){ TABLE, { .table = table_new(64) } };
	machine.stack[1] = (struct value){ INTEGER, { 60000 * scale } };
	result = execute(&machine, 1, 0);
	printf("walk %.1f, %llu instructions\n", as_real(&result),
	       (unsigned long long)machine.executed);
	return 0;
}
