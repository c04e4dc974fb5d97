/* SPDX-License-Identifier: MIT */
/*
 * Prints all that a program can see of the way it was started, for run_cases.c to compare with and
 * without `tek run` in between.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static void print_signals(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[256];

	while (status != NULL && fgets(line, sizeof(line), status) != NULL)
		if (strncmp(line, "Sig", 3) == 0 || strncmp(line, "ShdPnd", 6) == 0)
			if (strncmp(line, "SigQ", 4) != 0)
				fputs(line, stdout);
	if (status != NULL)
		fclose(status);
}

static void print_descriptors(void)
{
	for (int fd = 0; fd < 256; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (flags >= 0)
			printf("descriptor %d: %x %x\n", fd, flags, fcntl(fd, F_GETFL));
	}
}

static void print_environment(void)
{
	for (char **each = environ; *each != NULL; each++)
		if (strncmp(*each, "TEK_OUT=", 8) != 0)
			printf("environment: %s\n", *each);
}

int main(int argc, char **argv)
{
	struct rlimit limit;

	for (int i = 0; i < argc; i++)
		printf("argument: %s\n", argv[i]);
	print_signals();
	print_descriptors();
	print_environment();
	for (int i = 0; i < RLIM_NLIMITS; i++)
		if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
			printf("limit %d: %llu %llu\n", i, (unsigned long long)limit.rlim_cur,
			       (unsigned long long)limit.rlim_max);
	printf("group %d session %d priority %d umask %o\n", (int)getpgrp(), (int)getsid(0),
	       getpriority(PRIO_PROCESS, 0), (unsigned int)umask(0));
	return 0;
}
