// SPDX-License-Identifier: MIT
/* The hub's own housekeeping. Two authors chose their stack sizes by hand. */
#include "hub.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#define TIMERS 4
#define WATCHDOG_STACK (64 * 1024)
#define TIMER_STACK (256 * 1024)

/* Counts what it sees and says so: the smallest thread of the house, with a size from a template. */
TEK_ROLE("watchdog") TEK_TIME_CRITICAL static void *watchdog(void *argument)
{
	struct task *task = argument;
	char line[48];
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round)) {
		snprintf(line, sizeof(line), "alive %u/%u", round, input_range(task, 0, 9));
		task_post(task, mix_bytes(0, line, strlen(line)));
	}
	return task_end(task);
}

struct timer {
	time_t due;
	uint32_t action;
};

static int compare_timers(const void *a, const void *b)
{
	const struct timer *left = a, *right = b;

	if (left->due != right->due)
		return left->due < right->due ? -1 : 1;
	return left->action < right->action ? -1 : left->action > right->action;
}

static uint64_t agenda(struct task *task, size_t count)
{
	struct timer timers[count];
	char line[64] = "";
	struct tm when;
	uint64_t hash = 0;

	for (size_t i = 0; i < count; i++) {
		timers[i].due = (time_t)input_range(task, 1600000000, 1700000000);
		timers[i].action = input_range(task, 0, 99);
	}
	qsort(timers, count, sizeof(*timers), compare_timers);
	for (size_t i = 0; i < count; i += 64) {
		gmtime_r(&timers[i].due, &when);
		strftime(line, sizeof(line), "%a %d %b %Y %H:%M:%S", &when);
		hash = mix_bytes(hash, line, strlen(line));
	}
	return hash;
}

static void *timer_service(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round))
		task_post(task, agenda(task, input_range(task, 3000, 3200)));
	return task_end(task);
}

/* C11 threads: the input of wall switches and remote controls. */
static int input_panel(void *argument)
{
	struct task *task = argument;
	uint32_t held[256] = { 0 };
	uint32_t round = 0;

	if (!task_begin(task))
		return 0;
	while (task_round(task, &round)) {
		for (int i = 0; i < 200; i++)
			held[input_next(task) & 255]++;
		task_post(task, mix_bytes(0, held, sizeof(held)));
	}
	task_end(task);
	return 0;
}

static int start_panels(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < 4 && !error; i++) {
		struct task *task = hub_task(hub, i);
		int result = thrd_create(&task->thread, input_panel, task);

		error = hub_started(hub, task, result == thrd_success ? 0 : EAGAIN);
	}
	return error;
}

int service_start(struct hub *hub)
{
	struct task *task = hub_task(hub, 0);
	int error;

	error = hub_explicit(hub) ? create_sized(&task->thread, WATCHDOG_STACK, watchdog, task)
				  : pthread_create(&task->thread, NULL, watchdog, task);
	hub_started(hub, task, error);
	for (uint32_t i = 0; i < TIMERS && !error; i++) {
		task = hub_task(hub, i);
		error = hub_explicit(hub)
				? create_sized(&task->thread, TIMER_STACK, timer_service, task)
				: create_worker(&task->thread, timer_service, task);
		hub_started(hub, task, error);
	}
	return error ? error : start_panels(hub);
}
