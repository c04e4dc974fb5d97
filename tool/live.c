/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* 64-bit offsets in 32-bit builds too; a run file is far below 2 GiB, so a larger one is wrong. */
#define FILE_SIZE_MAX 0x7fffffff

static int read_at(const struct live_file *live, tek_u64 offset, void *to, size_t size)
{
	ssize_t got = pread(live->fd, to, size, (off_t)offset);

	if (got < 0)
		return -errno;
	return (size_t)got == size ? 0 : -ENODATA;
}

static int write_at(const struct live_file *live, tek_u64 offset, const void *from, size_t size)
{
	ssize_t put = pwrite(live->fd, from, size, (off_t)offset);

	if (put < 0)
		return -errno;
	return (size_t)put == size ? 0 : -ENODATA;
}

static bool area_fits(const struct tek_run_area *area, size_t stride, tek_u64 size)
{
	return area->stride >= stride && area->offset % 4 == 0 && area->offset <= size &&
	       area->capacity <= (size - area->offset) / area->stride &&
	       area->used <= area->capacity;
}

static int check_header(const struct tek_run_header *header, tek_u64 size)
{
	if (memcmp(header->magic, TEK_RUN_MAGIC, sizeof(header->magic)) != 0)
		return -EBADMSG;
	if (header->byte_order != TEK_RUN_BYTE_ORDER || header->major != TEK_RUN_MAJOR)
		return -EPROTO;
	if (header->valid != 1 || header->header_size < sizeof(*header))
		return -EBADMSG;
	if (!area_fits(&header->slots, sizeof(struct tek_run_slot), size) ||
	    !area_fits(&header->samples, sizeof(struct tek_run_sample), size))
		return -EBADMSG;
	if (header->page_size < 1024 || (header->page_size & (header->page_size - 1)) != 0)
		return -EBADMSG;
	return 0;
}

int live_refresh(struct live_file *live)
{
	struct stat status;
	int error;

	if (fstat(live->fd, &status) != 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size > FILE_SIZE_MAX)
		return -EBADMSG;
	error = read_at(live, 0, &live->header, sizeof(live->header));
	if (error != 0)
		return error == -ENODATA ? -EBADMSG : error;
	live->owner = status.st_uid;
	live->device = status.st_dev;
	live->inode = status.st_ino;
	return check_header(&live->header, (tek_u64)status.st_size);
}

int live_open(struct live_file *live, int directory, const char *name)
{
	int error;

	live->fd = openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (live->fd < 0)
		return -errno;
	error = live_refresh(live);
	if (error != 0)
		live_close(live);
	return error;
}

void live_close(struct live_file *live)
{
	if (live->fd >= 0)
		close(live->fd);
	live->fd = -1;
}

bool live_owned(const struct live_file *live)
{
	if (flock(live->fd, LOCK_SH | LOCK_NB) != 0)
		return errno == EWOULDBLOCK;
	flock(live->fd, LOCK_UN);
	return false;
}

int live_lock(const struct live_file *live)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };

	for (int tries = 0; tries < 1000; tries++) {
		if (fcntl(live->fd, F_OFD_SETLK, &lock) == 0)
			return 0;
		if (errno != EAGAIN && errno != EACCES)
			return -errno;
		poll(NULL, 0, 1);
	}
	return -EBUSY;
}

static tek_u64 slot_offset(const struct live_file *live, uint32_t index)
{
	return live->header.slots.offset + (tek_u64)index * live->header.slots.stride;
}

int live_glance(const struct live_file *live, uint32_t index, struct tek_run_slot *slot)
{
	return read_at(live, slot_offset(live, index), slot, sizeof(*slot));
}

/*
 * The reader's half of the sequence lock. The fences order the plain loads by which the kernel
 * copies out of the page that the owner has mapped.
 */
int live_slot(const struct live_file *live, uint32_t index, struct tek_run_slot *slot)
{
	tek_u64 at = slot_offset(live, index);
	uint32_t after;
	int error;

	for (int tries = 0; tries < 100; tries++) {
		uint32_t before;

		error = read_at(live, at, &before, sizeof(before));
		if (error != 0)
			return error;
		if ((before & 1) == 0) {
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			error = read_at(live, at, slot, sizeof(*slot));
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			if (error == 0)
				error = read_at(live, at, &after, sizeof(after));
			if (error != 0)
				return error;
			if (before == after && slot->sequence == before)
				return 0;
		}
		/* On one CPU the owner goes on only when it gets it. */
		sched_yield();
	}
	return -EAGAIN;
}

bool live_slot_same(const struct live_file *live, uint32_t index, const struct tek_run_slot *slot)
{
	uint32_t sequence;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return read_at(live, slot_offset(live, index), &sequence, sizeof(sequence)) == 0 &&
	       sequence == slot->sequence;
}

int live_sample(const struct live_file *live, uint32_t index, uint32_t generation, uint32_t low,
		uint32_t high)
{
	struct tek_run_sample old, sample = { .generation = generation, .low = low, .high = high };
	tek_u64 at = live->header.samples.offset + (tek_u64)index * live->header.samples.stride;
	int error;

	if (index >= live->header.samples.capacity)
		return -ENODATA;
	error = read_at(live, at, &old, sizeof(old));
	if (error != 0)
		return error;
	if (old.generation == generation && old.odd == 0) {
		/* Both numbers only grow: whoever reads one old and one new reads nothing untrue. */
		if (old.low >= low && old.high >= high)
			return 0;
		if (old.low > sample.low)
			sample.low = old.low;
		if (old.high > sample.high)
			sample.high = old.high;
		return write_at(live, at, &sample, sizeof(sample));
	}
	old.odd = 1;
	error = write_at(live, at + offsetof(struct tek_run_sample, odd), &old.odd,
			 sizeof(old.odd));
	if (error != 0)
		return error;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	sample.odd = 1;
	error = write_at(live, at, &sample, sizeof(sample));
	if (error != 0)
		return error;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	sample.odd = 0;
	return write_at(live, at + offsetof(struct tek_run_sample, odd), &sample.odd,
			sizeof(sample.odd));
}

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int wait_done(struct live_file *live, uint32_t *done_word, uint32_t request,
		     int milliseconds)
{
	const int64_t end = monotonic_ns() + (int64_t)milliseconds * 1000000;

	for (;;) {
		struct timespec slice = { .tv_nsec = 100000000 };
		int64_t left = end - monotonic_ns();
		uint32_t done;
		int error;

		error = read_at(live, offsetof(struct tek_run_header, sample_done), &done,
				sizeof(done));
		if (error != 0)
			return error;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if ((int32_t)(done - request) >= 0)
			return 0;
		if (!live_owned(live))
			return -ESRCH;
		if (left <= 0)
			return -ETIMEDOUT;
		/* In slices, since nobody wakes the waiter of a process that dies. */
		if (left < slice.tv_nsec)
			slice.tv_nsec = (long)left;
		syscall(SYS_futex, done_word, FUTEX_WAIT, done, &slice, NULL, 0);
	}
}

int live_ask_inside(struct live_file *live, int milliseconds)
{
	struct tek_run_header *mapped;
	uint32_t request;
	int error;

	if ((live->header.flags & TEK_RUN_INSIDE) == 0)
		return -EOPNOTSUPP;
	/*
	 * Mapped for its address alone, which names the futex; only the kernel looks behind it, so
	 * a file cut short is an error and not a SIGBUS.
	 */
	mapped = mmap(NULL, sizeof(*mapped), PROT_READ | PROT_WRITE, MAP_SHARED, live->fd, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	error = read_at(live, offsetof(struct tek_run_header, sample_request), &request,
			sizeof(request));
	if (error != 0)
		goto out;
	request++; /* atomic enough: under live_lock() there is no other writer */
	error = write_at(live, offsetof(struct tek_run_header, sample_request), &request,
			 sizeof(request));
	if (error != 0)
		goto out;
	syscall(SYS_futex, &mapped->sample_request, FUTEX_WAKE, 1, NULL, NULL, 0);
	error = wait_done(live, &mapped->sample_done, request, milliseconds);
out:
	munmap(mapped, sizeof(*mapped));
	return error;
}
