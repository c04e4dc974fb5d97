// SPDX-License-Identifier: MIT
/*
 * CPU program 3: a compressor. Suffix sort, move to front, run lengths and a canonical Huffman
 * code: long loops with a few calls in them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 16384
#define SYMBOLS 258

struct block {
	uint8_t text[BLOCK];
	uint32_t order[BLOCK];
	uint32_t rank[BLOCK];
	uint32_t scratch[BLOCK];
	uint16_t symbols[BLOCK + 1];
	uint32_t count;
};

/* Order the rotations by doubling prefixes with a counting sort (Karp, Miller, Rosenberg). */
static void radix(struct block *block, uint32_t step, uint32_t classes)
{
	static uint32_t heads[BLOCK + 256];

	memset(heads, 0, sizeof(*heads) * (classes + 1));
	for (uint32_t i = 0; i < BLOCK; i++)
		block->scratch[i] = (block->order[i] + BLOCK - step) % BLOCK;
	for (uint32_t i = 0; i < BLOCK; i++)
		heads[block->rank[i]]++;
	for (uint32_t i = 1; i < classes; i++)
		heads[i] += heads[i - 1];
	for (uint32_t i = BLOCK; i-- > 0;)
		block->order[--heads[block->rank[block->scratch[i]]]] = block->scratch[i];
}

static uint32_t classify(struct block *block, uint32_t step)
{
	uint32_t classes = 1;

	block->scratch[block->order[0]] = 0;
	for (uint32_t i = 1; i < BLOCK; i++) {
		uint32_t a = block->order[i], b = block->order[i - 1];

		if (block->rank[a] != block->rank[b] ||
		    block->rank[(a + step) % BLOCK] != block->rank[(b + step) % BLOCK])
			classes++;
		block->scratch[a] = classes - 1;
	}
	memcpy(block->rank, block->scratch, sizeof(block->rank));
	return classes;
}

static void rotate(struct block *block)
{
	uint32_t classes = 256;

	for (uint32_t i = 0; i < BLOCK; i++) {
		block->order[i] = i;
		block->rank[i] = block->text[i];
	}
	radix(block, 0, classes);
	classes = classify(block, 0);
	for (uint32_t step = 1; step < BLOCK && classes < BLOCK; step *= 2) {
		radix(block, step, classes);
		classes = classify(block, step);
	}
}

static uint32_t front(uint8_t *order, uint8_t byte)
{
	uint32_t rank = 0;

	while (order[rank] != byte)
		rank++;
	memmove(order + 1, order, rank);
	order[0] = byte;
	return rank;
}

/* Zero runs as base-2 digits of the symbols 0 and 1, the others one higher, 257 ends the block. */
static void put_run(struct block *block, uint32_t run)
{
	for (; run; run = (run - 1) / 2)
		block->symbols[block->count++] = run & 1 ? 0 : 1;
}

static void encode(struct block *block)
{
	uint8_t order[256];
	uint32_t run = 0;

	for (uint32_t i = 0; i < 256; i++)
		order[i] = (uint8_t)i;
	block->count = 0;
	for (uint32_t i = 0; i < BLOCK; i++) {
		uint32_t rank = front(order, block->text[(block->order[i] + BLOCK - 1) % BLOCK]);

		if (!rank) {
			run++;
			continue;
		}
		put_run(block, run);
		run = 0;
		block->symbols[block->count++] = (uint16_t)(rank + 1);
	}
	put_run(block, run);
	block->symbols[block->count++] = 257;
}

static void sink(uint32_t *heap, const uint64_t *weight, uint32_t count, uint32_t at)
{
	uint32_t item = heap[at];

	for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && weight[heap[child + 1]] < weight[heap[child]])
			child++;
		if (weight[item] <= weight[heap[child]])
			break;
		heap[at] = heap[child];
	}
	heap[at] = item;
}

/* Bits of a Huffman code for the block's symbols. */
static uint64_t huffman(const struct block *block)
{
	uint64_t weight[2 * SYMBOLS] = { 0 };
	uint32_t parent[2 * SYMBOLS] = { 0 };
	uint32_t heap[SYMBOLS];
	uint32_t count = 0, next = SYMBOLS;
	uint64_t bits = 0;

	for (uint32_t i = 0; i < block->count; i++)
		weight[block->symbols[i]]++;
	for (uint32_t i = 0; i < SYMBOLS; i++) {
		if (weight[i])
			heap[count++] = i;
	}
	for (uint32_t i = count; i-- > 0;)
		sink(heap, weight, count, i);
	while (count > 1) {
		uint32_t least = heap[0];

		heap[0] = heap[--count];
		sink(heap, weight, count, 0);
		weight[next] = weight[least] + weight[heap[0]];
		parent[least] = parent[heap[0]] = next;
		bits += weight[next];
		heap[0] = next++;
		sink(heap, weight, count, 0);
	}
	return bits + parent[257];
}

static void fill(uint8_t *text, uint32_t seed)
{
	static const char *const words[] = { "room ",	"gas ",	 "door ",  "open ",
					     "closed ", "21.5 ", "error ", "ok\n" };
	uint32_t at = 0;

	while (at < BLOCK) {
		const char *word;

		seed = seed * 1664525u + 1013904223u;
		for (word = words[seed >> 29]; *word && at < BLOCK; word++)
			text[at++] = (uint8_t)*word;
	}
}

int main(int argc, char **argv)
{
	static struct block block;
	int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
	uint64_t bits = 0;

	for (int i = 0; i < rounds * 6; i++) {
		fill(block.text, (uint32_t)i);
		rotate(&block);
		encode(&block);
		bits += huffman(&block);
	}
	printf("%d bytes packed to %llu bits\n", rounds * 6 * BLOCK, (unsigned long long)bits);
	return 0;
}
