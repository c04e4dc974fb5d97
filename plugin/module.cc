/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a linked module has once: the thread's words, the event stub and the descriptor that a
 * constructor hands to the runtime. Every object brings a copy in comdat groups, so that an object
 * links without libtek. It is toplevel assembler text, which goes with the object through LTO;
 * there several copies may meet in one assembler file, hence the .ifndef.
 *
 * There is no weak fallback for a function of libtek: the executable's weak copy would win over
 * libtek.so's.
 */
#include "tek-plugin.h"

static const char *const sections[] = { TEK_SECTION_SITES, TEK_SECTION_ROLES, TEK_SECTION_SIZES,
					TEK_SECTION_UNITS };

static void add_section_bounds(struct tek_text *text, const char *word)
{
	for (unsigned i = 0; i < ARRAY_SIZE(sections); i++) {
		static const char *const bounds[] = { "__start_", "__stop_" };

		for (unsigned j = 0; j < ARRAY_SIZE(bounds); j++) {
			tek_text_add(text, "\t.weak\t%s%s\n", bounds[j], sections[i]);
			tek_text_add(text, "\t.hidden\t%s%s\n", bounds[j], sections[i]);
			tek_text_add(text, "\t%s\t%s%s\n", word, bounds[j], sections[i]);
		}
	}
}

/* struct tek_module, its constructor and its destructor. */
static void add_descriptor(struct tek_text *text)
{
	const char *word = POINTER_SIZE == 64 ? ".quad" : ".long";
	const int bytes = POINTER_SIZE / 8;

	tek_text_add(text, ".ifndef .Ltek_module\n\t.set\t.Ltek_module, 1\n");
	tek_text_add(text, "\t.pushsection\t.data.rel.tek_module,\"awG\",%%progbits,__tek_module,"
			   "comdat\n");
	tek_text_add(text, "\t.weak\t__tek_module\n\t.hidden\t__tek_module\n"
			   "\t.type\t__tek_module, %%object\n");
	tek_text_add(text, "\t.size\t__tek_module, %d\n\t.balign\t%d\n__tek_module:\n",
		     8 + 10 * bytes, bytes);
	tek_text_add(text, "\t.long\t%d\n\t.long\t%d\n", 8 + 10 * bytes, TEK_ABI_VERSION);
	add_section_bounds(text, word);
	tek_text_add(text,
		     "\t.weak\t__tek_module_words\n\t.hidden\t__tek_module_words\n"
		     "\t%s\t__tek_module_words\n\t%s\t0\n",
		     word, word);
	tek_text_add(text, "\t.popsection\n");
	tek_arch_module_text(text);
	/* 101: before every constructor of the program, and after none that it may have. */
	tek_text_add(text,
		     "\t.pushsection\t.init_array.00101,\"awG\",%%init_array,__tek_module,comdat\n"
		     "\t.balign\t%d\n\t%s\t__tek_module_enter\n\t.popsection\n",
		     bytes, word);
	tek_text_add(text,
		     "\t.pushsection\t.fini_array.00101,\"awG\",%%fini_array,__tek_module,comdat\n"
		     "\t.balign\t%d\n\t%s\t__tek_module_leave\n\t.popsection\n",
		     bytes, word);
	tek_text_add(text, ".endif\n");
}

/*
 * The words and what needs them. Only units with probes bring them, for a library without probes
 * should not use up static TLS space.
 */
static void add_words(struct tek_text *text)
{
	const int bytes = POINTER_SIZE / 8;

	tek_text_add(text, ".ifndef .Ltek_words\n\t.set\t.Ltek_words, 1\n");
	tek_text_add(text,
		     "\t.pushsection\t.tbss.__tek_words,\"awTG\",%%nobits,__tek_words,comdat\n");
	tek_text_add(text, "\t.weak\t__tek_words\n\t.type\t__tek_words, %%object\n");
	tek_text_add(text, "\t.size\t__tek_words, %d\n\t.balign\t%d\n__tek_words:\n\t.zero\t%d\n",
		     5 * bytes, bytes, 5 * bytes);
	tek_text_add(text, "\t.popsection\n");
	tek_arch_words_text(text);
	tek_text_add(text, ".endif\n");
}

static void add_module(struct tek_text *text, bool probed)
{
	tek_arch_enter_text(text);
	add_descriptor(text);
	if (probed)
		add_words(text);
}

/* cc1 and cc1plus, before IPA: text that goes with the unit, also through LTO. */
void tek_emit_module(void)
{
	const bool probes = tek_options.probe != TEK_PROBE_NONE;
	struct tek_text text = { NULL, 0, 0 };
	unsigned flags = tek_unit_flags();

	if (probes && !flag_lto)
		flags |= TEK_UNIT_PROBED;
	add_module(&text, probes);
	tek_unit_text(&text, flags);
	tek_arch_leave_text(&text);
	symtab->finalize_toplevel_asm(build_string(text.length, text.data));
	free(text.data);
}

/*
 * The end of a compilation that wrote probes where the unit's own record could not promise them:
 * the code half of a fat object, and the last stage of an LTO link. What is printed here stays
 * with exactly the code that has the probes.
 */
void tek_finish_module(void)
{
	struct tek_text text = { NULL, 0, 0 };

	if (!tek_probed || !asm_out_file || !(in_lto_p || flag_lto))
		return;
	add_module(&text, true);
	tek_unit_text(&text, TEK_UNIT_LTO | TEK_UNIT_PROBED);
	tek_arch_leave_text(&text);
	fputs(text.data, asm_out_file);
	free(text.data);
}
