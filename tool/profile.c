/* SPDX-License-Identifier: MIT */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include <tek/abi.h>

#include "symbols.h"
#include "target.h"
#include "tool.h"

void profile_init(struct profile *profile)
{
	memset(profile, 0, sizeof(*profile));
	profile->symbols = symbols_new();
}

void profile_free(struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->role_count; i++)
		free(profile->roles[i].readings);
	free(profile->roles);
	free(profile->runs);
	free(profile->index);
	names_free(&profile->names);
	symbols_free(profile->symbols);
}

bool build_same(const struct build *a, const struct build *b)
{
	return a->options == b->options && strcmp(a->target, b->target) == 0 &&
	       strcmp(a->compiler, b->compiler) == 0 && strcmp(a->libc, b->libc) == 0;
}

uint64_t reading_unread(const struct reading *reading)
{
	/*
	 * Where exit() came to some of the living threads and not to all, those have ended, as
	 * running, and may be sampled besides.
	 */
	uint64_t living = reading->sampled > reading->running ? reading->sampled - reading->running
							      : 0;
	uint64_t read = reading->ended + living;

	return reading->started > read ? reading->started - read : 0;
}

/* Valid UTF-8, one address per text; "" for none. */
static const char *keep(struct profile *profile, const char *text)
{
	char *valid;
	const char *kept;

	if (!text)
		return names_put(&profile->names, "");
	valid = text_valid(text);
	kept = names_put(&profile->names, valid);
	free(valid);
	return kept;
}

static size_t index_slot(const struct profile *profile, const uint32_t *index, size_t capacity,
			 const struct role *key)
{
	uint64_t hash = (uint64_t)(uintptr_t)key->base * 0x9e3779b97f4a7c15u ^
			(uint64_t)(uintptr_t)key->variant * 0xc2b2ae3d27d4eb4fu ^
			(uint64_t)(uintptr_t)key->section ^ key->main_thread;
	size_t at = (size_t)(hash ^ hash >> 29) & (capacity - 1);

	for (; index[at]; at = (at + 1) & (capacity - 1)) {
		const struct role *role = &profile->roles[index[at] - 1];

		if (role->base == key->base && role->variant == key->variant &&
		    role->section == key->section && role->main_thread == key->main_thread)
			break;
	}
	return at;
}

static struct role *find_role(struct profile *profile, const struct role *key)
{
	size_t at, i;

	if (profile->role_count * 2 >= profile->index_capacity) {
		size_t capacity = profile->index_capacity ? profile->index_capacity * 2 : 512;
		uint32_t *index = text_alloc(capacity, sizeof(*index));

		for (i = 0; i < profile->role_count; i++)
			index[index_slot(profile, index, capacity, &profile->roles[i])] =
				(uint32_t)i + 1;
		free(profile->index);
		profile->index = index;
		profile->index_capacity = capacity;
	}
	at = index_slot(profile, profile->index, profile->index_capacity, key);
	if (!profile->index[at]) {
		profile->roles = text_grow(profile->roles, &profile->role_capacity,
					   profile->role_count + 1, sizeof(*profile->roles));
		profile->roles[profile->role_count] = *key;
		profile->index[at] = (uint32_t)++profile->role_count;
	}
	return &profile->roles[profile->index[at] - 1];
}

/* Who a totals record speaks of. */
static struct role name_record(struct profile *profile, const struct run_file *run,
			       const struct tek_run_total *total)
{
	struct role key = { 0 };
	const char *name = run_file_string(run, total->role);
	const char *entry_file = run_file_string(run, total->entry_file);

	key.main_thread = total->flags & TEK_TOTAL_MAIN;
	key.entry = keep(profile, run_file_string(run, total->entry));
	key.file = keep(profile, run_file_string(run, total->file));
	key.line = total->line;
	if (!name || !*name)
		name = *key.entry ? key.entry : NULL;
	if (key.main_thread) {
		name = "main";
	} else if (!name) {
		const char *module = run_file_string(run, total->module);
		char *symbol = symbols_name(profile->symbols, module, total->entry_offset,
					    run->header.start_realtime_ns);

		key.nameless = !symbol;
		if (!symbol)
			symbol = text_format("%s+0x%llx", module ? module : "?",
					     (unsigned long long)total->entry_offset);
		key.base = keep(profile, symbol);
		if (!key.nameless)
			key.entry = key.base;
		free(symbol);
	}
	if (name)
		key.base = keep(profile, name);
	if (total->flags & TEK_SITE_STATIC_ENTRY && !(total->flags & TEK_TOTAL_NAMED) &&
	    !key.main_thread && entry_file && *entry_file)
		key.variant = keep(profile, entry_file);
	return key;
}

static struct reading *find_reading(struct role *role, uint32_t run)
{
	struct reading *reading;

	if (role->count && role->readings[role->count - 1].run == run)
		return &role->readings[role->count - 1];
	role->readings = text_grow(role->readings, &role->capacity, role->count + 1,
				   sizeof(*role->readings));
	reading = &role->readings[role->count++];
	memset(reading, 0, sizeof(*reading));
	reading->run = run;
	return reading;
}

static void raise_to(uint64_t *largest, uint64_t value)
{
	if (value > *largest)
		*largest = value;
}

/* The record with the deepest peak gives the role its site; one that ran beats one that did not. */
static void note_deepest(struct role *role, const struct role *record, uint64_t peak, bool ran)
{
	if ((!ran && role->ran) || (ran == role->ran && peak <= role->deepest))
		return;
	role->entry = record->entry;
	role->file = record->file;
	role->line = record->line;
	role->deepest = peak;
	role->ran = ran;
}

static void add_total(struct reading *reading, const struct tek_run_total *total)
{
	reading->flags |= total->flags;
	reading->started += total->started;
	reading->ended += total->ended;
	reading->returned += total->returned;
	reading->running += total->running;
	reading->explicit_count += total->explicit_count;
	reading->tuned_count += total->tuned_count;
	reading->retries += total->retries;
	reading->high_count += total->high_count;
	reading->alive_max += total->alive_max;
	raise_to(&reading->peak_low, total->peak_low);
	raise_to(&reading->peak_high, total->peak_high);
	raise_to(&reading->peak_high, reading->peak_low);
	raise_to(&reading->usable_max, total->usable_max);
	raise_to(&reading->explicit_max, total->explicit_max);
	raise_to(&reading->tuned, total->tuned);
	if (total->started && (!reading->usable_min || total->usable_min < reading->usable_min))
		reading->usable_min = total->usable_min;
}

/*
 * Threads that were alive when the file was last written. After exit() they have been read, but ran
 * on until the process was gone: what their probes saw since counts.
 */
static void add_living(struct profile *profile, const struct run_file *run, uint32_t run_index,
		       const uint32_t *role_of)
{
	bool exited = run->header.ended == TEK_RUN_EXITED;
	uint32_t i;

	for (i = 0; i < run->slot_count; i++) {
		const struct tek_run_slot *slot = &run->slots[i];
		struct reading *reading;
		struct role *role;
		uint64_t low, high;

		if (!(slot->flags & TEK_SLOT_LIVE) || slot->total >= run->total_count)
			continue;
		role = &profile->roles[role_of[slot->total]];
		reading = find_reading(role, run_index);
		if (run_slot_reading(run, i, &low, &high) && !exited)
			reading->sampled++;
		raise_to(&reading->peak_low, low);
		raise_to(&reading->peak_high, high);
		raise_to(&reading->usable_max, slot->usable);
		if (reading->peak_high > role->deepest)
			role->deepest = reading->peak_high;
	}
}

static struct profile_run *new_run(struct profile *profile, const char *path,
				   const struct run_file *file)
{
	const struct tek_run_header *header = &file->header;
	struct profile_run *run;

	profile->runs = text_grow(profile->runs, &profile->run_capacity, profile->run_count + 1,
				  sizeof(*profile->runs));
	run = &profile->runs[profile->run_count++];
	memset(run, 0, sizeof(*run));
	memcpy(run->id, header->run_id, sizeof(run->id));
	run->path = keep(profile, path);
	run->build.target = keep(profile, run_file_string(file, header->target));
	run->build.compiler = keep(profile, run_file_string(file, header->compiler));
	run->build.libc = keep(profile, run_file_string(file, header->libc));
	run->build.options = (uint64_t)header->options_hi << 32 | header->options_lo;
	run->section = keep(
		profile, target_section(run->build.target, header->elf_machine, header->elf_class));
	run->start_ns = header->start_realtime_ns;
	run->flags = header->flags;
	run->exited = header->ended == TEK_RUN_EXITED;
	run->page_size = header->page_size;
	run->minimum_stack = header->minimum_stack;
	run->overhead = header->overhead;
	run->signal_reserve = header->signal_reserve;
	run->low_percent = header->low_percent;
	run->high_percent = header->high_percent;
	run->untotalled = header->untotalled;
	run->unprobed = header->unprobed;
	return run;
}

void profile_add(struct profile *profile, const char *path, const struct run_file *file)
{
	uint32_t *role_of = text_alloc(file->total_count, sizeof(*role_of));
	uint32_t run_index = (uint32_t)profile->run_count;
	struct profile_run *run = new_run(profile, path, file);
	uint32_t i;
	size_t k;

	for (i = 0; i < file->total_count; i++) {
		const struct tek_run_total *total = &file->totals[i];
		struct role key = name_record(profile, file, total);
		struct role *role;

		key.section = run->section;
		role = find_role(profile, &key);
		role_of[i] = (uint32_t)(role - profile->roles);
		role->flags |= total->flags;
		note_deepest(role, &key, total->peak_high, total->started > 0);
		add_total(find_reading(role, run_index), total);
		run->ended += total->ended;
	}
	add_living(profile, file, run_index, role_of);
	for (k = 0; k < profile->role_count; k++) {
		const struct role *role = &profile->roles[k];

		if (role->count && role->readings[role->count - 1].run == run_index)
			run->depth += role->readings[role->count - 1].peak_low +
				      role->readings[role->count - 1].peak_high;
	}
	free(role_of);
}

struct role_sum role_sum(const struct role *role)
{
	struct role_sum sum = { 0 };
	size_t i;

	for (i = 0; i < role->count; i++) {
		const struct reading *reading = &role->readings[i];

		sum.started += reading->started;
		sum.ended += reading->ended;
		sum.returned += reading->returned;
		sum.explicit_count += reading->explicit_count;
		sum.tuned_count += reading->tuned_count;
		raise_to(&sum.alive_max, reading->alive_max);
		raise_to(&sum.peak_low, reading->peak_low);
		raise_to(&sum.peak_high, reading->peak_high);
		raise_to(&sum.usable_max, reading->usable_max);
		raise_to(&sum.explicit_max, reading->explicit_max);
		sum.partial |= reading->started > reading->ended;
		sum.measured |= reading->ended || reading->sampled || reading->peak_high;
	}
	return sum;
}
