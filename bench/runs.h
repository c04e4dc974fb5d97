/* SPDX-License-Identifier: MIT */
/* The little of a run file that the benchmarks read. */
#ifndef BENCH_RUNS_H
#define BENCH_RUNS_H

#include <tek/runfile.h>

struct run {
	unsigned char *bytes;
	size_t size;
	const struct tek_run_header *header;
};

/* run_open - read the only run file of a directory; 0 or a negative errno */
int run_open(struct run *run, const char *directory);
void run_close(struct run *run);

/* run_total - the record of an entry that has started; NULL if there is none */
const struct tek_run_total *run_total(const struct run *run, const char *entry);

#endif
