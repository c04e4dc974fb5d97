/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <pthread.h>
#include <signal.h>

#include "create.h"
#include "helper.h"

/* Enough for a callback that prints. */
#define HELPER_STACK 65536u

int helper_start(void *(*fn)(void *), void *argument)
{
	size_t size = HELPER_STACK + tek_target.overhead + tek_target.signal_reserve;
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;
	int error;

	if (size < tek_target.minimum_stack)
		size = tek_target.minimum_stack;
	size = (size + tek_target.page - 1) & ~(tek_target.page - 1);
	error = pthread_attr_init(&attr);
	if (error)
		return error;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, size);
	/* The thread inherits the mask: the program's signals go to the program's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	tek_self.in_room = 1;
	error = real_pthread_create(&thread, &attr, fn, argument);
	tek_self.in_room = 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return error;
}
