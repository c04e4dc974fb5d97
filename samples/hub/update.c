// SPDX-License-Identifier: MIT
/* Firmware updates: an LZ77 unpacker with its window on the stack, and a hash tree. */
#include "hub.h"

#include <string.h>

#define UNPACKERS 2
#define VERIFIERS 4
#define WINDOW (1024 * 1024)
#define CHUNK 4096

/* Literals and matches, as an unpacker of LZ77 sees them. */
static uint64_t unpack(struct task *task, size_t size)
{
	uint8_t window[size];
	size_t at = 0;

	while (at < size) {
		size_t length = input_range(task, 4, 200);
		size_t distance = 1 + (size_t)input_next(task) % (at + 1);

		if (length > size - at)
			length = size - at;
		for (size_t i = 0; i < length; i++, at++)
			window[at] = distance <= at ? window[at - distance]
						    : (uint8_t)input_next(task);
	}
	return mix_bytes(size, window, size);
}

/* The window is as large as the image's header says: 1 MiB, or a little less for the last part. */
TEK_ROLE("update unpacker") static void *update_unpacker(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round))
		task_post(task, unpack(task, WINDOW - CHUNK * input_range(task, 0, 16)));
	return task_end(task);
}

/* A binary hash tree over chunks; every level holds the chunk that it hashes. */
static uint64_t tree(struct task *task, uint32_t levels)
{
	uint8_t chunk[CHUNK];
	uint64_t left, right;

	memset(chunk, (int)input_range(task, 0, 255), sizeof(chunk));
	if (!levels)
		return mix_bytes(0, chunk, sizeof(chunk));
	left = tree(task, levels - 1);
	/* The right side of an update's tree is the short one. */
	right = levels > 4 ? tree(task, levels / 8) : 0;
	return mix(mix_bytes(left, chunk, 64), right);
}

static void *update_verifier(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round))
		task_post(task, tree(task, input_range(task, 56, 62)));
	return task_end(task);
}

int update_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < UNPACKERS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task,
				    pthread_create(&task->thread, NULL, update_unpacker, task));
	}
	for (uint32_t i = 0; i < VERIFIERS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task,
				    pthread_create(&task->thread, NULL, update_verifier, task));
	}
	return error;
}
