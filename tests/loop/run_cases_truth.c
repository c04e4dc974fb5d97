/* SPDX-License-Identifier: MIT */
/* Readings from outside, held against a program that knows its own use. */
#define _GNU_SOURCE
#include "run_cases.h"
#include "run_truth.h"

#include <fcntl.h>
#include <glob.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <tek/runfile.h>
#include <unistd.h>

static char text[4096];

static void *map_file(const char *pattern, size_t size)
{
	void *mapped = MAP_FAILED;
	glob_t found;
	int fd;

	if (glob(pattern, 0, NULL, &found) != 0 || found.gl_pathc != 1)
		return NULL;
	fd = open(found.gl_pathv[0], O_RDWR | O_CLOEXEC);
	globfree(&found);
	if (fd >= 0)
		mapped = mmap(NULL, size != 0 ? size : (size_t)lseek(fd, 0, SEEK_END),
			      PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return mapped == MAP_FAILED ? NULL : mapped;
}

static const void *item(const struct tek_run_header *header, const struct tek_run_area *area,
			uint32_t index)
{
	return (const char *)header + area->offset + (size_t)index * area->stride;
}

/* The deepest thread's sample; the others' must be shallow. */
static struct tek_run_sample read_samples(const struct tek_run_header *header)
{
	struct tek_run_sample deepest = { 0 };

	for (uint32_t i = 0; i < header->slots.used; i++) {
		const struct tek_run_slot *slot = item(header, &header->slots, i);
		const struct tek_run_sample *sample = item(header, &header->samples, i);
		struct tek_run_sample copy = *sample;
		tek_u64 usable = slot->usable;

		if ((slot->flags & (TEK_SLOT_LIVE | TEK_SLOT_MAIN)) != TEK_SLOT_LIVE ||
		    copy.generation != slot->generation || copy.odd != 0)
			continue;
		if (usable > TRUTH_STACK / 2)
			deepest = copy;
		else
			CHECK(copy.low <= copy.high && copy.high <= TRUTH_SHALLOW_USE);
	}
	return deepest;
}

/*
 * Before each reading the thread may go a part deeper, so that it moves while it is read, and does
 * not come to its end before a number of readings, however slow they are.
 */
static void allow(struct truth *truth, int readings)
{
	__atomic_store_n(&truth->allowed, TRUTH_STACK / 40 * (uint32_t)(readings + 1),
			 __ATOMIC_RELEASE);
	syscall(SYS_futex, &truth->allowed, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void case_truth(void)
{
	const char *const start[] = { tek, "run", "-o", "out", "--", program("run_truth"), NULL };
	struct job job = job_start(start, NULL);
	const struct tek_run_header *header;
	struct truth *truth;
	char number[16];
	const char *const snapshot[] = { tek, "snapshot", number, NULL };
	int readings = 0;
	pid_t pid;

	pid = ready(job_line(&job));
	CHECK(pid != 0);
	if (failures != 0)
		return;
	snprintf(number, sizeof(number), "%d", (int)pid);
	header = map_file("out/*.tek", 0);
	truth = map_file("truth", sizeof(*truth));
	CHECK(header != NULL && truth != NULL);
	while (failures == 0 && readings < 100) {
		uint32_t before = __atomic_load_n(&truth->deepest, __ATOMIC_ACQUIRE), after;
		struct tek_run_sample sample;
		/* A step that is written and not yet noted. */
		const uint32_t step = 1024;
		int status;

		allow(truth, readings);
		status = job_run(snapshot, NULL, text, sizeof(text));
		after = __atomic_load_n(&truth->deepest, __ATOMIC_ACQUIRE) + step;
		sample = read_samples(header);
		CHECK(status == 0);
		CHECK(sample.low >= before && sample.low <= after);
		CHECK(sample.high >= sample.low && sample.high < after + 4096);
		if (failures != 0)
			fprintf(stderr, "reading %d: %u <= [%u, %u] <= %u\n", readings, before,
				sample.low, sample.high, after);
		readings++;
		if (__atomic_load_n(&truth->done, __ATOMIC_ACQUIRE) != 0)
			break;
	}
	/* Allowed a fortieth at a time, it was on its way in all of them. */
	CHECK(readings >= 20);
	kill(pid, SIGKILL);
	CHECK(job_end(&job) == 128 + SIGKILL);
}
