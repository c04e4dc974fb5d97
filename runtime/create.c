/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "config.h"
#include "create.h"
#include "message.h"
#include "module.h"
#include "object.h"
#include "sizes.h"
#include "table.h"

extern int pthread_getattr_default_np(pthread_attr_t *) __attribute__((weak));

/* One creation on its way. */
struct creation {
	struct subject subject;
	struct request request;
	struct tek_launch *launch; /* null: no slot, runs unregistered */
	uint32_t total;
	size_t tuned; /* attribute's stack size; 0: the caller's */
};

static void name_by_address(struct tek_identity *identity, const void *entry)
{
	const struct tek_role *role = module_role(entry);
	struct object object;

	if (role) {
		identity->role = role->role;
		identity->entry = role->name;
		identity->entry_file = role->file;
		identity->flags |= role->flags & 0xffff;
		identity->usable = role->usable;
		return;
	}
	object = object_find(entry);
	if (!object.path)
		return;
	identity->module = object.main ? tek_process->strings + tek_process->header->program
				       : object.path;
	identity->entry_offset = object.offset;
}

static void mark_renamed(struct tek_process *process, uint32_t total)
{
	if (total != TEK_RUN_NONE)
		__atomic_fetch_or(&process->totals[total].flags, TEK_TOTAL_RENAMED,
				  __ATOMIC_RELAXED);
}

/*
 * The run file lists sites and declared roles. Those whose threads carry another name, from a
 * creator or from tek_next_role(), would look as if they had never run.
 */
static void note_renamed(struct tek_process *process, const struct subject *subject,
			 const char *name)
{
	const struct tek_role *role = module_role(subject->entry);
	struct tek_identity identity;

	if (subject->inner && subject->inner->record)
		mark_renamed(process, subject->inner->record - 1);
	if (subject->name && subject->site && subject->site->record)
		mark_renamed(process, subject->site->record - 1);
	if (!role || !role_declared(role) || !name || !strcmp(role->role, name))
		return;
	identity = identity_of_role(role);
	mark_renamed(process, table_total(process, &identity));
}

/* Under process.lock. */
static uint32_t find_total(struct tek_process *process, const struct subject *subject)
{
	struct tek_identity identity = { .flags = TEK_TOTAL_ENTRY_ONLY };

	if (subject->site)
		identity = identity_of_site(subject->site);
	if (!identity.role)
		name_by_address(&identity, subject->entry);
	if (subject->name) {
		identity.role = subject->name;
		identity.flags = (identity.flags | TEK_TOTAL_NAMED) & ~TEK_SITE_OVERRIDE;
		identity.usable = 0;
	}
	sizes_complete(&identity);
	if (process->measure)
		note_renamed(process, subject, identity.role);
	return table_total(process, &identity);
}

static uint32_t total_for(struct tek_process *process, const struct subject *subject)
{
	struct tek_site *site = subject->site;
	bool cached = site && site->role && !subject->name;
	uint32_t total;

	if (cached && __atomic_load_n(&site->record, __ATOMIC_RELAXED))
		return site->record - 1;
	lock_take(&process->lock);
	total = find_total(process, subject);
	if (total == TEK_RUN_NONE)
		count_up(&process->header->untotalled);
	else if (cached)
		__atomic_store_n(&site->record, total + 1, __ATOMIC_RELAXED);
	lock_give(&process->lock);
	return total;
}

static size_t tuned_size(struct tek_process *process, const struct creation *creation)
{
	const struct request *request = &creation->request;
	const struct tek_run_total *total = &process->totals[creation->total];

	if (creation->total == TEK_RUN_NONE || !total->tuned || request->foreign ||
	    request->unguarded || (process->header->flags & TEK_RUN_SANITIZED))
		return 0;
	if (request->explicit_size && !(total->flags & TEK_SITE_OVERRIDE))
		return 0;
	return sizes_attribute((size_t)total->tuned);
}

static uint32_t launch_flags(const struct creation *creation)
{
	return (creation->request.foreign ? LAUNCH_FOREIGN : 0) |
	       (creation->request.unguarded ? LAUNCH_NO_GUARD : 0) |
	       (creation->tuned ? LAUNCH_TUNED : 0);
}

static uint32_t slot_flags(const struct creation *creation)
{
	return (creation->request.foreign ? TEK_SLOT_FOREIGN : 0) |
	       (creation->request.detached ? TEK_SLOT_DETACHED : 0) |
	       (creation->tuned ? TEK_SLOT_TUNED : 0) |
	       (creation->request.explicit_size && !creation->tuned ? TEK_SLOT_EXPLICIT : 0);
}

/* Every so often: swap that came after the start. Here, where no stack is being read. */
#define SWAP_TICK_MS 64u

static void look_for_swap(uint32_t now_ms)
{
	static uint32_t asked; /* tick of the last question */

	if (__atomic_exchange_n(&asked, now_ms / SWAP_TICK_MS, __ATOMIC_RELAXED) !=
	    now_ms / SWAP_TICK_MS)
		process_look_for_swap();
}

/* Also after a refused tuned size: what the new thread is told of its stack. */
static void fill_launch(struct tek_process *process, struct creation *creation, void *(*fn)(void *),
			void *arg)
{
	struct tek_launch *launch = creation->launch;
	struct tek_run_slot *slot;
	struct timespec now;

	if (!launch)
		return;
	*launch = (struct tek_launch){
		.fn = fn,
		.arg = arg,
		.lo = creation->tuned ? creation->tuned : creation->request.size,
		.cfa = creation->request.address,
		.flags = launch_flags(creation),
		.total = creation->total,
	};
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	slot = &process->slots[launch - process->launches];
	slot_write_begin(slot);
	slot->generation++;
	__atomic_store_n(&slot->flags, slot_flags(creation), __ATOMIC_RELAXED);
	slot->total = creation->total;
	slot->policy = creation->request.policy;
	slot->priority = creation->request.priority;
	slot->lo = 0;
	slot->usable = 0;
	slot->lowest = UINTPTR_MAX;
	slot->clean = 0;
	slot->painted = 0;
	slot->created_ms = (uint32_t)(((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec -
				       process->start_ns) /
				      1000000u);
	slot_write_end(slot);
	if (process->measure)
		look_for_swap(slot->created_ms);
}

/* Before the call: the thread may have ended when it returns. */
static void count_start(struct tek_process *process, const struct creation *creation)
{
	struct tek_run_total *total = &process->totals[creation->total];

	if (creation->total == TEK_RUN_NONE)
		return;
	count_up(&total->started);
	if (creation->launch)
		raise_to(&total->alive_max, __atomic_add_fetch(&total->alive, 1, __ATOMIC_RELAXED));
	if (creation->tuned)
		count_up(&total->tuned_count);
	else if (creation->request.explicit_size)
		count_up(&total->explicit_count);
	if (creation->request.foreign)
		__atomic_fetch_or(&total->flags, TEK_TOTAL_FOREIGN, __ATOMIC_RELAXED);
	if (creation->request.explicit_size && total->explicit_max < creation->request.size) {
		lock_take(&process->lock);
		if (total->explicit_max < creation->request.size)
			total->explicit_max = creation->request.size;
		lock_give(&process->lock);
	}
}

static void uncount_start(struct tek_process *process, const struct creation *creation)
{
	struct tek_run_total *total = &process->totals[creation->total];

	if (creation->total == TEK_RUN_NONE)
		return;
	count_down(&total->started);
	if (creation->launch)
		count_down(&total->alive);
	if (creation->tuned)
		count_down(&total->tuned_count);
	else if (creation->request.explicit_size)
		count_down(&total->explicit_count);
}

static void prepare(struct tek_process *process, struct creation *creation, struct tek_site *site,
		    const pthread_attr_t *attr, void *(*fn)(void *), void *arg, uintptr_t sp)
{
	uint32_t index;

	creation->subject = creator_take(site, (const void *)(uintptr_t)fn, sp);
	creation->request = request_read(attr);
	creation->total = total_for(process, &creation->subject);
	creation->tuned = tuned_size(process, creation);
	lock_take(&process->lock);
	index = table_claim(process);
	lock_give(&process->lock);
	creation->launch = index == TEK_RUN_NONE ? NULL : &process->launches[index];
	if (!creation->launch)
		count_up(&process->header->lost);
	fill_launch(process, creation, fn, arg);
	count_start(process, creation);
}

static void give_up(struct tek_process *process, struct creation *creation)
{
	uncount_start(process, creation);
	if (!creation->launch)
		return;
	lock_take(&process->lock);
	table_release(process, (uint32_t)(creation->launch - process->launches));
	lock_give(&process->lock);
}

static int call_tuned(pthread_t *thread, const pthread_attr_t *attr, size_t size,
		      void *(*fn)(void *), void *arg)
{
	pthread_attr_t copy;
	int error;

	if (attr) {
		/* Shallow: what it points to stays the caller's, whose object is not changed. */
		memcpy(&copy, attr, sizeof(copy));
	} else if (pthread_getattr_default_np) {
		error = pthread_getattr_default_np(&copy);
		if (error)
			return EAGAIN;
	} else {
		pthread_attr_init(&copy);
	}
	error = pthread_attr_setstacksize(&copy, size);
	if (!error)
		error = real_pthread_create(thread, &copy, fn, arg);
	if (!attr)
		pthread_attr_destroy(&copy);
	return error;
}

/* The caller's own attributes, after the system refused the tuned size. */
static void plan_retry(struct tek_process *process, struct creation *creation, int error,
		       void *(*fn)(void *), void *arg)
{
	uncount_start(process, creation);
	if (!__atomic_fetch_add(&process->header->retries, 1, __ATOMIC_RELAXED) &&
	    tek_config.verbose)
		message("a thread with a tuned stack of %zu bytes was refused (%s) and created "
			"with "
			"the caller's own attributes; later ones are only counted",
			creation->tuned, strerror(error));
	if (creation->total != TEK_RUN_NONE)
		count_up(&process->totals[creation->total].retries);
	creation->tuned = 0;
	fill_launch(process, creation, fn, arg);
	count_start(process, creation);
}

int create_thread(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg,
		  struct tek_site *site, uintptr_t sp)
{
	struct tek_process *process = tek_self.in_room ? NULL : process_ready();
	struct creation creation;
	int saved = errno, error;
	void *(*start)(void *);
	void *block;

	if (!process)
		return real_pthread_create(thread, attr, fn, arg);
	prepare(process, &creation, site, attr, fn, arg, sp);
	start = creation.launch ? tek_start_thread : fn;
	block = creation.launch ? (void *)creation.launch : arg;
	errno = saved;
	tek_self.in_room = 1;
	if (creation.tuned) {
		error = call_tuned(thread, attr, creation.tuned, start, block);
		if (error == EINVAL || error == EAGAIN) {
			plan_retry(process, &creation, error, fn, arg);
			errno = saved;
			error = real_pthread_create(thread, attr, start, block);
		}
	} else {
		error = real_pthread_create(thread, attr, start, block);
	}
	tek_self.in_room = 0;
	if (error) {
		saved = errno;
		give_up(process, &creation);
		errno = saved;
	}
	return error;
}

/*
 * thrd_create takes no attributes. A tuned C11 thread is made by pthread_create: thrd_t is
 * pthread_t, and thrd_join takes the int from the result's low half, in glibc and musl.
 */
int create_c11(thrd_t *thread, thrd_start_t fn, void *arg, struct tek_site *site, uintptr_t sp)
{
	struct tek_process *process = tek_self.in_room ? NULL : process_ready();
	void *(*routine)(void *) = (void *(*)(void *))(uintptr_t)fn;
	struct creation creation;
	int saved = errno, error = EAGAIN, result = thrd_success;
	void *(*start)(void *);
	void *block;

	_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "thrd_t is not pthread_t");
	if (!process)
		return real_thrd_create(thread, fn, arg);
	prepare(process, &creation, site, NULL, routine, arg, sp);
	start = creation.launch ? tek_start_thread : routine;
	block = creation.launch ? (void *)creation.launch : arg;
	errno = saved;
	tek_self.in_room = 1;
	if (creation.tuned) {
		error = call_tuned((pthread_t *)thread, NULL, creation.tuned, start, block);
		if (error)
			plan_retry(process, &creation, error, routine, arg);
		errno = saved;
	}
	if (error)
		result = real_thrd_create(thread, (thrd_start_t)(uintptr_t)start, block);
	tek_self.in_room = 0;
	if (result != thrd_success) {
		saved = errno;
		give_up(process, &creation);
		errno = saved;
	}
	return result;
}

int __tek_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
			 void *arg, struct tek_site *site)
{
	return create_thread(thread, attr, fn, arg, site, CALLER_SP());
}

int __tek_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg, struct tek_site *site)
{
	return create_c11(thread, fn, arg, site, CALLER_SP());
}
