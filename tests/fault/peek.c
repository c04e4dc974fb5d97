/* SPDX-License-Identifier: MIT */
/*
 * Adds up run files: "files=1 ended=1 started=10 read=10 running=0 low=21000", `low` being the
 * deepest peak_low of all threads but main. Knows nothing but the layout.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tek/runfile.h"

static unsigned long ended, started, finished, running, deepest;

static int add(const char *path)
{
	struct tek_run_header header;
	struct tek_run_total total;
	FILE *file = fopen(path, "rb");
	uint32_t i;

	if (!file || fread(&header, sizeof(header), 1, file) != 1 || header.valid != 1 ||
	    memcmp(header.magic, TEK_RUN_MAGIC, sizeof(header.magic)) != 0) {
		fprintf(stderr, "%s: no valid run file\n", path);
		return 1;
	}
	ended += header.ended;
	for (i = 0; i < header.totals.used; i++) {
		long at = (long)(header.totals.offset + (tek_u64)i * header.totals.stride);

		if (fseek(file, at, SEEK_SET) || fread(&total, sizeof(total), 1, file) != 1)
			return 1;
		if (total.flags & TEK_TOTAL_MAIN)
			continue;
		started += total.started;
		finished += total.ended;
		running += total.running;
		if (total.peak_low > deepest)
			deepest = total.peak_low;
	}
	fclose(file);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0, i;

	for (i = 1; i < argc; i++)
		failed |= add(argv[i]);
	printf("files=%d ended=%lu started=%lu read=%lu running=%lu low=%lu\n", argc - 1, ended,
	       started, finished, running, deepest);
	return failed;
}
