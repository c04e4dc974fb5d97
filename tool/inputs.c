/* SPDX-License-Identifier: MIT */
#include "inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profile.h"
#include "runfile.h"
#include "text.h"
#include "tool.h"

#define PROGRESS_AFTER 2.0 /* seconds */

struct list {
	char **paths;
	size_t count;
	size_t capacity;
};

static void list_add(struct list *list, char *path)
{
	list->paths =
		text_grow(list->paths, &list->capacity, list->count + 1, sizeof(*list->paths));
	list->paths[list->count++] = path;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list_directory(struct list *list, const char *path)
{
	size_t first = list->count;
	struct dirent *entry;
	DIR *directory = opendir(path);
	int error;

	if (!directory) {
		tool_problem(path, "cannot be opened: %s; skipped", strerror(errno));
		return false;
	}
	for (errno = 0; (entry = readdir(directory)); errno = 0)
		if (run_file_named(entry->d_name))
			list_add(list, text_format("%s%s%s", path,
						   path[strlen(path) - 1] == '/' ? "" : "/",
						   entry->d_name));
	error = errno;
	closedir(directory);
	if (error) {
		tool_problem(path, "cannot be read: %s; what it still holds is skipped",
			     strerror(error));
		return false;
	}
	if (list->count == first) {
		tool_problem(path, "no *.tek file in it; skipped");
		return false;
	}
	text_sort(list->paths + first, list->count - first, sizeof(*list->paths), by_name);
	return true;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool read_one(struct profile *profile, const char *path)
{
	struct run_file run;
	char why[RUN_WHY_SIZE];

	if (run_file_read(path, &run, why)) {
		tool_problem(path, "%s", why);
		return false;
	}
	if (run.torn)
		tool_problem(path,
			     "%u slots were being written or are damaged; their threads "
			     "count as unread",
			     run.torn);
	profile_add(profile, path, &run);
	run_file_free(&run);
	return true;
}

unsigned inputs_read(struct profile *profile, char **paths, int count, bool *skipped)
{
	struct list list = { 0 };
	bool shown = false, watched = isatty(STDERR_FILENO);
	double start = seconds();
	unsigned done = 0;
	struct stat status;
	size_t i;
	int k;

	for (k = 0; k < count; k++) {
		if (stat(paths[k], &status) == 0 && S_ISDIR(status.st_mode)) {
			if (!list_directory(&list, paths[k]))
				*skipped = true;
		} else {
			list_add(&list, text_format("%s", paths[k]));
		}
	}
	for (i = 0; i < list.count; i++) {
		if (read_one(profile, list.paths[i]))
			done++;
		else
			*skipped = true;
		if (watched && seconds() - start > PROGRESS_AFTER) {
			fprintf(stderr, "\rtek: %zu of %zu run files", i + 1, list.count);
			shown = true;
		}
		free(list.paths[i]);
	}
	if (shown)
		fputs("\r\033[K", stderr);
	free(list.paths);
	profile_finish(profile);
	return done;
}
