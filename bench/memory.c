// SPDX-License-Identifier: MIT
#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t resident(void *low, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 0;
	unsigned char *present = malloc(size / page + 1);

	if (present && !mincore(low, size, present)) {
		for (size_t i = 0; i < size / page; i++)
			bytes += present[i] & 1 ? page : 0;
	}
	free(present);
	return bytes;
}

void memory_of_stack(pthread_t thread, struct memory *memory)
{
	pthread_attr_t attributes;
	void *low;
	size_t size;

	if (pthread_getattr_np(thread, &attributes))
		return;
	if (!pthread_attr_getstack(&attributes, &low, &size))
		memory->stack += resident(low, size);
	pthread_attr_destroy(&attributes);
}

static int compare(const void *a, const void *b)
{
	uintptr_t left = *(const uintptr_t *)a, right = *(const uintptr_t *)b;

	return (left > right) - (left < right);
}

/* Where the stacks' mappings start, in order; to be freed. */
static uintptr_t *stack_starts(const pthread_t *threads, size_t count)
{
	uintptr_t *starts = calloc(count, sizeof(*starts));
	pthread_attr_t attributes;
	void *low;
	size_t size;

	for (size_t i = 0; starts && i < count; i++) {
		if (pthread_getattr_np(threads[i], &attributes))
			continue;
		if (!pthread_attr_getstack(&attributes, &low, &size))
			starts[i] = (uintptr_t)low;
		pthread_attr_destroy(&attributes);
	}
	if (starts)
		qsort(starts, count, sizeof(*starts), compare);
	return starts;
}

/* Anonymous memory of every mapping, and all memory of the mappings of run files. */
void memory_of_process(const pthread_t *threads, size_t count, struct memory *memory)
{
	uintptr_t *starts = stack_starts(threads, count);
	FILE *maps = starts ? fopen("/proc/self/smaps", "re") : NULL;
	bool run_file = false;
	size_t *sum = NULL;
	char line[512];
	size_t kilobytes;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (strchr(line, '-') && strchr(line, '-') < strchr(line, ' ')) {
			uintptr_t start = (uintptr_t)strtoull(line, NULL, 16);

			run_file = strstr(line, ".tek") != NULL;
			sum = strstr(line, "[heap]") ? &memory->heap : &memory->own;
			if (bsearch(&start, starts, count, sizeof(start), compare))
				sum = NULL;
		} else if (sum && sscanf(line, run_file ? "Rss: %zu" : "Anonymous: %zu",
					 &kilobytes) == 1) {
			*sum += kilobytes * 1024;
		}
	}
	if (maps)
		fclose(maps);
	free(starts);
}
