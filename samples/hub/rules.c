// SPDX-License-Identifier: MIT
/*
 * Automation: "if nobody is at home and ...". A rule is an expression; each nested condition is
 * judged on its own copy of the house's state, as it would be after the actions above it.
 */
#include "hub.h"

#include <string.h>

#define ENGINES 8
#define THINGS 1200
#define NESTING 62 /* the editor refuses deeper rules */

struct state {
	double value[THINGS];
};

static double judge(struct task *task, const struct state *above, uint32_t nesting)
{
	struct state state = *above;
	uint32_t thing = input_range(task, 0, THINGS - 1);
	double result;

	state.value[thing] = input_real(task, 0, 100);
	if (!nesting)
		return state.value[thing];
	result = judge(task, &state, nesting - 1);
	if (nesting % 16 == 0)
		result = result * 0.5 + judge(task, &state, nesting / 16);
	return result + state.value[(thing + nesting) % THINGS] / 128;
}

static void *rule_engine(void *argument)
{
	struct task *task = argument;
	struct state house;
	/* The deepest rule that the people of this house wrote. */
	uint32_t deepest = input_range(task, NESTING - 7, NESTING);
	uint32_t round = 0;

	if (!task_begin(task))
		return NULL;
	for (int i = 0; i < THINGS; i++)
		house.value[i] = input_real(task, 0, 100);
	while (task_round(task, &round)) {
		double result = judge(task, &house, input_range(task, deepest - 12, deepest));

		task_post(task, (uint64_t)(result * 1000));
	}
	return task_end(task);
}

int rules_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < ENGINES && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task,
				    pthread_create(&task->thread, NULL, rule_engine, task));
	}
	return error;
}
