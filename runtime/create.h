/* SPDX-License-Identifier: MIT */
/* The one room behind the doors of thread creation. */
#ifndef TEK_CREATE_H
#define TEK_CREATE_H

#include <pthread.h>
#include <threads.h>

#include "process.h"

/*
 * create_thread, create_c11 - what pthread_create and thrd_create do, with a record of it
 * @site: null at the interposed and wrapped doors
 * @sp: the caller's, where it calls the door
 *
 * Returns, sets and changes what the plain call would. A tuned size that the system refuses is
 * repeated with the caller's own attributes.
 */
TEK_HIDDEN int create_thread(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
			     void *arg, struct tek_site *site, uintptr_t sp);
TEK_HIDDEN int create_c11(thrd_t *thread, thrd_start_t fn, void *arg, struct tek_site *site,
			  uintptr_t sp);

/* In a door: SP at the call of it. */
#define CALLER_SP() ((uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *))

/* The real ones: interpose.c or wrap.c. */
TEK_HIDDEN int real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
				   void *(*fn)(void *), void *arg);
TEK_HIDDEN int real_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg);

TEK_EXPORT int __tek_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
				    void *(*fn)(void *), void *arg, struct tek_site *site);
TEK_EXPORT int __tek_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg, struct tek_site *site);
TEK_EXPORT void __tek_creator_enter(struct tek_site *site, const void *entry, const char *name);
TEK_EXPORT void __tek_creator_leave(struct tek_site *site);
TEK_EXPORT int __tek_next_role(const char *role);

/* Who is to be created: the call's own, or what the thread announced before it. */
struct subject {
	struct tek_site *site;
	struct tek_site *inner; /* the call's own, where a creator's site stands for it */
	const void *entry;
	const char *name; /* from tek_next_role() or the creator's name argument */
};

/* creator.c: consumes what was announced. */
TEK_HIDDEN struct subject creator_take(struct tek_site *site, const void *entry, uintptr_t sp);

/* request.c: what the caller's attributes ask for. */
struct request {
	size_t size;	   /* bytes; of a foreign stack its own */
	uintptr_t address; /* lowest, of a foreign stack */
	int16_t policy;	   /* -1: inherited */
	int16_t priority;
	bool explicit_size; /* differs from the process default at start */
	bool foreign;
	bool unguarded;
	bool detached;
};
TEK_HIDDEN struct request request_read(const pthread_attr_t *attr);

#endif
