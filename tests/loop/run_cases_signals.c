/* SPDX-License-Identifier: MIT */
/* Signals, stops and readings. */
#define _GNU_SOURCE
#include "run_cases.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[8192];

static void expect_signal(struct job *job, int number, int value)
{
	char expected[64];
	const char *line = job_line(job);

	snprintf(expected, sizeof(expected), "got %d %d", number, value);
	if (strcmp(line, expected) != 0) {
		fprintf(stderr, "expected \"%s\", not \"%s\"\n", expected, line);
		failures++;
	}
}

void case_reading(void)
{
	pid_t daemon;
	struct job job = daemon_start(NULL, NULL, &daemon);

	CHECK(good_samples(daemon) == 0);
	kill(job.pid, SIGTERM);
	CHECK(job_end(&job) == 128 + SIGTERM);
	CHECK(good_samples(daemon) == 5);
	CHECK(!told("tek:"));
}

/* Locked stacks are painted, since they cannot be cleaned. */
void case_locked(void)
{
	pid_t daemon;
	struct job job = daemon_start("locked", NULL, &daemon);

	kill(job.pid, SIGTERM);
	CHECK(job_end(&job) == 128 + SIGTERM);
	CHECK(good_samples(daemon) == 5);
}

/* What a stack of the program's own held before is not taken for use. */
void case_foreign(void)
{
	pid_t daemon;
	struct job job = daemon_start("foreign", NULL, &daemon);

	kill(job.pid, SIGTERM);
	CHECK(job_end(&job) == 128 + SIGTERM);
	CHECK(good_samples(daemon) == 5);
}

/* Of a stack that was full of data nothing is known but that the peak is within it. */
void case_dirty(void)
{
	char pattern[64];
	const char *const peek[] = { "sh", "-c", pattern, program("run_peek"), NULL };
	pid_t daemon;
	struct job job = daemon_start("dirty", NULL, &daemon);
	char *line = text;
	int count = 0;

	kill(job.pid, SIGTERM);
	CHECK(job_end(&job) == 128 + SIGTERM);
	snprintf(pattern, sizeof(pattern), "\"$0\" out/*-%d.tek", (int)daemon);
	CHECK(job_run(peek, NULL, text, sizeof(text)) == 0);
	for (; *line != '\0'; line++, count++) {
		strtoul(line, &line, 10); /* the generation */
		CHECK(strtoul(line, &line, 10) == 0);
		CHECK(strtoul(line, &line, 10) > (1u << 20) - 8192);
	}
	CHECK(count == 5);
}

/* Whatever else lies in the folder, or becomes of the file, the signal gets through. */
void case_cut(void)
{
	pid_t daemon;
	struct job job = daemon_start("answer", NULL, &daemon);

	CHECK(system("mkfifo out/fifo.tek; mkdir out/folder.tek; ln -s /dev/zero out/link.tek; "
		     ": > out/empty.tek; head -c 100000 /dev/urandom > out/noise.tek; "
		     "cp out/run_daemon*.tek out/copy.tek; truncate -s 2500 out/run_daemon*.tek") ==
	      0);
	kill(job.pid, SIGUSR1);
	expect_signal(&job, SIGUSR1, 0);
	CHECK(system("for f in out/run_daemon*.tek; do : > \"$f\"; done") == 0);
	kill(job.pid, SIGUSR1);
	expect_signal(&job, SIGUSR1, 0);
	CHECK(system("rm -rf out") == 0);
	kill(job.pid, SIGTERM);
	CHECK(job_end(&job) == 128 + SIGTERM);
}

void case_period(void)
{
	const char *const argv[] = { tek,  "run", "--sample", "20",
				     "-o", "out", "--",	      program("run_daemon"),
				     NULL };
	struct job job = job_start(argv, NULL);
	pid_t pid;

	pid = ready(job_line(&job));
	CHECK(pid != 0);
	if (failures != 0)
		return;
	/* Nothing but the period makes readings here; the deadline of the test's time-out. */
	while (good_samples(pid) != 5)
		usleep(1000);
	kill(pid, SIGKILL);
	CHECK(job_end(&job) == 128 + SIGKILL);
	CHECK(good_samples(pid) == 5);
}

static bool can_be_passed(int number)
{
	return number != SIGKILL && number != SIGSTOP && number != SIGTERM && number != SIGTSTP &&
	       (number <= SIGSYS || (number >= SIGRTMIN && number <= SIGRTMAX));
}

void case_passes(void)
{
	pid_t daemon;
	struct job job = daemon_start("answer", NULL, &daemon);

	for (int number = 1; number <= SIGRTMAX; number++) {
		if (!can_be_passed(number))
			continue;
		kill(job.pid, number);
		expect_signal(&job, number, 0);
	}
	sigqueue(job.pid, SIGRTMIN + 1, (union sigval){ .sival_int = 4711 });
	expect_signal(&job, SIGRTMIN + 1, 4711);
	kill(job.pid, SIGTERM);
	CHECK(job_end(&job) == 128 + SIGTERM);
}

/* What the whole group gets, the program gets once. */
void case_once(void)
{
	static const int numbers[] = {
		SIGUSR1, SIGINT, SIGHUP, SIGQUIT, SIGWINCH, SIGCONT, SIGALRM
	};
	pid_t daemon;
	struct job job = daemon_start("answer", NULL, &daemon);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		/* SIGUSR2, sent after it and to `tek` alone, follows it: nothing was in between. */
		kill(-job.pid, numbers[i]);
		expect_signal(&job, numbers[i], 0);
		kill(job.pid, SIGUSR2);
		expect_signal(&job, SIGUSR2, 0);
	}
	kill(-job.pid, SIGTERM);
	CHECK(job_end(&job) == 128 + SIGTERM);
}

static void one_second_alarm(void)
{
	alarm(1);
}

/* A timer survives execve() and then belongs to `tek`, but was meant for the program. */
void case_alarm(void)
{
	const char *const argv[] = { tek, "run", "-o", "out", "--", "sleep", "1000", NULL };

	CHECK(job_run(argv, one_second_alarm, text, sizeof(text)) == 128 + SIGALRM);
}

static void ignore_hangup(void)
{
	signal(SIGHUP, SIG_IGN);
}

/* As under nohup: the program does not die of a SIGHUP, `tek` does not either. */
void case_hangup(void)
{
	pid_t daemon;
	struct job job = daemon_start(NULL, ignore_hangup, &daemon);

	kill(job.pid, SIGHUP);
	kill(-job.pid, SIGHUP);
	kill(job.pid, SIGTERM);
	CHECK(job_end(&job) == 128 + SIGTERM);
}

/* A program whose `tek run` was killed runs on. */
void case_survives(void)
{
	pid_t daemon;
	struct job job = daemon_start("answer", NULL, &daemon);
	int status;

	kill(job.pid, SIGKILL);
	CHECK(waitpid(job.pid, &status, 0) == job.pid && WIFSIGNALED(status));
	kill(daemon, SIGUSR1);
	expect_signal(&job, SIGUSR1, 0);
	kill(daemon, SIGKILL);
	/* The witness has gone with `tek`: nobody holds the pipe. */
	CHECK(fgetc(job.out) == EOF);
	fclose(job.out);
}

static const char *terminal_line(int terminal)
{
	static char line[4096];
	size_t length = 0;

	while (length < sizeof(line) - 1 && read(terminal, line + length, 1) == 1 &&
	       line[length] != '\n')
		length++;
	line[length] = '\0';
	return line;
}

static void expect_terminal(int terminal, const char *expected)
{
	const char *line = terminal_line(terminal);

	/* The terminal itself shows ^C and ends lines by \r\n. */
	if (strstr(line, expected) == NULL) {
		fprintf(stderr, "expected \"%s\", not \"%s\"\n", expected, line);
		failures++;
	}
}

static pid_t start_on_terminal(int *terminal, const char *argument)
{
	pid_t pid = forkpty(terminal, NULL, NULL, NULL);

	if (pid == 0) {
		/* As a shell with job control: it waits, its job has the terminal. */
		pid_t child = fork();
		int status;

		signal(SIGTTOU, SIG_IGN);
		if (child == 0) {
			setpgid(0, 0);
			tcsetpgrp(0, getpid());
			signal(SIGTTOU, SIG_DFL);
			execl(tek, "tek", "run", "-o", "out", "--", program("run_daemon"), argument,
			      NULL);
			_exit(99);
		}
		setpgid(child, child);
		for (;;) {
			if (waitpid(child, &status, WUNTRACED) != child)
				_exit(98);
			if (!WIFSTOPPED(status))
				break;
			tcsetpgrp(0, getpid());
			printf("stopped %d\n", WSTOPSIG(status));
			fflush(stdout);
			if (getchar() == EOF) /* until the test says so */
				_exit(97);
			tcsetpgrp(0, child);
			kill(-child, SIGCONT);
		}
		_exit(WIFSIGNALED(status) ? 1 : WEXITSTATUS(status));
	}
	if (pid < 0)
		exit(77);
	return pid;
}

/* A signal that reaches the program from the terminal, and is followed by no second one. */
static void expect_once(int terminal, const char *expected)
{
	expect_terminal(terminal, expected);
	kill(tcgetpgrp(terminal), SIGUSR2); /* to `tek` alone */
	expect_terminal(terminal, "got 12 0");
}

/* ^C reaches the program from the terminal itself, and not once more from `tek`. */
void case_terminal(void)
{
	int terminal, status;
	pid_t shell = start_on_terminal(&terminal, "answer");
	struct winsize size = { .ws_row = 7, .ws_col = 70 };

	expect_terminal(terminal, "ready");
	CHECK(write(terminal, "\003", 1) == 1);
	expect_once(terminal, "got 2 0");
	CHECK(ioctl(terminal, TIOCSWINSZ, &size) == 0);
	expect_once(terminal, "got 28 0");
	CHECK(write(terminal, "\034", 1) == 1);
	expect_once(terminal, "got 3 0");
	kill(-tcgetpgrp(terminal), SIGTERM);
	CHECK(waitpid(shell, &status, 0) == shell && WIFEXITED(status) &&
	      WEXITSTATUS(status) == 128 + SIGTERM);
}

/* ^Z stops program and `tek`, so that the shell sees its job stop; fg continues both. */
void case_stop(void)
{
	int terminal, status;
	pid_t pid, shell = start_on_terminal(&terminal, NULL);
	pid_t group;

	pid = ready(terminal_line(terminal));
	CHECK(pid != 0);
	if (failures != 0)
		return;
	group = tcgetpgrp(terminal);
	for (int round = 0; round < 3; round++) {
		CHECK(write(terminal, "\032", 1) == 1);
		expect_terminal(terminal, "stopped 20");
		CHECK(reaches_state(pid, 'T') && reaches_state(group, 'T'));
		CHECK(write(terminal, "\n", 1) == 1);
		terminal_line(terminal); /* its echo */
		CHECK(reaches_state(pid, 'S') && reaches_state(group, 'S'));
	}
	/* Stopped by itself: followed all the same; continued through `tek` alone. */
	kill(pid, SIGSTOP);
	expect_terminal(terminal, "stopped 19");
	kill(group, SIGCONT);
	CHECK(reaches_state(pid, 'S') && reaches_state(group, 'S'));
	kill(group, SIGTERM);
	CHECK(write(terminal, "\n", 1) == 1);
	CHECK(waitpid(shell, &status, 0) == shell && WIFEXITED(status) &&
	      WEXITSTATUS(status) == 128 + SIGTERM);
	CHECK(good_samples(pid) == 5);
}

/*
 * The terminal goes away: its session leader alone is told, and would be the program itself, had it
 * been started without `tek run`.
 */
void case_leader(void)
{
	int terminal, status;
	pid_t shell = forkpty(&terminal, NULL, NULL, NULL), daemon;

	if (shell == 0) {
		execl(tek, "tek", "run", "-o", "out", "--", program("run_daemon"), NULL);
		_exit(99);
	}
	if (shell < 0)
		exit(77);
	daemon = ready(terminal_line(terminal));
	CHECK(daemon != 0);
	close(terminal);
	CHECK(waitpid(shell, &status, 0) == shell && WIFEXITED(status) &&
	      WEXITSTATUS(status) == 128 + SIGHUP);
	CHECK(good_samples(daemon) == 5);
}
