/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "outside.h"
#include "peer.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Entry of /proc/PID/pagemap: Documentation/admin-guide/mm/pagemap.rst */
#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_SWAPPED (1ull << 62)

#define INSIDE_WAIT_MS 2000

/* A damaged file may claim any size; no stack that is looked through page by page is larger. */
#define STACK_MAX (1ull << 36)

/* What is known of the stack of one thread of @peer while it is being read. */
struct reading {
	const struct peer *peer;
	uint64_t page;	  /* bytes of a page */
	uint64_t lo;	  /* lowest address looked at */
	uint64_t end;	  /* the entry's CFA */
	uint64_t painted; /* from here on the stack was painted; the end if nowhere */
};

/* Bit i of @touched: page i from @address on is present or swapped. @pages is at most 512. */
static int read_touched(const struct reading *reading, uint64_t address, unsigned int pages,
			bool *touched)
{
	uint64_t entries[512];
	ssize_t got = pread64(reading->peer->pagemap, entries, pages * sizeof(entries[0]),
			      (off64_t)(address / reading->page * sizeof(entries[0])));

	if (got < 0)
		return -errno;
	if (got == 0)
		return -ESRCH; /* the address space is gone */
	for (unsigned int i = 0; i < pages; i++)
		touched[i] = (size_t)got >= (i + 1) * sizeof(entries[0]) &&
			     (entries[i] & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)) != 0;
	return 0;
}

/* Offset of the first byte that is not as TEK left it, or @size. */
static size_t first_used(const struct reading *reading, uint64_t address,
			 const unsigned char *bytes, size_t size)
{
	size_t i = 0;

	if (address >= reading->painted) {
		for (; i + sizeof(uint32_t) <= size; i += sizeof(uint32_t)) {
			uint32_t word;

			memcpy(&word, bytes + i, sizeof(word));
			if (word != tek_paint(address + i))
				return i;
		}
		return size;
	}
	for (; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		if (word != 0)
			break;
	}
	while (i < size && bytes[i] == 0)
		i++;
	return i;
}

/* Looks through one touched page: 1 and @used if something is in it, 0 if not, or an error. */
static int scan_page(const struct reading *reading, uint64_t page, uint64_t *used)
{
	unsigned char bytes[4096];
	uint64_t from = page > reading->lo ? page : reading->lo;
	uint64_t to = page + reading->page;

	if (to > reading->end)
		to = reading->end;
	while (from < to) {
		size_t size = to - from < sizeof(bytes) ? (size_t)(to - from) : sizeof(bytes);
		struct iovec local = { .iov_base = bytes, .iov_len = size };
		struct iovec remote = { .iov_base = (void *)(uintptr_t)from, .iov_len = size };
		ssize_t got = process_vm_readv(reading->peer->pid, &local, 1, &remote, 1, 0);
		size_t at;

		if (got < 0)
			return -errno;
		if ((size_t)got != size)
			return -EFAULT;
		at = first_used(reading, from, bytes, size);
		if (at < size) {
			*used = from + at;
			return 1;
		}
		from += size;
	}
	return 0;
}

/*
 * The bracket of one stack: @touched, the lowest touched page's lowest address, and @used, the
 * lowest address in touched pages that holds something; both are the end if there is none.
 */
static int read_bracket(const struct reading *reading, uint64_t *touched, uint64_t *used)
{
	bool touches[512];
	uint64_t page = reading->lo & ~(reading->page - 1);

	*touched = *used = reading->end;
	while (page < reading->end) {
		uint64_t left = (reading->end - page + reading->page - 1) / reading->page;
		unsigned int pages = left < 512 ? (unsigned int)left : 512;
		int found = read_touched(reading, page, pages, touches);

		for (unsigned int i = 0; i < pages && found == 0; i++, page += reading->page) {
			if (!touches[i])
				continue;
			if (*touched == reading->end)
				*touched = page > reading->lo ? page : reading->lo;
			found = scan_page(reading, page, used);
		}
		if (found != 0)
			return found < 0 ? found : 0;
	}
	return 0;
}

static uint32_t saturate(uint64_t bytes)
{
	return bytes < TEK_RUN_NONE ? (uint32_t)bytes : TEK_RUN_NONE;
}

/*
 * As the runtime's own reading at the thread's end. The data that a foreign stack held from the
 * start says nothing of what the thread used: where it lies only bounds the peak from above.
 */
static int read_stack(const struct peer *peer, const struct live_file *live,
		      const struct tek_run_slot *slot, uint32_t *low, uint32_t *high)
{
	struct reading reading = {
		.peer = peer,
		.page = live->header.page_size,
		.lo = slot->lo,
		.end = slot->lo + slot->usable,
		.painted = slot->painted != 0 ? slot->painted : slot->lo + slot->usable,
	};
	const uint64_t word = live->header.elf_class == ELFCLASS64 ? 8 : 4;
	uint64_t touched, used, deepest = 0;
	int error;

	if (slot->usable == 0 || reading.end < reading.lo)
		return -ENODATA;
	if (sizeof(void *) < 8 && reading.end > UINT32_MAX)
		return -EOVERFLOW; /* a 64-bit process, looked at by a 32-bit one */
	if ((slot->flags & TEK_SLOT_MAIN) != 0)
		reading.lo = peer_stack_start(peer, reading.lo, reading.end);
	if (reading.end - reading.lo > STACK_MAX)
		return -EFBIG;
	error = read_bracket(&reading, &touched, &used);
	if (error != 0)
		return error;
	used &= ~(word - 1);
	/*
	 * What is painted is touched, so its page says nothing. The pattern is exact, and rounded to
	 * the page, as the runtime's own readings are.
	 */
	if (touched >= reading.painted)
		touched = used < reading.end ? used & ~(reading.page - 1) : used;
	if ((slot->flags & TEK_SLOT_FOREIGN) == 0 || used - slot->lo < slot->clean)
		deepest = reading.end - used;
	if (slot->lowest < slot->usable && slot->usable - slot->lowest > deepest)
		deepest = slot->usable - slot->lowest;
	*low = saturate(deepest);
	if (reading.end - touched > deepest)
		deepest = reading.end - touched;
	*high = saturate(deepest);
	return 0;
}

/* The thread in slot @index: 1 read, 0 not living now, or an error. */
static int read_thread(const struct peer *peer, const struct live_file *live, uint32_t index)
{
	struct tek_run_slot slot;
	uint32_t low, high;
	int error = live_slot(live, index, &slot);

	/*
	 * Its owner is writing, and not getting on with it: the thread begins, and has used
	 * nothing, or ends, and its totals have all of it.
	 */
	if (error == -EAGAIN)
		return 0;
	if (error != 0)
		return error;
	if ((slot.flags & TEK_SLOT_LIVE) == 0)
		return 0;
	error = read_stack(peer, live, &slot, &low, &high);
	/* An error of a thread that ended while it was read is none. */
	if (!live_slot_same(live, index, &slot))
		return 0;
	if (error != 0)
		return error;
	if (!peer_same(peer))
		return -ESRCH;
	error = live_sample(live, index, slot.generation, low, high);
	return error == 0 ? 1 : error;
}

static int read_threads(const struct peer *peer, const struct live_file *live,
			struct outside_result *result)
{
	int first_error = 0;

	for (uint32_t i = 0; i < live->header.slots.used; i++) {
		struct tek_run_slot glance;
		int got;

		if (live_glance(live, i, &glance) != 0)
			return -ENODATA;
		if ((glance.flags & TEK_SLOT_LIVE) == 0 && (glance.sequence & 1) == 0)
			continue;
		got = read_thread(peer, live, i);
		if (got == 0)
			continue;
		result->living++;
		if (got > 0)
			result->read++;
		else if (got == -ESRCH || got == -EPERM || got == -EACCES || got == -EOVERFLOW)
			return got; /* holds for every other thread as well */
		else if (first_error == 0)
			first_error = got;
	}
	return result->read > 0 ? 0 : first_error;
}

static int ask_inside(struct live_file *live, struct outside_result *result)
{
	int error = live_ask_inside(live, INSIDE_WAIT_MS);

	result->inside = error == 0;
	return error;
}

int outside_read(struct live_file *live, pid_t pid, struct outside_result *result)
{
	struct peer peer;
	int error;

	*result = (struct outside_result){ 0 };
	error = live_refresh(live);
	if (error != 0)
		return error;
	if (!live_owned(live))
		return -ESRCH;
	if ((live->header.flags & TEK_RUN_MEASURE) == 0)
		return -ENOTSUP;
	error = live_lock(live);
	if (error != 0)
		return error;
	if ((live->header.flags & TEK_RUN_INSIDE) != 0)
		return ask_inside(live, result);
	error = peer_open(&peer, live, pid);
	if (error == 0)
		error = read_threads(&peer, live, result);
	peer_close(&peer);
	/* It was the right process, and ended before it was found or read to the end. */
	if (error != 0 && !live_owned(live))
		return -ESRCH;
	return error;
}

static int try_child(pid_t child, const unsigned char *known, const char **why)
{
	unsigned char copy = 0;
	struct iovec local = { .iov_base = &copy, .iov_len = 1 };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)known, .iov_len = 1 };
	uint64_t entry = 0;
	int error = 0, pagemap;

	*why = "/proc/PID/pagemap";
	pagemap = peer_pagemap(child);
	if (pagemap < 0)
		return pagemap;
	if (pread64(pagemap, &entry, sizeof(entry),
		    (off64_t)((uintptr_t)known / (uintptr_t)sysconf(_SC_PAGESIZE) *
			      sizeof(entry))) != (ssize_t)sizeof(entry) ||
	    (entry & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)) == 0)
		error = -EPERM;
	close(pagemap);
	if (error != 0)
		return error;
	*why = "process_vm_readv";
	if (process_vm_readv(child, &local, 1, &remote, 1, 0) != 1)
		return errno != 0 ? -errno : -EPERM;
	return copy == *known ? 0 : -EIO;
}

int outside_forbidden(const char **why)
{
	static volatile unsigned char known = 0xa5;
	int error, hold[2];
	pid_t child;

	*why = "fork";
	if (pipe2(hold, O_CLOEXEC) != 0)
		return -errno;
	child = fork();
	if (child == 0) {
		char byte;

		close(hold[1]);
		/* Until the parent is through with it, or gone. */
		while (read(hold[0], &byte, 1) < 0 && errno == EINTR)
			;
		_exit(0);
	}
	error = child < 0 ? -errno : 0;
	if (error == 0)
		error = try_child(child, (const unsigned char *)&known, why);
	close(hold[0]);
	close(hold[1]);
	if (child > 0)
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	return error;
}

const char *outside_text(int error)
{
	switch (error) {
	case -ESRCH:
		return "the process that wrote it is gone; start it again";
	case -ESTALE:
		return "the process with this number is not the one that writes the file; call "
		       "tek inside its PID namespace";
	case -ENOTSUP:
		return "it does not measure; start it by tek run, or with TEK_OUT set";
	case -EPERM:
	case -EACCES:
		return "it may not be read from outside; be its owner or root, or start it with "
		       "TEK_SAMPLE_INSIDE=1000 to let it read itself";
	case -EOVERFLOW:
		return "is a 64-bit process; use a 64-bit tek";
	case -ETIMEDOUT:
		return "the process has not answered; is it stopped?";
	case -EBUSY:
		return "another tek is reading it; try again";
	case -EBADMSG:
		return "is not a complete run file; pass one that a measuring process writes";
	case -EPROTO:
		return "was written by another version of TEK or for another byte order; use the "
		       "tek that belongs to it";
	case -ENODATA:
		return "is cut short; keep other programs off it";
	default:
		return strerror(-error);
	}
}
