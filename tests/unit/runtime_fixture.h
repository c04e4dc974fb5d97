/* SPDX-License-Identifier: MIT */
/* What the runtime's tests share: CMocka, and a look into the own process's table. */
#ifndef TEK_RUNTIME_FIXTURE_H
#define TEK_RUNTIME_FIXTURE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "process.h"

/* The real one, as the linker's --wrap names it: threads that the runtime does not see. */
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static inline const char *text_of(uint32_t offset)
{
	return offset == TEK_RUN_NONE ? "" : tek_process->strings + offset;
}

/* The record of @role made at @line (0: any), or null. */
static inline struct tek_run_total *total_named(const char *role, uint32_t line)
{
	uint32_t i;

	for (i = 0; i < tek_process->header->totals.used; i++) {
		struct tek_run_total *total = &tek_process->totals[i];

		if (!strcmp(text_of(total->role), role) && (!line || total->line == line))
			return total;
	}
	return NULL;
}

#endif
