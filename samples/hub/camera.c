// SPDX-License-Identifier: MIT
/* What moves before the door: background difference, then recursive region growing. */
#include "hub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAMERAS 4
#define WIDTH 1280
#define HEIGHT 800
#define REGION 6000 /* pixels that one region may hold: the recursion's bound */

struct field {
	uint8_t (*mask)[WIDTH];
	uint32_t left; /* pixels that the region may still take */
	uint32_t pixels;
	uint64_t hash;
};

static void grow(struct field *field, uint32_t x, uint32_t y)
{
	if (x >= WIDTH || y >= HEIGHT || !field->mask[y][x] || !field->left)
		return;
	field->mask[y][x] = 0;
	field->left--;
	field->pixels++;
	field->hash += (uint64_t)x * 31 + y;
	grow(field, x + 1, y);
	grow(field, x, y + 1);
	grow(field, x - 1, y);
	grow(field, x, y - 1);
}

/* People and cats: some filled boxes at places of their own. */
static void scene(struct task *task, uint8_t (*mask)[WIDTH])
{
	uint32_t bodies = input_range(task, 6, 9);

	memset(mask, 0, (size_t)WIDTH * HEIGHT);
	for (uint32_t i = 0; i < bodies; i++) {
		uint32_t width = input_range(task, 20, 60);
		uint32_t height = input_range(task, 30, 90);
		uint32_t x = input_range(task, 0, WIDTH - 61);
		uint32_t y = input_range(task, 0, HEIGHT - 91);

		for (uint32_t row = y; row < y + height; row++)
			memset(&mask[row][x], 1, width);
	}
}

static uint64_t look(struct task *task)
{
	uint8_t mask[HEIGHT][WIDTH];
	uint8_t background[HEIGHT][WIDTH];
	struct field field = { .mask = mask };

	scene(task, mask);
	memset(background, (int)input_range(task, 1, 200), sizeof(background));
	for (uint32_t y = 0; y < HEIGHT; y += 4) {
		for (uint32_t x = 0; x < WIDTH; x += 4) {
			if (!mask[y][x])
				continue;
			field.left = REGION;
			grow(&field, x, y);
			field.hash = mix(field.hash, background[y][x]);
		}
	}
	return mix(field.hash, field.pixels);
}

TEK_ROLE("camera analysis") static void *camera_analysis(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round))
		task_post(task, look(task));
	return task_end(task);
}

/* The cameras' names are known at run time only, from the installer's configuration. */
int camera_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < CAMERAS && !error; i++) {
		struct task *task = hub_task(hub, i);

		tek_next_role(i == 0 ? "front door camera" : "camera analysis");
		error = hub_started(hub, task, create_worker(&task->thread, camera_analysis, task));
	}
	return error;
}
