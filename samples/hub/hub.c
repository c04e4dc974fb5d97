// SPDX-License-Identifier: MIT
#include "account.h"
#include "hub.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 12

struct hub {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct task *tasks;
	uint32_t capacity;
	uint32_t created;
	uint32_t waiting; /* threads that have reached the gate */
	uint32_t done;
	bool open;  /* the gate: all threads are there */
	bool leave; /* shut down */
	bool abort; /* a creation has failed */
	bool default_stacks;
	bool account; /* read the stacks at the end */
	uint32_t rounds;
	uint64_t seed;
	uint64_t checksum;
};

static int (*const subsystems[])(struct hub *) = {
	sensors_start, radio_start,  network_start, media_start, camera_start,
	ui_start,      update_start, log_start,	    rules_start, database_start,
	session_start, speech_start, service_start,
};

struct task *hub_task(struct hub *hub, uint32_t index)
{
	struct task *task;

	if (hub->created == hub->capacity)
		return NULL;
	task = &hub->tasks[hub->created];
	task->hub = hub;
	task->index = index;
	task->room = hub->created % 12;
	task->random = mix(hub->seed, hub->created);
	return task;
}

int hub_started(struct hub *hub, struct task *task, int error)
{
	(void)task;
	if (!error)
		hub->created++;
	return error;
}

bool hub_explicit(const struct hub *hub)
{
	return !hub->default_stacks;
}

bool task_begin(struct task *task)
{
	struct hub *hub = task->hub;
	bool go;

	pthread_mutex_lock(&hub->lock);
	hub->waiting++;
	pthread_cond_broadcast(&hub->changed);
	while (!hub->open)
		pthread_cond_wait(&hub->changed, &hub->lock);
	go = !hub->abort;
	pthread_mutex_unlock(&hub->lock);
	return go;
}

bool task_round(const struct task *task, uint32_t *round)
{
	return (*round)++ < task->hub->rounds;
}

void task_post(struct task *task, uint64_t value)
{
	struct hub *hub = task->hub;

	pthread_mutex_lock(&hub->lock);
	hub->checksum += mix(value, (uint64_t)(task - hub->tasks));
	pthread_mutex_unlock(&hub->lock);
}

void *task_end(struct task *task)
{
	struct hub *hub = task->hub;

	pthread_mutex_lock(&hub->lock);
	hub->done++;
	pthread_cond_broadcast(&hub->changed);
	while (!hub->leave)
		pthread_cond_wait(&hub->changed, &hub->lock);
	pthread_mutex_unlock(&hub->lock);
	return NULL;
}

/* Create whole sets until there are `threads`; 0 or the errno that stopped it. */
static int hub_create(struct hub *hub, uint32_t threads)
{
	while (hub->created < threads) {
		for (size_t i = 0; i < sizeof(subsystems) / sizeof(*subsystems); i++) {
			int error = subsystems[i](hub);

			if (error)
				return error;
		}
	}
	return 0;
}

static void hub_wait(struct hub *hub, const uint32_t *count)
{
	pthread_mutex_lock(&hub->lock);
	while (*count < hub->created)
		pthread_cond_wait(&hub->changed, &hub->lock);
	pthread_mutex_unlock(&hub->lock);
}

static void hub_signal(struct hub *hub, bool *flag)
{
	pthread_mutex_lock(&hub->lock);
	*flag = true;
	pthread_cond_broadcast(&hub->changed);
	pthread_mutex_unlock(&hub->lock);
}

/* With every thread alive and at rest in task_end(). */
static void hub_account(struct hub *hub)
{
	struct account account = { 0, 0 };

	for (uint32_t i = 0; i < hub->created; i++) {
		if (account_add(&account, hub->tasks[i].thread)) {
			fprintf(stderr, "hub: thread %" PRIu32 ": its stack cannot be read\n",
				i + 1);
			return;
		}
	}
	printf("given %" PRIu64 " KB\nused %" PRIu64 " KB\n", account.given / 1024,
	       account.used / 1024);
}

static void hub_run(struct hub *hub)
{
	hub_wait(hub, &hub->waiting);
	hub_signal(hub, &hub->open);
	if (!hub->abort) {
		hub_wait(hub, &hub->done);
		if (hub->account)
			hub_account(hub);
	}
	hub_signal(hub, &hub->leave);
	for (uint32_t i = 0; i < hub->created; i++)
		pthread_join(hub->tasks[i].thread, NULL);
}

static bool number(const char *text, uint64_t most, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value <= most;
}

static int usage(void)
{
	fputs("usage: hub [--seed N] [--rounds R] [--threads N] [--default-stacks] [--account]\n"
	      "  --seed N          what the sensors, networks and people of the house do\n"
	      "  --rounds R        how long they do it (default 12)\n"
	      "  --threads N       at least N threads, in whole sets of 273\n"
	      "  --default-stacks  do not ask for the explicit stack sizes of some roles\n"
	      "  --account         print what the stacks were given and what was used of them\n",
	      stderr);
	return 2;
}

static bool options(int argc, char **argv, struct hub *hub, uint64_t *threads)
{
	static const struct option known[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "threads", required_argument, NULL, 't' },
		{ "default-stacks", no_argument, NULL, 'd' },
		{ "account", no_argument, NULL, 'a' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t rounds = ROUNDS;
	bool good = true;
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (option == 's')
			good &= number(optarg, UINT64_MAX, &hub->seed);
		else if (option == 'r')
			good &= number(optarg, 1000000, &rounds);
		else if (option == 't')
			good &= number(optarg, 100000, threads);
		else if (option == 'd')
			hub->default_stacks = true;
		else if (option == 'a')
			hub->account = true;
		else
			good = false;
	}
	hub->rounds = (uint32_t)rounds;
	return good && optind == argc;
}

int main(int argc, char **argv)
{
	struct hub hub = { .lock = PTHREAD_MUTEX_INITIALIZER,
			   .changed = PTHREAD_COND_INITIALIZER,
			   .seed = 1 };
	uint64_t threads = HUB_THREADS;
	int error;

	if (!options(argc, argv, &hub, &threads))
		return usage();
	hub.capacity = ((uint32_t)threads + HUB_THREADS - 1) / HUB_THREADS * HUB_THREADS;
	hub.tasks = calloc(hub.capacity, sizeof(*hub.tasks));
	if (!hub.tasks) {
		perror("hub");
		return 1;
	}
	error = hub_create(&hub, hub.capacity);
	hub.abort = error != 0;
	hub_run(&hub);
	printf("threads %" PRIu32 "\n", hub.created);
	if (error)
		fprintf(stderr, "hub: thread %" PRIu32 ": %s: %s\n", hub.created + 1,
			error == EAGAIN ? "EAGAIN" : "error", strerror(error));
	else
		printf("checksum %016" PRIx64 "\n", hub.checksum);
	free(hub.tasks);
	return error ? 1 : 0;
}
