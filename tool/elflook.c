/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "elflook.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tek/abi.h>
#include <unistd.h>

#define TABLE_MAX (64u << 20) /* of one symbol or string table; larger ones are not looked at */

struct image {
	int fd;
	bool is_64;
	uint64_t size;
	uint64_t section_offset, program_offset;
	unsigned int sections, programs, names;
};

/* The fields that matter, of either class. */
struct section {
	uint32_t name, type, link;
	uint64_t offset, size;
};

static bool read_at(const struct image *image, uint64_t offset, void *to, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset &&
	       pread(image->fd, to, (size_t)size, (off_t)offset) == (ssize_t)size;
}

static bool read_header(struct image *image)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	if (image->is_64) {
		if (!read_at(image, 0, &wide, sizeof(wide)))
			return false;
		image->section_offset = wide.e_shoff;
		image->program_offset = wide.e_phoff;
		image->sections = wide.e_shentsize == sizeof(Elf64_Shdr) ? wide.e_shnum : 0;
		image->programs = wide.e_phentsize == sizeof(Elf64_Phdr) ? wide.e_phnum : 0;
		image->names = wide.e_shstrndx;
		return true;
	}
	if (!read_at(image, 0, &narrow, sizeof(narrow)))
		return false;
	image->section_offset = narrow.e_shoff;
	image->program_offset = narrow.e_phoff;
	image->sections = narrow.e_shentsize == sizeof(Elf32_Shdr) ? narrow.e_shnum : 0;
	image->programs = narrow.e_phentsize == sizeof(Elf32_Phdr) ? narrow.e_phnum : 0;
	image->names = narrow.e_shstrndx;
	return true;
}

static bool read_section(const struct image *image, unsigned int index, struct section *section)
{
	Elf64_Shdr wide;
	Elf32_Shdr narrow;

	if (index >= image->sections || image->section_offset > image->size)
		return false;
	if (image->is_64) {
		if (!read_at(image, image->section_offset + (uint64_t)index * sizeof(wide), &wide,
			     sizeof(wide)))
			return false;
		*section = (struct section){ wide.sh_name, wide.sh_type, wide.sh_link,
					     wide.sh_offset, wide.sh_size };
		return true;
	}
	if (!read_at(image, image->section_offset + (uint64_t)index * sizeof(narrow), &narrow,
		     sizeof(narrow)))
		return false;
	*section = (struct section){ narrow.sh_name, narrow.sh_type, narrow.sh_link,
				     narrow.sh_offset, narrow.sh_size };
	return true;
}

/* A section's bytes, and one NUL behind them; null if it has none, or more than is looked at. */
static char *load(const struct image *image, const struct section *section)
{
	char *bytes;

	if (section->type == SHT_NOBITS || section->size == 0 || section->size > TABLE_MAX ||
	    section->offset > image->size || section->size > image->size - section->offset)
		return NULL;
	bytes = malloc((size_t)section->size + 1);
	if (bytes == NULL)
		return NULL;
	bytes[section->size] = '\0';
	if (read_at(image, section->offset, bytes, section->size))
		return bytes;
	free(bytes);
	return NULL;
}

static bool has_interpreter(const struct image *image)
{
	const uint64_t step = image->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	for (unsigned int i = 0; i < image->programs; i++) {
		uint32_t type; /* the first field in both classes */

		if (image->program_offset > image->size ||
		    !read_at(image, image->program_offset + i * step, &type, sizeof(type)))
			return false;
		if (type == PT_INTERP)
			return true;
	}
	return false;
}

/* Field by copy: nothing in a damaged file is aligned. */
#define TAKE(type, bytes, index, to) memcpy(&(to), (bytes) + (index) * sizeof(type), sizeof(type))

static bool defines_runtime(const struct image *image, const char *symbols, uint64_t size,
			    const char *names, uint64_t names_size)
{
	const uint64_t step = image->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	for (uint64_t i = 0; i < size / step; i++) {
		Elf64_Sym wide = { 0 };
		Elf32_Sym narrow;

		if (image->is_64) {
			TAKE(Elf64_Sym, symbols, i, wide);
		} else {
			TAKE(Elf32_Sym, symbols, i, narrow);
			wide.st_name = narrow.st_name;
			wide.st_shndx = narrow.st_shndx;
		}
		if (wide.st_shndx != SHN_UNDEF && wide.st_name < names_size &&
		    strcmp(names + wide.st_name, "__tek_pthread_create") == 0)
			return true;
	}
	return false;
}

static bool needs_libtek(const struct image *image, const char *entries, uint64_t size,
			 const char *names, uint64_t names_size)
{
	const uint64_t step = image->is_64 ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);

	for (uint64_t i = 0; i < size / step; i++) {
		Elf64_Dyn wide = { 0 };
		Elf32_Dyn narrow;

		if (image->is_64) {
			TAKE(Elf64_Dyn, entries, i, wide);
		} else {
			TAKE(Elf32_Dyn, entries, i, narrow);
			wide.d_tag = narrow.d_tag;
			wide.d_un.d_val = narrow.d_un.d_val;
		}
		if (wide.d_tag == DT_NULL)
			return false;
		if (wide.d_tag == DT_NEEDED && wide.d_un.d_val < names_size &&
		    strncmp(names + wide.d_un.d_val, "libtek.so", 9) == 0)
			return true;
	}
	return false;
}

static void look_into(const struct image *image, const struct section *section,
		      struct elf_look *look)
{
	struct section linked;
	char *bytes = NULL, *names = NULL;

	if (!read_section(image, section->link, &linked))
		return;
	bytes = load(image, section);
	names = load(image, &linked);
	if (bytes != NULL && names != NULL) {
		if (section->type == SHT_DYNAMIC)
			look->needs_libtek |=
				needs_libtek(image, bytes, section->size, names, linked.size);
		else
			look->has_runtime |=
				defines_runtime(image, bytes, section->size, names, linked.size);
	}
	free(bytes);
	free(names);
}

static bool is_plugins(const char *name)
{
	return strcmp(name, TEK_SECTION_SITES) == 0 || strcmp(name, TEK_SECTION_ROLES) == 0 ||
	       strcmp(name, TEK_SECTION_SIZES) == 0 || strcmp(name, TEK_SECTION_UNITS) == 0;
}

static void look_sections(const struct image *image, struct elf_look *look)
{
	struct section section, names_section;
	int tables = 0; /* a linker makes three; a damaged file may claim any number */
	char *names = NULL;

	if (!read_section(image, image->names, &names_section))
		return;
	names = load(image, &names_section);
	for (unsigned int i = 1; i < image->sections && names != NULL; i++) {
		if (!read_section(image, i, &section))
			break;
		look->has_sections = true;
		if (section.name < names_section.size)
			look->instrumented |= is_plugins(names + section.name);
		if ((section.type == SHT_DYNAMIC || section.type == SHT_DYNSYM ||
		     section.type == SHT_SYMTAB) &&
		    tables++ < 8)
			look_into(image, &section, look);
	}
	free(names);
}

int elf_look(int fd, struct elf_look *look)
{
	const unsigned char byte_order = BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	unsigned char ident[EI_NIDENT];
	struct image image = { .fd = fd };
	struct stat status;

	*look = (struct elf_look){ 0 };
	if (fstat(fd, &status) != 0)
		return -errno;
	image.size = (uint64_t)status.st_size;
	if (!read_at(&image, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    ident[EI_DATA] != byte_order ||
	    (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64))
		return -ENOEXEC;
	image.is_64 = ident[EI_CLASS] == ELFCLASS64;
	if (!read_header(&image))
		return -EBADMSG;
	look->is_static = !has_interpreter(&image);
	look_sections(&image, look);
	return 0;
}
