// SPDX-License-Identifier: MIT
/* "Turn the light on": a small network over a spectrogram, its activations on the stack. */
#include "hub.h"

#define LISTENERS 2
#define FEATURES 512

static uint64_t recognise(struct task *task, uint32_t frames)
{
	int32_t first[frames][FEATURES];
	int32_t second[frames][FEATURES / 2];
	uint64_t hash = frames;

	for (uint32_t frame = 0; frame < frames; frame++) {
		for (uint32_t i = 0; i < FEATURES; i++)
			first[frame][i] = (int32_t)input_range(task, 0, 2000) - 1000;
	}
	for (uint32_t frame = 0; frame < frames; frame++) {
		int32_t previous = frame ? second[frame - 1][0] : 0;

		for (uint32_t i = 0; i < FEATURES / 2; i++) {
			int32_t sum = first[frame][2 * i] - first[frame][2 * i + 1] + previous / 2;

			second[frame][i] = sum > 0 ? sum : sum / 8;
		}
		hash = mix(hash, (uint32_t)second[frame][frame % (FEATURES / 2)]);
	}
	return hash;
}

TEK_ROLE("speech model") static void *speech_model(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round))
		task_post(task, recognise(task, input_range(task, 480, 520)));
	return task_end(task);
}

int speech_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < LISTENERS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task,
				    pthread_create(&task->thread, NULL, speech_model, task));
	}
	return error;
}
