/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "message.h"

/*
 * stderr may be a pipe that nobody reads or a file at its RLIMIT_FSIZE: without TEK nothing would
 * have been written and no signal would have come.
 */
static void write_quietly(const char *line, size_t length)
{
	const struct timespec now = { 0 };
	sigset_t quiet, before, pending;
	bool pipe_before, size_before;

	sigemptyset(&quiet);
	sigaddset(&quiet, SIGPIPE);
	sigaddset(&quiet, SIGXFSZ);
	sigpending(&pending);
	pipe_before = sigismember(&pending, SIGPIPE) == 1;
	size_before = sigismember(&pending, SIGXFSZ) == 1;
	if (pthread_sigmask(SIG_BLOCK, &quiet, &before))
		return;
	if (write(STDERR_FILENO, line, length) < 0) {
		if (pipe_before)
			sigdelset(&quiet, SIGPIPE);
		if (size_before)
			sigdelset(&quiet, SIGXFSZ);
		while (sigtimedwait(&quiet, NULL, &now) > 0)
			continue;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void message(const char *format, ...)
{
	char line[1400] = "tek: ";
	const size_t start = 5;
	int saved = errno;
	va_list arguments;
	int length;
	size_t i;

	va_start(arguments, format);
	length = vsnprintf(line + start, sizeof(line) - start - 1, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	length += (int)start;
	if ((size_t)length > sizeof(line) - 2)
		length = (int)sizeof(line) - 2;
	/* Names and texts from files: nothing that a terminal would act on. */
	for (i = start; i < (size_t)length; i++) {
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = '?';
	}
	line[length++] = '\n';
	write_quietly(line, (size_t)length);
	errno = saved;
}
