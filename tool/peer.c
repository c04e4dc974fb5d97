/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "peer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

unsigned long long peer_stat(pid_t pid, pid_t *parent, char *state)
{
	FILE *file = open_proc(pid, "stat");
	unsigned long long start = 0;
	char line[1024];
	const char *after;
	size_t got;
	char letter;
	int above;

	if (file == NULL)
		return 0;
	got = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[got] = '\0';
	/* The name, field 2, may hold blanks and brackets itself: the last bracket ends it. */
	after = strrchr(line, ')');
	if (after == NULL || sscanf(after + 1,
				    " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
				    "%*s %*s %*s %*s %llu",
				    &letter, &above, &start) != 3)
		return 0;
	if (parent != NULL)
		*parent = (pid_t)above;
	if (state != NULL)
		*state = letter;
	return start;
}

int peer_pagemap(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* True if the process has no rights but those of @owner. */
static bool owned_by(pid_t pid, uid_t owner)
{
	FILE *file = open_proc(pid, "status");
	unsigned int uid[4] = { 0 };
	bool is_owner = false;
	char line[256];

	if (file == NULL)
		return false;
	while (fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "Uid: %u %u %u %u", &uid[0], &uid[1], &uid[2], &uid[3]) != 4)
			continue;
		is_owner = uid[0] == owner && uid[1] == owner && uid[2] == owner && uid[3] == owner;
		break;
	}
	fclose(file);
	return is_owner;
}

/* Next line of /proc/PID/maps, its path cut off. */
static bool next_mapping(FILE *maps, unsigned long long *from, unsigned long long *to,
			 dev_t *device, unsigned long long *inode)
{
	unsigned int major, minor;
	char line[256];

	while (fgets(line, sizeof(line), maps) != NULL) {
		bool whole = strchr(line, '\n') != NULL;
		int fields = sscanf(line, "%llx-%llx %*4s %*x %x:%x %llu", from, to, &major, &minor,
				    inode);

		while (!whole && fgets(line, sizeof(line), maps) != NULL)
			whole = strchr(line, '\n') != NULL;
		if (fields == 5) {
			*device = makedev(major, minor);
			return true;
		}
	}
	return false;
}

static bool maps_file(pid_t pid, const struct live_file *live)
{
	FILE *maps = open_proc(pid, "maps");
	unsigned long long from, to, inode;
	bool found = false;
	dev_t device;

	if (maps == NULL)
		return false;
	while (!found && next_mapping(maps, &from, &to, &device, &inode))
		found = device == live->device && inode == live->inode;
	fclose(maps);
	return found;
}

uint64_t peer_stack_start(const struct peer *peer, uint64_t lo, uint64_t end)
{
	FILE *maps = open_proc(peer->pid, "maps");
	unsigned long long from, to, inode;
	uint64_t start = end;
	dev_t device;

	if (maps == NULL)
		return end;
	while (start == end && next_mapping(maps, &from, &to, &device, &inode))
		if (from < end && end <= to)
			start = from > lo ? from : lo;
	fclose(maps);
	return start;
}

/* The number, here, of the process that writes @live and has another in its PID namespace; or 0. */
static pid_t find_writer(const struct live_file *live)
{
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	pid_t found = 0;

	if (processes == NULL)
		return 0;
	while (found == 0 && (entry = readdir(processes)) != NULL) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && peer_stat(pid, NULL, NULL) == live->header.start_ticks &&
		    maps_file(pid, live))
			found = pid;
	}
	closedir(processes);
	return found;
}

/*
 * The start time tells a process from a later one with its number. A file's owner can write any
 * number into it, though: so that nobody has a mightier `tek` look into another's memory for him,
 * the process must have his rights alone, or really map the file.
 */
static int open_as(struct peer *peer, const struct live_file *live, pid_t pid)
{
	unsigned long long start = live->header.start_ticks;

	*peer = (struct peer){ .pid = pid, .pagemap = -1 };
	if (pid <= 0 || peer_stat(pid, NULL, NULL) != start)
		return -ESTALE;
	peer->pagemap = peer_pagemap(pid);
	if (peer->pagemap < 0)
		return peer->pagemap == -ENOENT ? -ESRCH : peer->pagemap;
	if (!owned_by(pid, live->owner) && !maps_file(pid, live))
		return -ESTALE;
	/* The descriptor is this process's, if the number still is. */
	return peer_stat(pid, NULL, NULL) == start ? 0 : -ESRCH;
}

int peer_open(struct peer *peer, const struct live_file *live, pid_t pid)
{
	int error = open_as(peer, live, pid != 0 ? pid : (pid_t)live->header.pid);

	if (error == -ESTALE && pid == 0) {
		peer_close(peer);
		error = open_as(peer, live, find_writer(live));
	}
	return error;
}

void peer_close(struct peer *peer)
{
	if (peer->pagemap >= 0)
		close(peer->pagemap);
	peer->pagemap = -1;
}

bool peer_same(const struct peer *peer)
{
	uint64_t entry;

	return pread64(peer->pagemap, &entry, sizeof(entry), 0) == (ssize_t)sizeof(entry);
}
