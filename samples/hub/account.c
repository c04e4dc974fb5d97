// SPDX-License-Identifier: MIT
/*
 * What the threads were given and what they used, read from the stacks themselves and without any
 * help of TEK: with all threads alive no stack is a used one, so the lowest byte that is not zero
 * is the deepest that was written. Both figures include the thread block and the thread-local
 * storage at the stack's upper end; guards are in neither.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "account.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes from the lowest one that is not zero to the end; pages never touched are not read. */
static size_t used_bytes(const unsigned char *low, size_t size, size_t page, unsigned char *present)
{
	if (mincore((void *)low, size, present))
		return 0;
	for (size_t at = 0; at < size; at++) {
		if (at % page == 0 && !(present[at / page] & 1)) {
			at += page - 1;
			continue;
		}
		if (low[at])
			return size - at;
	}
	return 0;
}

int account_add(struct account *account, pthread_t thread)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	pthread_attr_t attributes;
	unsigned char *present;
	void *low;
	size_t size, used = 0;
	int error = pthread_getattr_np(thread, &attributes);

	if (error)
		return error;
	error = pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	present = error ? NULL : malloc(size / page + 1);
	if (present)
		used = used_bytes(low, size, page, present);
	free(present);
	if (!used)
		return error ? error : -1;
	account->given += size;
	account->used += used;
	return 0;
}
