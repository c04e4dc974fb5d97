/* SPDX-License-Identifier: MIT */
/* Ends without a word, `ends HOW`, while a thread is alive that has gone deep and come up again. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef STACK
#define STACK 0 /* bytes that the program asks for itself; 0: it does not */
#endif

static pthread_barrier_t deep_enough;
static volatile char sink;

__attribute__((noinline)) static void descend(void)
{
	volatile char bytes[200000];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i += 64)
		bytes[i] = 1;
	sink = bytes[sizeof(bytes) - 1];
}

static void *worker(void *argument)
{
	descend();
	pthread_barrier_wait(&deep_enough);
	for (;;)
		pause();
	return argument;
}

/* Nobody asks for it here. */
static void *spare(void *argument)
{
	return argument;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_barrier_init(&deep_enough, NULL, 2);
	pthread_attr_init(&attributes);
	if (STACK && pthread_attr_setstacksize(&attributes, STACK))
		return 1;
	if (pthread_create(&thread, &attributes, worker, NULL))
		return 1;
	pthread_barrier_wait(&deep_enough);
	if (!strcmp(how, "spare") && pthread_create(&thread, NULL, spare, NULL))
		return 1;
	if (!strcmp(how, "_exit"))
		_exit(3);
	if (!strcmp(how, "term"))
		raise(SIGTERM);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "quick_exit"))
		quick_exit(3);
	return 0;
}
