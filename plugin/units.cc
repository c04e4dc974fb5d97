/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a unit was compiled: compiler, target and a hash over the options that change the code. The
 * tool compares it to tell stale evidence. So it must not change from one turn of the loop to the
 * next (sizes, probe mode, build directory), nor with options that leave the code alone.
 */
#include "tek-plugin.h"

/* Options of the -f kind that do not change the code of a function; the beginning counts. */
static const char *const idle[] = {
	"-fplugin",
	"-fdiagnostics",
	"-fno-diagnostics",
	"-fmessage-length",
	"-fmax-errors",
	"-frandom-seed",
	"-fdebug-prefix-map",
	"-ffile-prefix-map",
	"-fmacro-prefix-map",
	"-fprofile-prefix-map",
	"-fdump-",
	"-fopt-info",
	"-fsave-optimization-record",
	"-fverbose-asm",
	"-fno-verbose-asm",
	"-fstack-usage",
	"-fcallgraph-info",
	"-fcompare-debug",
	"-fchecking",
	"-fno-checking",
	"-fsyntax-only",
	"-fpreprocessed",
	"-fdirectives-only",
	"-fworking-directory",
	"-fno-working-directory",
	"-fdebug-",
	"-fpch",
	"-fltrans",
	"-fwpa",
	"-fresolution",
	"-flto-partition",
	"-flto-compression-level",
	"-ffat-lto-objects",
	"-fno-fat-lto-objects",
	"-flinker-output",
	"-ftime-report",
	"-fmem-report",
	"-ftrack-macro-expansion",
	"-ftabstop",
	"-fmax-include-depth",
	"-fcanonical-system-headers",
	"-fno-canonical-system-headers",
	"-fuse-ld",
};

static bool counts(const char *option)
{
	if (option[0] != '-' || !strchr("Omf", option[1]))
		return false;
	for (unsigned i = 0; i < ARRAY_SIZE(idle); i++) {
		if (startswith(option, idle[i]))
			return false;
	}
	return true;
}

static uint64_t options_hash(void)
{
	uint64_t hash = TEK_HASH_START;

	for (unsigned i = 0; i < save_decoded_options_count; i++) {
		const char *text = save_decoded_options[i].orig_option_with_args_text;

		if (!text || !counts(text))
			continue;
		/* -flto=8, -flto=auto: how many jobs link is no property of the code. */
		hash = tek_hash(hash, startswith(text, "-flto") ? "-flto" : text);
	}
	return hash;
}

unsigned tek_unit_flags(void)
{
	unsigned flags = 0;

	if (flag_sanitize || flag_split_stack)
		flags |= TEK_UNIT_SANITIZED;
	if (profile_arc_flag || flag_test_coverage || profile_flag)
		flags |= TEK_UNIT_COVERAGE;
	if (flag_lto || in_lto_p)
		flags |= TEK_UNIT_LTO;
	return flags;
}

/* A record of section tek_units; the linker keeps one copy of each content in a module. */
void tek_unit_text(struct tek_text *text, unsigned flags)
{
	const char *word = POINTER_SIZE == 64 ? ".quad" : ".long";
	/* The options of a link are not those that its units were compiled with. */
	const uint64_t options = in_lto_p ? 0 : options_hash();
	char content[200];
	uint64_t id;

	snprintf(content, sizeof(content), "%s %s %u %016" PRIx64, gcc_version.basever,
		 tek_arch_target(), flags, options);
	id = tek_hash(TEK_HASH_START, content);
	tek_text_add(text, ".ifndef .Ltek_unit_%016" PRIx64 "\n", id);
	tek_text_add(text, "\t.set\t.Ltek_unit_%016" PRIx64 ", 1\n", id);
	tek_text_add(text,
		     "\t.pushsection\t.rodata.tek_unit,\"aG\",%%progbits,tek_unit.%016" PRIx64
		     ",comdat\n771:\n\t.asciz\t\"gcc %s\"\n772:\n",
		     id, gcc_version.basever);
	tek_text_string(text, tek_arch_target());
	tek_text_add(text,
		     "\t.popsection\n\t.pushsection\t" TEK_SECTION_UNITS
		     ",\"awG\",%%progbits,tek_unit.%016" PRIx64 ",comdat\n",
		     id);
	tek_text_add(text, "\t.balign\t%d\n\t.long\t%d\n\t.long\t%u\n", POINTER_SIZE / 8,
		     POINTER_SIZE == 64 ? 32 : 24, flags);
	tek_text_add(text, "\t%s\t771b\n\t%s\t772b\n", word, word);
	tek_text_add(text, "\t.long\t%u\n\t.long\t%u\n", (unsigned)options,
		     (unsigned)(options >> 32));
	tek_text_add(text, "\t.popsection\n\t.endif\n");
}
