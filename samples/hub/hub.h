/* SPDX-License-Identifier: MIT */
/*
 * A home hub: 273 threads in 24 roles, all alive at once. What each thread reads (sensor traces,
 * documents, pictures, rules) is made from the seed on the command line, so a run can be repeated
 * and the checksum of its results compared, while another seed is input not seen before.
 */
#ifndef HUB_H
#define HUB_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tek/tek.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HUB_THREADS 273 /* of one set, as many as the device of the TEK paper runs */

struct hub;

/* One thread's work: where it belongs and its own source of input. */
struct task {
	struct hub *hub;
	pthread_t thread;
	uint64_t random; /* state of the input generator */
	uint32_t index;	 /* within its role */
	uint32_t room;	 /* the part of the house it serves */
};

/* hub.c: the life of a set of threads */

/**
 * hub_task - the next thread's work, not yet running
 * @index: number of the thread within its role
 */
struct task *hub_task(struct hub *hub, uint32_t index);

/**
 * hub_started - keep account of a creation; @error is what the creating function returned
 * Returns @error. After an error nothing more is to be created.
 */
int hub_started(struct hub *hub, struct task *task, int error);

/* hub_explicit - whether roles may ask for the stack sizes their authors chose */
bool hub_explicit(const struct hub *hub);

/* task_begin - wait until every thread is there; false: the hub could not start, leave at once */
bool task_begin(struct task *task);
/* task_round - whether another round of work is wanted; counts from 0 in *round */
bool task_round(const struct task *task, uint32_t *round);
/* task_post - hand a result to the hub; the order of the threads does not change the checksum */
void task_post(struct task *task, uint64_t value);
/* task_end - wait until every thread has done its work */
void *task_end(struct task *task);

/* spawn.c: the creating functions that a grown code base has */
int create_worker(pthread_t *thread, void *(*function)(void *), void *argument);
int task_spawn(const char *name, void (*function)(void *), void *argument, pthread_t *thread);
int create_sized(pthread_t *thread, size_t stack, void *(*function)(void *), void *argument);

/* input.c */
uint64_t input_next(struct task *task);
uint32_t input_range(struct task *task, uint32_t low, uint32_t high);
double input_real(struct task *task, double low, double high);
uint64_t mix(uint64_t hash, uint64_t value);
uint64_t mix_bytes(uint64_t hash, const void *bytes, size_t count);

/* json.c */
size_t json_make(struct task *task, char *text, size_t capacity, uint32_t depth);
uint64_t json_digest(const char *text);

/* The subsystems. Each creates its threads; 0 or a positive errno. */
int sensors_start(struct hub *hub);
int radio_start(struct hub *hub);
int network_start(struct hub *hub);
int media_start(struct hub *hub);
int camera_start(struct hub *hub);
int ui_start(struct hub *hub);
int update_start(struct hub *hub);
int log_start(struct hub *hub);
int rules_start(struct hub *hub);
int database_start(struct hub *hub);
int session_start(struct hub *hub);
int speech_start(struct hub *hub);
int service_start(struct hub *hub);

#ifdef __cplusplus
}
#endif

#endif
