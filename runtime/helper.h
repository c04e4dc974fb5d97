/* SPDX-License-Identifier: MIT */
/* Threads of the runtime's own. */
#ifndef TEK_HELPER_H
#define TEK_HELPER_H

/*
 * helper_start - a detached, unregistered thread with every signal blocked
 *
 * Returns: 0, or the errno value of pthread_create.
 */
__attribute__((visibility("hidden"))) int helper_start(void *(*fn)(void *), void *argument);

#endif
