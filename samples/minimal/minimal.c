/* SPDX-License-Identifier: MIT */
/*
 * A thermostat of four threads, to try TEK on. It prints the stack that each thread was given:
 * 8 MB before tuning, a few kilobytes after.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tek/tek.h>

static void print_stack(const char *who)
{
	pthread_attr_t attr;
	size_t bytes = 0;

	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstacksize(&attr, &bytes);
		pthread_attr_destroy(&attr);
	}
	printf("%-12s %5zu KB\n", who, bytes / 1024);
}

/* Its role is its name: sensor. */
static void *sensor(void *celsius)
{
	*(double *)celsius = strtod("21.5", NULL);
	print_stack("sensor");
	return NULL;
}

/* The heating valve must not wait for a display. */
TEK_ROLE("heating") TEK_TIME_CRITICAL static void *run_valve(void *open)
{
	*(int *)open = 1;
	print_stack("heating");
	return NULL;
}

TEK_ROLE("display") static void *draw(void *text)
{
	unsigned char frame[240][320 / 8];

	memset(frame, 0x55, sizeof(frame));
	snprintf(text, 16, "%.1f C", 20.0 + frame[120][20] / 100.0);
	print_stack("display");
	return NULL;
}

static unsigned long count_nodes(unsigned int depth)
{
	char name[256];

	snprintf(name, sizeof(name), "room %u", depth);
	return depth ? count_nodes(depth - 1) + strlen(name) : 1;
}

static void *schedule(void *nodes)
{
	*(unsigned long *)nodes = count_nodes(100);
	print_stack("schedule");
	return NULL;
}

int main(void)
{
	double celsius;
	int open;
	char text[16];
	unsigned long nodes;
	pthread_t threads[4];
	int failed = 0;

	failed |= pthread_create(&threads[0], NULL, sensor, &celsius);
	failed |= pthread_create(&threads[1], NULL, run_valve, &open);
	failed |= pthread_create(&threads[2], NULL, draw, text);
	failed |= pthread_create(&threads[3], NULL, schedule, &nodes);
	if (failed)
		return EXIT_FAILURE;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return EXIT_SUCCESS;
}
