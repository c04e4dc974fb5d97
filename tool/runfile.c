/* SPDX-License-Identifier: MIT */
#include "runfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define AREA_LIMIT (256u << 20) /* bytes; 65,536 threads need 4 MiB */
#define SLOT_RETRIES 100
#define STACK_LIMIT ((uint64_t)1 << 57) /* x86-64 with five levels of page tables */

bool run_file_named(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, ".tek") == 0;
}

struct source {
	int fd;
	uint64_t size;
	char *why;
};

static int fault(const struct source *source, int error, const char *text)
{
	snprintf(source->why, RUN_WHY_SIZE, "%s", text);
	return error;
}

static int fault_errno(char *why, int error, const char *what)
{
	snprintf(why, RUN_WHY_SIZE, "%s: %s; skipped", what, strerror(error));
	return -error;
}

static int source_read(const struct source *source, uint64_t offset, void *to, size_t size)
{
	char *at = to;

	while (size) {
		ssize_t got = pread(source->fd, at, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fault_errno(source->why, errno, "cannot be read");
		if (got == 0)
			return fault(source, -EBADMSG, "truncated while being read; skipped");
		at += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

static int check_identity(const struct source *source, const struct tek_run_header *header)
{
	if (memcmp(header->magic, TEK_RUN_MAGIC, sizeof(header->magic)) != 0)
		return fault(source, -EBADMSG, "not a run file; skipped");
	if (header->byte_order == __builtin_bswap32(TEK_RUN_BYTE_ORDER))
		return fault(source, -EPROTONOSUPPORT,
			     "from a machine of the other byte order; read it with a tek "
			     "that runs on such a machine");
	if (header->byte_order != TEK_RUN_BYTE_ORDER)
		return fault(source, -EBADMSG, "damaged: no known byte order; skipped");
	if (header->major != TEK_RUN_MAJOR) {
		snprintf(source->why, RUN_WHY_SIZE,
			 "run file version %u.%u, this tek reads %u; use the tek it was made with",
			 (unsigned)header->major, (unsigned)header->minor, (unsigned)TEK_RUN_MAJOR);
		return -EPROTONOSUPPORT;
	}
	return 0;
}

static int check_header(const struct source *source, const struct tek_run_header *header)
{
	if (header->header_size < sizeof(*header))
		return fault(source, -EBADMSG, "damaged: header too small; skipped");
	if (!header->valid)
		return fault(source, -EAGAIN,
			     "unfinished: its process has not come through its start; skipped");
	if (header->elf_class != 1 && header->elf_class != 2)
		return fault(source, -EBADMSG, "damaged: neither 32 nor 64 bit; skipped");
	if (header->page_size < 1024 || header->page_size > (16u << 20) ||
	    (header->page_size & (header->page_size - 1)))
		return fault(source, -EBADMSG, "damaged: impossible page size; skipped");
	if (header->low_percent > 100 || header->high_percent > 100)
		return fault(source, -EBADMSG, "damaged: zone border above 100 %; skipped");
	return 0;
}

/* @stride_min is the size of the item that this reader knows; a file may only have larger ones. */
static int check_area(const struct source *source, const struct tek_run_header *header,
		      const struct tek_run_area *area, uint32_t stride_min)
{
	uint64_t bytes = (uint64_t)area->stride * area->capacity;

	if (area->stride < stride_min || area->used > area->capacity)
		return fault(source, -EBADMSG, "damaged: impossible table; skipped");
	if (area->offset < header->header_size)
		return fault(source, -EBADMSG, "damaged: a table overlaps the header; skipped");
	if (area->offset > source->size || bytes > source->size - area->offset)
		return fault(source, -EBADMSG, "truncated; skipped");
	return 0;
}

/* Reads @count items of the file's stride, keeps the first @item bytes of each. */
static int read_items(const struct source *source, const struct tek_run_area *area, uint32_t count,
		      size_t item, void **items)
{
	uint64_t bytes = (uint64_t)area->stride * count;
	char *raw, *to;
	uint32_t i;
	int ret;

	*items = NULL;
	if (bytes > AREA_LIMIT)
		return fault(source, -EBADMSG, "damaged: a table of more than 256 MiB; skipped");
	raw = calloc(bytes ? bytes : 1, 1);
	if (!raw)
		return fault(source, -ENOMEM, "out of memory; give it fewer files at a time");
	ret = source_read(source, area->offset, raw, bytes);
	if (ret) {
		free(raw);
		return ret;
	}
	for (i = 1, to = raw + item; area->stride != item && i < count; i++, to += item)
		memmove(to, raw + (size_t)i * area->stride, item);
	*items = raw;
	return 0;
}

/* One slot of a file that is being written: sequence, slot, sequence. */
static bool settle_slot(const struct source *source, const struct tek_run_area *area, uint32_t i,
			struct tek_run_slot *slot)
{
	uint64_t offset = area->offset + (uint64_t)area->stride * i;
	uint32_t before, after;
	int attempt;

	for (attempt = 0; attempt < SLOT_RETRIES; attempt++) {
		if (source_read(source, offset, &before, sizeof(before)))
			return false;
		atomic_thread_fence(memory_order_seq_cst);
		if (source_read(source, offset, slot, sizeof(*slot)))
			return false;
		atomic_thread_fence(memory_order_seq_cst);
		if (source_read(source, offset, &after, sizeof(after)))
			return false;
		if (before == after && !(before & 1))
			return true;
	}
	return false;
}

/*
 * The cheap way first: three copies of the whole area. What has one even sequence in the first and
 * the third lay still while the second was taken.
 */
static int read_slots(const struct source *source, struct run_file *run)
{
	const struct tek_run_area *area = &run->header.slots;
	struct tek_run_slot *first = NULL, *third = NULL;
	void *items;
	uint32_t i;
	int ret;

	run->slot_count = area->used;
	if (run->living) {
		ret = read_items(source, area, area->used, sizeof(*first), &items);
		first = items;
		if (ret)
			goto out;
		atomic_thread_fence(memory_order_seq_cst);
	}
	ret = read_items(source, area, area->used, sizeof(*run->slots), &items);
	run->slots = items;
	if (ret)
		goto out;
	if (run->living) {
		atomic_thread_fence(memory_order_seq_cst);
		ret = read_items(source, area, area->used, sizeof(*third), &items);
		third = items;
		if (ret)
			goto out;
	}
	for (i = 0; i < run->slot_count; i++) {
		struct tek_run_slot *slot = &run->slots[i];
		bool settled = !(slot->sequence & 1);

		if (run->living)
			settled = (first[i].sequence == third[i].sequence &&
				   !(first[i].sequence & 1)) ||
				  settle_slot(source, area, i, slot);
		if (!settled || slot->usable > STACK_LIMIT) {
			slot->flags = 0;
			run->torn++;
		}
	}
out:
	free(first);
	free(third);
	return ret;
}

/* Item i belongs to slot i, whatever `used` says: its writer is `tek`, not the process. */
static int read_samples(const struct source *source, struct run_file *run)
{
	const struct tek_run_area *area = &run->header.samples;
	uint32_t i, count = area->capacity < run->slot_count ? area->capacity : run->slot_count;
	void *items;
	int ret;

	ret = read_items(source, area, count, sizeof(*run->samples), &items);
	if (ret)
		return ret;
	run->samples = calloc(run->slot_count ? run->slot_count : 1, sizeof(*run->samples));
	if (!run->samples) {
		free(items);
		return fault(source, -ENOMEM, "out of memory; give it fewer files at a time");
	}
	memcpy(run->samples, items, count * sizeof(*run->samples));
	free(items);
	for (i = 0; i < run->slot_count; i++)
		if (i >= count || run->samples[i].odd)
			run->samples[i].generation = TEK_RUN_NONE;
	return 0;
}

static int check_totals(const struct source *source, const struct run_file *run)
{
	uint32_t i, k;

	for (i = 0; i < run->total_count; i++) {
		const struct tek_run_total *total = &run->totals[i];
		const uint32_t offsets[] = { total->role, total->entry,	   total->entry_file,
					     total->file, total->function, total->module };

		for (k = 0; k < sizeof(offsets) / sizeof(*offsets); k++)
			if (offsets[k] != TEK_RUN_NONE && offsets[k] >= run->strings_size)
				return fault(source, -EBADMSG,
					     "damaged: a name lies outside the file; skipped");
		if (total->usable_max > STACK_LIMIT || total->tuned > STACK_LIMIT)
			return fault(source, -EBADMSG,
				     "damaged: a stack larger than any memory; skipped");
	}
	return 0;
}

/* Totals first, strings after a second look at the header: what a total names is then there. */
static int read_totals(const struct source *source, struct run_file *run)
{
	struct tek_run_header now;
	void *items;
	int ret;

	run->total_count = run->header.totals.used;
	ret = read_items(source, &run->header.totals, run->total_count, sizeof(*run->totals),
			 &items);
	run->totals = items;
	if (ret)
		return ret;
	ret = source_read(source, 0, &now, sizeof(now));
	if (ret)
		return ret;
	if (now.strings.used < run->header.strings.used ||
	    now.strings.used > run->header.strings.capacity)
		return fault(source, -EBADMSG, "damaged: impossible table; skipped");
	run->strings_size = now.strings.used;
	ret = read_items(
		source, &(struct tek_run_area){ .offset = run->header.strings.offset, .stride = 1 },
		run->strings_size, 1, &items);
	run->strings = items;
	if (ret)
		return ret;
	if (run->strings_size)
		run->strings[run->strings_size - 1] = '\0';
	return check_totals(source, run);
}

static int read_header(const struct source *source, struct tek_run_header *header)
{
	int ret;

	memset(header, 0, sizeof(*header));
	if (source->size == 0)
		return fault(source, -EBADMSG, "empty; skipped");
	ret = source_read(source, 0, header,
			  source->size < sizeof(*header) ? source->size : sizeof(*header));
	if (ret)
		return ret;
	if (source->size < sizeof(header->magic))
		return fault(source, -EBADMSG, "not a run file; skipped");
	ret = memcmp(header->magic, TEK_RUN_MAGIC, sizeof(header->magic))
		      ? fault(source, -EBADMSG, "not a run file; skipped")
		      : 0;
	if (!ret && source->size < sizeof(*header))
		ret = fault(source, -EBADMSG, "truncated; skipped");
	if (!ret)
		ret = check_identity(source, header);
	if (!ret)
		ret = check_header(source, header);
	if (!ret)
		ret = check_area(source, header, &header->slots, sizeof(struct tek_run_slot));
	if (!ret)
		ret = check_area(source, header, &header->samples, sizeof(struct tek_run_sample));
	if (!ret)
		ret = check_area(source, header, &header->totals, sizeof(struct tek_run_total));
	if (!ret)
		ret = check_area(source, header, &header->strings, 1);
	return ret;
}

int run_file_read_fd(int fd, struct run_file *run, char why[RUN_WHY_SIZE])
{
	struct source source = { .fd = fd, .why = why };
	struct stat status;
	int ret;

	memset(run, 0, sizeof(*run));
	if (fstat(fd, &status) != 0)
		return fault_errno(why, errno, "cannot be read");
	if (!S_ISREG(status.st_mode))
		return fault(&source, -EINVAL, "not a regular file; skipped");
	source.size = (uint64_t)status.st_size;
	ret = read_header(&source, &run->header);
	if (ret)
		return ret;
	/* The owner holds LOCK_EX. Where flock does not work at all, take it for living. */
	if (run->header.ended == TEK_RUN_RUNNING) {
		run->living = flock(fd, LOCK_SH | LOCK_NB) != 0;
		if (!run->living)
			flock(fd, LOCK_UN);
	}
	ret = read_totals(&source, run);
	if (!ret)
		ret = read_slots(&source, run);
	if (!ret)
		ret = read_samples(&source, run);
	if (ret)
		run_file_free(run);
	return ret;
}

int run_file_read(const char *path, struct run_file *run, char why[RUN_WHY_SIZE])
{
	/* O_NONBLOCK: opening a FIFO must not wait for its writer. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int ret;

	memset(run, 0, sizeof(*run));
	if (fd < 0)
		return fault_errno(why, errno, "cannot be opened");
	ret = run_file_read_fd(fd, run, why);
	close(fd);
	return ret;
}

void run_file_free(struct run_file *run)
{
	free(run->slots);
	free(run->samples);
	free(run->totals);
	free(run->strings);
	run->slots = NULL;
	run->samples = NULL;
	run->totals = NULL;
	run->strings = NULL;
	run->slot_count = run->total_count = run->strings_size = 0;
}

const char *run_file_string(const struct run_file *run, uint32_t offset)
{
	return offset < run->strings_size ? run->strings + offset : NULL;
}

bool run_slot_reading(const struct run_file *run, uint32_t index, uint64_t *low, uint64_t *high)
{
	const struct tek_run_slot *slot = &run->slots[index];
	const struct tek_run_sample *sample = &run->samples[index];
	uint64_t none = run->header.elf_class == 1 ? UINT32_MAX : UINT64_MAX;

	*low = *high = 0;
	if (slot->lowest < none && slot->lowest <= slot->usable)
		*low = *high = slot->usable - slot->lowest;
	if (sample->generation != slot->generation || sample->generation == TEK_RUN_NONE)
		return false;
	if (sample->low > *low)
		*low = sample->low;
	if (sample->high > *high)
		*high = sample->high;
	if (*high < *low)
		*high = *low;
	return true;
}
