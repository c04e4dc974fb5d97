/* SPDX-License-Identifier: MIT */
#include "tool_caller.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <tek/runfile.h>

#include "files.h"
#include "text.h"
#include "tool_fixture.h"

static char folder[64];
static int home;

int enter_folder(void **state)
{
	(void)state;
	home = open(".", O_RDONLY | O_DIRECTORY);
	strcpy(folder, "/tmp/tek-unit-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 && mkdir("runs", 0777) == 0 ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

int leave_folder(void **state)
{
	(void)state;
	if (fchdir(home) != 0)
		return -1;
	close(home);
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

char *content(const char *path)
{
	char *text;
	size_t size;

	if (files_read(path, &text, &size))
		return text_format("%s", "");
	return text;
}

char *out, *err;

/* Runs a verb with both streams in files; the texts are in @out and @err until the next call. */
int run(int (*verb)(int, char **), ...)
{
	char *arguments[16] = { 0 };
	int count = 0, streams[2], status, i;
	va_list list;

	va_start(list, verb);
	while ((arguments[count] = va_arg(list, char *)))
		count++;
	va_end(list);
	for (i = 0; i < 2; i++) {
		fflush(i ? stderr : stdout);
		streams[i] = dup(i + 1);
		close(i + 1);
		assert_int_equal(open(i ? "err" : "out", O_WRONLY | O_CREAT | O_TRUNC, 0600),
				 i + 1);
	}
	status = verb(count, arguments);
	for (i = 0; i < 2; i++) {
		fflush(i ? stderr : stdout);
		dup2(streams[i], i + 1);
		close(streams[i]);
	}
	free(out);
	free(err);
	out = content("out");
	err = content("err");
	return status;
}

unsigned lines(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

void put_run(uint32_t number, uint32_t peak)
{
	struct fixture *made = fixture_new(number);
	char name[32];

	fixture_role(made, "net", 2, peak, 8u << 20);
	fixture_role(made, "main", 1, 20000, 8u << 20)->flags |= TEK_TOTAL_MAIN;
	snprintf(name, sizeof(name), "%u.tek", number);
	assert_int_equal(fixture_write(made, "runs", name), 0);
	free(made);
}

void put_text(const char *path, const char *text)
{
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	fputs(text, to);
	fclose(to);
}
