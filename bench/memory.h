/* SPDX-License-Identifier: MIT */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct memory {
	size_t stack; /* resident bytes of stacks */
	size_t own;  /* resident bytes that are written, neither stack nor heap, and of run files */
	size_t heap; /* resident bytes of malloc's heap */
};

/* memory_of_stack - resident bytes of a living thread's stack, into memory->stack */
void memory_of_stack(pthread_t thread, struct memory *memory);

/**
 * memory_of_process - resident memory that the process itself has made, without the stacks of
 * @threads
 */
void memory_of_process(const pthread_t *threads, size_t count, struct memory *memory);

#endif
