// SPDX-License-Identifier: MIT
/* The many small threads: one for each sensor of the house. */
#include "hub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAS_SENSORS 6
#define THERMOMETERS 60
#define MOTION_SENSORS 24
#define ENERGY_METERS 20

static int compare_reals(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The median of a trace: one spike must not open the windows. */
static double median(const double *trace, size_t count)
{
	double sorted[count + 1];

	memcpy(sorted, trace, count * sizeof(*trace));
	qsort(sorted, count, sizeof(*sorted), compare_reals);
	return sorted[count / 2];
}

TEK_ROLE("gas detection") TEK_TIME_CRITICAL static void *gas_detection(void *argument)
{
	struct task *task = argument;
	double trace[128];
	char alarm[80];
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round)) {
		size_t count = input_range(task, 100, 128);
		double level;

		for (size_t i = 0; i < count; i++)
			trace[i] = input_real(task, 200, 600);
		level = median(trace, count);
		snprintf(alarm, sizeof(alarm), "room %u gas %.1f ppm%s", task->room, level,
			 level > 450 ? " ALARM" : "");
		task_post(task, mix_bytes(round, alarm, strlen(alarm)));
	}
	return task_end(task);
}

static void *temperature_sensor(void *argument)
{
	struct task *task = argument;
	double average = 20.0;
	char line[64];
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round)) {
		for (int i = 0; i < 60; i++)
			average += (input_real(task, -30, 45) - average) / 16;
		snprintf(line, sizeof(line), "{\"room\":%u,\"celsius\":%.2f}", task->room, average);
		task_post(task, mix_bytes(round, line, strlen(line)));
	}
	return task_end(task);
}

/* Runs of movement in a window of samples, longest first. */
static uint64_t movement(struct task *task)
{
	int16_t samples[768];
	uint32_t runs[64] = { 0 };
	size_t count = input_range(task, 640, 768);
	uint32_t run = 0;

	for (size_t i = 0; i < count; i++)
		samples[i] = (int16_t)input_range(task, 0, 4000);
	for (size_t i = 1; i < count; i++) {
		if (abs(samples[i] - samples[i - 1]) > 800)
			run++;
		else if (run) {
			runs[run < 63 ? run : 63]++;
			run = 0;
		}
	}
	return mix_bytes(run, runs, sizeof(runs));
}

static void *motion_sensor(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round))
		task_post(task, movement(task));
	return task_end(task);
}

/* A day of readings at the meter's own interval. */
static double consumption(struct task *task, size_t readings)
{
	double watts[readings];
	double sum = 0;

	for (size_t i = 0; i < readings; i++)
		watts[i] = input_real(task, 5, 3500);
	for (size_t i = 1; i < readings; i++)
		sum += (watts[i] + watts[i - 1]) / 2;
	return sum;
}

static void *energy_meter(void *argument)
{
	struct task *task = argument;
	char line[96];
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round)) {
		snprintf(line, sizeof(line), "meter %u: %.3f kWh", task->index,
			 consumption(task, input_range(task, 600, 720)) / 12000);
		task_post(task, mix_bytes(round, line, strlen(line)));
	}
	return task_end(task);
}

static int start(struct hub *hub, void *(*entry)(void *), uint32_t count)
{
	int error = 0;

	for (uint32_t i = 0; i < count && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task, create_worker(&task->thread, entry, task));
	}
	return error;
}

int sensors_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < GAS_SENSORS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task,
				    pthread_create(&task->thread, NULL, gas_detection, task));
	}
	if (!error)
		error = start(hub, temperature_sensor, THERMOMETERS);
	if (!error)
		error = start(hub, motion_sensor, MOTION_SENSORS);
	if (!error)
		error = start(hub, energy_meter, ENERGY_METERS);
	return error;
}
