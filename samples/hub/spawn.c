// SPDX-License-Identifier: MIT
/*
 * The creating functions that a grown code base has: a thin wrapper, an operating-system
 * abstraction layer with a thunk behind it, and one for authors who chose a size themselves.
 */
#include "hub.h"

#include <errno.h>
#include <stdlib.h>

int create_worker(pthread_t *thread, void *(*function)(void *), void *argument)
{
	return pthread_create(thread, NULL, function, argument);
}

struct spawn {
	void (*function)(void *);
	void *argument;
};

static void *spawn_thunk(void *argument)
{
	struct spawn spawn = *(struct spawn *)argument;

	free(argument);
	spawn.function(spawn.argument);
	return NULL;
}

int task_spawn(const char *name, void (*function)(void *), void *argument, pthread_t *thread)
{
	struct spawn *spawn = malloc(sizeof(*spawn));
	int error;

	(void)name; /* for the people who read the call, and for the plugin */
	if (!spawn)
		return ENOMEM;
	spawn->function = function;
	spawn->argument = argument;
	error = pthread_create(thread, NULL, spawn_thunk, spawn);
	if (error)
		free(spawn);
	return error;
}

int create_sized(pthread_t *thread, size_t stack, void *(*function)(void *), void *argument)
{
	pthread_attr_t attributes;
	int error = pthread_attr_init(&attributes);

	if (error)
		return error;
	error = pthread_attr_setstacksize(&attributes, stack);
	if (!error)
		error = pthread_create(thread, &attributes, function, argument);
	pthread_attr_destroy(&attributes);
	return error;
}
