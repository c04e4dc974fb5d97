/* SPDX-License-Identifier: MIT */
/* Readings of the living threads: at exit() and, where asked, from inside while the program runs. */
#ifndef TEK_SAMPLE_H
#define TEK_SAMPLE_H

#include "process.h"

/* sample_start - the thread that reads every tek_config.sample_inside ms and when asked */
TEK_HIDDEN int sample_start(struct tek_process *process);

/*
 * sample_close - the last reading of every living thread; they count as ended and running
 *
 * Returns: false if not all could be read.
 */
TEK_HIDDEN bool sample_close(struct tek_process *process);

#endif
