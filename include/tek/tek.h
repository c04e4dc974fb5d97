/* SPDX-License-Identifier: MIT */
/*
 * The Thread Evolution Kit's interface for applications, C and C++. It compiles away: without the
 * plugin the macros are empty, without the runtime (libtek) the functions do nothing and say so.
 * Manual: libtek(3).
 */
#ifndef TEK_TEK_H
#define TEK_TEK_H

#include <errno.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * TEK_ROLE - name what the threads are for that run the function so declared
 *
 *	static TEK_ROLE("gas detection") void *watch_gas(void *argument);
 *
 * The name is the role in reports and in tek_stack_sizes.h. Without it the function's name is.
 */
#if defined(__has_attribute)
#if __has_attribute(tek_role)
#define TEK_ROLE(name) __attribute__((tek_role(name)))
#endif
#if __has_attribute(tek_time_critical)
#define TEK_TIME_CRITICAL __attribute__((tek_time_critical))
#endif
#endif
#ifndef TEK_ROLE
#define TEK_ROLE(name)
#endif

/**
 * TEK_TIME_CRITICAL - threads that run the function so declared belong to the time-critical class
 *
 * Source: "Thread Evolution Kit for Optimizing Thread Operations on CE/IoT Devices", the two classes
 * of thread.
 */
#ifndef TEK_TIME_CRITICAL
#define TEK_TIME_CRITICAL
#endif

/**
 * struct tek_high_zone_event - a thread that has crossed into the High Zone
 * @size: sizeof(struct tek_high_zone_event) of the runtime; fields may be appended
 * @tid: kernel thread id, as gettid(2)
 * @role: the thread's role; null if it has no name. Valid until the process ends
 * @usable: bytes of stack below the thread's entry
 * @used: the deepest use that a probe has seen, in bytes below the entry
 */
struct tek_high_zone_event {
	size_t size;
	int tid;
	const char *role;
	size_t usable;
	size_t used;
};

typedef void tek_high_zone_fn(const struct tek_high_zone_event *event, void *argument);

/* The runtime's own names: null where it is not linked. */
extern int __tek_next_role(const char *role) __attribute__((weak));
extern int __tek_on_high_zone(tek_high_zone_fn *fn, void *argument) __attribute__((weak));

/**
 * tek_next_role - name the next thread that the calling thread creates
 * @role: the name; must stay valid until then. Null takes the name back
 *
 * For code that knows only at run time what a thread is for. Comes before every other name: the
 * creator's argument, TEK_ROLE, the entry's name.
 *
 * Thread-safe (concerns the calling thread alone); async-signal-safe.
 *
 * Returns: 0, or ENOSYS without the runtime.
 */
static inline int tek_next_role(const char *role)
{
	return __tek_next_role ? __tek_next_role(role) : ENOSYS;
}

/**
 * tek_on_high_zone - be called back when a thread comes close to the end of its stack
 * @fn: called on a thread of TEK's own, with all signals blocked and 64 KiB of stack; not on the
 *	stack that is about to overflow, which runs on meanwhile
 * @argument: handed to @fn
 *
 * Each thread is told of once, at its first crossing seen by a probe: code compiled without the
 * plugin is not seen until probed code runs at that depth. The thread that calls back exists from
 * the first registration on.
 *
 * Thread-safe; not async-signal-safe.
 *
 * Returns: 0; ENOSYS without the runtime; EINVAL if @fn is null; EBUSY if a function is registered;
 * ENOMEM; EAGAIN if no thread can be made.
 */
static inline int tek_on_high_zone(tek_high_zone_fn *fn, void *argument)
{
	return __tek_on_high_zone ? __tek_on_high_zone(fn, argument) : ENOSYS;
}

#ifdef __cplusplus
}
#endif

#endif
