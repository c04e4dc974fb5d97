// SPDX-License-Identifier: MIT
#include "runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_file(struct run *run, int fd)
{
	struct stat status;
	size_t at = 0;
	ssize_t got;

	if (fstat(fd, &status))
		return -errno;
	run->size = (size_t)status.st_size;
	if (run->size < sizeof(struct tek_run_header))
		return -EINVAL;
	run->bytes = malloc(run->size);
	if (!run->bytes)
		return -ENOMEM;
	while (at < run->size && (got = read(fd, run->bytes + at, run->size - at)) > 0)
		at += (size_t)got;
	run->header = (const struct tek_run_header *)run->bytes;
	if (at < run->size || memcmp(run->header->magic, TEK_RUN_MAGIC, 8) != 0 ||
	    !run->header->valid) {
		run_close(run);
		return -EINVAL;
	}
	return 0;
}

int run_open(struct run *run, const char *directory)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	int error = -ENOENT;
	int fd;

	if (!stream)
		return -errno;
	while (error == -ENOENT && (entry = readdir(stream))) {
		if (entry->d_name[0] == '.')
			continue;
		fd = openat(dirfd(stream), entry->d_name, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			error = -errno;
			continue;
		}
		error = read_file(run, fd);
		close(fd);
	}
	closedir(stream);
	return error;
}

void run_close(struct run *run)
{
	free(run->bytes);
	run->bytes = NULL;
}

const struct tek_run_total *run_total(const struct run *run, const char *entry)
{
	const struct tek_run_area *totals = &run->header->totals;
	const struct tek_run_area *strings = &run->header->strings;
	size_t length = strlen(entry) + 1;

	for (uint32_t i = 0; i < totals->used; i++) {
		size_t at = totals->offset + (size_t)i * totals->stride;
		const struct tek_run_total *total;

		if (at + sizeof(*total) > run->size)
			return NULL;
		total = (const struct tek_run_total *)(run->bytes + at);
		if (total->started && total->entry < strings->used &&
		    strings->offset + total->entry + length <= run->size &&
		    !memcmp(run->bytes + strings->offset + total->entry, entry, length))
			return total;
	}
	return NULL;
}
