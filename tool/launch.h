/* SPDX-License-Identifier: MIT */
/*
 * Running a program as if nobody stood between it and whoever started it: same descriptors, signal
 * mask and dispositions, process group and terminal; signals are passed on, and once; stops and
 * continuations are followed.
 */
#ifndef TEK_LAUNCH_H
#define TEK_LAUNCH_H

#include <sys/types.h>

struct launch {
	char **argv;	       /* as for execvp() */
	long period_ms;	       /* between readings; 0: only before a signal is passed on */
	void (*reading)(void); /* reads every living stack */
};

/**
 * launch_prepare - keep every signal back from here on, until launch_run() is through
 *
 * Returns 0 or a negative errno.
 */
int launch_prepare(void);

/**
 * launch_run - run the program until it ends
 * @pid: its process
 * @status: its status, as of waitpid()
 *
 * Returns 0; a positive errno: why it could not be executed; a negative one: own failure.
 */
int launch_run(const struct launch *launch, pid_t *pid, int *status);

#endif
