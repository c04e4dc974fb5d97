/* SPDX-License-Identifier: MIT */
/* The High Zone at run time: where it begins, and who is told. */
#ifndef TEK_ZONE_H
#define TEK_ZONE_H

#include "process.h"

/* zone_event - words.event for a thread: an offset from launch.lo; 0: no border */
TEK_HIDDEN uintptr_t zone_event(const struct tek_launch *launch, const struct tek_run_total *total);

/* zone_watch - (re)start the thread that calls back, if somebody registered */
TEK_HIDDEN int zone_watch(struct tek_process *process);

#endif
