/* SPDX-License-Identifier: MIT */
/* How a program starts and ends under `tek run`: status, descriptors, settings, who it is. */
#define _GNU_SOURCE
#include "run_cases.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char text[65536], other[65536];

static int run(const char *const *command, job_setup setup)
{
	const char *argv[16] = { tek, "run", "-o", "out", "--" };
	int count = 5;

	while (count < 15 && *command != NULL)
		argv[count++] = *command++;
	argv[count] = NULL;
	return job_run(argv, setup, text, sizeof(text));
}

#define RUN(...) run((const char *const[]){ __VA_ARGS__, NULL }, NULL)

void case_status(void)
{
	struct stat status;

	CHECK(RUN("true") == 0);
	CHECK(stat("out", &status) == 0 && (status.st_mode & 07777) == 0700);
	CHECK(RUN("sh", "-c", "exit 3") == 3);
	CHECK(RUN("sh", "-c", "kill -TERM $$") == 128 + SIGTERM);
	CHECK(RUN("sh", "-c", "kill -KILL $$") == 128 + SIGKILL);
	CHECK(RUN("no-such-program") == 127);
	CHECK(told("tek: no-such-program: not found"));
	CHECK(RUN("./no-such-program") == 127);
	CHECK(RUN("/") == 126);
	CHECK(RUN("/etc/passwd") == 126);
	/* A text without #! is a shell script for execvp(). */
	CHECK(system("echo 'exit 5' > text; chmod 755 text") == 0);
	CHECK(RUN("./text") == 5);
	CHECK(job_run((const char *const[]){ tek, "run", NULL }, NULL, text, sizeof(text)) == 125);
	CHECK(job_run((const char *const[]){ tek, "run", "--nonsense", "true", NULL }, NULL, text,
		      sizeof(text)) == 125);
	CHECK(job_run((const char *const[]){ tek, "run", "-o", "text/x", "true", NULL }, NULL, text,
		      sizeof(text)) == 125);
	CHECK(told("tek: text/x: "));
	CHECK(job_run((const char *const[]){ tek, "run", "--sample", "1x", "true", NULL }, NULL,
		      text, sizeof(text)) == 125);
	/* Options end at the program's name; folders are made. */
	CHECK(job_run((const char *const[]){ tek, "run", "-o", "a/b", "sh", "-c", "exit 4", NULL },
		      NULL, text, sizeof(text)) == 4);
	CHECK(stat("a/b", &status) == 0 && S_ISDIR(status.st_mode));
}

static void stdin_from_file(void)
{
	int fd = open("input", O_RDONLY);

	dup2(fd, 0);
	close(fd);
}

void case_stdin(void)
{
	CHECK(system("seq 1 5000 > input") == 0);
	CHECK(run((const char *const[]){ "sort", "-n", NULL }, stdin_from_file) == 0);
	CHECK(strncmp(text, "1\n2\n3\n", 6) == 0);
	CHECK(strlen(text) == 23893); /* digits and newlines of 1 to 5000 */
}

static void odd_settings(void)
{
	sigset_t set;

	signal(SIGCHLD, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN + 3);
	sigprocmask(SIG_SETMASK, &set, NULL);
	umask(027);
	close(0);
	dup2(1, 7);
	fcntl(7, F_SETFD, 0);
	setenv("TEK_SAMPLE_INSIDE", "77", 1);
}

/* The group's number is the job's own, and differs from job to job. */
static void blot_group(char *of)
{
	char *at = strstr(of, "group ");

	for (at = at == NULL ? NULL : at + 6; at != NULL && *at >= '0' && *at <= '9'; at++)
		*at = '#';
}

static void compare(job_setup setup)
{
	const char *const plain[] = { program("run_probe"), "a b", "", "-o", NULL };

	CHECK(job_run(plain, setup, other, sizeof(other)) == 0);
	CHECK(run(plain, setup) == 0);
	blot_group(text);
	blot_group(other);
	CHECK(strstr(text, "SigBlk") != NULL && strstr(text, "descriptor 1") != NULL);
	CHECK(strcmp(text, other) == 0);
	if (strcmp(text, other) != 0)
		fprintf(stderr, "plain:\n%s\ntek run:\n%s\n", other, text);
}

void case_same(void)
{
	compare(NULL);
	compare(odd_settings);
}

/* process_vm_readv is refused, as by a container's filter. */
static void no_readv(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = 4, .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) != 0)
		_exit(77);
}

void case_inside(void)
{
	struct job job;
	pid_t daemon;
	int status =
		run((const char *const[]){ "sh", "-c", "echo $TEK_SAMPLE_INSIDE", NULL }, no_readv);

	if (status == 77)
		exit(77);
	CHECK(status == 0);
	CHECK(strcmp(text, "86400000\n") == 0);
	CHECK(told("process_vm_readv"));
	job = daemon_start(NULL, no_readv, &daemon);
	kill(job.pid, SIGTERM);
	CHECK(job_end(&job) == 128 + SIGTERM);
	CHECK(good_samples(daemon) == 5);
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)
		_exit(77);
}

void case_nobody(void)
{
	struct job job;
	pid_t daemon;

	if (geteuid() != 0)
		exit(77);
	CHECK(mkdir("out", 0700) == 0 && chown("out", 65534, 65534) == 0);
	/* The build folder may lie where only root gets. */
	if (run((const char *const[]){ program("run_probe"), NULL }, become_nobody) != 0)
		exit(77);
	job = daemon_start(NULL, become_nobody, &daemon);
	kill(job.pid, SIGTERM);
	CHECK(job_end(&job) == 128 + SIGTERM);
	CHECK(good_samples(daemon) == 5);
}

void case_why(void)
{
	CHECK(RUN("true") == 0);
	CHECK(told("true: left no run file: it is not instrumented"));
	CHECK(system("printf '#!/bin/sh\\nexit 6\\n' > script; chmod 755 script") == 0);
	CHECK(RUN("./script") == 6);
	CHECK(told("it is a script for /bin/sh"));
	CHECK(RUN(program("run_dropped")) == 0);
	CHECK(told("libtek is not linked to it (the linker's --as-needed drops it); link it with "
		   "-Wl,--push-state,--no-as-needed -ltek -Wl,--pop-state"));
	CHECK(RUN(program("run_dropped_static")) == 0);
	CHECK(told("static and without libtek; link it with -Wl,-u,__tek_pthread_create"));
	if (geteuid() == 0) {
		CHECK(system("cp /bin/true setuid; chown 65534 setuid; chmod 4755 setuid") == 0);
		CHECK(RUN("./setuid") == 0);
		CHECK(told("setuid"));
	}
	/* Damaged programs: a line, and no crash. */
	CHECK(system("head -c 300 /bin/true > cut; chmod 755 cut") == 0);
	CHECK(RUN("./cut") != 0);
	/* One that left a run file needs no explanation. */
	CHECK(RUN(program("run_measured")) == 0);
	CHECK(!told("left no run file"));
}
