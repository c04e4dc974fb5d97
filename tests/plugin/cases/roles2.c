/* SPDX-License-Identifier: MIT */
#include <pthread.h>

int second(void);
void *elsewhere(void *arg);

static void *worker(void *arg)
{
	return arg;
}

void *elsewhere(void *arg)
{
	return arg;
}

int second(void)
{
	void *(*const table[])(void *) = { worker, elsewhere };
	pthread_t thread;

	for (unsigned i = 0; i < 2; i++) {
		if (pthread_create(&thread, NULL, table[i], NULL) || pthread_join(thread, NULL))
			return 1;
	}
	return 0;
}
