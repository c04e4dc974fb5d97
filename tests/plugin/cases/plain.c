/* SPDX-License-Identifier: MIT */
/* One site, in words that every C has. */
#include <pthread.h>

int f(pthread_t *thread);

static void *worker(void *arg)
{
	return arg;
}

int f(pthread_t *thread)
{
	return pthread_create(thread, NULL, worker, NULL);
}
