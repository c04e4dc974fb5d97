/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "launch.h"
#include "peer.h"
#include "witness.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the program is to find, put aside while `tek` waits with other settings. */
static sigset_t inherited_mask;
static struct sigaction inherited_child_action;

static struct witness witness;
static pid_t program;
static bool program_stopped; /* by what waitpid() said last */

int launch_prepare(void)
{
	/* With SIGCHLD ignored, as it may be inherited, children leave no status. */
	const struct sigaction take = { .sa_handler = SIG_DFL };
	sigset_t all;

	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, &inherited_mask) != 0 ||
	    sigaction(SIGCHLD, &take, &inherited_child_action) != 0)
		return -errno;
	return 0;
}

static _Noreturn void become(char **argv, int report)
{
	int error;

	sigaction(SIGCHLD, &inherited_child_action, NULL);
	sigprocmask(SIG_SETMASK, &inherited_mask, NULL);
	execvp(argv[0], argv);
	error = errno;
	if (write(report, &error, sizeof(error)) != (ssize_t)sizeof(error))
		_exit(126);
	_exit(127);
}

static int64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool has_terminal(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/*
 * Stops as the program has, so that the shell sees its job stop. Without a terminal there is no
 * job control, and nobody who would wake `tek` again.
 */
static void follow_stop(int signal)
{
	struct sigaction action;
	sigset_t only;

	if (!has_terminal())
		return;
	if (sigaction(signal, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
		signal = SIGSTOP;
	sigemptyset(&only);
	sigaddset(&only, signal);
	kill(getpid(), signal);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	sigprocmask(SIG_BLOCK, &only, NULL);
}

/* True when the program has ended and @status is its last word. */
static bool reap(int *status)
{
	while (waitpid(program, status, WNOHANG | WUNTRACED | WCONTINUED) == program) {
		if (WIFEXITED(*status) || WIFSIGNALED(*status))
			return true;
		program_stopped = WIFSTOPPED(*status);
		if (program_stopped)
			follow_stop(WSTOPSIG(*status));
	}
	return false;
}

/* A program that was continued along with `tek` needs no second SIGCONT. */
static bool was_continued_too(void)
{
	char state = '\0';
	bool stopped = program_stopped;

	program_stopped = false;
	return stopped && peer_stat(program, NULL, &state) != 0 && state != 'T';
}

static void pass_on(const struct launch *launch, const siginfo_t *info)
{
	const int signal = info->si_signo;
	/* Sent up by the program, to its parent: it is not for the program itself. */
	const bool from_program = info->si_code <= 0 && info->si_pid == program;
	bool has_it = witness_got(&witness, signal);

	if (signal != SIGCONT && signal != SIGWINCH && signal != SIGCHLD)
		launch->reading();
	/* Who signals many processes one by one may have reached the witness only now. */
	has_it = has_it || witness_got(&witness, signal);
	if (has_it || from_program || (signal == SIGCONT && was_continued_too()))
		return;
	if (info->si_code == SI_QUEUE)
		sigqueue(program, signal, info->si_value);
	else
		kill(program, signal);
}

static void wait_program(const struct launch *launch, int *status)
{
	int64_t due = monotonic_ms() + launch->period_ms;
	sigset_t all;

	sigfillset(&all);
	for (;;) {
		int64_t left = launch->period_ms > 0 ? due - monotonic_ms() : 1;
		struct timespec wait;
		siginfo_t info;
		int got;

		if (left <= 0) {
			launch->reading();
			due = monotonic_ms() + launch->period_ms;
			left = launch->period_ms;
		}
		wait.tv_sec = (time_t)(left / 1000);
		wait.tv_nsec = (long)(left % 1000) * 1000000;
		got = sigtimedwait(&all, &info, launch->period_ms > 0 ? &wait : NULL);
		if (got > 0 && (got != SIGCHLD || info.si_code <= 0))
			pass_on(launch, &info);
		/* Whoever sent it: one that is pending already swallows the kernel's own. */
		if (got == SIGCHLD && reap(status))
			return;
	}
}

int launch_run(const struct launch *launch, pid_t *pid, int *status)
{
	int error, report[2], exec_error;

	if (pipe2(report, O_CLOEXEC | O_NONBLOCK) != 0)
		return -errno;
	error = witness_start(&witness);
	if (error != 0)
		goto out;
	program = fork();
	if (program < 0) {
		error = -errno;
		goto out;
	}
	if (program == 0)
		become(launch->argv, report[1]);
	*pid = program;
	wait_program(launch, status);
	/* The child that could not execute wrote before it ended. */
	if (read(report[0], &exec_error, sizeof(exec_error)) == (ssize_t)sizeof(exec_error))
		error = exec_error;
out:
	witness_end(&witness);
	close(report[0]);
	close(report[1]);
	return error;
}
