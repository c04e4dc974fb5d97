/* SPDX-License-Identifier: MIT */
#include <link.h>

#include "object.h"

struct search {
	uintptr_t address;
	struct object found;
	bool first;
};

static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;
	uintptr_t at = search->address - info->dlpi_addr;
	bool first = search->first;
	int i;

	(void)size;
	search->first = false;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || at < segment->p_vaddr ||
		    at - segment->p_vaddr >= segment->p_memsz)
			continue;
		search->found = (struct object){ .path = info->dlpi_name ? info->dlpi_name : "",
						 .offset = at,
						 .main = first };
		return 1;
	}
	return 0;
}

struct object object_find(const void *address)
{
	struct search search = { .address = (uintptr_t)address, .first = true };

	dl_iterate_phdr(look, &search);
	return search.found;
}
