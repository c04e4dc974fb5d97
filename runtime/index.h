/* SPDX-License-Identifier: MIT */
/*
 * A hash index over items kept elsewhere: open addressing, 32-bit values, grows by doubling.
 * Guarded by process.lock. Memory comes from mmap, not malloc: the program's allocator is not ours.
 */
#ifndef TEK_INDEX_H
#define TEK_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct tek_index {
	uint32_t *items;   /* pairs: hash, 1 + value; 0 in the second: empty */
	uint32_t capacity; /* pairs; a power of two */
	uint32_t used;
};

/*
 * index_find - the value that @same accepts among those with @hash
 *
 * Returns: the value, or UINT32_MAX.
 */
__attribute__((visibility("hidden"))) uint32_t index_find(const struct tek_index *index,
							  uint32_t hash,
							  bool (*same)(uint32_t, const void *),
							  const void *key);

/* index_add - 0, or -ENOMEM */
__attribute__((visibility("hidden"))) int index_add(struct tek_index *index, uint32_t hash,
						    uint32_t value);

/* FNV-1a, 32 bit */
static inline uint32_t hash_bytes(uint32_t hash, const void *bytes, uint32_t length)
{
	const unsigned char *p = bytes;

	while (length--) {
		/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): bytes of words */
		hash = (hash ^ *p++) * 16777619u;
	}
	return hash;
}

#define HASH_START 2166136261u

#endif
