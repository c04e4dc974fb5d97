/* SPDX-License-Identifier: MIT */
#include "symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"
#include "tool.h"

struct function {
	uint64_t address;
	char *name;
};

struct module {
	char *path;
	struct module *next;
	struct function *functions; /* by address */
	size_t count, capacity;
	uint64_t written_ns;
	bool thumb; /* bit 0 of a function's address is a mode, not a place */
	bool said;  /* its line is on stderr already */
};

struct symbols {
	struct module *modules;
};

struct symbols *symbols_new(void)
{
	elf_version(EV_CURRENT);
	return text_alloc(1, sizeof(struct symbols));
}

void symbols_free(struct symbols *symbols)
{
	struct module *module, *next;
	size_t i;

	for (module = symbols->modules; module; module = next) {
		next = module->next;
		for (i = 0; i < module->count; i++)
			free(module->functions[i].name);
		free(module->functions);
		free(module->path);
		free(module);
	}
	free(symbols);
}

static int by_address(const void *a, const void *b)
{
	const struct function *one = a, *two = b;

	if (one->address != two->address)
		return one->address < two->address ? -1 : 1;
	return strcmp(one->name, two->name);
}

static void read_table(struct module *module, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t i, count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (i = 0; data && i < count && gelf_getsym(data, (int)i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (!name || !*name || symbol.st_shndx == SHN_UNDEF ||
		    GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
			continue;
		module->functions = text_grow(module->functions, &module->capacity,
					      module->count + 1, sizeof(*module->functions));
		module->functions[module->count].address =
			module->thumb ? symbol.st_value & ~(uint64_t)1 : symbol.st_value;
		module->functions[module->count++].name = text_format("%s", name);
	}
}

/* The full table if there is one; what a stripped module exports otherwise. */
static void read_functions(struct module *module, Elf *elf)
{
	GElf_Word wanted[] = { SHT_SYMTAB, SHT_DYNSYM };
	GElf_Ehdr file;
	size_t i;

	if (!gelf_getehdr(elf, &file))
		return;
	module->thumb = file.e_machine == EM_ARM;
	for (i = 0; i < 2 && !module->count; i++) {
		Elf_Scn *section = NULL;
		GElf_Shdr header;

		while ((section = elf_nextscn(elf, section)))
			if (gelf_getshdr(section, &header) && header.sh_type == wanted[i])
				read_table(module, elf, section, &header);
	}
	text_sort(module->functions, module->count, sizeof(*module->functions), by_address);
}

/* The path comes out of a run file: nothing but a regular file is even opened. */
static int open_regular(const char *path, struct stat *status)
{
	int fd;

	if (stat(path, status) != 0)
		return -errno;
	if (!S_ISREG(status->st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void open_module(struct module *module)
{
	struct stat status;
	int fd = open_regular(module->path, &status);
	Elf *elf;

	if (fd < 0) {
		tool_problem(module->path,
			     "cannot be opened for its symbols: %s; entries in it are shown as "
			     "module+offset",
			     strerror(-fd));
		module->said = true;
		return;
	}
	module->written_ns =
		(uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		read_functions(module, elf);
	elf_end(elf);
	close(fd);
}

static struct module *find_module(struct symbols *symbols, const char *path)
{
	struct module *module;

	for (module = symbols->modules; module; module = module->next)
		if (strcmp(module->path, path) == 0)
			return module;
	module = text_alloc(1, sizeof(*module));
	module->path = text_format("%s", path);
	module->next = symbols->modules;
	symbols->modules = module;
	open_module(module);
	return module;
}

static void say_once(struct module *module, const char *what)
{
	if (!module->said)
		tool_problem(module->path, "%s; entries in it are shown as module+offset", what);
	module->said = true;
}

char *symbols_name(struct symbols *symbols, const char *path, uint64_t offset, uint64_t run_ns)
{
	struct module *module;
	size_t low = 0, high;

	if (!path || *path != '/')
		return NULL;
	module = find_module(symbols, path);
	if (module->written_ns > run_ns) {
		say_once(module, "newer than the run, so its symbols may be others");
		return NULL;
	}
	if (module->thumb)
		offset &= ~(uint64_t)1;
	for (high = module->count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (module->functions[middle].address < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < module->count && module->functions[low].address == offset)
		return text_format("%s", module->functions[low].name);
	say_once(module, "no symbol for an entry, it may be stripped");
	return NULL;
}
