/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "module.h"
#include "object.h"
#include "thread.h"

/* Further copies of the words that can be armed; more are reported as unprobed. */
#define COPIES 16

#define STEP(record) ((void *)((char *)(record) + (record)->size))

/*
 * Modules are registered before the process state exists and outlive it in a forked child, hence
 * no part of it. Written under list_lock, which a forked child finds free: see module_list_all().
 */
static struct tek_module *modules;
static uint32_t list_lock;

/* Distance of a copy from the thread pointer, the same in every thread; 0: free. */
static struct copy {
	intptr_t distance;
	const struct tek_module *module;
} copies[COPIES];

static uint32_t sanitized;

bool module_sanitized(void)
{
	return __atomic_load_n(&sanitized, __ATOMIC_RELAXED);
}

struct tek_identity identity_of_site(const struct tek_site *site)
{
	return (struct tek_identity){
		.role = site->role,
		.entry = site->entry,
		.entry_file = site->entry_file,
		.file = site->file,
		.function = site->function,
		.line = site->line,
		.column = site->column,
		.flags = site->flags & 0xffff,
		.usable = site->usable,
	};
}

struct tek_identity identity_of_role(const struct tek_role *role)
{
	return (struct tek_identity){
		.role = role->role,
		.entry = role->name,
		.entry_file = role->file,
		.flags = (role->flags & 0xffff) | TEK_TOTAL_ENTRY_ONLY,
		.usable = role->usable,
	};
}

const struct tek_role *module_role(const void *entry)
{
	const struct tek_module *module;
	const struct tek_role *role;

	for (module = modules; module; module = module->next) {
		for (role = module->roles; role < module->roles_end; role = STEP(role)) {
			if (role->entry == entry)
				return role;
			if (!role->size)
				break;
		}
	}
	return NULL;
}

const struct tek_size *module_size(const char *role)
{
	const struct tek_module *module;
	const struct tek_size *size;

	for (module = modules; module; module = module->next) {
		for (size = module->sizes; size < module->sizes_end; size = STEP(size)) {
			if (!size->size)
				break;
			if (!strcmp(size->role, role))
				return size;
		}
	}
	return NULL;
}

static uint32_t unit_flags(const struct tek_module *module)
{
	const struct tek_unit *unit;
	uint32_t flags = 0;

	for (unit = module->units; unit < module->units_end && unit->size; unit = STEP(unit))
		flags |= unit->flags;
	return flags;
}

/*
 * The executable's units make the fingerprint: sorted and distinct options would need memory, so
 * each distinct one is added up, which no order changes.
 */
static void fingerprint(struct tek_process *process, const struct tek_module *module)
{
	struct tek_run_header *header = process->header;
	const struct tek_unit *unit, *other;
	uint64_t sum = 0;

	for (unit = module->units; unit < module->units_end && unit->size; unit = STEP(unit)) {
		for (other = module->units; other < unit; other = STEP(other)) {
			if (other->options_lo == unit->options_lo &&
			    other->options_hi == unit->options_hi)
				break;
		}
		if (other == unit)
			sum += (uint64_t)unit->options_hi << 32 | unit->options_lo;
	}
	unit = module->units;
	if (unit >= module->units_end)
		return;
	/* Libraries register before the executable; its units are the program's. */
	if (header->target != TEK_RUN_NONE && !object_find(module).main)
		return;
	header->options_lo = (uint32_t)sum;
	header->options_hi = (uint32_t)(sum >> 32);
	header->compiler = table_string(process, unit->compiler);
	header->target = table_string(process, unit->target);
}

static void list(struct tek_process *process, struct tek_module *module)
{
	const struct tek_role *role;
	struct tek_site *site;
	uint32_t flags = unit_flags(module);
	uint32_t seen = 0;

	if (flags & TEK_UNIT_SANITIZED)
		seen |= TEK_RUN_SANITIZED;
	if (flags & TEK_UNIT_COVERAGE)
		seen |= TEK_RUN_COVERAGE;
	if ((flags & (TEK_UNIT_LTO | TEK_UNIT_PROBED)) == TEK_UNIT_LTO)
		seen |= TEK_RUN_UNPROBED_LTO;
	__atomic_fetch_or(&process->header->flags, seen, __ATOMIC_RELAXED);
	for (site = module->sites; site < module->sites_end && site->size; site = STEP(site)) {
		struct tek_identity identity = identity_of_site(site);

		site->record = 0; /* a parent's index, in a forked child */
		identity.flags |= TEK_TOTAL_LISTED;
		/* A site without a role is listed when a role is known: by its first thread. */
		if (process->measure && site->role)
			site->record = table_total(process, &identity) + 1;
	}
	for (role = module->roles; role < module->roles_end && role->size; role = STEP(role)) {
		struct tek_identity identity = identity_of_role(role);

		identity.flags |= TEK_TOTAL_LISTED;
		/* Known by its type alone it need not be a thread's: listed when it runs. */
		if (process->measure && role_declared(role))
			table_total(process, &identity);
	}
}

static const struct copy *copy_of(const struct tek_module *module)
{
	size_t i;

	for (i = 0; i < COPIES; i++) {
		if (copies[i].distance && copies[i].module == module)
			return &copies[i];
	}
	return NULL;
}

static struct tek_words *words_at(const struct tek_words *ours, intptr_t distance)
{
	return (struct tek_words *)((uintptr_t)ours + (uintptr_t)distance);
}

/* Also in threads that live already: nobody writes words that are not armed. */
static void arm_everywhere(struct tek_process *process, intptr_t distance)
{
	uint32_t used = __atomic_load_n(&process->header->slots.used, __ATOMIC_ACQUIRE);
	uint32_t i;

	for (i = 0; i < used; i++) {
		struct tek_launch *launch = &process->launches[i];

		if (__atomic_load_n(&process->slots[i].flags, __ATOMIC_ACQUIRE) & TEK_SLOT_LIVE)
			thread_arm(words_at(launch->words, distance), launch, &process->slots[i],
				   0);
	}
}

static void find_copy(struct tek_process *process, struct tek_module *module)
{
	intptr_t distance;
	size_t i;

	if (!module->words)
		return;
	distance = (intptr_t)((uintptr_t)module->words() - (uintptr_t)&__tek_words);
	if (!distance)
		return;
	for (i = 0; i < COPIES && copies[i].distance; i++) {
		if (copies[i].distance == distance)
			return;
	}
	if (i == COPIES) {
		count_up(&process->header->unprobed);
		return;
	}
	copies[i].module = module;
	__atomic_store_n(&copies[i].distance, distance, __ATOMIC_RELEASE);
	arm_everywhere(process, distance);
}

void module_arm_copies(const struct tek_launch *launch, struct tek_run_slot *slot)
{
	size_t i;

	for (i = 0; i < COPIES; i++) {
		intptr_t distance = __atomic_load_n(&copies[i].distance, __ATOMIC_ACQUIRE);

		/* The crossing into the High Zone is seen by our own words alone. */
		if (distance)
			thread_arm(words_at(&__tek_words, distance), launch, slot, 0);
	}
}

void module_disarm_copies(void)
{
	size_t i;

	for (i = 0; i < COPIES; i++) {
		intptr_t distance = __atomic_load_n(&copies[i].distance, __ATOMIC_ACQUIRE);

		if (distance)
			__atomic_store_n(&words_at(&__tek_words, distance)->line, 0,
					 __ATOMIC_RELEASE);
	}
}

void module_list_all(struct tek_process *process, bool forked)
{
	struct tek_module *module;

	if (forked)
		list_lock = 0; /* its holder stayed behind */
	for (module = modules; module; module = module->next) {
		list(process, module);
		find_copy(process, module);
	}
	for (module = modules; module; module = module->next)
		fingerprint(process, module);
}

void __tek_module_add(struct tek_module *module)
{
	struct tek_process *process = tek_process;
	struct tek_module *other;

	if (!module || module->abi != TEK_ABI_VERSION || module->size < sizeof(*module))
		return;
	if (unit_flags(module) & TEK_UNIT_SANITIZED)
		__atomic_store_n(&sanitized, 1, __ATOMIC_RELAXED);
	lock_take(&list_lock);
	for (other = modules; other && other != module; other = other->next)
		continue;
	if (!other) {
		module->next = modules;
		__atomic_store_n(&modules, module, __ATOMIC_RELEASE);
	}
	lock_give(&list_lock);
	if (other || !process || !__atomic_load_n(&process->ready, __ATOMIC_ACQUIRE))
		return;
	lock_take(&process->lock);
	list(process, module);
	find_copy(process, module);
	fingerprint(process, module);
	lock_give(&process->lock);
}

void __tek_module_remove(struct tek_module *module)
{
	struct tek_process *process = tek_process;
	struct tek_module **link;
	struct copy *copy;

	if (process)
		lock_take(&process->lock);
	lock_take(&list_lock);
	for (link = &modules; *link && *link != module; link = &(*link)->next)
		continue;
	if (*link)
		*link = module->next;
	copy = (struct copy *)copy_of(module);
	if (copy) {
		copy->distance = 0;
		copy->module = NULL;
	}
	lock_give(&list_lock);
	if (process)
		lock_give(&process->lock);
}
