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

/* The @count-th word after @text, counted from 1; null if there are fewer. */
static const char *word_after(const char *text, int count)
{
	text += strspn(text, " ");
	while (*text != '\0' && --count > 0) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	return *text != '\0' ? text : NULL;
}

unsigned long long peer_stat(pid_t pid, pid_t *parent, char *state)
{
	FILE *file = open_proc(pid, "stat");
	const char *after, *third, *fourth, *start;
	char line[1024];
	size_t got;

	if (file == NULL)
		return 0;
	got = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[got] = '\0';
	/* The name, field 2, may hold blanks and brackets itself: the last bracket ends it. */
	after = strrchr(line, ')');
	if (after == NULL)
		return 0;
	third = word_after(after + 1, 1);
	fourth = word_after(after + 1, 2);
	start = word_after(after + 1, 20); /* field 22 */
	if (start == NULL)
		return 0;
	if (parent != NULL)
		*parent = (pid_t)strtol(fourth, NULL, 10);
	if (state != NULL)
		*state = *third;
	return strtoull(start, NULL, 10);
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
	bool is_owner = false;
	char line[256];

	if (file == NULL)
		return false;
	while (fgets(line, sizeof(line), file) != NULL) {
		char *at = line + 4;

		if (strncmp(line, "Uid:", 4) != 0)
			continue;
		/* Real, effective, saved and of the file system. */
		is_owner = true;
		for (int i = 0; i < 4; i++)
			is_owner = strtoul(at, &at, 10) == owner && is_owner;
		break;
	}
	fclose(file);
	return is_owner;
}

struct mapping {
	unsigned long long from, to;
	dev_t device;
	unsigned long long inode;
};

/* FROM-TO RIGHTS OFFSET MAJOR:MINOR INODE [PATH], as proc(5) has it. */
static bool parse_mapping(const char *line, struct mapping *mapping)
{
	unsigned long major, minor;
	const char *device;
	char *at;

	mapping->from = strtoull(line, &at, 16);
	if (*at != '-')
		return false;
	mapping->to = strtoull(at + 1, &at, 16);
	device = word_after(at, 3);
	if (device == NULL)
		return false;
	major = strtoul(device, &at, 16);
	if (*at != ':')
		return false;
	minor = strtoul(at + 1, &at, 16);
	mapping->device = makedev((unsigned int)major, (unsigned int)minor);
	mapping->inode = strtoull(at, NULL, 10);
	return true;
}

/* Next line of /proc/PID/maps; of a long path's line the start is enough. */
static bool next_mapping(FILE *maps, struct mapping *mapping)
{
	char line[256], rest[256];

	while (fgets(line, sizeof(line), maps) != NULL) {
		bool whole = strchr(line, '\n') != NULL;

		while (!whole && fgets(rest, sizeof(rest), maps) != NULL)
			whole = strchr(rest, '\n') != NULL;
		if (parse_mapping(line, mapping))
			return true;
	}
	return false;
}

static bool maps_file(pid_t pid, const struct live_file *live)
{
	FILE *maps = open_proc(pid, "maps");
	struct mapping mapping;
	bool found = false;

	if (maps == NULL)
		return false;
	while (!found && next_mapping(maps, &mapping))
		found = mapping.device == live->device && mapping.inode == live->inode;
	fclose(maps);
	return found;
}

uint64_t peer_stack_start(const struct peer *peer, uint64_t lo, uint64_t end)
{
	FILE *maps = open_proc(peer->pid, "maps");
	struct mapping mapping;
	uint64_t start = end;

	if (maps == NULL)
		return end;
	while (start == end && next_mapping(maps, &mapping))
		if (mapping.from < end && end <= mapping.to)
			start = mapping.from > lo ? mapping.from : lo;
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
