/* SPDX-License-Identifier: MIT */
/* One thread, and a clean end. */
#include <pthread.h>
#include <stddef.h>

static void *entry(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, entry, NULL) != 0 || pthread_join(thread, NULL) != 0;
}
