/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TRUTH_CHILD_H
#define BENCH_TRUTH_CHILD_H

#include <stdbool.h>

struct scenario;

#define TRUTH_ENTRY "truth_entry" /* the measured thread's entry */
#define TRUTH_SKIP 77		  /* exit status: this system does not allow the scenario */

/* truth_child - run one scenario, painted or not, and print its figures; the exit status */
int truth_child(const struct scenario *scenario, bool paint);

#endif
