/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the plugin's files know of each other. One group a file. */
#ifndef TEK_PLUGIN_H
#define TEK_PLUGIN_H

#include "gcc-compat.h"
#include "options.h"
#include "tek/abi.h"

/* plugin.cc */
extern struct tek_options tek_options;
extern const char *tek_configured_target;

/* roles.cc: attributes, and how entries are called. */
struct tek_entry {
	const char *role;   /* attribute text, else name */
	const char *name;   /* readable */
	const char *symbol; /* assembler name */
	const char *file;   /* base name */
	unsigned flags;	    /* TEK_SITE_* */
	unsigned HOST_WIDE_INT usable;
};
void tek_register_attributes(void);
tree tek_entry_of(tree value, gimple *use);
void tek_describe_entry(tree decl, struct tek_entry *entry);
void tek_note_entry(tree decl);
void tek_emit_roles(void);
const char *tek_symbol_of(tree decl);
const char *tek_readable_name(tree decl);
extern GTY(()) tree tek_role_places;

/* sizes.cc: #pragma tek stack, the lines of the sizes header. */
struct tek_size_line {
	char *role;
	unsigned HOST_WIDE_INT usable;
	bool override_caller;
	location_t location;
};
void tek_register_pragma(void);
const struct tek_size_line *tek_find_size(const char *role);
void tek_emit_sizes(void);

/* records.cc: records as variables. */
struct tek_record {
	tree type;
	tree field;
	vec<constructor_elt, va_gc> *values;
};
/* layout: a letter a field; u: 32 bits, w: pointer-sized integer, p: pointer. */
void tek_record_begin(struct tek_record *record, const char *layout);
void tek_record_number(struct tek_record *record, unsigned HOST_WIDE_INT value);
void tek_record_pointer(struct tek_record *record, tree address);
void tek_record_string(struct tek_record *record, const char *text);
tree tek_record_end(struct tek_record *record, const char *place, const char *stem, bool keep);
tree tek_word_type(void);

/* text.cc: assembler text under construction. */
struct tek_text {
	char *data;
	size_t length, room;
};
void tek_text_add(struct tek_text *text, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);
void tek_text_string(struct tek_text *text, const char *string);
uint64_t tek_hash(uint64_t hash, const char *string);
bool tek_is_utf8(const char *text, size_t length);
#define TEK_HASH_START 0xcbf29ce484222325ull

/* units.cc */
void tek_unit_text(struct tek_text *text, unsigned flags);
unsigned tek_unit_flags(void);

/* module.cc: what each linked module has once. */
void tek_emit_module(void);
void tek_finish_module(void);

/* create.cc, probe.cc */
extern GTY(()) tree tek_create_roots[4];
extern GTY(()) tree tek_probe_roots[2];
extern bool tek_probed;
gimple_opt_pass *tek_make_create_pass(gcc::context *context);
gimple_opt_pass *tek_make_probe_pass(gcc::context *context);
void tek_prepare_probes(void);

/* arch-*.cc: the instruction set. */
bool tek_arch_can_probe(void);
const char *tek_arch_target(void);
void tek_arch_module_text(struct tek_text *text);
void tek_arch_words_text(struct tek_text *text);
void tek_arch_enter_text(struct tek_text *text);
void tek_arch_leave_text(struct tek_text *text);
gasm *tek_arch_cold_path(void);

#endif
