// SPDX-License-Identifier: MIT
/*
 * report [--json]: `tek report` over 300 run files of 300 threads. One real run is multiplied: each
 * copy has an id of its own, so that it counts as a run of its own.
 */
#include "bench.h"
#include "runs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES 300u
#define PAGE 4096u

/* Pages of zeros stay holes, as in the file that the runtime wrote. */
static int write_sparse(int fd, const unsigned char *bytes, size_t size)
{
	static const unsigned char zeros[PAGE];

	if (ftruncate(fd, (off_t)size))
		return -errno;
	for (size_t at = 0; at < size; at += PAGE) {
		size_t length = size - at < PAGE ? size - at : PAGE;

		if (memcmp(bytes + at, zeros, length) != 0 &&
		    pwrite(fd, bytes + at, length, (off_t)at) != (ssize_t)length)
			return -EIO;
	}
	return 0;
}

static int multiply(const struct run *run, const char *directory)
{
	int error = 0;

	for (uint32_t i = 1; i < FILES && !error; i++) {
		struct tek_run_header *header = (struct tek_run_header *)run->bytes;
		char *path = NULL;
		int fd = -1;

		memcpy(header->run_id, &i, sizeof(i));
		header->pid = 100000 + i;
		if (asprintf(&path, "%s/copy-%u.tek", directory, i) < 0)
			return -ENOMEM;
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		error = fd < 0 ? -errno : write_sparse(fd, run->bytes, run->size);
		if (fd >= 0)
			close(fd);
		free(path);
	}
	return error;
}

static int make_runs(const char *directory)
{
	static struct bench_run child;
	char *program = bench_path("roles_child");
	char *argv[] = { program, NULL };
	char *variable = NULL;
	char *environment[] = { NULL, NULL };
	struct run run;
	int error = -ENOMEM;

	if (program && asprintf(&variable, "TEK_OUT=%s", directory) >= 0) {
		environment[0] = variable;
		error = bench_run(argv, environment, &child);
		if (!error && child.status)
			error = -ECHILD;
		if (!error)
			error = run_open(&run, directory);
		if (!error) {
			error = multiply(&run, directory);
			run_close(&run);
		}
		free(variable);
	}
	free(program);
	return error;
}

static double seconds(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
	static struct bench_run run;
	char *directory = bench_directory();
	char *tool = bench_path("../bin/tek");
	char *command[] = { tool, "report", directory, NULL };
	double best = INFINITY, memory = 0;
	bool good;
	int error;

	bench_json(argc, argv);
	error = directory && tool ? make_runs(directory) : -ENOENT;
	for (int i = 0; i < 5 && !error; i++) {
		error = bench_run(command, NULL, &run);
		if (!error && run.status)
			error = -ECHILD;
		best = fmin(best, seconds(&run.usage));
		memory = fmax(memory, (double)run.usage.ru_maxrss / 1024);
	}
	if (error)
		fprintf(stderr, "report: no figures: %s\n", strerror(-error));
	good = bench_claim("tek report, 300 run files of 300 threads: CPU seconds, best of 5",
			   error ? NAN : best, 1, true);
	good &= bench_claim("tek report, 300 run files of 300 threads: MB resident",
			    error ? NAN : memory, 100, true);
	if (directory)
		bench_remove(directory);
	free(directory);
	free(tool);
	return good ? 0 : 1;
}
