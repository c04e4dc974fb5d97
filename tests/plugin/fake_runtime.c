/* SPDX-License-Identifier: MIT */
/*
 * Stands in for libtek in the plugin's tests: prints what the plugin handed over, one line a
 * record, and carries the calls out. DUMP=1 in the environment prints the module's records.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#include "tek/abi.h"

int __tek_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *,
			 struct tek_site *);
int __tek_thrd_create(thrd_t *, thrd_start_t, void *, struct tek_site *);
void __tek_creator_enter(struct tek_site *, const void *, const char *);
void __tek_creator_leave(struct tek_site *);
void __tek_module_add(struct tek_module *);
void __tek_module_remove(struct tek_module *);

static const char *text(const char *string)
{
	return string ? string : "-";
}

static const char *base(const char *path)
{
	const char *slash = path;

	for (const char *at = path; at && *at; at++)
		slash = *at == '/' ? at + 1 : slash;
	return text(slash);
}

static void print_site(const char *verb, const struct tek_site *site)
{
	printf("%s role=%s entry=%s file=%s:%u in=%s from=%s usable=%lu flags=%x\n", verb,
	       text(site->role), text(site->entry), base(site->file), site->line,
	       text(site->function), text(site->entry_file), (unsigned long)site->usable,
	       site->flags);
	fflush(stdout);
	if (site->size != sizeof(*site) || site->record || site->reserved || !site->column)
		abort();
}

int __tek_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*entry)(void *),
			 void *arg, struct tek_site *site)
{
	print_site("create", site);
	return pthread_create(thread, attr, entry, arg);
}

int __tek_thrd_create(thrd_t *thread, thrd_start_t entry, void *arg, struct tek_site *site)
{
	print_site("thrd", site);
	return thrd_create(thread, entry, arg);
}

void __tek_creator_enter(struct tek_site *site, const void *entry, const char *name)
{
	print_site("enter", site);
	printf("name=%s entry=%s\n", text(name), entry ? "given" : "null");
	fflush(stdout);
}

void __tek_creator_leave(struct tek_site *site)
{
	printf("leave %s\n", text(site->role));
	fflush(stdout);
}

/* The records stand in link order, which is no contract: the tests sort the lines. */
static void dump(const struct tek_module *module)
{
	for (const struct tek_site *site = module->sites; site < module->sites_end; site++)
		print_site("site", site);
	for (const struct tek_role *role = module->roles; role < module->roles_end; role++) {
		printf("role %s name=%s from=%s:%u usable=%lu flags=%x entry=%s\n",
		       text(role->role), text(role->name), text(role->file), role->line,
		       (unsigned long)role->usable, role->flags, role->entry ? "given" : "null");
		if (role->size != sizeof(*role) || role->reserved)
			abort();
	}
	for (const struct tek_size *size = module->sizes; size < module->sizes_end; size++) {
		printf("size %s usable=%lu flags=%x\n", text(size->role),
		       (unsigned long)size->usable, size->flags);
		if (size->size != sizeof(*size))
			abort();
	}
	for (const struct tek_unit *unit = module->units; unit < module->units_end; unit++) {
		printf("unit %s %s flags=%x hash=%08x%08x\n", text(unit->compiler),
		       text(unit->target), unit->flags, unit->options_hi, unit->options_lo);
		if (unit->size != sizeof(*unit))
			abort();
	}
	printf("module words=%s\n", module->words && module->words() ? "given" : "null");
	fflush(stdout);
}

void __tek_module_add(struct tek_module *module)
{
	if (module->size != sizeof(*module) || module->abi != TEK_ABI_VERSION || module->next)
		abort();
	if (getenv("DUMP"))
		dump(module);
}

void __tek_module_remove(struct tek_module *module)
{
	if (getenv("DUMP"))
		printf("module removed %u\n", module->abi);
}
