/* SPDX-License-Identifier: MIT */
/* A message that cannot be written is lost, and nothing else happens. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"
#include "runtime_fixture.h"

static void say_into(int fd)
{
	const struct rlimit none = { 0 };
	pid_t child = fork();
	int status = -1;

	if (!child) {
		signal(SIGXFSZ, SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
		setrlimit(RLIMIT_FSIZE, &none);
		dup2(fd, STDERR_FILENO);
		message("nobody reads this");
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void a_full_file_raises_no_signal(void **state)
{
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	say_into(fileno(file));
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	assert_int_equal(ftell(file), 0);
	fclose(file);
}

static void a_closed_pipe_raises_no_signal(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	say_into(ends[1]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_file_raises_no_signal),
		cmocka_unit_test(a_closed_pipe_raises_no_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
