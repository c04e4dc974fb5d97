/* SPDX-License-Identifier: MIT */
/* tek snapshot: one reading of every living stack of a measuring process. */
#define _GNU_SOURCE
#include "outside.h"
#include "peer.h"
#include "runfile.h"
#include "tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"usage: tek snapshot [-o DIR] PID\n"
	"\n"
	"Reads the stack of every living thread of a measuring process from outside, without\n"
	"stopping it, into its run file, and prints how many were read and the file's name.\n"
	"\n"
	"  -o DIR  look for its run file in DIR, instead of among the files that it has mapped\n"
	"  --help  show this\n"
	"\n"
	"Exit status: 0 done, 1 some threads could not be read, 2 nothing done.\n";

/* Opens @name if it is the file that process @pid writes. */
static bool open_own(struct live_file *live, int folder, const char *name, pid_t pid)
{
	if (live_open(live, folder, name) != 0)
		return false;
	if (live_owned(live) && live->header.start_ticks == peer_stat(pid, NULL, NULL))
		return true;
	live_close(live);
	return false;
}

/* Path as this process reaches it: the other may have another root or mount namespace. */
static bool find_mapped(struct live_file *live, pid_t pid, char path[PATH_MAX], int *error)
{
	char maps_name[32], *line = NULL;
	bool found = false;
	size_t size = 0;
	ssize_t length;
	FILE *maps;

	snprintf(maps_name, sizeof(maps_name), "/proc/%d/maps", (int)pid);
	maps = fopen(maps_name, "re");
	*error = maps == NULL ? -errno : 0;
	if (maps == NULL)
		return false;
	while (!found && (length = getline(&line, &size, maps)) > 0) {
		const char *name = strchr(line, '/');

		line[length - 1] = '\0';
		if (name == NULL || !run_file_named(name) ||
		    snprintf(path, PATH_MAX, "/proc/%d/root%s", (int)pid, name) >= PATH_MAX)
			continue;
		found = open_own(live, AT_FDCWD, path, pid);
	}
	/* Access to the mappings is refused by read() and not by open() on some kernels. */
	if (!found && ferror(maps))
		*error = -EACCES;
	free(line);
	fclose(maps);
	return found;
}

static bool find_in(const char *directory, struct live_file *live, pid_t pid, char path[PATH_MAX],
		    int *error)
{
	DIR *folder = opendir(directory);
	const struct dirent *entry;
	bool found = false;

	*error = folder == NULL ? -errno : 0;
	if (folder == NULL)
		return false;
	while (!found && (entry = readdir(folder)) != NULL) {
		if (!run_file_named(entry->d_name) ||
		    snprintf(path, PATH_MAX, "%s/%s", directory, entry->d_name) >= PATH_MAX)
			continue;
		found = open_own(live, dirfd(folder), entry->d_name, pid);
	}
	closedir(folder);
	return found;
}

/* The file's name as this process has it too, if it has. */
static const char *own_name(const struct live_file *live, const char *path)
{
	const char *name = strstr(path, "/root/");
	struct stat status;

	if (strncmp(path, "/proc/", 6) != 0 || name == NULL)
		return path;
	name += strlen("/root");
	return stat(name, &status) == 0 && status.st_dev == live->device &&
			       status.st_ino == live->inode
		       ? name
		       : path;
}

static int not_found(const char *subject, const char *directory, int error)
{
	if (directory != NULL && error != 0)
		tool_problem(directory, "cannot be read: %s", strerror(-error));
	else if (directory != NULL)
		tool_problem(subject, "has no run file in %s; leave -o out to find it by itself",
			     directory);
	else if (error == -EACCES || error == -EPERM)
		tool_problem(subject, "%s", outside_text(error));
	else if (error != 0)
		tool_problem(subject, "ended; start it again");
	else
		tool_problem(subject, "%s", outside_text(-ENOTSUP));
	return TOOL_NOTHING;
}

static int snapshot(const char *subject, pid_t pid, const char *directory)
{
	struct outside_result result;
	struct live_file live;
	char path[PATH_MAX];
	const char *name;
	int error;

	if (peer_stat(pid, NULL, NULL) == 0) {
		tool_problem(subject, "no such process; give the number of a living one");
		return TOOL_NOTHING;
	}
	if (directory != NULL ? !find_in(directory, &live, pid, path, &error)
			      : !find_mapped(&live, pid, path, &error))
		return not_found(subject, directory, error);
	error = outside_read(&live, pid, &result);
	name = own_name(&live, path);
	live_close(&live);
	if (error != 0) {
		tool_problem(subject, "%s", outside_text(error));
		return TOOL_NOTHING;
	}
	if (result.inside) {
		printf("all threads read from inside: %s\n", name);
		return TOOL_DONE;
	}
	printf("%u of %u threads read: %s\n", result.read, result.living, name);
	return result.read == result.living ? TOOL_DONE : TOOL_SKIPPED;
}

int cmd_snapshot(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	const char *directory = NULL;
	char subject[32], *end;
	long pid;
	int option;

	while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			directory = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return TOOL_DONE;
		default:
			fputs(usage, stderr);
			return TOOL_NOTHING;
		}
	}
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return TOOL_NOTHING;
	}
	errno = 0;
	pid = strtol(argv[optind], &end, 10);
	if (errno != 0 || end == argv[optind] || *end != '\0' || pid < 1 || pid > INT_MAX) {
		tool_problem(argv[optind], "is no process number; give the number of a process");
		return TOOL_NOTHING;
	}
	snprintf(subject, sizeof(subject), "process %ld", pid);
	return snapshot(subject, (pid_t)pid, directory);
}
