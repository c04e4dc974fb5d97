/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "witness.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct testimony {
	int signal;
	int got;
};

/* A pipe whose other end waits for its end-of-file must not wait for the witness. */
static void close_from(unsigned int first)
{
	struct rlimit limit = { .rlim_cur = 65536 };

	if (syscall(SYS_close_range, first, ~0u, 0) == 0)
		return;
	getrlimit(RLIMIT_NOFILE, &limit); /* Linux before 5.9 */
	for (rlim_t fd = first; fd < limit.rlim_cur && fd < 65536; fd++)
		close((int)fd);
}

static _Noreturn void testify(int line)
{
	static const struct timespec at_once;
	struct testimony word;

	if ((line != 0 && dup2(line, 0) < 0) || chdir("/") != 0)
		_exit(1);
	close_from(1);
	while (recv(0, &word, sizeof(word), 0) == (ssize_t)sizeof(word)) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, word.signal);
		word.got = sigtimedwait(&set, NULL, &at_once) == word.signal;
		if (send(0, &word, sizeof(word), MSG_NOSIGNAL) != (ssize_t)sizeof(word))
			break;
	}
	_exit(0);
}

int witness_start(struct witness *witness)
{
	/* It answers in microseconds, unless somebody has stopped it. */
	const struct timeval patience = { .tv_sec = 1 };
	int line[2], error;

	*witness = (struct witness){ .pid = -1, .line = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) != 0)
		return -errno;
	if (setsockopt(line[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) != 0)
		goto failed;
	witness->pid = fork();
	if (witness->pid < 0)
		goto failed;
	if (witness->pid == 0)
		testify(line[1]);
	witness->line = line[0];
	close(line[1]);
	return 0;
failed:
	error = -errno;
	close(line[0]);
	close(line[1]);
	return error;
}

bool witness_got(struct witness *witness, int signal)
{
	struct testimony word = { .signal = signal };

	if (witness->pid <= 0)
		return false;
	if (send(witness->line, &word, sizeof(word), MSG_NOSIGNAL) == (ssize_t)sizeof(word) &&
	    recv(witness->line, &word, sizeof(word), 0) == (ssize_t)sizeof(word))
		return word.got == 1;
	witness_end(witness);
	return false;
}

void witness_end(struct witness *witness)
{
	if (witness->pid <= 0)
		return;
	close(witness->line);
	/* It may have been stopped; it has nothing to lose. */
	kill(witness->pid, SIGKILL);
	while (waitpid(witness->pid, NULL, 0) < 0 && errno == EINTR)
		;
	witness->pid = -1;
}
