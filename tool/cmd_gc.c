/* SPDX-License-Identifier: MIT */
/* tek gc: remove published tables whose process is dead. */
#define _GNU_SOURCE
#include "tool.h"

#include <byteswap.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <tek/runfile.h>
#include <unistd.h>

static const char usage[] =
	"usage: tek gc [DIR]...\n"
	"\n"
	"Removes the tables of your dead processes that were published, not asked to be kept, and\n"
	"prints their names. Looks into /dev/shm, $XDG_RUNTIME_DIR and /tmp, or into each DIR.\n"
	"\n"
	"  --help  show this\n"
	"\n"
	"Exit status: 0 done, 1 something was skipped, 2 nothing done.\n";

/* tek-UID-PID-START.tek, numbers in decimal */
static bool is_table_name(const char *name)
{
	if (strncmp(name, "tek-", 4) != 0)
		return false;
	name += 4;
	for (int part = 0; part < 3; part++) {
		size_t digits = strspn(name, "0123456789");

		if (digits == 0 || (part < 2 && name[digits] != '-'))
			return false;
		name += digits + (part < 2);
	}
	return strcmp(name, ".tek") == 0;
}

/* A header of ours whose owner did not ask for the file to be kept; of any version, it is a leftover. */
static bool is_leftover(int fd)
{
	struct tek_run_header header;
	uint32_t flags;

	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.magic, TEK_RUN_MAGIC, sizeof(header.magic)) != 0)
		return false;
	flags = header.flags;
	if (header.byte_order == bswap_32(TEK_RUN_BYTE_ORDER))
		flags = bswap_32(flags);
	else if (header.byte_order != TEK_RUN_BYTE_ORDER)
		return false;
	return (flags & TEK_RUN_KEEP) == 0;
}

static bool is_same_file(int folder, const char *name, const struct stat *status)
{
	struct stat now;

	return fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
	       now.st_dev == status->st_dev && now.st_ino == status->st_ino;
}

/* 1 removed, 0 to be left alone, or a negative errno. */
static int collect(int folder, const char *name)
{
	int done = 0,
	    fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat status;

	/* A symbolic link, another's file, or gone already. */
	if (fd < 0)
		return errno == ELOOP || errno == EACCES || errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
	    !is_leftover(fd) || flock(fd, LOCK_EX | LOCK_NB) != 0)
		goto out;
	/* Under the lock, the name may have gone to a newer file. */
	if (!is_same_file(folder, name, &status))
		goto out;
	done = unlinkat(folder, name, 0) == 0 ? 1 : -errno;
out:
	close(fd);
	return done;
}

/* True if all of the folder could be looked through. */
static bool collect_folder(const char *directory)
{
	DIR *folder = opendir(directory);
	const struct dirent *entry;
	bool whole = true;

	if (folder == NULL) {
		tool_problem(directory, "cannot be read: %s; check its name and rights",
			     strerror(errno));
		return false;
	}
	while ((entry = readdir(folder)) != NULL) {
		int done;

		if (!is_table_name(entry->d_name))
			continue;
		done = collect(dirfd(folder), entry->d_name);
		if (done > 0)
			printf("%s/%s\n", directory, entry->d_name);
		if (done < 0) {
			tool_problem(entry->d_name, "cannot be removed from %s: %s", directory,
				     strerror(-done));
			whole = false;
		}
	}
	closedir(folder);
	return whole;
}

/* The places where the runtime publishes; one that does not exist holds nothing. */
static int collect_standard(void)
{
	const char *places[] = { "/dev/shm", getenv("XDG_RUNTIME_DIR"), "/tmp" };
	int exit_status = TOOL_DONE;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i] != NULL && places[i][0] == '/' && access(places[i], F_OK) == 0 &&
		    !collect_folder(places[i]))
			exit_status = TOOL_SKIPPED;
	return exit_status;
}

int cmd_gc(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	int option, skipped = 0;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return TOOL_DONE;
		}
		fputs(usage, stderr);
		return TOOL_NOTHING;
	}
	if (optind == argc)
		return collect_standard();
	for (int i = optind; i < argc; i++)
		skipped += !collect_folder(argv[i]);
	if (skipped == argc - optind)
		return TOOL_NOTHING;
	return skipped > 0 ? TOOL_SKIPPED : TOOL_DONE;
}
