/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "libc.h"
#include "module.h"
#include "sizes.h"

/* Frames of the handler beyond what the kernel writes: a handler that calls a little. */
#define HANDLER_FRAMES 1024u

/* libc's start routine and ours, above the entry: 192 bytes measured on x86-64, glibc 2.36. */
#define START_FRAMES 512u

#ifndef _SC_MINSIGSTKSZ
#define _SC_MINSIGSTKSZ (-1) /* glibc 2.34 */
#endif
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51 /* Linux 5.14 */
#endif

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t from_sysconf(int name)
{
	long value = sysconf(name);

	return value > 0 ? (size_t)value : 0;
}

void sizes_measure_target(void)
{
	pthread_attr_t fresh;
	size_t minstack;

	tek_target.page = from_sysconf(_SC_PAGESIZE);
	tek_target.minimum_stack = larger(from_sysconf(_SC_THREAD_STACK_MIN), PTHREAD_STACK_MIN);
	tek_target.signal_reserve =
		larger(from_sysconf(_SC_MINSIGSTKSZ), getauxval(AT_MINSIGSTKSZ)) + HANDLER_FRAMES;
	if (!pthread_attr_init(&fresh)) {
		pthread_attr_getstacksize(&fresh, &tek_target.default_stack);
		/* page + static TLS with the thread block + PTHREAD_STACK_MIN; 0 if unknown */
		minstack = libc_minstack(&fresh);
		pthread_attr_destroy(&fresh);
	} else {
		minstack = 0;
	}
	tek_target.overhead = START_FRAMES + libc_block_gap();
	if (minstack > tek_target.page + PTHREAD_STACK_MIN)
		tek_target.overhead += minstack - tek_target.page - PTHREAD_STACK_MIN;
	else
		tek_target.overhead += libc_static_tls();
}

size_t sizes_attribute(size_t usable)
{
	size_t page = tek_target.page;
	size_t overhead = __atomic_load_n(&tek_target.overhead, __ATOMIC_RELAXED);
	size_t size = usable + overhead + tek_target.signal_reserve;

	if (size < usable)
		return 0; /* a line beyond the address space */
	return (larger(size, tek_target.minimum_stack) + page - 1) & ~(page - 1);
}

void sizes_complete(struct tek_identity *identity)
{
	const struct tek_size *size = NULL;
	char qualified[256];
	int length;

	if (!identity->role || identity->usable)
		return;
	if (!(identity->flags & TEK_TOTAL_NAMED) && (identity->flags & TEK_SITE_STATIC_ENTRY) &&
	    identity->entry_file) {
		length = snprintf(qualified, sizeof(qualified), "%s@%s", identity->role,
				  identity->entry_file);
		if (length > 0 && (size_t)length < sizeof(qualified))
			size = module_size(qualified);
	}
	if (!size)
		size = module_size(identity->role);
	if (!size)
		return;
	identity->usable = size->usable;
	if (size->flags & TEK_SIZE_OVERRIDE)
		identity->flags |= TEK_SITE_OVERRIDE;
}
