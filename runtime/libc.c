/* SPDX-License-Identifier: MIT */
#include <link.h>
#include <stdio.h>

#include "libc.h"

/*
 * struct pthread (2304 bytes in glibc 2.36 on x86-64) and glibc's surplus for libraries opened later
 * (1664 bytes, or what the rtld tunables say). Where threads show that more is taken, the overhead
 * is corrected.
 */
#define THREAD_BLOCK 4096u
#define TLS_SURPLUS 1664u

/* glibc's thread block has this alignment by itself, and fits it below the stack's upper end. */
#define BLOCK_ALIGNMENT 64u

static int add_tls(struct dl_phdr_info *info, size_t size, void *argument)
{
	size_t *sum = argument;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_TLS)
			*sum += segment->p_memsz + segment->p_align;
	}
	return 0;
}

size_t libc_static_tls(void)
{
	size_t sum = THREAD_BLOCK + TLS_SURPLUS;

	dl_iterate_phdr(add_tls, &sum);
	return sum;
}

static int largest_alignment(struct dl_phdr_info *info, size_t size, void *argument)
{
	size_t *largest = argument;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_TLS && segment->p_align > *largest)
			*largest = segment->p_align;
	}
	return 0;
}

size_t libc_block_gap(void)
{
	size_t alignment = BLOCK_ALIGNMENT;

	dl_iterate_phdr(largest_alignment, &alignment);
	return alignment > BLOCK_ALIGNMENT ? alignment - 1 : 0;
}

#if defined(__GLIBC__)
#include <gnu/libc-version.h>

const char *libc_name(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "glibc %s", gnu_get_libc_version());
	return name;
}
#else
const char *libc_name(void)
{
	return "musl";
}
#endif
