/* SPDX-License-Identifier: MIT */
#include "tool_fixture.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tek_run_area area(size_t offset, size_t stride, size_t capacity)
{
	return (struct tek_run_area){ .offset = offset,
				      .stride = (uint32_t)stride,
				      .capacity = (uint32_t)capacity };
}

struct fixture *fixture_new(uint32_t number)
{
	struct fixture *run = calloc(1, sizeof(*run));
	struct tek_run_header *header;

	if (!run)
		abort();
	header = &run->header;
	memcpy(header->magic, TEK_RUN_MAGIC, sizeof(header->magic));
	header->byte_order = TEK_RUN_BYTE_ORDER;
	header->major = TEK_RUN_MAJOR;
	header->minor = TEK_RUN_MINOR;
	header->header_size = sizeof(*header);
	header->flags = TEK_RUN_MEASURE | TEK_RUN_KEEP;
	header->valid = 1;
	header->ended = TEK_RUN_EXITED;
	/* The id's first bytes tell runs apart in the evidence, so the number leads. */
	header->run_id[0] = (uint8_t)(number >> 24);
	header->run_id[1] = (uint8_t)(number >> 16);
	header->run_id[2] = (uint8_t)(number >> 8);
	header->run_id[3] = (uint8_t)number;
	header->run_id[15] = 0x7e;
	header->pid = 1000 + number;
	header->start_realtime_ns = 1700000000000000000u + number * (uint64_t)1000000000;
	header->elf_class = 2;
	header->elf_machine = EM_X86_64;
	header->page_size = 4096;
	header->slots = area(offsetof(struct fixture, slots), sizeof(*run->slots), FIXTURE_SLOTS);
	header->samples =
		area(offsetof(struct fixture, samples), sizeof(*run->samples), FIXTURE_SLOTS);
	header->totals =
		area(offsetof(struct fixture, totals), sizeof(*run->totals), FIXTURE_TOTALS);
	header->strings = area(offsetof(struct fixture, strings), 1, FIXTURE_STRINGS);
	header->default_stack = 8u << 20;
	header->minimum_stack = 16384;
	header->overhead = 4400;
	header->signal_reserve = 3376;
	header->low_percent = 40;
	header->high_percent = 75;
	header->target = fixture_string(run, "x86_64-linux-gnu");
	header->compiler = fixture_string(run, "gcc 12.2.0");
	header->libc = fixture_string(run, "glibc 2.36");
	header->options_lo = 0x1234;
	header->program = fixture_string(run, "/usr/bin/hub");
	header->host = fixture_string(run, "board");
	return run;
}

uint32_t fixture_string(struct fixture *run, const char *text)
{
	uint32_t at = 0, length = (uint32_t)strlen(text) + 1;

	for (; at < run->header.strings.used; at += (uint32_t)strlen(run->strings + at) + 1)
		if (strcmp(run->strings + at, text) == 0)
			return at;
	if (at + length > FIXTURE_STRINGS)
		abort();
	memcpy(run->strings + at, text, length);
	run->header.strings.used = at + length;
	return at;
}

struct tek_run_total *fixture_role(struct fixture *run, const char *role, uint32_t count,
				   uint32_t peak, uint64_t usable)
{
	struct tek_run_total *total = &run->totals[run->header.totals.used++];

	if (run->header.totals.used > FIXTURE_TOTALS)
		abort();
	total->role = role ? fixture_string(run, role) : TEK_RUN_NONE;
	total->entry = total->role;
	total->entry_file = fixture_string(run, "main.c");
	total->file = fixture_string(run, "src/main.c");
	total->function = fixture_string(run, "start");
	total->line = 100 + run->header.totals.used;
	total->flags = 0x40000;
	total->module = fixture_string(run, "/usr/bin/hub");
	total->started = total->ended = total->returned = count;
	total->alive_max = count;
	total->peak_low = peak;
	total->peak_high = peak;
	total->usable_max = count ? usable : 0;
	total->usable_min = count ? usable : UINT64_MAX;
	return total;
}

struct tek_run_slot *fixture_living(struct fixture *run, const struct tek_run_total *total,
				    uint64_t probed)
{
	struct tek_run_slot *slot = &run->slots[run->header.slots.used];
	struct tek_run_total *record = &run->totals[total - run->totals];

	if (run->header.slots.used == FIXTURE_SLOTS)
		abort();
	run->samples[run->header.slots.used++].generation = TEK_RUN_NONE;
	run->header.ended = TEK_RUN_RUNNING;
	record->started++;
	record->alive++;
	record->alive_max++;
	slot->sequence = 2;
	slot->tid = 5000 + run->header.slots.used;
	slot->generation = 1;
	slot->flags = TEK_SLOT_LIVE;
	slot->total = (uint32_t)(total - run->totals);
	slot->lo = 0x7f0000000000u;
	slot->usable = 65536;
	slot->lowest = probed ? slot->usable - probed : UINT64_MAX;
	if (!record->usable_max)
		record->usable_max = record->usable_min = slot->usable;
	return slot;
}

int fixture_write(const struct fixture *run, const char *directory, const char *name)
{
	char path[4096];
	FILE *to;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	to = fopen(path, "w");
	if (!to)
		return -errno;
	if (fwrite(run, sizeof(*run), 1, to) != 1)
		ret = -EIO;
	if (fclose(to) != 0 && !ret)
		ret = -errno;
	return ret;
}
