/* SPDX-License-Identifier: MIT */
/* What a thread announces about the next thread that it creates. */
#include <stddef.h>
#include <string.h>

#include "create.h"

/*
 * The outer creator wins: a thread made inside task_spawn() by another creator is task_spawn's.
 * Frames tell a leave that an exception skipped.
 */
void __tek_creator_enter(struct tek_site *site, const void *entry, const char *name)
{
	struct tek_self *self = &tek_self;
	uintptr_t sp = CALLER_SP();

	if (self->pending && !self->pending_used && sp < self->pending_sp) {
		self->pending_depth++;
		return;
	}
	self->pending = site;
	self->pending_entry = entry;
	self->pending_name = name;
	self->pending_sp = sp;
	self->pending_depth = 0;
	self->pending_used = 0;
}

void __tek_creator_leave(struct tek_site *site)
{
	struct tek_self *self = &tek_self;
	uintptr_t sp = CALLER_SP();

	if (!self->pending)
		return;
	if (sp >= self->pending_sp || (!self->pending_depth && self->pending == site))
		self->pending = NULL;
	else if (self->pending_depth)
		self->pending_depth--;
}

int __tek_next_role(const char *role)
{
	tek_self.next_role = role;
	return 0;
}

static bool same_function(const struct tek_site *a, const struct tek_site *b)
{
	return !strcmp(a->function, b->function) && !strcmp(a->file, b->file);
}

/*
 * A pending creator call ends with its frame, even where a longjmp skipped the leave. At the very SP
 * of the creator's call the creation is the creator's if that was inlined or ends in a jump to
 * the creation, and a later one of the calling function itself if the site says so.
 */
static bool pending_alive(const struct tek_self *self, const struct tek_site *site, uintptr_t sp)
{
	if (!self->pending || sp > self->pending_sp)
		return false;
	return sp < self->pending_sp || !site || !same_function(site, self->pending);
}

struct subject creator_take(struct tek_site *site, const void *entry, uintptr_t sp)
{
	struct subject subject = { .site = site, .entry = entry };
	struct tek_self *self = &tek_self;

	if (pending_alive(self, site, sp) && !self->pending_used) {
		subject.inner = site;
		subject.site = self->pending;
		subject.entry = self->pending_entry;
		subject.name = self->pending_name;
		self->pending_used = 1;
	}
	if (self->next_role)
		subject.name = self->next_role;
	self->next_role = NULL;
	return subject;
}
