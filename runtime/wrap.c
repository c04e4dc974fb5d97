/* SPDX-License-Identifier: MIT */
/*
 * The doors of libtek.a: `ld --wrap=pthread_create --wrap=thrd_create` brings every call of the
 * linked objects here. Without --wrap, calls through the plugin alone come, and the real names are
 * the plain ones.
 */
#include <stddef.h>

#include "create.h"
#include "libc.h"

extern int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
	__attribute__((weak));
extern int __real_thrd_create(thrd_t *, thrd_start_t, void *) __attribute__((weak));
extern size_t __pthread_get_minstack(const pthread_attr_t *) __attribute__((weak));

TEK_EXPORT int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
				     void *(*fn)(void *), void *arg);
TEK_EXPORT int __wrap_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
			  void *arg)
{
	return create_thread(thread, attr, fn, arg, NULL);
}

int __wrap_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg)
{
	return create_c11(thread, fn, arg, NULL);
}

int real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
			void *arg)
{
	if (__real_pthread_create)
		return __real_pthread_create(thread, attr, fn, arg);
	return pthread_create(thread, attr, fn, arg);
}

int real_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg)
{
	if (__real_thrd_create)
		return __real_thrd_create(thread, fn, arg);
	return thrd_create(thread, fn, arg);
}

size_t libc_minstack(const pthread_attr_t *attr)
{
	return __pthread_get_minstack ? __pthread_get_minstack(attr) : 0;
}
