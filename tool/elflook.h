/* SPDX-License-Identifier: MIT */
/*
 * A glance at an ELF program on the device, where there is no libelf: is TEK in it? Every offset
 * and count of the file is checked against its size.
 */
#ifndef TEK_ELFLOOK_H
#define TEK_ELFLOOK_H

#include <stdbool.h>

struct elf_look {
	bool has_sections;
	bool is_static;	   /* no interpreter */
	bool instrumented; /* has a section that the plugin writes */
	bool needs_libtek; /* DT_NEEDED libtek.so... */
	bool has_runtime;  /* defines what libtek.a defines */
};

/* Returns 0, -ENOEXEC: not an ELF program of this byte order, -EBADMSG: damaged. */
int elf_look(int fd, struct elf_look *look);

#endif
