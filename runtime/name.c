/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runfile.h"

#define USUAL_NAME "%e-%h-%p.tek"

const char *program_path(void)
{
	static char path[PATH_MAX];
	const char *name;
	ssize_t length;

	if (path[0])
		return path;
	length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (length > 0) {
		path[length] = '\0';
		return path;
	}
	/* Without /proc: as given to execve(). */
	name = (const char *)getauxval(AT_EXECFN);
	if (name)
		snprintf(path, sizeof(path), "%s", name);
	return path;
}

static const char *program_name(void)
{
	const char *path = program_path();
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int runfile_pattern(char *pattern, size_t size)
{
	char relative[PATH_MAX], directory[PATH_MAX];
	struct stat status;
	int length;

	if (pattern[0] != '/') {
		if (!getcwd(directory, sizeof(directory)))
			return -errno;
		snprintf(relative, sizeof(relative), "%s", pattern);
		length = snprintf(pattern, size, "%s/%s", directory, relative);
		if (length < 0 || (size_t)length >= size)
			return -ENAMETOOLONG;
	}
	length = (int)strlen(pattern);
	if (pattern[length - 1] != '/' && (stat(pattern, &status) || !S_ISDIR(status.st_mode)))
		return 0;
	if ((size_t)length + sizeof("/" USUAL_NAME) > size)
		return -ENAMETOOLONG;
	snprintf(pattern + length, size - (size_t)length, "/%s", USUAL_NAME);
	return 0;
}

/* Appends; false if there is no room. */
static bool append(char *path, size_t size, const char *text, size_t length)
{
	size_t used = strlen(path);

	if (length >= size - used)
		return false;
	memcpy(path + used, text, length);
	path[used + length] = '\0';
	return true;
}

static bool append_field(char *path, size_t size, char field)
{
	char host[HOST_NAME_MAX + 1] = "", number[16];
	char *slash;

	switch (field) {
	case 'e':
		return append(path, size, program_name(), strlen(program_name()));
	case 'p':
		snprintf(number, sizeof(number), "%ld", (long)getpid());
		return append(path, size, number, strlen(number));
	case 'h':
		gethostname(host, sizeof(host) - 1);
		while ((slash = strchr(host, '/')))
			*slash = '_';
		return append(path, size, host, strlen(host));
	case '%':
		return append(path, size, "%", 1);
	default: /* not ours: stays as written */
		return append(path, size, "%", 1) && append(path, size, &field, field != '\0');
	}
}

/* The second and later files of one name: NAME-1.tek, NAME-2.tek. */
static bool number_name(char *path, size_t size, unsigned int attempt)
{
	char tail[16], number[16];
	size_t length = strlen(path);
	const char *dot = length > 4 && !strcmp(path + length - 4, ".tek") ? path + length - 4
									   : NULL;

	snprintf(tail, sizeof(tail), "%s", dot ? dot : "");
	if (dot)
		path[length - 4] = '\0';
	snprintf(number, sizeof(number), "-%u", attempt);
	return append(path, size, number, strlen(number)) && append(path, size, tail, strlen(tail));
}

int runfile_name(char *path, size_t size, const char *pattern, unsigned int attempt)
{
	const char *at;

	path[0] = '\0';
	for (at = pattern; *at; at++) {
		bool fits = *at == '%' ? append_field(path, size, at[1])
				       : append(path, size, at, 1);

		if (!fits)
			return -ENAMETOOLONG;
		if (*at == '%' && at[1])
			at++;
	}
	if (attempt && !number_name(path, size, attempt))
		return -ENAMETOOLONG;
	return 0;
}
