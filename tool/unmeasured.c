/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "unmeasured.h"
#include "elflook.h"
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The forms of docs/decisions.md, "Two forms of the runtime". */
#define LINK_SHARED "-Wl,--push-state,--no-as-needed -ltek -Wl,--pop-state"
#define LINK_STATIC                                                                     \
	"-Wl,-u,__tek_pthread_create -Wl,--wrap=pthread_create -Wl,--wrap=thrd_create " \
	"'-Wl,--export-dynamic-symbol=__tek_*' libtek.a"

bool unmeasured_find(const char *name, char path[PATH_MAX])
{
	const char *folder = getenv("PATH"), *end;
	char standard[256] = "";

	if (strchr(name, '/') != NULL)
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
	if (folder == NULL) {
		confstr(_CS_PATH, standard, sizeof(standard));
		folder = standard;
	}
	for (;; folder = end + 1) {
		struct stat status;

		end = strchrnul(folder, ':');
		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - folder), folder,
			     end > folder ? "/" : "", name) < PATH_MAX &&
		    stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0)
			return true;
		if (*end == '\0')
			return false;
	}
}

/* Set-user-ID, set-group-ID or file capabilities that give it rights its caller has not. */
static bool has_own_rights(int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return false;
	return ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
	       ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 &&
		status.st_gid != getegid()) ||
	       fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

static void explain_elf(const char *path, const char *directory, const struct elf_look *look)
{
	if (look->has_runtime || look->needs_libtek)
		tool_problem(path,
			     "left no run file: it has TEK, but ended before its start-up was over "
			     "or could not write into %s; see its own messages",
			     directory);
	else if (look->instrumented && look->is_static)
		tool_problem(path,
			     "left no run file: it is instrumented, but static and without libtek; "
			     "link it with " LINK_STATIC);
	else if (look->instrumented)
		tool_problem(
			path,
			"left no run file: it is instrumented, but libtek is not linked "
			"to it (the linker's --as-needed drops it); link it with " LINK_SHARED);
	else if (!look->has_sections)
		tool_problem(path, "left no run file, and its section headers are stripped, so it "
				   "cannot be told why; try it before sstrip");
	else
		tool_problem(path,
			     "left no run file: it is not instrumented; compile it with "
			     "-fplugin=/path/of/tek.so -D__TEK__ and link it with " LINK_SHARED);
}

static void explain_script(const char *path, const char *head)
{
	const char *interpreter = head + 2 + strspn(head + 2, " \t");
	int length = (int)strcspn(interpreter, " \t\r\n");

	if (strncmp(head, "#!", 2) == 0)
		tool_problem(path,
			     "left no run file: it is a script for %.*s, and neither that nor "
			     "anything it started has TEK; give tek run the instrumented program",
			     length, interpreter);
	else
		tool_problem(path, "left no run file: it is no ELF program, and nothing that it "
				   "started has TEK; give tek run the instrumented program");
}

void unmeasured_explain(const char *path, const char *directory)
{
	char head[128] = "";
	struct elf_look look;
	int error, fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0) {
		tool_problem(path, "left no run file, and cannot be read to tell why (%s)",
			     strerror(errno));
		return;
	}
	error = elf_look(fd, &look);
	if (has_own_rights(fd))
		tool_problem(path, "left no run file: it runs with rights that its caller has not "
				   "(setuid, setgid, file capabilities), so TEK ignores the "
				   "environment; take these from a copy and measure that");
	else if (error == 0)
		explain_elf(path, directory, &look);
	else if (pread(fd, head, sizeof(head) - 1, 0) >= 0)
		explain_script(path, head);
	close(fd);
}
