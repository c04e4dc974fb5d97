// SPDX-License-Identifier: MIT
/* Log writers (formatting and filters by regular expression) and log packers. */
#include "hub.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

#define WRITERS 12
#define PACKERS 2
#define LINE 512

static const char *const levels[] = { "debug", "info", "warning", "error" };

/* A page of lines through the filter; POSIX's matcher takes stack by line and pattern. */
static uint64_t page(struct task *task, const regex_t *filter)
{
	char lines[24][LINE];
	regmatch_t match[3];
	uint64_t hash = 0;

	for (int i = 0; i < 24; i++) {
		uint32_t level = input_range(task, 0, 3);
		int name = (int)input_range(task, 8, 40);
		int length = snprintf(
			lines[i], LINE, "%s room%u: %.*s=%.6f", levels[level], task->room, name,
			"temperature_of_the_living_room_and_kitchen", input_real(task, -1e6, 1e6));

		if (!regexec(filter, lines[i], 3, match, 0))
			hash = mix(hash, (uint64_t)match[2].rm_so);
		hash = mix_bytes(hash, lines[i], (size_t)length);
	}
	return hash;
}

static void *log_writer(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;
	regex_t filter;

	if (!task_begin(task))
		return NULL;
	if (regcomp(&filter, "^(warning|error) .*=(-?[0-9]+)\\.", REG_EXTENDED))
		return task_end(task);
	while (task_round(task, &round))
		task_post(task, page(task, &filter));
	regfree(&filter);
	return task_end(task);
}

/* Move-to-front and run lengths over a block of the log. */
static uint64_t pack(struct task *task, size_t size)
{
	uint8_t block[size];
	uint8_t packed[size];
	uint8_t order[256];
	uint32_t runs = 0;

	for (int i = 0; i < 256; i++)
		order[i] = (uint8_t)i;
	for (size_t i = 0; i < size; i++)
		block[i] = (uint8_t)(' ' + (input_next(task) & 15));
	for (size_t i = 0; i < size; i++) {
		uint8_t rank = 0;

		while (order[rank] != block[i])
			rank++;
		memmove(order + 1, order, rank);
		order[0] = block[i];
		packed[i] = rank;
		runs += !rank;
	}
	return mix_bytes(runs, packed, size);
}

static void *log_packer(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round))
		task_post(task, pack(task, 1024 * input_range(task, 210, 232)));
	return task_end(task);
}

int log_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < WRITERS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task, create_worker(&task->thread, log_writer, task));
	}
	for (uint32_t i = 0; i < PACKERS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task, create_worker(&task->thread, log_packer, task));
	}
	return error;
}
