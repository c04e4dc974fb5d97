/* SPDX-License-Identifier: MIT */
/*
 * The doors of libtek.a: `ld --wrap=pthread_create --wrap=thrd_create` brings every call of the
 * linked objects here and makes the __real_ names the C library's. Without --wrap only calls
 * through the plugin come, and real.c has those names.
 */
#include <stddef.h>

#include "create.h"
#include "libc.h"

extern int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
extern int __real_thrd_create(thrd_t *, thrd_start_t, void *);
extern size_t __pthread_get_minstack(const pthread_attr_t *) __attribute__((weak));

TEK_EXPORT int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
				     void *(*fn)(void *), void *arg);
TEK_EXPORT int __wrap_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
			  void *arg)
{
	return create_thread(thread, attr, fn, arg, NULL, CALLER_SP());
}

int __wrap_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg)
{
	return create_c11(thread, fn, arg, NULL, CALLER_SP());
}

int real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
			void *arg)
{
	return __real_pthread_create(thread, attr, fn, arg);
}

int real_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg)
{
	return __real_thrd_create(thread, fn, arg);
}

size_t libc_minstack(const pthread_attr_t *attr)
{
	return __pthread_get_minstack ? __pthread_get_minstack(attr) : 0;
}
