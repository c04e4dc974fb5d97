/* SPDX-License-Identifier: MIT */
/*
 * Reader of run files (tek/runfile.h). Takes a copy by read(2): a file that shrinks under the
 * reader gives an error, not SIGBUS. Nothing in the file is trusted; every offset, count and index
 * of what is returned here has been checked. Needs libc only.
 */
#ifndef TEK_TOOL_RUNFILE_H
#define TEK_TOOL_RUNFILE_H

#include <stdbool.h>
#include <stdint.h>

#include <tek/runfile.h>

struct run_file {
	struct tek_run_header header;
	struct tek_run_slot *slots; /* slots whose sequence settled; others have flags 0 */
	uint32_t slot_count;
	struct tek_run_sample *samples; /* as many as slots; generation TEK_RUN_NONE: none */
	struct tek_run_total *totals;
	uint32_t total_count;
	char *strings;
	uint32_t strings_size;
	bool living;   /* the process still writes it */
	uint32_t torn; /* slots that could not be read whole */
};

/* True for NAME.tek: what stands for a run file in a folder. */
bool run_file_named(const char *name);

#define RUN_WHY_SIZE 160

/**
 * run_file_read - read and check one run file
 * @path: its name
 * @run: filled on success; give it to run_file_free()
 * @why: on failure the sentence for tool_problem(): what is wrong; what to do
 *
 * Never blocks on a FIFO or device. Reads files of 32- and 64-bit programs alike.
 * Return: 0, -EBADMSG (not a run file, damaged, truncated), -EPROTONOSUPPORT (version or byte
 * order), -EAGAIN (start-up not finished), -EINVAL (not a regular file) or the error of open/read.
 */
int run_file_read(const char *path, struct run_file *run, char why[RUN_WHY_SIZE]);

/* The same from an open descriptor, which stays open. */
int run_file_read_fd(int fd, struct run_file *run, char why[RUN_WHY_SIZE]);

void run_file_free(struct run_file *run);

/* Text at an offset of the strings area; NULL for TEK_RUN_NONE and for offsets outside. */
const char *run_file_string(const struct run_file *run, uint32_t offset);

/**
 * run_slot_reading - what is known of a living thread's stack use
 * @low, @high: bytes below the entry, 0 if nothing is known
 * Return: true if a sample from outside gave the full bracket as of its moment, false where only
 * the probes' minimum is known.
 */
bool run_slot_reading(const struct run_file *run, uint32_t slot, uint64_t *low, uint64_t *high);

#endif
