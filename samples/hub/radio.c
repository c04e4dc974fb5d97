// SPDX-License-Identifier: MIT
/* Radio: the nodes of the mesh, and the door locks behind it. */
#include "hub.h"

#include <string.h>

#define MESH_NODES 40
#define DOOR_LOCKS 6
#define FRAME 127 /* bytes of an IEEE 802.15.4 frame */

/* Tag-length-value elements that hold elements, as deep as the sender nested them. */
static size_t frame_make(struct task *task, uint8_t *frame, size_t room, uint32_t depth)
{
	size_t length = 0;

	while (length + 6 < room) {
		size_t inner = 2;

		if (depth && length + 12 < room)
			inner = frame_make(task, frame + length + 2, length ? 8 : room - length - 4,
					   depth - 1);
		else
			memset(frame + length + 2, (int)input_range(task, 0, 255), inner);
		frame[length] = depth ? 0x30 : 0x04;
		frame[length + 1] = (uint8_t)inner;
		length += inner + 2;
	}
	return length;
}

static uint64_t frame_read(const uint8_t *frame, size_t length)
{
	uint8_t payload[64];
	uint64_t hash = length;

	for (size_t at = 0; at + 2 <= length;) {
		size_t inner = frame[at + 1];

		if (inner > length - at - 2)
			break;
		if (frame[at] == 0x30) {
			hash = mix(hash, frame_read(frame + at + 2, inner));
		} else {
			memcpy(payload, frame + at + 2, inner < 64 ? inner : 64);
			hash = mix_bytes(hash, payload, inner < 64 ? inner : 64);
		}
		at += inner + 2;
	}
	return hash;
}

static void *mesh_node(void *argument)
{
	struct task *task = argument;
	uint8_t frame[FRAME];
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round)) {
		size_t length = frame_make(task, frame, sizeof(frame), input_range(task, 2, 6));

		task_post(task, frame_read(frame, length));
	}
	return task_end(task);
}

/* XTEA (Needham, Wheeler 1997), in counter mode over the lock's message. */
static void xtea(const uint32_t key[4], uint32_t block[2])
{
	uint32_t sum = 0;

	for (int i = 0; i < 32; i++) {
		block[0] += (((block[1] << 4) ^ (block[1] >> 5)) + block[1]) ^ (sum + key[sum & 3]);
		sum += 0x9e3779b9u;
		block[1] += (((block[0] << 4) ^ (block[0] >> 5)) + block[0]) ^
			    (sum + key[(sum >> 11) & 3]);
	}
}

static uint64_t lock_message(struct task *task, size_t blocks)
{
	uint32_t stream[blocks][2];
	uint32_t key[4];

	for (int i = 0; i < 4; i++)
		key[i] = (uint32_t)input_next(task);
	for (size_t i = 0; i < blocks; i++) {
		stream[i][0] = (uint32_t)i;
		stream[i][1] = task->index;
		xtea(key, stream[i]);
	}
	return mix_bytes(0, stream, sizeof(stream));
}

TEK_ROLE("door lock") TEK_TIME_CRITICAL static void *door_lock(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round))
		task_post(task, lock_message(task, input_range(task, 256, 320)));
	return task_end(task);
}

int radio_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < MESH_NODES && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task,
				    pthread_create(&task->thread, NULL, mesh_node, task));
	}
	for (uint32_t i = 0; i < DOOR_LOCKS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task,
				    pthread_create(&task->thread, NULL, door_lock, task));
	}
	return error;
}
