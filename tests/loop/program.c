/* SPDX-License-Identifier: MIT */
/*
 * The loop's subject: four roles of known depth, one of them created through a wrapper that sees
 * the entry as a value. Each line it prints is `role given result`: the stack that the thread was
 * given and what it computed. Good C11 and C++11.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEP_BYTES (200 * 1024)
#define LEVELS 100

struct job {
	const char *role;
	unsigned int seed;
	unsigned int result;
	size_t given;
};

static void note_stack(struct job *job)
{
	pthread_attr_t attr;

	if (pthread_getattr_np(pthread_self(), &attr))
		abort();
	if (pthread_attr_getstacksize(&attr, &job->given))
		abort();
	pthread_attr_destroy(&attr);
}

static void *shallow(void *arg)
{
	struct job *job = (struct job *)arg;

	job->result = job->seed * 2654435761u;
	note_stack(job);
	return NULL;
}

static unsigned int sum(const volatile unsigned char *bytes, size_t count)
{
	unsigned int total = 0;

	while (count--)
		total += bytes[count];
	return total;
}

static void *deep(void *arg)
{
	struct job *job = (struct job *)arg;
	volatile unsigned char block[DEEP_BYTES];
	size_t i;

	for (i = 0; i < sizeof(block); i++)
		block[i] = (unsigned char)(job->seed + i + 1);
	job->result = sum(block, sizeof(block));
	note_stack(job);
	return NULL;
}

static unsigned int descend(unsigned int level, unsigned int seed)
{
	volatile unsigned char block[512];

	memset((void *)block, (int)(seed + level) | 1, sizeof(block));
	if (level == 0)
		return sum(block, sizeof(block));
	return descend(level - 1, seed) + sum(block, sizeof(block));
}

static void *recursive(void *arg)
{
	struct job *job = (struct job *)arg;

	job->result = descend(LEVELS, job->seed);
	note_stack(job);
	return NULL;
}

static void *wrapped(void *arg)
{
	struct job *job = (struct job *)arg;
	char text[2048];

	snprintf(text, sizeof(text), "%01000u", job->seed);
	job->result = (unsigned int)strlen(text);
	note_stack(job);
	return NULL;
}

static int create_worker(pthread_t *thread, void *(*entry)(void *), struct job *job)
{
	return pthread_create(thread, NULL, entry, job);
}

int main(void)
{
	struct job jobs[] = {
		{ "shallow", 1, 0, 0 },
		{ "deep", 2, 0, 0 },
		{ "recursive", 3, 0, 0 },
		{ "wrapped", 4, 0, 0 },
	};
	pthread_t threads[4];
	int error = 0;

	error |= pthread_create(&threads[0], NULL, shallow, &jobs[0]);
	error |= pthread_create(&threads[1], NULL, deep, &jobs[1]);
	error |= pthread_create(&threads[2], NULL, recursive, &jobs[2]);
	error |= create_worker(&threads[3], wrapped, &jobs[3]);
	if (error)
		return 1;
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		printf("%s %zu %u\n", jobs[i].role, jobs[i].given, jobs[i].result);
	}
	return 0;
}
