// SPDX-License-Identifier: MIT
/* 300 threads in 300 roles, alive at once: the program whose run files `report` multiplies. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <tek/tek.h>

#define THREADS 300

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *argument)
{
	volatile char buffer[512 + (size_t)argument * 16];

	buffer[sizeof(buffer) - 1] = 0;
	for (size_t i = 0; i < sizeof(buffer); i++)
		buffer[i] = 1;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return NULL;
}

int main(void)
{
	static char roles[THREADS][24];
	pthread_t threads[THREADS];
	size_t created = 0;
	int error = 0;

	pthread_mutex_lock(&gate);
	for (; created < THREADS && !error; created++) {
		snprintf(roles[created], sizeof(roles[created]), "device driver %zu", created);
		tek_next_role(roles[created]);
		error = pthread_create(&threads[created], NULL, worker, (void *)created);
	}
	pthread_mutex_unlock(&gate);
	created -= error != 0;
	for (size_t i = 0; i < created; i++)
		pthread_join(threads[i], NULL);
	if (error)
		fprintf(stderr, "roles: %s\n", strerror(error));
	return error ? 1 : 0;
}
