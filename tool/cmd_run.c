/* SPDX-License-Identifier: MIT */
/* tek run: start a program under measurement, and be noticed by nobody while it runs. */
#define _GNU_SOURCE
#include "launch.h"
#include "outside.h"
#include "runfile.h"
#include "tool.h"
#include "unmeasured.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* As env(1), nohup(1) and timeout(1) of POSIX and GNU have them. */
#define RUN_OWN_FAILURE 125
#define RUN_CANNOT_RUN 126
#define RUN_NOT_FOUND 127

#define FILE_PATTERN "%e-%h-%p.tek"
#define PATTERN_SIZE 1024 /* what the runtime takes of TEK_OUT, with the NUL */
#define PERIOD_MAX_MS 86400000L

static const char usage[] =
	"usage: tek run [-o DIR] [--sample MS] [--] PROGRAM [ARGUMENT]...\n"
	"\n"
	"Runs PROGRAM under measurement and returns its exit status.\n"
	"\n"
	"  -o DIR       folder of the run files, made if missing (default: ./tek-out)\n"
	"  --sample MS  also read every living thread's stack each MS milliseconds\n"
	"  --help       show this\n"
	"\n"
	"Exit status: PROGRAM's; 128 + number of the signal that ended it; 125 if tek run\n"
	"failed, 126 if PROGRAM cannot be run, 127 if it is not found.\n";

/* Of this one run. */
static char directory[PATH_MAX];
static time_t since_s;	 /* real time, for what has no readable header */
static tek_u64 since_ns; /* monotonic: run files of the run start later */
static bool said[256];	 /* by errno: each trouble is told once a run */

/*
 * A descriptor 0, 1 or 2 that is closed would be taken by the next file that is opened, and be
 * written to as stderr. Filled up for `tek` alone: the program finds them closed.
 */
static int fill_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) != fd)
			return -EBADF;
	return 0;
}

static int make_directory(const char *name)
{
	char path[PATH_MAX], *slash;

	if (snprintf(path, sizeof(path), "%s", name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	for (slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return -errno;
	if (realpath(path, directory) == NULL)
		return -errno;
	if (access(directory, W_OK | X_OK) != 0)
		return -errno;
	return 0;
}

/* TEK_OUT is a pattern: what the folder's own name has of percent signs is doubled. */
static int export_pattern(void)
{
	char pattern[PATH_MAX * 2 + sizeof("/" FILE_PATTERN)], *to = pattern;

	for (const char *from = directory; *from != '\0'; from++) {
		*to++ = *from;
		if (*from == '%')
			*to++ = '%';
	}
	snprintf(to, sizeof("/" FILE_PATTERN), "%s%s", strcmp(directory, "/") == 0 ? "" : "/",
		 FILE_PATTERN);
	if (strlen(pattern) >= PATTERN_SIZE)
		return -ENAMETOOLONG;
	return setenv("TEK_OUT", pattern, 1) == 0 ? 0 : -errno;
}

static void tell_once(const char *name, int error)
{
	if (error <= -256 || said[-error])
		return;
	said[-error] = true;
	tool_problem(name, "no reading from outside: %s", outside_text(error));
}

/* True if what cannot be opened was made since the run began, by the clock of its file system. */
static bool is_new(int folder, const char *name)
{
	struct stat status;

	return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(status.st_mode) && status.st_ctim.tv_sec >= since_s;
}

/*
 * Calls @visit for each file of this run; stops where it returns true, and returns that. For a file
 * that cannot be opened @live is null.
 */
static bool visit_files(bool (*visit)(struct live_file *live, const char *name, int error))
{
	DIR *folder = opendir(directory);
	const struct dirent *entry;
	bool stop = false;

	if (folder == NULL)
		return false;
	while (!stop && (entry = readdir(folder)) != NULL) {
		struct live_file live;
		int error;

		if (!run_file_named(entry->d_name))
			continue;
		error = live_open(&live, dirfd(folder), entry->d_name);
		if (error == 0 && live.header.start_monotonic_ns >= since_ns)
			stop = visit(&live, entry->d_name, 0);
		/* -EBADMSG: not yet complete; there is no thread to read yet. */
		if (error != 0 && error != -EBADMSG && is_new(dirfd(folder), entry->d_name))
			stop = visit(NULL, entry->d_name, error);
		if (error == 0)
			live_close(&live);
	}
	closedir(folder);
	return stop;
}

static bool read_file(struct live_file *live, const char *name, int error)
{
	struct outside_result result;

	if (live != NULL)
		error = outside_read(live, 0, &result);
	/* -ESRCH: it ended, and its file is complete; -ENOTSUP: it measures nothing. */
	if (error != 0 && error != -ESRCH && error != -ENOTSUP)
		tell_once(name, error);
	return false;
}

static void read_all(void)
{
	visit_files(read_file);
}

static bool is_any(struct live_file *live, const char *name, int error)
{
	(void)live;
	(void)name;
	(void)error;
	return true;
}

static int prepare(long period_ms)
{
	struct timespec now;
	const char *why;
	char period[24];
	int error = launch_prepare();

	if (error != 0)
		return error;
	/* The clock of start_monotonic_ns: the exact one would be ahead of it by a tick. */
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	since_ns = (tek_u64)now.tv_sec * 1000000000u + (tek_u64)now.tv_nsec;
	since_s = time(NULL);
	error = outside_forbidden(&why);
	if (error == 0)
		return 0;
	tool_problem(
		"run",
		"this system forbids reading stacks from outside (%s: %s), so the program reads "
		"its own; lift the restriction (Yama, capabilities, seccomp) to have it read "
		"from outside",
		why, strerror(-error));
	/* Without a period of its own it reads when it is asked to; the longest asks seldom enough. */
	snprintf(period, sizeof(period), "%ld", period_ms > 0 ? period_ms : PERIOD_MAX_MS);
	return setenv("TEK_SAMPLE_INSIDE", period, 1) == 0 ? 0 : -errno;
}

static int not_executed(const char *name, int error)
{
	if (error == ENOENT) {
		tool_problem(name, "not found; check its name and PATH");
		return RUN_NOT_FOUND;
	}
	tool_problem(name, "cannot be run: %s; check its type and rights", strerror(error));
	return RUN_CANNOT_RUN;
}

static int run(char **argv, long period_ms)
{
	struct launch launch = { .argv = argv, .period_ms = period_ms, .reading = read_all };
	char path[PATH_MAX];
	int error, status = 0;
	pid_t pid;

	/* Before the run, which may change the file or its folder. */
	if (!unmeasured_find(argv[0], path))
		path[0] = '\0';
	error = launch_run(&launch, &pid, &status);
	if (error > 0)
		return not_executed(argv[0], error);
	if (error < 0) {
		tool_problem("run", "cannot start a process: %s", strerror(-error));
		return RUN_OWN_FAILURE;
	}
	if (!visit_files(is_any) && path[0] != '\0')
		unmeasured_explain(path, directory);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool parse_period(const char *text, long *period_ms)
{
	char *end;

	errno = 0;
	*period_ms = strtol(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && *period_ms >= 1 &&
	       *period_ms <= PERIOD_MAX_MS;
}

int cmd_run(int argc, char **argv)
{
	static const struct option options[] = { { "sample", required_argument, NULL, 's' },
						 { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	const char *out = "tek-out";
	long period_ms = 0;
	int error, option;

	if (fill_standard_descriptors() != 0)
		return RUN_OWN_FAILURE;
	while ((option = getopt_long(argc, argv, "+o:h", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			out = optarg;
			break;
		case 's':
			if (parse_period(optarg, &period_ms))
				break;
			tool_problem("--sample", "%s is no period; give milliseconds from 1 to %ld",
				     optarg, PERIOD_MAX_MS);
			return RUN_OWN_FAILURE;
		case 'h':
			fputs(usage, stdout);
			return TOOL_DONE;
		default:
			fputs(usage, stderr);
			return RUN_OWN_FAILURE;
		}
	}
	if (optind >= argc || out[0] == '\0') {
		fputs(usage, stderr);
		return RUN_OWN_FAILURE;
	}
	error = make_directory(out);
	if (error != 0) {
		tool_problem(out, "no folder to write into: %s; choose one with -o",
			     strerror(-error));
		return RUN_OWN_FAILURE;
	}
	error = export_pattern();
	if (error == -ENAMETOOLONG) {
		tool_problem(out, "is a name too long for TEK_OUT; choose a shorter one with -o");
		return RUN_OWN_FAILURE;
	}
	if (error == 0)
		error = prepare(period_ms);
	if (error != 0) {
		tool_problem("run", "cannot be set up: %s", strerror(-error));
		return RUN_OWN_FAILURE;
	}
	return run(argv + optind, period_ms);
}
