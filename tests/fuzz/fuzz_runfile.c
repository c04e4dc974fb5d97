/* SPDX-License-Identifier: MIT */
/* A run file through reader, merge, evidence, header and every format of the report. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "evidence.h"
#include "fuzz.h"
#include "header.h"
#include "profile.h"
#include "runfile.h"
#include "tool.h"

static void check_evidence(const struct profile *profile)
{
	struct evidence evidence = { 0 }, second;
	char why[EVIDENCE_WHY_SIZE], *text, *header;
	unsigned lines;

	evidence_add(&evidence, profile);
	text = evidence_text(&evidence);
	fuzz_require(text && evidence_parse(&second, text, strlen(text), why) == 0,
		     "evidence can be read back");
	evidence_free(&second);
	header = header_text(&evidence);
	lines = header_take(&evidence, header);
	free(text);
	text = header_text(&evidence);
	fuzz_require(header_same(header, text), "a header's own lines change nothing");
	fuzz_require(header_take(&evidence, text) == lines, "lines can be read back");
	evidence_free(&evidence);
	free(header);
	free(text);
}

static void report(const char *path)
{
	static char formats[][16] = { "--format=table", "--format=json", "--format=csv",
				      "--format=svg" };
	static char verb[] = "report", header[] = "--header=/nonexistent/sizes.h";
	char *file = strdup(path);
	size_t i;

	for (i = 0; file && i < 4; i++)
		cmd_report(4, (char *[]){ verb, formats[i], header, file, NULL });
	free(file);
}

/* The report goes to standard output; what it says is for the sanitizers, not for us. */
static void silence(void)
{
	static int done;

	if (!done && freopen("/dev/null", "w", stdout))
		done = 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[RUN_WHY_SIZE] = "", path[64];
	int fd = memfd_create("run", MFD_CLOEXEC);
	struct profile profile;
	struct run_file run;

	silence();
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (run_file_read_fd(fd, &run, why)) {
		fuzz_require(*why && !strchr(why, '\n'), "a refusal says why in one line");
		close(fd);
		return 0;
	}
	profile_init(&profile);
	profile_add(&profile, "one", &run);
	run.header.run_id[0]++;
	profile_add(&profile, "two", &run);
	run_file_free(&run);
	profile_finish(&profile);
	check_evidence(&profile);
	profile_free(&profile);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	report(path);
	close(fd);
	return 0;
}
