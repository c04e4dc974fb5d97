// SPDX-License-Identifier: MIT
/* Video decoders with the frame on their stack, and the audio mixers' recursive transform. */
#include "hub.h"

#include <math.h>
#include <string.h>

#define DECODERS 6
#define MIXERS 8
#define BLOCK 16

struct sample {
	float real;
	float imaginary;
};

/* Decode one picture: blocks of 16 x 16 with a prediction from the left and from above. */
static uint64_t picture(struct task *task, uint32_t width, uint32_t height)
{
	uint8_t luma[height][width];
	uint8_t chroma[height / 2][width];
	uint64_t hash = width;

	for (uint32_t y = 0; y < height; y += BLOCK) {
		for (uint32_t x = 0; x < width; x += BLOCK) {
			uint8_t value = (uint8_t)input_next(task);

			if (x)
				value = (uint8_t)((value + luma[y][x - 1]) / 2);
			if (y)
				value = (uint8_t)((value + luma[y - 1][x]) / 2);
			for (uint32_t row = y; row < y + BLOCK; row++)
				memset(&luma[row][x], value, BLOCK);
			for (uint32_t row = y / 2; row < (y + BLOCK) / 2; row++)
				memset(&chroma[row][x], value ^ 0x80, BLOCK);
			hash = mix(hash, luma[y][x]);
		}
	}
	return mix(hash, chroma[height / 4][width / 2]);
}

/* Broadcast pictures: the width is the channel's, the height what the programme was made in. */
TEK_ROLE("media decoder") static void *media_decoder(void *argument)
{
	struct task *task = argument;
	uint32_t height = BLOCK * input_range(task, 42, 46);
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round))
		task_post(task, picture(task, 1440, height));
	return task_end(task);
}

/* Cooley-Tukey, decimation in time: each level keeps its halves in an array of its own. */
static void transform(struct sample *samples, uint32_t count)
{
	if (count < 2)
		return;

	struct sample half[count];

	for (uint32_t i = 0; i < count / 2; i++) {
		half[i] = samples[2 * i];
		half[count / 2 + i] = samples[2 * i + 1];
	}
	transform(half, count / 2);
	transform(half + count / 2, count / 2);
	for (uint32_t i = 0; i < count / 2; i++) {
		float angle = -6.28318531f * (float)i / (float)count;
		float c = cosf(angle), s = sinf(angle);
		struct sample odd = half[count / 2 + i];
		float real = c * odd.real - s * odd.imaginary;
		float imaginary = c * odd.imaginary + s * odd.real;

		samples[i].real = half[i].real + real;
		samples[i].imaginary = half[i].imaginary + imaginary;
		samples[count / 2 + i].real = half[i].real - real;
		samples[count / 2 + i].imaginary = half[i].imaginary - imaginary;
	}
}

static uint64_t mix_audio(struct task *task, uint32_t channels)
{
	struct sample samples[8192];
	float peaks[channels][1024];
	double energy = 0;

	for (uint32_t i = 0; i < 8192; i++) {
		samples[i].real = (float)input_real(task, -1, 1);
		samples[i].imaginary = 0;
	}
	transform(samples, 8192);
	for (uint32_t channel = 0; channel < channels; channel++) {
		for (uint32_t i = 0; i < 1024; i++) {
			peaks[channel][i] = fabsf(samples[i * 4 + channel % 4].real);
			energy += (double)peaks[channel][i];
		}
	}
	/* Rounded far above the last bit: the same sum at every optimisation. */
	return (uint64_t)(energy / 16);
}

static void *audio_mixer(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round))
		task_post(task, mix_audio(task, input_range(task, 64, 72)));
	return task_end(task);
}

int media_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < DECODERS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task,
				    pthread_create(&task->thread, NULL, media_decoder, task));
	}
	for (uint32_t i = 0; i < MIXERS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task,
				    pthread_create(&task->thread, NULL, audio_mixer, task));
	}
	return error;
}
