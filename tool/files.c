/* SPDX-License-Identifier: MIT */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

#define LARGEST (256u << 20)

static int read_all(int fd, char *to, size_t size, size_t *got)
{
	for (*got = 0; *got < size;) {
		ssize_t part = read(fd, to + *got, size - *got);

		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return -errno;
		if (part == 0)
			break;
		*got += (size_t)part;
	}
	to[*got] = '\0';
	return 0;
}

int files_read(const char *path, char **text, size_t *size)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;
	int ret = 0;

	*text = NULL;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) != 0)
		ret = -errno;
	else if (!S_ISREG(status.st_mode))
		ret = -EINVAL;
	else if (status.st_size > (off_t)LARGEST)
		ret = -EFBIG;
	if (!ret) {
		*text = text_alloc((size_t)status.st_size + 1, 1);
		ret = read_all(fd, *text, (size_t)status.st_size, size);
	}
	close(fd);
	if (ret) {
		free(*text);
		*text = NULL;
	}
	return ret;
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t part = write(fd, text, size);

		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return -errno;
		text += part;
		size -= (size_t)part;
	}
	return 0;
}

static char *folder_of(const char *path)
{
	char *copy = text_format("%s", path), *folder = text_format("%s", dirname(copy));

	free(copy);
	return folder;
}

/* The name itself must be on the disk, or a power cut leaves the old file. */
static void sync_folder(const char *path)
{
	char *folder = folder_of(path);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(folder);
}

static mode_t mode_for(const char *path)
{
	struct stat status;
	mode_t mask;

	if (stat(path, &status) == 0)
		return status.st_mode & 07777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

int files_replace(const char *path, const char *text)
{
	char *real = realpath(path, NULL);
	const char *target = real ? real : path;
	char *temporary = text_format("%s.XXXXXX", target);
	int fd = mkostemp(temporary, O_CLOEXEC);
	int ret = fd < 0 ? -errno : 0;

	if (!ret)
		ret = write_all(fd, text, strlen(text));
	if (!ret && fchmod(fd, mode_for(target)) != 0)
		ret = -errno;
	if (!ret && fsync(fd) != 0)
		ret = -errno;
	if (fd >= 0 && close(fd) != 0 && !ret)
		ret = -errno;
	if (!ret && rename(temporary, target) != 0)
		ret = -errno;
	if (ret && fd >= 0)
		unlink(temporary);
	if (!ret)
		sync_folder(target);
	free(temporary);
	free(real);
	return ret;
}

int files_lock_folder(const char *path)
{
	char *folder = folder_of(path);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret = fd;

	if (fd < 0)
		ret = -errno;
	else
		while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
			;
	free(folder);
	return ret;
}

char *files_evidence_path(const char *header)
{
	const char *slash = strrchr(header, '/');
	const char *dot = strrchr(header, '.');
	size_t stem = dot && (!slash || dot > slash + 1) && dot != header ? (size_t)(dot - header)
									  : strlen(header);

	return text_format("%.*s.json", (int)stem, header);
}
