// SPDX-License-Identifier: MIT
/* One scenario in a process of its own. */
#include "truth_child.h"

#include "truth.h"

#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STACK (256 * 1024)

static const struct scenario *scenario;
static sem_t reached; /* the thread has done what it does, STAYS and CANCELLED */
static sem_t never;
static uintptr_t entry_cfa;
static pthread_key_t key;

static uint64_t pattern(const uint64_t *word)
{
	return (uint64_t)(uintptr_t)word * 0x9e3779b97f4a7c15u | 0x0101010101010101u;
}

static void in_destructor(void *value)
{
	(void)value;
	truth_aligned(scenario->deep);
}

static void wait_for_ever(void)
{
	sem_post(&reached);
	while (sem_wait(&never))
		;
}

/* Not static: found in the run file by its name. */
void *truth_entry(void *argument);
void *truth_entry(void *argument)
{
	entry_cfa = (uintptr_t)__builtin_dwarf_cfa();
	if (scenario->in_destructor)
		pthread_setspecific(key, argument);
	else
		truth_aligned(scenario->deep);
	if (scenario->ending == EXITS)
		pthread_exit(NULL);
	if (scenario->ending != RETURNS)
		wait_for_ever();
	return NULL;
}

/* Leaves 64 KiB of its bytes in the stack that the next thread gets from the cache. */
static void *leave_bytes(void *argument)
{
	volatile unsigned char buffer[64 * 1024];

	for (size_t i = 0; i < sizeof(buffer); i++)
		buffer[i] = 0x5a;
	return argument;
}

static int create(pthread_t *thread, void *stack, void *(*entry)(void *))
{
	pthread_attr_t attributes;
	int error;

	pthread_attr_init(&attributes);
	error = stack ? pthread_attr_setstack(&attributes, stack, STACK)
		      : pthread_attr_setstacksize(&attributes, STACK);
	if (!error && entry == leave_bytes)
		error = pthread_create(thread, &attributes, leave_bytes, NULL);
	else if (!error)
		error = pthread_create(thread, &attributes, truth_entry, &key);
	pthread_attr_destroy(&attributes);
	if (error)
		fprintf(stderr, "truth: %s: thread: %s\n", scenario->name, strerror(error));
	return error;
}

static uint64_t *painted_stack(void)
{
	uint64_t *stack =
		mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		return NULL;
	for (uint64_t *word = stack; word < stack + STACK / 8; word++)
		*word = pattern(word);
	return stack;
}

/* Figures that the parent compares: see truth.c. */
static void print_figures(const uint64_t *stack)
{
	const uint64_t *word = stack;
	uintptr_t lowest = truth_lowest_sp;

	printf("pad %" PRIuPTR "\n", entry_cfa - truth_base);
	if (!stack)
		return;
	while (word < stack + STACK / 8 && *word == pattern(word))
		word++;
	if ((uintptr_t)word < lowest)
		lowest = (uintptr_t)word;
	printf("depth %" PRIdPTR "\n", (intptr_t)(truth_base - lowest));
}

int truth_child(const struct scenario *which, bool paint)
{
	uint64_t *stack = paint ? painted_stack() : NULL;
	pthread_t thread;

	scenario = which;
	if ((paint && !stack) || sem_init(&reached, 0, 0) || sem_init(&never, 0, 0) ||
	    pthread_key_create(&key, in_destructor))
		return 1;
	if (which->locked && mlockall(MCL_CURRENT | MCL_FUTURE))
		return TRUTH_SKIP;
	if (which->reused && !paint) {
		if (create(&thread, NULL, leave_bytes) || pthread_join(thread, NULL))
			return 1;
	}
	if (create(&thread, stack, truth_entry))
		return 1;
	if (which->ending == STAYS || which->ending == CANCELLED) {
		while (sem_wait(&reached))
			;
	}
	if (which->ending == CANCELLED)
		pthread_cancel(thread);
	if (which->ending != STAYS)
		pthread_join(thread, NULL);
	print_figures(stack);
	exit(0);
}
