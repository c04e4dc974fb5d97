/* SPDX-License-Identifier: MIT */
/* Where living tables are shown, and the removal of those whose process is dead. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runfile.h"

uint64_t start_ticks(void)
{
	unsigned long long ticks = 0;
	char text[1024];
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	const char *field;
	ssize_t length;
	int i;

	if (fd < 0)
		return 0;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	/* Field 2, the name, may hold anything but ends at the last ')'; field 3 follows. */
	field = strrchr(text, ')');
	for (i = 2; field && i < 22; i++)
		field = strchr(field + 1, ' ');
	if (field)
		ticks = strtoull(field + 1, NULL, 10);
	return ticks;
}

static const char *directory(void)
{
	const char *runtime = getauxval(AT_SECURE) ? NULL : getenv("XDG_RUNTIME_DIR");

	if (!access("/dev/shm", W_OK | X_OK))
		return "/dev/shm";
	return runtime && *runtime == '/' ? runtime : "/tmp";
}

/* A lock that can be had belongs to no living process. */
static void remove_if_dead(int at, const char *name)
{
	struct tek_run_header header;
	struct stat status;
	int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	    read(fd, &header, sizeof(header)) == (ssize_t)sizeof(header) &&
	    !memcmp(header.magic, TEK_RUN_MAGIC, sizeof(header.magic)) &&
	    !(header.flags & TEK_RUN_KEEP) && !flock(fd, LOCK_SH | LOCK_NB))
		unlinkat(at, name, 0);
	close(fd);
}

static void remove_dead(const char *where)
{
	char prefix[32];
	struct dirent *entry;
	DIR *stream = opendir(where);
	int length = snprintf(prefix, sizeof(prefix), "tek-%ld-", (long)geteuid());

	if (!stream)
		return;
	while ((entry = readdir(stream))) {
		if (!strncmp(entry->d_name, prefix, (size_t)length))
			remove_if_dead(dirfd(stream), entry->d_name);
	}
	closedir(stream);
}

int publish_path(char *path, size_t size)
{
	const char *where = directory();
	int length;

	remove_dead(where);
	length = snprintf(path, size, "%s/tek-%ld-%ld-%llu.tek", where, (long)geteuid(),
			  (long)getpid(), (unsigned long long)start_ticks());
	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}
