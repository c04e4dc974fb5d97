// SPDX-License-Identifier: MIT
/* Secure sessions: modular exponentiation with a table of powers taken by alloca(). */
#include "hub.h"

#include <alloca.h>
#include <string.h>

#define SESSIONS 12
#define LIMBS 64 /* 2048 bits */
#define POWERS 1280

/* product = a * b modulo 2^2048 - 1: the shape of the real thing without its constants. */
static void multiply(uint32_t *product, const uint32_t *a, const uint32_t *b)
{
	uint64_t sum[LIMBS] = { 0 };
	uint64_t carry = 0;

	for (uint32_t i = 0; i < LIMBS; i += 8) {
		for (uint32_t j = 0; j < LIMBS; j++)
			sum[(i + j) % LIMBS] += ((uint64_t)a[i] * b[j]) >> 8;
	}
	for (uint32_t i = 0; i < LIMBS; i++) {
		carry += sum[i];
		product[i] = (uint32_t)carry;
		carry >>= 32;
	}
	product[0] += (uint32_t)carry;
}

/* The table is for the exponent's window: its length is the negotiated key's. */
static uint64_t handshake(struct task *task, uint32_t powers)
{
	/* cppcheck-suppress allocaCalled */
	uint32_t(*table)[LIMBS] = alloca(powers * sizeof(*table));
	uint32_t result[LIMBS];

	for (uint32_t i = 0; i < LIMBS; i++)
		table[0][i] = (uint32_t)input_next(task) | 1u;
	for (uint32_t i = 1; i < powers; i++)
		multiply(table[i], table[i - 1], table[0]);
	memcpy(result, table[0], sizeof(result));
	for (uint32_t i = 0; i < 64; i++)
		multiply(result, result, table[input_range(task, 0, powers - 1)]);
	return mix_bytes(powers, result, sizeof(result));
}

TEK_ROLE("secure session") static void *secure_session(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round))
		task_post(task, handshake(task, input_range(task, POWERS - 96, POWERS)));
	return task_end(task);
}

int session_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < SESSIONS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task,
				    pthread_create(&task->thread, NULL, secure_session, task));
	}
	return error;
}
