// SPDX-License-Identifier: MIT
/* Connections to the cloud and to the phones of the house, and the resolver. */
#include "hub.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#define CONNECTIONS 36
#define RESOLVERS 4
#define BUFFER (120 * 1024) /* the largest message that the cloud may send */

static uint64_t exchange(struct task *task)
{
	char message[BUFFER];
	size_t length;

	length = json_make(task, message, sizeof(message), input_range(task, 6, 40));
	return mix(length, json_digest(message));
}

static void connection(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return;
	while (task_round(task, &round))
		task_post(task, exchange(task));
	task_end(task);
}

/* Numeric names only: the answer must not depend on the network. */
static void *resolver(void *argument)
{
	struct task *task = argument;
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	while (task_round(task, &round)) {
		struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM };
		struct addrinfo *found = NULL;
		char name[INET6_ADDRSTRLEN + 1];
		uint64_t bits = input_next(task);
		unsigned int high = bits >> 8 & 0xff, middle = bits >> 16 & 0xff;
		int error;

		if (bits & 1)
			snprintf(name, sizeof(name), "10.%u.%u.%u", high, middle,
				 (unsigned int)(bits >> 24 & 0x7f));
		else
			snprintf(name, sizeof(name), "fe80::%x:%x", high + 1, middle + 1);
		error = getaddrinfo(name, "443", &hints, &found);
		if (!error && getnameinfo(found->ai_addr, found->ai_addrlen, name, sizeof(name),
					  NULL, 0, NI_NUMERICHOST))
			name[0] = '\0';
		if (found)
			freeaddrinfo(found);
		task_post(task, mix_bytes((uint64_t)(int64_t)error, name, strlen(name)));
	}
	return task_end(task);
}

int network_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < CONNECTIONS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(
			hub, task, task_spawn("cloud connection", connection, task, &task->thread));
	}
	for (uint32_t i = 0; i < RESOLVERS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task, pthread_create(&task->thread, NULL, resolver, task));
	}
	return error;
}
