/* SPDX-License-Identifier: MIT */
/*
 * Opens an instrumented library when its threads already run, and lets one that is older than the
 * library and one that is younger go down in it.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t opened;
static void (*descend)(void);

static void *older(void *argument)
{
	pthread_barrier_wait(&opened);
	descend();
	return argument;
}

static void *younger(void *argument)
{
	descend();
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *library;

	pthread_barrier_init(&opened, NULL, 2);
	if (argc < 2 || pthread_create(&threads[0], NULL, older, NULL))
		return 1;
	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	*(void **)&descend = library ? dlsym(library, "descend") : NULL;
	if (!descend) {
		fputs(dlerror(), stderr);
		return 1;
	}
	pthread_barrier_wait(&opened);
	if (pthread_create(&threads[1], NULL, younger, NULL))
		return 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
