// SPDX-License-Identifier: MIT
/* The history: rows sorted by callback, then a search tree built from them and walked. */
#include "hub.h"

#include <stdlib.h>
#include <string.h>

#define INDEXERS 6
#define ROW 64

struct row {
	uint32_t time;
	uint32_t sensor;
	char value[ROW - 8];
};

struct node {
	const struct row *row;
	struct node *child[2];
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *left = a, *right = b;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return left->sensor < right->sensor ? -1 : left->sensor > right->sensor;
}

static struct node *balance(struct node *nodes, struct row *rows, size_t count)
{
	struct node *root;

	if (!count)
		return NULL;
	root = &nodes[count / 2];
	root->row = &rows[count / 2];
	root->child[0] = balance(nodes, rows, count / 2);
	root->child[1] =
		balance(nodes + count / 2 + 1, rows + count / 2 + 1, count - count / 2 - 1);
	return root;
}

static void walk(const struct node *node, void (*visit)(const struct row *, void *), void *data)
{
	if (!node)
		return;
	walk(node->child[0], visit, data);
	visit(node->row, data);
	walk(node->child[1], visit, data);
}

static void add_row(const struct row *row, void *data)
{
	uint64_t *hash = data;

	*hash = mix(*hash, ((uint64_t)row->time << 32) | row->sensor);
}

static uint64_t rebuild(struct task *task, size_t count)
{
	struct row rows[count];
	struct node nodes[count];
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++) {
		rows[i].time = input_range(task, 0, 100000);
		rows[i].sensor = input_range(task, 0, 200);
		memset(rows[i].value, (int)(i & 127) + 1, sizeof(rows[i].value));
	}
	qsort(rows, count, sizeof(*rows), compare_rows);
	walk(balance(nodes, rows, count), add_row, &hash);
	return hash;
}

static void index_database(void *argument)
{
	struct task *task = argument;
	/* What the house has recorded so far. */
	size_t rows = input_range(task, 8300, 9000);
	uint32_t round = 0;

	if (!task_begin(task))
		return;
	while (task_round(task, &round))
		task_post(task, rebuild(task, rows - input_range(task, 0, 200)));
	task_end(task);
}

int database_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < INDEXERS && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(
			hub, task,
			task_spawn("database index", index_database, task, &task->thread));
	}
	return error;
}
