/* SPDX-License-Identifier: MIT */
/* Between run_truth.c and the case that reads it. */
#ifndef RUN_TRUTH_H
#define RUN_TRUTH_H

#include <stdint.h>

#define TRUTH_STACK (16u << 20)
#define TRUTH_SHALLOW_STACK (256u << 10)
#define TRUTH_SHALLOW_USE 16384u /* more than a shallow thread uses, libc included */

struct truth {
	uint32_t deepest; /* bytes below the entry that have been written */
	uint32_t done;
	uint32_t allowed; /* bytes that the thread may go down; a futex, written by the reader */
};

#endif
