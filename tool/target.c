/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <elf.h>
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

/* The first match holds. Macros as GCC predefines them for each target (gcc -dM -E). */
static const struct {
	const char *section;
	const char *triple; /* a pattern */
	const char *condition;
	uint16_t machine;
	uint8_t elf_class;
} targets[] = {
	{ "x32", "x86_64-*x32", "defined(__x86_64__) && defined(__ILP32__)", EM_X86_64, 1 },
	{ "x86_64", "x86_64-*", "defined(__x86_64__) && !defined(__ILP32__)", EM_X86_64, 2 },
	{ "i386", "i?86-*", "defined(__i386__)", EM_386, 1 },
	{ "aarch64_be", "aarch64_be-*", "defined(__AARCH64EB__)", 0, 2 },
	{ "aarch64_ilp32", "aarch64-*ilp32", "defined(__aarch64__) && defined(__ILP32__)",
	  EM_AARCH64, 1 },
	{ "aarch64", "aarch64-*", "defined(__AARCH64EL__) && !defined(__ILP32__)", EM_AARCH64, 2 },
	{ "armhf", "arm*hf", "defined(__arm__) && defined(__ARM_PCS_VFP)", EM_ARM, 1 },
	{ "arm", "arm*", "defined(__arm__) && !defined(__ARM_PCS_VFP)", 0, 1 },
	{ "riscv64", "riscv64*", "defined(__riscv) && __riscv_xlen == 64", EM_RISCV, 2 },
	{ "riscv32", "riscv32*", "defined(__riscv) && __riscv_xlen == 32", EM_RISCV, 1 },
	{ "mips64", "mips*64*", "defined(__mips64)", 0, 2 },
	{ "mips", "mips*", "defined(__mips__) && !defined(__mips64)", EM_MIPS, 1 },
	{ "powerpc64le", "powerpc64le-*", "defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)",
	  EM_PPC64, 2 },
	{ "powerpc64", "powerpc64-*", "defined(__powerpc64__) && !defined(__LITTLE_ENDIAN__)", 0,
	  2 },
	{ "powerpc", "powerpc-*", "defined(__powerpc__) && !defined(__powerpc64__)", EM_PPC, 1 },
	{ "s390x", "s390x-*", "defined(__s390x__)", EM_S390, 2 },
	{ "loongarch64", "loongarch64-*", "defined(__loongarch__) && __loongarch_grlen == 64", 258,
	  2 },
};

#define TARGETS (sizeof(targets) / sizeof(*targets))

const char *target_section(const char *triple, uint16_t machine, uint8_t elf_class)
{
	size_t i;

	for (i = 0; i < TARGETS; i++)
		if (*triple ? fnmatch(targets[i].triple, triple, 0) == 0 &&
				      targets[i].elf_class == elf_class
			    : targets[i].machine == machine && targets[i].machine &&
				      targets[i].elf_class == elf_class)
			return targets[i].section;
	return "unknown";
}

const char *target_condition(const char *section)
{
	size_t i;

	for (i = 0; i < TARGETS; i++)
		if (strcmp(targets[i].section, section) == 0)
			return targets[i].condition;
	return NULL;
}
