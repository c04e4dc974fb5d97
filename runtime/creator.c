/* SPDX-License-Identifier: MIT */
/* What a thread announces about the next thread that it creates. */
#include <stddef.h>

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

/* A pending creator call ends with its frame, even where an exception skipped the leave. */
static bool pending_alive(const struct tek_self *self, uintptr_t sp)
{
	return self->pending && sp < self->pending_sp;
}

struct subject creator_take(struct tek_site *site, const void *entry, uintptr_t sp)
{
	struct subject subject = { .site = site, .entry = entry };
	struct tek_self *self = &tek_self;

	if (pending_alive(self, sp) && !self->pending_used) {
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
