/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "message.h"
#include "runfile.h"
#include "table.h"

/* As many runs of one name in one directory are a mistake. */
#define ATTEMPTS 1000u

static int create_file(char *path, size_t size)
{
	unsigned int attempt;
	struct stat status;
	int fd, error;

	for (attempt = 0; attempt < ATTEMPTS; attempt++) {
		error = runfile_name(path, size, tek_config.out, attempt);
		if (error)
			return error;
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
		/* An earlier run's file and a link are left alone; a device is a mistake. */
		if (!lstat(path, &status) && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
			return -EEXIST;
	}
	return -EEXIST;
}

static int publish_file(char *path, size_t size)
{
	int error = publish_path(path, size);
	int fd;

	if (error)
		return error;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd >= 0 ? fd : -errno;
}

/* Beyond RLIMIT_FSIZE ftruncate would raise SIGXFSZ. */
static int set_length(int fd, size_t length)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < length)
		return -EFBIG;
	return ftruncate(fd, (off_t)length) ? -errno : 0;
}

/*
 * The descriptor is closed: the program may close or count its own. The mapping keeps the open
 * file, and with it the lock, until the process ends.
 */
static int map_file(struct tek_process *process, int fd, void **base)
{
	size_t length = table_length();
	int error = set_length(fd, length);

	if (error)
		return error;
	if (flock(fd, LOCK_EX | LOCK_NB))
		return -errno;
	*base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*base == MAP_FAILED)
		return -errno;
	error = table_attach(process, *base);
	if (error)
		munmap(*base, length);
	return error;
}

static int attach_file(struct tek_process *process)
{
	void *base = NULL;
	int fd = process->measure ? create_file(process->path, sizeof(process->path))
				  : publish_file(process->path, sizeof(process->path));
	int error;

	if (fd < 0)
		return fd;
	error = map_file(process, fd, &base);
	close(fd);
	if (error)
		unlink(process->path);
	return error;
}

static int attach_private(struct tek_process *process)
{
	void *base = mmap(NULL, table_length(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	process->path[0] = '\0';
	process->measure = 0;
	if (base == MAP_FAILED)
		return -ENOMEM;
	return table_attach(process, base);
}

int runfile_open(struct tek_process *process)
{
	int error;

	process->measure = tek_config.out[0] != '\0';
	if (!process->measure && !tek_config.publish)
		return attach_private(process);
	error = attach_file(process);
	if (error) {
		message("%s: %s; the program runs without a run file, choose another place in %s",
			process->path[0] ? process->path : tek_config.out, strerror(-error),
			process->measure ? "TEK_OUT" : "the configuration");
		process->string_index = (struct tek_index){ 0 };
		process->slots_ready = process->totals_ready = process->strings_ready = 0;
		return attach_private(process);
	}
	process->header->flags = (process->measure ? TEK_RUN_MEASURE | TEK_RUN_KEEP : 0) |
				 (tek_config.publish ? TEK_RUN_PUBLISH : 0) |
				 (tek_config.keep ? TEK_RUN_KEEP : 0);
	return 0;
}

void runfile_close(struct tek_process *process)
{
	if (process->path[0] && !(process->header->flags & TEK_RUN_KEEP))
		unlink(process->path);
}
