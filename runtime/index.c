/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "index.h"

#define FIRST_CAPACITY 512u /* pairs: one page */

static void put(uint32_t *items, uint32_t capacity, uint32_t hash, uint32_t tagged)
{
	uint32_t at = hash & (capacity - 1);

	while (items[2 * at + 1])
		at = (at + 1) & (capacity - 1);
	items[2 * at] = hash;
	items[2 * at + 1] = tagged;
}

static int grow(struct tek_index *index)
{
	uint32_t capacity = index->capacity ? 2 * index->capacity : FIRST_CAPACITY;
	uint32_t *items = mmap(NULL, (size_t)capacity * 8, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t i;

	if (items == MAP_FAILED)
		return -ENOMEM;
	for (i = 0; i < index->capacity; i++) {
		if (index->items[2 * i + 1])
			put(items, capacity, index->items[2 * i], index->items[2 * i + 1]);
	}
	if (index->items)
		munmap(index->items, (size_t)index->capacity * 8);
	index->items = items;
	index->capacity = capacity;
	return 0;
}

uint32_t index_find(const struct tek_index *index, uint32_t hash,
		    bool (*same)(uint32_t, const void *), const void *key)
{
	uint32_t at = hash & (index->capacity - 1);

	if (!index->capacity)
		return UINT32_MAX;
	for (; index->items[2 * at + 1]; at = (at + 1) & (index->capacity - 1)) {
		if (index->items[2 * at] == hash && same(index->items[2 * at + 1] - 1, key))
			return index->items[2 * at + 1] - 1;
	}
	return UINT32_MAX;
}

int index_add(struct tek_index *index, uint32_t hash, uint32_t value)
{
	/* At most three quarters full, so that a search ends soon. */
	if (index->used >= index->capacity / 4 * 3) {
		int error = grow(index);

		/* A little fuller still works; a full one would search for ever. */
		if (error && index->used + 1 >= index->capacity)
			return error;
	}
	put(index->items, index->capacity, hash, value + 1);
	index->used++;
	return 0;
}
