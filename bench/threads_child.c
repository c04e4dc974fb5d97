// SPDX-License-Identifier: MIT
/*
 * The measured program of several benchmarks: creates and joins threads, and prints what that took.
 *
 *	threads_* BATCH COUNT STACK USE [paint]
 *
 * COUNT threads, BATCH of them alive at once, with STACK bytes (0: the default) of which each
 * uses USE. With `paint` each thread's stack is painted at its start and scanned at its end, as
 * tools without TEK's way of reading do.
 */
#include "memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static size_t use;
static bool paint;
static struct memory memory; /* of the last thread's stack, at its end */

static double cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) static void use_stack(size_t bytes)
{
	volatile char buffer[bytes + 1];

	buffer[bytes] = 0;
	for (size_t i = 0; i < bytes; i += 64)
		buffer[i] = buffer[bytes] + 1;
}

/* The stack below this frame, less what memset() and the scan need themselves. */
__attribute__((noinline)) static size_t below(unsigned char **low)
{
	pthread_attr_t attributes;
	void *address;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes))
		return 0;
	pthread_attr_getstack(&attributes, &address, &size);
	pthread_attr_destroy(&attributes);
	*low = address;
	return (size_t)((unsigned char *)__builtin_frame_address(0) - *low) - 4096;
}

static void *painted_worker(void *argument)
{
	unsigned char *low = NULL;
	size_t size = below(&low), at = 0;

	if (size)
		memset(low, 0xa5, size);
	use_stack(use);
	while (at < size && low[at] == 0xa5)
		at++;
	return at < size ? argument : NULL;
}

static void *worker(void *argument)
{
	use_stack(use);
	if (argument) /* the one thread whose stack is to be looked at */
		memory_of_stack(pthread_self(), argument);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return NULL;
}

static int create(pthread_t *thread, const pthread_attr_t *attributes, void *argument)
{
	if (paint)
		return pthread_create(thread, attributes, painted_worker, argument);
	return pthread_create(thread, attributes, worker, argument);
}

/* One batch: all alive together behind the gate. With `look` their memory is added up. */
static int batch(pthread_t *threads, size_t count, const pthread_attr_t *attributes, bool look,
		 struct memory *process)
{
	size_t created = 0;
	int error = 0;

	pthread_mutex_lock(&gate);
	while (created < count && !error) {
		error = create(&threads[created], attributes,
			       look && created + 1 == count && !process ? &memory : NULL);
		created += !error;
	}
	if (look && process && !error)
		memory_of_process(threads, count, process);
	pthread_mutex_unlock(&gate);
	for (size_t i = 0; i < created; i++)
		pthread_join(threads[i], NULL);
	return error;
}

int main(int argc, char **argv)
{
	size_t at_once = argc > 4 ? strtoul(argv[1], NULL, 10) : 0;
	size_t count = argc > 4 ? strtoul(argv[2], NULL, 10) : 0;
	size_t stack = argc > 4 ? strtoul(argv[3], NULL, 10) : 0;
	struct memory process = { 0 };
	pthread_attr_t attributes;
	pthread_t *threads;
	double start;
	int error = 0;

	if (!at_once || count < at_once) {
		fputs("usage: threads BATCH COUNT STACK USE [paint]\n", stderr);
		return 2;
	}
	use = strtoul(argv[4], NULL, 10);
	paint = argc > 5;
	threads = calloc(at_once, sizeof(*threads));
	pthread_attr_init(&attributes);
	if (stack)
		error = pthread_attr_setstacksize(&attributes, stack);
	if (!threads)
		error = ENOMEM;
	start = cpu();
	for (size_t done = 0; done < count && !error; done += at_once)
		error = batch(threads, at_once, stack ? &attributes : NULL, false, NULL);
	printf("cpu %.9f\n", cpu() - start);
	if (!error)
		error = batch(threads, at_once, stack ? &attributes : NULL, true, &process);
	if (!error && !paint)
		error = batch(threads, at_once, stack ? &attributes : NULL, true, NULL);
	printf("stack_resident %zu\nown %zu\nheap %zu\n", memory.stack, process.own, process.heap);
	if (error)
		fprintf(stderr, "threads: %s\n", strerror(error));
	free(threads);
	return error ? 1 : 0;
}
