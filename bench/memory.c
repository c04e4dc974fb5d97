// SPDX-License-Identifier: MIT
#include "memory.h"

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

/* Anonymous memory of every mapping, and all memory of the mappings of run files. */
void memory_of_process(const pthread_t *threads, size_t count, struct memory *memory)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	bool run_file = false, heap = false;
	char line[512];
	size_t kilobytes;

	if (!maps)
		return;
	while (fgets(line, sizeof(line), maps)) {
		if (strchr(line, '-') && strchr(line, '-') < strchr(line, ' ')) {
			run_file = strstr(line, ".tek") != NULL;
			heap = strstr(line, "[heap]") != NULL;
		} else if (sscanf(line, run_file ? "Rss: %zu" : "Anonymous: %zu", &kilobytes) ==
			   1) {
			*(heap ? &memory->heap : &memory->own) += kilobytes * 1024;
		}
	}
	fclose(maps);
	for (size_t i = 0; i < count; i++)
		memory_of_stack(threads[i], memory);
	memory->own -= memory->stack;
}
