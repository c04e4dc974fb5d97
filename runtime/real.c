/* SPDX-License-Identifier: MIT */
/* Taken from libtek.a only where the link has no --wrap: see wrap.c. */
#include "create.h"

TEK_HIDDEN int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
				     void *(*fn)(void *), void *arg);
TEK_HIDDEN int __real_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg);

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
			  void *arg)
{
	return pthread_create(thread, attr, fn, arg);
}

int __real_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg)
{
	return thrd_create(thread, fn, arg);
}
