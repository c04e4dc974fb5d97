/* SPDX-License-Identifier: MIT */
/* profile_finish(): second copies of a run, order by time, the final names of roles. */
#include <stdlib.h>
#include <string.h>

#include "profile.h"

static const struct profile *sorted; /* for qsort's comparisons */

static int run_order(const struct profile_run *a, const struct profile_run *b)
{
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return memcmp(a->id, b->id, sizeof(a->id));
}

/* Of two files of one run the one that tells more comes first. */
static int by_run(const void *a, const void *b)
{
	const struct profile_run *one = &sorted->runs[*(const uint32_t *)a];
	const struct profile_run *two = &sorted->runs[*(const uint32_t *)b];
	int order = run_order(one, two);

	if (order)
		return order;
	if (one->exited != two->exited)
		return one->exited ? -1 : 1;
	if (one->ended != two->ended)
		return one->ended > two->ended ? -1 : 1;
	if (one->depth != two->depth)
		return one->depth > two->depth ? -1 : 1;
	return strcmp(one->path, two->path);
}

static int by_rank(const void *a, const void *b)
{
	uint32_t one = sorted->runs[((const struct reading *)a)->run].rank;
	uint32_t two = sorted->runs[((const struct reading *)b)->run].rank;

	return one < two ? -1 : one > two;
}

static int by_section_and_name(const void *a, const void *b)
{
	const struct role *one = a, *two = b;
	int order = strcmp(one->section, two->section);

	if (!order)
		order = strcmp(one->name, two->name);
	return order ? order : one->main_thread - two->main_thread;
}

static void rank_runs(struct profile *profile)
{
	uint32_t *order = text_alloc(profile->run_count, sizeof(*order));
	size_t i;

	for (i = 0; i < profile->run_count; i++)
		order[i] = (uint32_t)i;
	text_sort(order, profile->run_count, sizeof(*order), by_run);
	for (i = 0; i < profile->run_count; i++) {
		struct profile_run *run = &profile->runs[order[i]];

		run->rank = (uint32_t)i;
		run->duplicate =
			i && memcmp(run->id, profile->runs[order[i - 1]].id, sizeof(run->id)) == 0;
	}
	free(order);
}

/* Same name, different static entries, or a static and a global one. */
static void name_roles(struct profile *profile)
{
	/* Hash of (section, base): 1 + the first role met. */
	size_t capacity = 512, i, at;
	uint32_t *first;
	bool *shared = text_alloc(profile->role_count, sizeof(*shared));

	while (capacity < profile->role_count * 2)
		capacity *= 2;
	first = text_alloc(capacity, sizeof(*first));
	for (i = 0; i < profile->role_count; i++) {
		struct role *role = &profile->roles[i];
		uint64_t hash = (uint64_t)(uintptr_t)role->base * 0x9e3779b97f4a7c15u;

		if (role->main_thread)
			continue;
		for (at = (size_t)(hash >> 20) & (capacity - 1); first[at];
		     at = (at + 1) & (capacity - 1))
			if (profile->roles[first[at] - 1].base == role->base &&
			    profile->roles[first[at] - 1].section == role->section)
				break;
		if (first[at])
			shared[i] = shared[first[at] - 1] = true;
		else
			first[at] = (uint32_t)i + 1;
	}
	for (i = 0; i < profile->role_count; i++) {
		struct role *role = &profile->roles[i];
		char *name = shared[i] && role->variant
				     ? text_format("%s@%s", role->base, role->variant)
				     : text_format("%s", role->base);

		role->name = names_put(&profile->names, name);
		free(name);
	}
	free(first);
	free(shared);
}

static void sort_readings(struct profile *profile, struct role *role)
{
	size_t i, kept = 0;

	for (i = 0; i < role->count; i++)
		if (!profile->runs[role->readings[i].run].duplicate)
			role->readings[kept++] = role->readings[i];
	role->count = kept;
	text_sort(role->readings, role->count, sizeof(*role->readings), by_rank);
}

/* Listed, never run by its own name, but its threads ran by another: it stands there. */
static bool only_renamed(const struct role *role)
{
	size_t i;

	for (i = 0; i < role->count; i++)
		if (role->readings[i].started)
			return false;
	return role->flags & TEK_TOTAL_RENAMED;
}

void profile_finish(struct profile *profile)
{
	size_t i, kept = 0;

	sorted = profile;
	rank_runs(profile);
	for (i = 0; i < profile->role_count; i++) {
		sort_readings(profile, &profile->roles[i]);
		if (profile->roles[i].count && !only_renamed(&profile->roles[i]))
			profile->roles[kept++] = profile->roles[i];
		else
			free(profile->roles[i].readings);
	}
	profile->role_count = kept;
	name_roles(profile);
	text_sort(profile->roles, profile->role_count, sizeof(*profile->roles),
		  by_section_and_name);
	sorted = NULL;
}
