/* SPDX-License-Identifier: MIT */
/* From a role to its size, from usable bytes to what pthread_attr_setstacksize takes. */
#ifndef TEK_SIZES_H
#define TEK_SIZES_H

#include "process.h"
#include "table.h"

/* sizes_measure_target - fill tek_target but for main_sp */
TEK_HIDDEN void sizes_measure_target(void);

/* sizes_attribute - the stack size to ask for, so that @usable bytes lie below the entry */
TEK_HIDDEN size_t sizes_attribute(size_t usable);

/*
 * sizes_complete - look the role up where its record has no size
 *
 * A role named at run time takes the name's line; an entry takes `name@file`, then `name`.
 */
TEK_HIDDEN void sizes_complete(struct tek_identity *identity);

#endif
