/* SPDX-License-Identifier: MIT */
/*
 * The doors of libtek.so: it defines pthread_create and thrd_create, so that uninstrumented
 * libraries come here too, and finds the real ones behind itself.
 *
 * An interposer loaded before us (a sanitizer's, in the executable) must see the calls that come by
 * way of the plugin, as it sees plain ones: it is called, and calls us, where in_room passes
 * through.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#include "create.h"
#include "module.h"

typedef int pthread_door(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int c11_door(thrd_t *, thrd_start_t, void *);

static pthread_door *next_pthread, *first_pthread;
static c11_door *next_c11, *first_c11;

static void *find(void *where, const char *name)
{
	int saved = errno;
	void *symbol = dlsym(where, name);

	errno = saved;
	return symbol;
}

/*
 * Idempotent, so that threads may race here. Before the program's own constructors, since dlsym
 * would throw away an error that the program has not asked dlerror() for.
 */
__attribute__((constructor(101))) static void find_doors(void)
{
	if (next_pthread)
		return;
	first_c11 = (c11_door *)(uintptr_t)find(RTLD_DEFAULT, "thrd_create");
	next_c11 = (c11_door *)(uintptr_t)find(RTLD_NEXT, "thrd_create");
	first_pthread = (pthread_door *)(uintptr_t)find(RTLD_DEFAULT, "pthread_create");
	__atomic_store_n(&next_pthread,
			 (pthread_door *)(uintptr_t)find(RTLD_NEXT, "pthread_create"),
			 __ATOMIC_RELEASE);
}

/* `inner`: the call came through our interposed name already. */
static _Thread_local uint32_t inner __attribute__((tls_model("initial-exec")));

TEK_EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
			      void *(*fn)(void *), void *restrict arg)
{
	int error;

	find_doors();
	/*
	 * A sanitizer's own threads are none of ours: ThreadSanitizer makes one in a forked child
	 * before the child can bear a runtime. Sizes mean nothing in such a process anyway.
	 */
	if (tek_self.in_room || module_sanitized())
		return next_pthread(thread, attr, fn, arg);
	inner++;
	error = create_thread(thread, attr, fn, arg, NULL, CALLER_SP());
	inner--;
	return error;
}

TEK_EXPORT int thrd_create(thrd_t *thread, thrd_start_t fn, void *arg)
{
	int result;

	find_doors();
	if (tek_self.in_room || module_sanitized())
		return next_c11(thread, fn, arg);
	inner++;
	result = create_c11(thread, fn, arg, NULL, CALLER_SP());
	inner--;
	return result;
}

int real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
			void *arg)
{
	find_doors();
	if (!next_pthread)
		return EAGAIN; /* no C library behind us: cannot happen in a linked program */
	if (inner || !first_pthread || !tek_self.in_room)
		return next_pthread(thread, attr, fn, arg);
	return first_pthread(thread, attr, fn, arg);
}

int real_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg)
{
	find_doors();
	if (!next_c11)
		return thrd_error;
	if (inner || !first_c11 || !tek_self.in_room)
		return next_c11(thread, fn, arg);
	return first_c11(thread, fn, arg);
}

size_t libc_minstack(const pthread_attr_t *attr)
{
	size_t (*minstack)(const pthread_attr_t *) = (size_t(*)(const pthread_attr_t *))(
		uintptr_t)find(RTLD_DEFAULT, "__pthread_get_minstack");

	return minstack ? minstack(attr) : 0;
}
