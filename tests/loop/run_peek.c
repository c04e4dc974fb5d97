/* SPDX-License-Identifier: MIT */
/*
 * run_peek FILE: prints "GENERATION LOW HIGH" of the valid samples of living threads but main.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tek/runfile.h>

static unsigned char bytes[64 << 20];

int main(int argc, char **argv)
{
	const struct tek_run_header *header = (const void *)bytes;
	FILE *file = argc > 1 ? fopen(argv[1], "re") : NULL;
	size_t size;

	if (file == NULL)
		return 1;
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	if (size < sizeof(*header) || header->valid != 1)
		return 1;
	for (uint32_t i = 0; i < header->slots.used; i++) {
		const struct tek_run_slot *slot = (const void *)(bytes + header->slots.offset +
								 (size_t)i * header->slots.stride);
		const struct tek_run_sample *sample =
			(const void *)(bytes + header->samples.offset +
				       (size_t)i * header->samples.stride);

		if ((slot->flags & TEK_SLOT_LIVE) != 0 && (slot->flags & TEK_SLOT_MAIN) == 0 &&
		    sample->generation == slot->generation && sample->odd == 0)
			printf("%u %u %u\n", sample->generation, sample->low, sample->high);
	}
	return 0;
}
