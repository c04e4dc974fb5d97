/* SPDX-License-Identifier: MIT */
#include "evidence.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

/* Index of the first role whose name is not before @name: roles are sorted. */
static size_t role_place(const struct evidence_section *section, const char *name)
{
	size_t low = 0, high = section->role_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(section->roles[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Sections are sorted too, so that a header does not depend on which target ran first. */
struct evidence_section *evidence_section(struct evidence *evidence, const char *name)
{
	struct evidence_section *section;
	size_t at = 0;
	int order = 1;

	while (at < evidence->section_count &&
	       (order = strcmp(evidence->sections[at].name, name)) < 0)
		at++;
	if (at < evidence->section_count && order == 0)
		return &evidence->sections[at];
	evidence->sections = text_grow(evidence->sections, &evidence->section_capacity,
				       evidence->section_count + 1, sizeof(*evidence->sections));
	section = &evidence->sections[at];
	memmove(section + 1, section, (evidence->section_count++ - at) * sizeof(*section));
	memset(section, 0, sizeof(*section));
	section->name = names_put(&evidence->names, name);
	section->current = -1;
	return section;
}

struct evidence_role *evidence_role(struct evidence *evidence, struct evidence_section *section,
				    const char *name)
{
	size_t at = role_place(section, name);
	struct evidence_role *role;

	if (at < section->role_count && strcmp(section->roles[at].name, name) == 0)
		return &section->roles[at];
	section->roles = text_grow(section->roles, &section->role_capacity, section->role_count + 1,
				   sizeof(*section->roles));
	role = &section->roles[at];
	memmove(role + 1, role, (section->role_count++ - at) * sizeof(*role));
	memset(role, 0, sizeof(*role));
	role->name = names_put(&evidence->names, name);
	role->line.build = -1;
	return role;
}

const struct evidence_section *evidence_find_section(const struct evidence *evidence,
						     const char *name)
{
	size_t i;

	for (i = 0; i < evidence->section_count; i++)
		if (strcmp(evidence->sections[i].name, name) == 0)
			return &evidence->sections[i];
	return NULL;
}

const struct evidence_role *evidence_find_role(const struct evidence_section *section,
					       const char *name)
{
	size_t at = role_place(section, name);

	return at < section->role_count && strcmp(section->roles[at].name, name) == 0
		       ? &section->roles[at]
		       : NULL;
}

void evidence_free(struct evidence *evidence)
{
	size_t i;

	for (i = 0; i < evidence->section_count; i++) {
		free(evidence->sections[i].roles);
		free(evidence->sections[i].run_ids);
	}
	free(evidence->sections);
	names_free(&evidence->names);
	memset(evidence, 0, sizeof(*evidence));
}

bool evidence_stale(const struct evidence *evidence, const struct profile_run *run)
{
	const struct evidence_section *section = evidence_find_section(evidence, run->section);

	return section && section->current >= 0 &&
	       !build_same(&section->builds[section->current], &run->build);
}

bool evidence_measured(const struct evidence_role *role)
{
	size_t i;

	for (i = 0; i < EVIDENCE_BUILDS; i++)
		if (role->builds[i].sound)
			return true;
	return false;
}

/* Return: true if the run had not been counted before. */
static bool count_run(struct evidence_section *section, const uint8_t id[16])
{
	size_t low = 0, high = section->run_count;
	uint64_t key;

	memcpy(&key, id, sizeof(key));
	key = be64toh(key);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (section->run_ids[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < section->run_count && section->run_ids[low] == key)
		return false;
	section->run_ids = text_grow(section->run_ids, &section->run_capacity,
				     section->run_count + 1, sizeof(*section->run_ids));
	memmove(&section->run_ids[low + 1], &section->run_ids[low],
		(section->run_count - low) * sizeof(*section->run_ids));
	section->run_ids[low] = key;
	section->run_count++;
	return true;
}

static void forget_build(struct evidence_section *section, int build)
{
	size_t i;

	for (i = 0; i < section->role_count; i++) {
		memset(&section->roles[i].builds[build], 0, sizeof(struct evidence_reading));
		if (section->roles[i].line.build == build)
			section->roles[i].line.build = -1;
	}
	section->build_runs[build] = 0;
	section->build_newest[build] = 0;
}

static int find_build(struct evidence *evidence, struct evidence_section *section,
		      const struct build *build)
{
	int i, place = -1;

	for (i = 0; i < EVIDENCE_BUILDS; i++)
		if (section->build_runs[i] && build_same(&section->builds[i], build))
			return i;
	for (i = 0; i < EVIDENCE_BUILDS; i++) {
		if (i == section->current)
			continue;
		if (place < 0 || section->build_newest[i] < section->build_newest[place])
			place = i;
		if (!section->build_runs[i]) {
			place = i;
			break;
		}
	}
	forget_build(section, place);
	section->builds[place] = (struct build){
		.target = names_put(&evidence->names, build->target),
		.compiler = names_put(&evidence->names, build->compiler),
		.libc = names_put(&evidence->names, build->libc),
		.options = build->options,
	};
	return place;
}

static void raise_to(uint64_t *largest, uint64_t value)
{
	if (value > *largest)
		*largest = value;
}

static uint32_t seen_in(const struct reading *reading, const struct profile_run *run)
{
	uint32_t seen = 0;

	if (!reading->started)
		return 0;
	seen |= EVIDENCE_RAN;
	if (run->flags & (TEK_RUN_SANITIZED | TEK_RUN_COVERAGE))
		return seen | EVIDENCE_SANITIZED;
	if (!(run->flags & TEK_RUN_MEASURE))
		seen |= EVIDENCE_UNMEASURED;
	if (reading_unread(reading))
		seen |= EVIDENCE_PARTIAL;
	if (reading->flags & TEK_TOTAL_FOREIGN)
		seen |= EVIDENCE_FOREIGN;
	if (reading->flags & TEK_TOTAL_SATURATED)
		seen |= EVIDENCE_SATURATED;
	if (reading->explicit_count)
		seen |= EVIDENCE_EXPLICIT;
	return seen;
}

/*
 * A whole reading (every instance read at its end, or from outside while it lived) sets the peak;
 * any other is a lower bound, which can raise a need and prove nothing else. @fresh: the run
 * counts for the first time. A run without page information misses what was reserved and left
 * zero, and a thread read from outside alone may have gone deeper before it died: such runs never make
 * the margin smaller.
 */
static void add_reading(struct evidence_reading *into, const struct reading *reading, uint32_t seen,
			bool fresh, bool pages)
{
	/* The high end on a foreign stack may be the program's own data: no lower bound. */
	uint64_t peak = seen & EVIDENCE_FOREIGN ? reading->peak_low : reading->peak_high;
	bool raised = peak > into->peak_high && peak > into->bound;
	bool whole = !(seen & (EVIDENCE_UNMEASURED | EVIDENCE_PARTIAL | EVIDENCE_FOREIGN |
			       EVIDENCE_SATURATED));
	bool first = !into->sound;

	if (!(seen & EVIDENCE_RAN))
		return;
	if (fresh)
		into->instances += reading->started;
	if (!whole) {
		raise_to(&into->bound, peak);
		if (raised && !first)
			into->runs.last_raise = into->runs.runs;
		return;
	}
	if (fresh && pages && reading->ended >= reading->started)
		into->runs.runs++;
	if (raised && !first)
		into->runs.last_raise = into->runs.runs;
	into->sound = true;
	into->exit_needed |= reading->returned < reading->started;
	raise_to(&into->peak_low, reading->peak_low);
	raise_to(&into->peak_high, peak);
}

static void note_target(struct evidence_section *section, const struct profile_run *run)
{
	raise_to(&section->page_size, run->page_size);
	raise_to(&section->overhead, run->overhead);
	raise_to(&section->signal_reserve, run->signal_reserve);
	raise_to(&section->minimum_stack, run->minimum_stack);
}

/* The run's place among the builds. Return: index of its build. */
static int add_run(struct evidence *evidence, struct evidence_section *section,
		   const struct profile_run *run, bool *fresh)
{
	int build = find_build(evidence, section, &run->build);

	*fresh = count_run(section, run->id);
	if (*fresh || !section->build_runs[build])
		section->build_runs[build]++;
	if (build != section->current &&
	    (section->current < 0 || run->start_ns >= section->build_newest[section->current])) {
		if (section->current >= 0)
			evidence_decide(evidence, section);
		section->current = build;
		section->in_row = 0;
	}
	if (*fresh && build == section->current)
		section->in_row++;
	if (build == section->current)
		note_target(section, run);
	raise_to(&section->build_newest[build], run->start_ns);
	return build;
}

static bool sizeable(const struct role *role)
{
	return !role->main_thread && !role->nameless && target_condition(role->section);
}

struct item {
	uint32_t rank;
	uint32_t role; /* of the profile */
	const struct reading *reading;
};

static int by_rank(const void *a, const void *b)
{
	const struct item *one = a, *two = b;

	if (one->rank != two->rank)
		return one->rank < two->rank ? -1 : 1;
	return one->role < two->role ? -1 : one->role > two->role;
}

/* All readings of sizeable roles in the order of their runs. */
static struct item *list_readings(const struct profile *profile, size_t *count)
{
	struct item *items = NULL;
	size_t capacity = 0, i, k;

	*count = 0;
	for (i = 0; i < profile->role_count; i++) {
		const struct role *role = &profile->roles[i];

		if (!sizeable(role))
			continue;
		for (k = 0; k < role->count; k++) {
			items = text_grow(items, &capacity, *count + 1, sizeof(*items));
			items[(*count)++] = (struct item){
				.rank = profile->runs[role->readings[k].run].rank,
				.role = (uint32_t)i,
				.reading = &role->readings[k],
			};
		}
	}
	text_sort(items, *count, sizeof(*items), by_rank);
	return items;
}

/* Index of each role of the profile in its section. All are put in first: that moves indexes. */
static uint32_t *map_roles(struct evidence *evidence, const struct profile *profile)
{
	uint32_t *map = text_alloc(profile->role_count, sizeof(*map));
	const struct evidence_section *section;
	size_t i;

	for (i = 0; i < profile->role_count; i++) {
		const struct role *role = &profile->roles[i];

		if (sizeable(role))
			evidence_role(evidence, evidence_section(evidence, role->section),
				      role->name);
	}
	for (i = 0; i < profile->role_count; i++) {
		const struct role *role = &profile->roles[i];

		if (!sizeable(role))
			continue;
		section = evidence_find_section(evidence, role->section);
		map[i] = (uint32_t)(evidence_find_role(section, role->name) - section->roles);
	}
	return map;
}

void evidence_add(struct evidence *evidence, const struct profile *profile)
{
	uint32_t *map = map_roles(evidence, profile);
	size_t count, i;
	struct item *items = list_readings(profile, &count);
	uint32_t run_index = TEK_RUN_NONE;
	bool fresh = false;
	int build = -1;

	for (i = 0; i < count; i++) {
		const struct profile_run *run = &profile->runs[items[i].reading->run];
		struct evidence_section *section = evidence_section(evidence, run->section);
		struct evidence_role *role = &section->roles[map[items[i].role]];
		uint32_t seen = seen_in(items[i].reading, run);

		role->seen |= seen;
		if (run->flags & (TEK_RUN_SANITIZED | TEK_RUN_COVERAGE))
			continue;
		if (run_index != items[i].reading->run) {
			run_index = items[i].reading->run;
			build = add_run(evidence, section, run, &fresh);
		}
		add_reading(&role->builds[build], items[i].reading, seen, fresh,
			    !(run->flags & TEK_RUN_NO_PAGES));
	}
	for (i = 0; i < evidence->section_count; i++)
		evidence_decide(evidence, &evidence->sections[i]);
	free(items);
	free(map);
}
