/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "table.h"

/* Page-aligned on every target, whose page is at most this. */
#define ALIGNMENT 65536u

static size_t aligned(size_t length)
{
	return (length + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

size_t table_length(void)
{
	return aligned(sizeof(struct tek_run_header)) + aligned(TEK_STRINGS) +
	       aligned(TEK_TOTALS * sizeof(struct tek_run_total)) +
	       aligned(TEK_SLOTS * sizeof(struct tek_run_slot)) +
	       aligned(TEK_SLOTS * sizeof(struct tek_run_sample));
}

/*
 * A page of a sparse file that has no room left would be SIGBUS at the first store. The kernel is
 * asked to store first: it answers EFAULT. (rt_sigprocmask writes the present mask, 8 bytes.)
 */
static int back(const char *base, size_t from, size_t to)
{
	for (; from < to; from += tek_target.page) {
		void *page = (void *)(base + from);

		if (arch_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)page, 8))
			return -ENOSPC;
		memset(page, 0, 8);
	}
	return 0;
}

/* Items below *ready are backed by memory; make that hold below @count, a page at a time. */
static int back_area(struct tek_process *process, const struct tek_run_area *area, uint32_t *ready,
		     uint32_t count)
{
	size_t page = tek_target.page;
	size_t from, to;
	int error;

	if (count <= *ready)
		return 0;
	if (count > area->capacity)
		return -ENOSPC;
	from = ((size_t)*ready * area->stride + page - 1) / page * page;
	to = ((size_t)count * area->stride + page - 1) / page * page;
	error = process->path[0] ? back((char *)process->header + area->offset, from, to) : 0;
	if (error)
		return error;
	*ready = (uint32_t)(to / area->stride);
	if (*ready > area->capacity)
		*ready = area->capacity;
	return 0;
}

static void lay_out(struct tek_run_area *area, size_t *offset, uint32_t stride, uint32_t capacity)
{
	area->offset = *offset;
	area->stride = stride;
	area->capacity = capacity;
	*offset += aligned((size_t)stride * capacity);
}

int table_attach(struct tek_process *process, void *base)
{
	struct tek_run_header *header = base;
	size_t offset = aligned(sizeof(*header));
	int error = process->path[0] ? back(base, 0, tek_target.page) : 0;

	if (error)
		return error;
	memcpy(header->magic, TEK_RUN_MAGIC, sizeof(header->magic));
	header->byte_order = TEK_RUN_BYTE_ORDER;
	header->major = TEK_RUN_MAJOR;
	header->minor = TEK_RUN_MINOR;
	header->header_size = sizeof(*header);
	lay_out(&header->strings, &offset, 1, TEK_STRINGS);
	lay_out(&header->totals, &offset, sizeof(struct tek_run_total), TEK_TOTALS);
	lay_out(&header->slots, &offset, sizeof(struct tek_run_slot), TEK_SLOTS);
	lay_out(&header->samples, &offset, sizeof(struct tek_run_sample), TEK_SLOTS);
	process->header = header;
	process->strings = (char *)base + header->strings.offset;
	process->totals = (void *)((char *)base + header->totals.offset);
	process->slots = (void *)((char *)base + header->slots.offset);
	process->samples = (void *)((char *)base + header->samples.offset);
	error = back_area(process, &header->strings, &process->strings_ready, 1);
	if (!error)
		error = back_area(process, &header->totals, &process->totals_ready, 1);
	if (!error)
		error = back_area(process, &header->slots, &process->slots_ready, 1);
	return error;
}

static bool same_string(uint32_t value, const void *key)
{
	return !strcmp(tek_process->strings + value, key);
}

uint32_t table_string(struct tek_process *process, const char *text)
{
	struct tek_run_area *area = &process->header->strings;
	uint32_t used = area->used;
	uint32_t length, hash, found;

	if (!text || strlen(text) >= TEK_STRINGS)
		return TEK_RUN_NONE;
	length = (uint32_t)strlen(text);
	hash = hash_bytes(HASH_START, text, length);
	found = index_find(&process->string_index, hash, same_string, text);
	if (found != UINT32_MAX)
		return found;
	if (length + 1 > area->capacity - used ||
	    back_area(process, area, &process->strings_ready, used + length + 1) ||
	    index_add(&process->string_index, hash, used))
		return TEK_RUN_NONE;
	memcpy(process->strings + used, text, length + 1);
	__atomic_store_n(&area->used, used + length + 1, __ATOMIC_RELEASE);
	return used;
}

static bool same_total(uint32_t value, const void *key)
{
	const struct tek_run_total *wanted = key;
	const struct tek_run_total *total = &tek_process->totals[value];

	return total->role == wanted->role && total->entry == wanted->entry &&
	       total->entry_file == wanted->entry_file && total->file == wanted->file &&
	       total->function == wanted->function && total->line == wanted->line &&
	       total->column == wanted->column && total->module == wanted->module &&
	       total->entry_offset == wanted->entry_offset;
}

static uint32_t hash_total(const struct tek_run_total *total)
{
	const uint32_t parts[] = {
		total->role,
		total->entry,
		total->entry_file,
		total->file,
		total->function,
		total->line,
		total->column,
		total->module,
		(uint32_t)total->entry_offset,
		(uint32_t)(total->entry_offset >> 32),
	};

	return hash_bytes(HASH_START, parts, sizeof(parts));
}

uint32_t table_total(struct tek_process *process, const struct tek_identity *identity)
{
	struct tek_run_area *area = &process->header->totals;
	struct tek_run_total total = {
		.role = table_string(process, identity->role),
		.entry = table_string(process, identity->entry),
		.entry_file = table_string(process, identity->entry_file),
		.file = table_string(process, identity->file),
		.function = table_string(process, identity->function),
		.module = table_string(process, identity->module),
		.line = identity->line,
		.column = identity->column,
		.flags = identity->flags,
		.entry_offset = identity->entry_offset,
		.tuned = identity->usable,
		.usable_min = ~0ull,
	};
	uint32_t hash = hash_total(&total);
	uint32_t found = index_find(&process->total_index, hash, same_total, &total);
	uint32_t used = area->used;

	if (found != UINT32_MAX) {
		__atomic_fetch_or(&process->totals[found].flags, identity->flags, __ATOMIC_RELAXED);
		if (identity->usable)
			process->totals[found].tuned = identity->usable;
		return found;
	}
	/* Without its role or entry the record would be mistaken for another's. */
	if ((identity->role && total.role == TEK_RUN_NONE) ||
	    (identity->entry && total.entry == TEK_RUN_NONE) ||
	    back_area(process, area, &process->totals_ready, used + 1) ||
	    index_add(&process->total_index, hash, used))
		return TEK_RUN_NONE;
	process->totals[used] = total;
	__atomic_store_n(&area->used, used + 1, __ATOMIC_RELEASE);
	return used;
}

uint32_t table_claim(struct tek_process *process)
{
	struct tek_run_area *area = &process->header->slots;
	uint32_t index;

	if (process->free_list) {
		index = process->free_list - 1;
		process->free_list = (uint32_t)(uintptr_t)process->launches[index].arg;
	} else {
		index = area->used;
		if (back_area(process, area, &process->slots_ready, index + 1))
			return TEK_RUN_NONE;
		__atomic_store_n(&area->used, index + 1, __ATOMIC_RELEASE);
	}
	return index;
}

void table_release(struct tek_process *process, uint32_t index)
{
	process->launches[index].arg = (void *)(uintptr_t)process->free_list;
	process->free_list = index + 1;
}

int table_samples(struct tek_process *process, uint32_t count)
{
	struct tek_run_area *area = &process->header->samples;
	int error = back_area(process, area, &process->samples_ready, count);

	if (!error && area->used < count)
		__atomic_store_n(&area->used, count, __ATOMIC_RELEASE);
	return error;
}
