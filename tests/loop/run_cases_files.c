/* SPDX-License-Identifier: MIT */
/* tek snapshot and tek gc. */
#define _GNU_SOURCE
#include "run_cases.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <tek/runfile.h>
#include <unistd.h>

static char text[65536];

static int snapshot(int pid, job_setup setup)
{
	char number[16];
	const char *const argv[] = { tek, "snapshot", number, NULL };

	snprintf(number, sizeof(number), "%d", pid);
	return job_run(argv, setup, text, sizeof(text));
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)
		_exit(77);
}

void case_snapshot(void)
{
	pid_t daemon;
	struct job job = daemon_start(NULL, NULL, &daemon);
	char expected[64];

	CHECK(good_samples(daemon) == 0);
	CHECK(snapshot(daemon, NULL) == 0);
	/* The five, main, and whoever else lives by then. */
	CHECK(strstr(text, " threads read: ") != NULL);
	snprintf(expected, sizeof(expected), "-%d.tek\n", (int)daemon);
	CHECK(strstr(text, expected) != NULL);
	CHECK(good_samples(daemon) == 5);
	/* Never lower: a second reading changes nothing for the worse. */
	CHECK(snapshot(daemon, NULL) == 0);
	CHECK(good_samples(daemon) == 5);
	CHECK(snapshot(job.pid, NULL) == 2);
	CHECK(told("it does not measure"));
	if (geteuid() == 0) {
		int status = snapshot(daemon, become_nobody);

		CHECK(status == 2 || status == 99);
		CHECK(status == 99 || told("may not be read"));
	}
	kill(daemon, SIGKILL);
	CHECK(job_end(&job) == 128 + SIGKILL);
	CHECK(good_samples(daemon) == 5);
	CHECK(snapshot(daemon, NULL) == 2);
	CHECK(told("no such process"));
	CHECK(job_run((const char *const[]){ tek, "snapshot", "x1", NULL }, NULL, text,
		      sizeof(text)) == 2);
}

static int table(const char *name, uint32_t flags)
{
	struct tek_run_header header = { .byte_order = TEK_RUN_BYTE_ORDER,
					 .major = TEK_RUN_MAJOR,
					 .header_size = sizeof(header),
					 .flags = TEK_RUN_PUBLISH | flags,
					 .valid = 1 };
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	memcpy(header.magic, TEK_RUN_MAGIC, sizeof(header.magic));
	CHECK(fd >= 0 && write(fd, &header, sizeof(header)) == (ssize_t)sizeof(header));
	return fd;
}

static bool exists(const char *name)
{
	struct stat status;

	return lstat(name, &status) == 0;
}

void case_gc(void)
{
	int living;

	CHECK(mkdir("tables", 0755) == 0 && mkdir("elsewhere", 0755) == 0);
	close(table("tables/tek-0-11-1.tek", 0));
	close(table("tables/tek-0-12-1.tek", 0));
	living = table("tables/tek-0-13-1.tek", 0);
	CHECK(flock(living, LOCK_EX | LOCK_NB) == 0);
	close(table("tables/tek-0-14-1.tek", TEK_RUN_KEEP));
	close(table("elsewhere/tek-0-15-1.tek", 0));
	CHECK(symlink("../elsewhere/tek-0-15-1.tek", "tables/tek-0-15-1.tek") == 0);
	CHECK(system("echo text > tables/tek-0-16-1.tek; : > tables/tek-0-17-1.tek") == 0);
	close(table("tables/mine.tek", 0));
	CHECK(mkdir("tables/tek-0-18-1.tek", 0700) == 0);
	CHECK(mkfifo("tables/tek-0-19-1.tek", 0600) == 0);
	close(table("tables/tek-0-20-1.tek", 0));
	if (geteuid() == 0)
		CHECK(chown("tables/tek-0-20-1.tek", 65534, 65534) == 0);
	CHECK(job_run((const char *const[]){ "sh", "-c", "\"$0\" gc tables | sort", tek, NULL },
		      NULL, text, sizeof(text)) == 0);
	CHECK(!exists("tables/tek-0-11-1.tek") && !exists("tables/tek-0-12-1.tek"));
	CHECK(exists("tables/tek-0-13-1.tek"));
	CHECK(exists("tables/tek-0-14-1.tek"));
	CHECK(exists("tables/tek-0-15-1.tek") && exists("elsewhere/tek-0-15-1.tek"));
	CHECK(exists("tables/tek-0-16-1.tek") && exists("tables/tek-0-17-1.tek"));
	CHECK(exists("tables/mine.tek"));
	CHECK(exists("tables/tek-0-18-1.tek") && exists("tables/tek-0-19-1.tek"));
	if (geteuid() == 0) {
		CHECK(exists("tables/tek-0-20-1.tek"));
		CHECK(strcmp(text, "tables/tek-0-11-1.tek\ntables/tek-0-12-1.tek\n") == 0);
	}
	close(living);
	CHECK(job_run((const char *const[]){ tek, "gc", "tables", "nowhere", NULL }, NULL, text,
		      sizeof(text)) == 1);
	CHECK(strcmp(text, "tables/tek-0-13-1.tek\n") == 0);
	CHECK(told("tek: nowhere: cannot be read"));
	CHECK(job_run((const char *const[]){ tek, "gc", "nowhere", NULL }, NULL, text,
		      sizeof(text)) == 2);
	CHECK(job_run((const char *const[]){ tek, "gc", "tables", NULL }, NULL, text,
		      sizeof(text)) == 0);
	CHECK(text[0] == '\0');
}
