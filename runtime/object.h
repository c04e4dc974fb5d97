/* SPDX-License-Identifier: MIT */
/* Which loaded object (executable or library) holds an address. */
#ifndef TEK_OBJECT_H
#define TEK_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

struct object {
	const char *path; /* the linker's name; "" for the executable; null: in none */
	uint64_t offset;  /* address less the load bias: as in the symbol table */
	bool main;	  /* the executable */
};

__attribute__((visibility("hidden"))) struct object object_find(const void *address);

#endif
