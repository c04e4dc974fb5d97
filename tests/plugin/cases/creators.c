/* SPDX-License-Identifier: MIT */
/* A project's own creating functions, behind which there is one thunk. */
#include <stdio.h>

int task_spawn(const char *name, void (*fn)(void *), void *arg);
void *start(void (*fn)(void *));

__attribute__((noinline)) int task_spawn(const char *name, void (*fn)(void *), void *arg)
{
	fn(arg);
	return name != NULL;
}

__attribute__((noinline)) void *start(void (*fn)(void *))
{
	fn(NULL);
	return NULL;
}

static void poll_sensors(void *arg)
{
	(void)arg;
}

static void draw(void *arg)
{
	(void)arg;
}

#pragma tek stack("sensors", 2048)
#pragma tek stack("draw", 3072, override)

int main(int argc, char **argv)
{
	int result;

	(void)argv;
	result = !task_spawn("sensors", poll_sensors, NULL);
	if (!task_spawn(argc == 1 ? "screen" : "nothing", draw, NULL))
		result = 1;
	start(draw);
	if (start(poll_sensors))
		result = 1;
	return result;
}
