/* SPDX-License-Identifier: MIT */
/* Each file of the folders named goes once through the fuzzed function. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "fuzz.h"

static unsigned replay(const char *folder)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	unsigned count = 0;

	while (directory && (entry = readdir(directory))) {
		char path[4096], *text;
		size_t size;

		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] == '.' || files_read(path, &text, &size))
			continue;
		LLVMFuzzerTestOneInput((const uint8_t *)text, size);
		free(text);
		count++;
	}
	if (directory)
		closedir(directory);
	return count;
}

int main(int argc, char **argv)
{
	unsigned count = 0;
	int i;

	for (i = 1; i < argc; i++)
		count += replay(argv[i]);
	fprintf(stderr, "%u inputs\n", count);
	/* An empty corpus would pass for the wrong reason. */
	return count ? 0 : 1;
}
