/* SPDX-License-Identifier: MIT */
/*
 * A program whose stack use is known at every moment, to hold readings from outside against. One
 * thread goes deeper and deeper, and up again; meanwhile shallow threads come and go on stacks that
 * deep ones have left dirty. The file "truth", mapped, holds how deep the first has surely been, in
 * bytes below its entry; it goes no deeper than the reader has allowed there.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "run_truth.h"

static struct truth *truth;
static uintptr_t entry_frame;

/* Goes down to @target bytes, in steps of its own frame, and notes each after it has been written. */
__attribute__((noinline)) static void descend(uintptr_t target)
{
	volatile unsigned char frame[256];
	uintptr_t here = (uintptr_t)&frame[0];

	memset((void *)frame, 0x5a, sizeof(frame));
	if (entry_frame - here > __atomic_load_n(&truth->deepest, __ATOMIC_RELAXED))
		__atomic_store_n(&truth->deepest, (uint32_t)(entry_frame - here), __ATOMIC_RELEASE);
	if (entry_frame - here < target)
		descend(target);
	frame[1] = frame[0];
}

static void wait_allowed(uint32_t depth)
{
	uint32_t allowed;

	while ((allowed = __atomic_load_n(&truth->allowed, __ATOMIC_ACQUIRE)) < depth)
		syscall(SYS_futex, &truth->allowed, FUTEX_WAIT, allowed, NULL, NULL, 0);
}

static void *deeper(void *arg)
{
	uint32_t seed = 1;

	entry_frame = (uintptr_t)__builtin_dwarf_cfa();
	for (uintptr_t depth = 4096; depth < TRUTH_STACK - 262144; depth += 1024) {
		seed = seed * 1664525u + 1013904223u;
		wait_allowed((uint32_t)depth);
		descend(depth);
		descend(seed % depth);
	}
	__atomic_store_n(&truth->done, 1, __ATOMIC_RELEASE);
	return arg;
}

static void *use(void *arg)
{
	uintptr_t size = (uintptr_t)arg;
	volatile char bytes[size];

	memset((void *)bytes, 0x5a, size);
	return (void *)(uintptr_t)bytes[size / 2];
}

static void start(pthread_t *thread, size_t stack, void *(*entry)(void *), uintptr_t arg)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, stack);
	if (pthread_create(thread, &attr, entry, (void *)arg) != 0)
		_exit(1);
	pthread_attr_destroy(&attr);
}

int main(void)
{
	int fd = open("truth", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	pthread_t first, others[16];

	if (fd < 0 || ftruncate(fd, sizeof(*truth)) != 0)
		return 1;
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (truth == MAP_FAILED)
		return 1;
	for (int i = 0; i < 16; i++)
		start(&others[i], TRUTH_SHALLOW_STACK, use, TRUTH_SHALLOW_STACK / 2);
	for (int i = 0; i < 16; i++)
		pthread_join(others[i], NULL);
	start(&first, TRUTH_STACK, deeper, 0);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (__atomic_load_n(&truth->done, __ATOMIC_ACQUIRE) == 0) {
		for (int i = 0; i < 16; i++)
			start(&others[i], TRUTH_SHALLOW_STACK, use, 64);
		for (int i = 0; i < 16; i++)
			pthread_join(others[i], NULL);
	}
	/* Waits for ever, that the last reading can be taken. */
	for (;;)
		pause();
}
