/* SPDX-License-Identifier: MIT */
/*
 * run_cases TEK PROGRAMS CASE: one behaviour of `tek run`, `tek snapshot` or `tek gc`, in an empty
 * folder of the case's name. Exits 0: as it must be; 1: not; 77: this system cannot show it.
 */
#define _GNU_SOURCE
#include "run_cases.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *tek, *programs;
int failures;

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "status", case_status },   { "stdin", case_stdin },	    { "same", case_same },
	{ "reading", case_reading }, { "passes", case_passes },	    { "once", case_once },
	{ "alarm", case_alarm },     { "hangup", case_hangup },	    { "terminal", case_terminal },
	{ "stop", case_stop },	     { "survives", case_survives }, { "inside", case_inside },
	{ "nobody", case_nobody },   { "snapshot", case_snapshot }, { "gc", case_gc },
	{ "why", case_why },	     { "period", case_period },	    { "truth", case_truth },
	{ "locked", case_locked },   { "foreign", case_foreign },   { "cut", case_cut },
	{ "leader", case_leader },   { "dirty", case_dirty },
};

const char *program(const char *name)
{
	static char paths[4][PATH_MAX];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", programs, name);
	return path;
}

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

/* Groups of jobs that have not ended, so that a failing test leaves nobody behind. */
static pid_t running[8];

static void kill_running(void)
{
	for (size_t i = 0; i < sizeof(running) / sizeof(running[0]); i++)
		if (running[i] > 0)
			kill(-running[i], SIGKILL);
}

static void note_running(pid_t was, pid_t is)
{
	for (size_t i = 0; i < sizeof(running) / sizeof(running[0]); i++)
		if (running[i] == was) {
			running[i] = is;
			return;
		}
}

struct job job_start(const char *const *argv, job_setup setup)
{
	struct job job;
	int out[2];

	if (pipe2(out, O_CLOEXEC) != 0)
		give_up("pipe");
	job.pid = fork();
	if (job.pid < 0)
		give_up("fork");
	if (job.pid == 0) {
		int err = open("stderr", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

		setpgid(0, 0);
		dup2(out[1], 1);
		dup2(err, 2);
		if (setup != NULL)
			setup();
		execvp(argv[0], (char *const *)argv);
		_exit(99);
	}
	note_running(0, job.pid);
	/* In both, so that it holds whoever comes first. */
	setpgid(job.pid, job.pid);
	close(out[1]);
	job.out = fdopen(out[0], "r");
	if (job.out == NULL)
		give_up("fdopen");
	return job;
}

int job_end(struct job *job)
{
	int status;

	fclose(job->out);
	if (waitpid(job->pid, &status, 0) != job->pid)
		give_up("waitpid");
	note_running(job->pid, 0);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

const char *job_line(struct job *job)
{
	static char line[4096];

	if (fgets(line, sizeof(line), job->out) == NULL) {
		fputs("no further line from the program\n", stderr);
		exit(1);
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

int job_run(const char *const *argv, job_setup setup, char *text, size_t size)
{
	struct job job = job_start(argv, setup);
	size_t got = fread(text, 1, size - 1, job.out);

	text[got] = '\0';
	return job_end(&job);
}

pid_t ready(const char *line)
{
	const char *number = strstr(line, "ready ");
	long pid = number == NULL ? 0 : strtol(number + 6, NULL, 10);

	return pid > 0 ? (pid_t)pid : 0;
}

struct job daemon_start(const char *argument, job_setup setup, pid_t *daemon)
{
	const char *const argv[] = { tek,      "run", "-o", "out", "--", program("run_daemon"),
				     argument, NULL };
	struct job job = job_start(argv, setup);

	*daemon = ready(job_line(&job));
	if (*daemon == 0) {
		fputs("the daemon did not get ready\n", stderr);
		/* 77: it may not lock as much memory. */
		exit(argument != NULL && strcmp(argument, "locked") == 0 ? 77 : 1);
	}
	return job;
}

bool told(const char *text)
{
	FILE *file = fopen("stderr", "re");
	char all[8192];
	size_t got;

	if (file == NULL)
		return false;
	got = fread(all, 1, sizeof(all) - 1, file);
	fclose(file);
	all[got] = '\0';
	return strstr(all, text) != NULL;
}

/* As run_daemon.c: thread i uses (i + 1) * 24576 bytes and a little. */
int good_samples(pid_t daemon)
{
	char pattern[64], text[4096], *line, *rest = text;
	const char *const argv[] = { "sh", "-c", pattern, program("run_peek"), NULL };
	bool seen[5] = { false };
	int good = 0;

	snprintf(pattern, sizeof(pattern), "\"$0\" out/*-%d.tek", (int)daemon);
	if (job_run(argv, NULL, text, sizeof(text)) != 0)
		return -1;
	while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
		unsigned long low, high;

		strtoul(line, &line, 10); /* the generation */
		low = strtoul(line, &line, 10);
		high = strtoul(line, &line, 10);
		for (unsigned int i = 0; i < 5; i++) {
			unsigned long used = (i + 1) * 24576ul;

			if (!seen[i] && low >= used && low <= high && high < used + 16384) {
				seen[i] = true;
				good++;
				break;
			}
		}
	}
	return good;
}

bool reaches_state(pid_t pid, char state)
{
	char name[64], text[512], now = '?';

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	for (int tries = 0; tries < 10000; tries++) {
		FILE *file = fopen(name, "re");
		size_t got = file == NULL ? 0 : fread(text, 1, sizeof(text) - 1, file);
		char *after;

		if (file != NULL)
			fclose(file);
		text[got] = '\0';
		after = strrchr(text, ')');
		if (after != NULL && sscanf(after + 1, " %c", &now) == 1 && now == state)
			return true;
		poll(NULL, 0, 1);
	}
	fprintf(stderr, "process %d stays in state %c\n", (int)pid, now);
	return false;
}

int main(int argc, char **argv)
{
	char remove[PATH_MAX];

	if (argc != 4 || atexit(kill_running) != 0)
		return 1;
	tek = argv[1];
	programs = argv[2];
	snprintf(remove, sizeof(remove), "rm -rf run.%s", argv[3]);
	if (system(remove) != 0)
		return 1;
	snprintf(remove, sizeof(remove), "run.%s", argv[3]);
	if (mkdir(remove, 0755) != 0 || chdir(remove) != 0)
		give_up(remove);
	unsetenv("TEK_OUT");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(cases[i].name, argv[3]) == 0) {
			cases[i].run();
			return failures != 0;
		}
	return 1;
}
