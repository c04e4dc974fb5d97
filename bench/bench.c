// SPDX-License-Identifier: MIT
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static bool json;

bool bench_json(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		json |= !strcmp(argv[i], "--json");
	return json;
}

void bench_note(const char *format, ...)
{
	va_list arguments;

	if (json)
		return;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
}

bool bench_claim(const char *claim, double value, double bar, bool at_most)
{
	bool pass = at_most ? value <= bar : value >= bar;

	if (json && isfinite(value))
		printf("{\"claim\": \"%s\", \"value\": %.6g, \"bar\": \"%s %g\", \"pass\": %s}\n",
		       claim, value, at_most ? "<=" : ">=", bar, pass ? "true" : "false");
	else if (json)
		printf("{\"claim\": \"%s\", \"value\": null, \"bar\": \"%s %g\", \"pass\": "
		       "false}\n",
		       claim, at_most ? "<=" : ">=", bar);
	else
		printf("%s  %-66s %10.4g  (%s %g)\n", pass ? "pass" : "MISS", claim, value,
		       at_most ? "<=" : ">=", bar);
	fflush(stdout);
	return pass;
}

double bench_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

double bench_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double bench_least(const double *values, size_t count)
{
	double least = values[0];

	for (size_t i = 1; i < count; i++)
		least = fmin(least, values[i]);
	return least;
}

/* environ with the additions before it, so that they win; to be freed. */
static char **environment_with(char *const additions[])
{
	size_t old = 0, added = 0;
	char **all;

	while (environ[old])
		old++;
	while (additions && additions[added])
		added++;
	all = calloc(old + added + 1, sizeof(*all));
	if (!all)
		return NULL;
	for (size_t i = 0; i < added; i++)
		all[i] = additions[i];
	memcpy(all + added, environ, old * sizeof(*all));
	return all;
}

static void read_text(int fd, struct bench_run *run)
{
	char rest[512];
	ssize_t got;

	run->length = 0;
	do {
		size_t room = sizeof(run->text) - 1 - run->length;

		got = room ? read(fd, run->text + run->length, room) : read(fd, rest, sizeof(rest));
		if (got > 0 && room)
			run->length += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	run->text[run->length] = '\0';
}

int bench_run(char *const argv[], char *const environment[], struct bench_run *run)
{
	posix_spawn_file_actions_t actions;
	char **all = environment_with(environment);
	struct timespec start, end;
	int ends[2] = { -1, -1 };
	int error = ENOMEM;
	pid_t child;

	if (!all)
		return -error;
	if (pipe2(ends, O_CLOEXEC)) {
		error = errno;
		goto free_environment;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	clock_gettime(CLOCK_MONOTONIC, &start);
	error = posix_spawnp(&child, argv[0], &actions, NULL, argv, all);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (!error) {
		read_text(ends[0], run);
		if (wait4(child, &run->status, 0, &run->usage) != child)
			error = errno;
		clock_gettime(CLOCK_MONOTONIC, &end);
		run->wall = (double)(end.tv_sec - start.tv_sec) +
			    1e-9 * (double)(end.tv_nsec - start.tv_nsec);
	}
	close(ends[0]);
free_environment:
	free(all);
	return -error;
}

double bench_number(const struct bench_run *run, const char *key)
{
	size_t length = strlen(key);

	for (const char *at = run->text; (at = strstr(at, key)); at += length) {
		if ((at == run->text || at[-1] == '\n') && at[length] == ' ')
			return strtod(at + length, NULL);
	}
	return NAN;
}

char *bench_path(const char *name)
{
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *path = NULL;

	if (length > 0) {
		self[length] = '\0';
		*strrchr(self, '/') = '\0';
		if (asprintf(&path, "%s/%s", self, name) < 0)
			path = NULL;
	}
	if (!path)
		fprintf(stderr, "bench: %s: cannot find it: %s\n", name, strerror(errno));
	return path;
}

char *bench_directory(void)
{
	const char *base = getenv("TMPDIR");
	char *path;

	if (asprintf(&path, "%s/tek-bench-XXXXXX", base ? base : "/tmp") < 0)
		return NULL;
	if (!mkdtemp(path)) {
		fprintf(stderr, "bench: %s: cannot be made: %s\n", path, strerror(errno));
		free(path);
		return NULL;
	}
	return path;
}

void bench_remove(const char *directory)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;

	if (!stream)
		return;
	while ((entry = readdir(stream)))
		unlinkat(dirfd(stream), entry->d_name, 0);
	closedir(stream);
	rmdir(directory);
}
