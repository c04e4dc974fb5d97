/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86-64 and i386. The convention between probe, stub and handler stands in tek/abi.h beside
 * struct tek_words; why it is so, at the head of probe.cc.
 */
#include "tek-plugin.h"

/* x32 has 32-bit words in 64-bit mode, and no system that TEK could be tested on. */
bool tek_arch_can_probe(void)
{
	return !TARGET_X32;
}

/* -m32 of an x86-64 compiler makes code for another target than the compiler's name says. */
const char *tek_arch_target(void)
{
	static char *name;
	const char *rest = strchr(tek_configured_target, '-');

	if (!name)
		name = concat(TARGET_64BIT ? "x86_64" : "i386", rest ? rest : "", NULL);
	return name;
}

/* The text is in AT&T syntax, whatever -masm= says about the rest of the file. */
void tek_arch_enter_text(struct tek_text *text)
{
	if (ASSEMBLER_DIALECT == ASM_INTEL)
		tek_text_add(text, "\t.att_syntax prefix\n");
}

void tek_arch_leave_text(struct tek_text *text)
{
	if (ASSEMBLER_DIALECT == ASM_INTEL)
		tek_text_add(text, "\t.intel_syntax noprefix\n");
}

static void begin_function(struct tek_text *text, const char *name, const char *group)
{
	tek_text_add(text, "\t.pushsection\t.text.%s,\"axG\",%%progbits,%s,comdat\n", name, group);
	tek_text_add(text, "\t.weak\t%s\n\t.hidden\t%s\n\t.type\t%s, %%function\n", name, name,
		     name);
	tek_text_add(text, "%s:\n\t.cfi_startproc\n", name);
}

static void end_function(struct tek_text *text, const char *name)
{
	tek_text_add(text, "\t.cfi_endproc\n\t.size\t%s, .-%s\n\t.popsection\n", name, name);
}

/* Calls __tek_module_add or _remove with the descriptor if the program has it. */
static void add_hand_over(struct tek_text *text, const char *name, const char *target)
{
	tek_text_add(text, "\t.weak\t%s\n", target);
	begin_function(text, name, "__tek_module");
	if (TARGET_64BIT) {
		tek_text_add(text, "\tendbr64\n\tmovq\t%s@GOTPCREL(%%rip), %%rax\n", target);
		tek_text_add(text, "\ttestq\t%%rax, %%rax\n\tje\t1f\n");
		tek_text_add(text, "\tleaq\t__tek_module(%%rip), %%rdi\n\tjmp\t*%%rax\n1:\tret\n");
	} else {
		/* 12 bytes: the call must find the stack aligned to 16. */
		tek_text_add(text, "\tendbr32\n\tpushl\t%%ebx\n\t.cfi_adjust_cfa_offset 4\n"
				   "\t.cfi_rel_offset %%ebx, 0\n");
		tek_text_add(text, "\tcall\t__tek_pc_ebx\n"
				   "\taddl\t$_GLOBAL_OFFSET_TABLE_, %%ebx\n");
		tek_text_add(text,
			     "\tmovl\t%s@GOT(%%ebx), %%eax\n\ttestl\t%%eax, %%eax\n\tje\t1f\n",
			     target);
		tek_text_add(text, "\tleal\t__tek_module@GOTOFF(%%ebx), %%edx\n"
				   "\tsubl\t$4, %%esp\n\t.cfi_adjust_cfa_offset 4\n"
				   "\tpushl\t%%edx\n\t.cfi_adjust_cfa_offset 4\n");
		tek_text_add(text, "\tcall\t*%%eax\n\taddl\t$8, %%esp\n"
				   "\t.cfi_adjust_cfa_offset -8\n");
		tek_text_add(text, "1:\tpopl\t%%ebx\n\t.cfi_adjust_cfa_offset -4\n"
				   "\t.cfi_restore %%ebx\n\tret\n");
	}
	end_function(text, name);
}

/* Its return address in a register: i386 cannot name its own place otherwise. */
static void add_pc_thunk(struct tek_text *text, const char *name, const char *group,
			 const char *reg)
{
	begin_function(text, name, group);
	tek_text_add(text, "\tmovl\t(%%esp), %%%s\n\tret\n", reg);
	end_function(text, name);
}

void tek_arch_module_text(struct tek_text *text)
{
	if (!TARGET_64BIT)
		add_pc_thunk(text, "__tek_pc_ebx", "__tek_module", "ebx");
	add_hand_over(text, "__tek_module_enter", "__tek_module_add");
	add_hand_over(text, "__tek_module_leave", "__tek_module_remove");
}

/*
 * x86-64: the end of the cold path, where an event is due. Offsets into struct tek_words: lo 0,
 * line 8, event 16, handler 24, lowest 32.
 */
static void add_event_stub(struct tek_text *text)
{
	begin_function(text, "__tek_event", "__tek_words");
	tek_text_add(text, "\t.cfi_def_cfa %%rsp, 0\n\t.cfi_register %%rip, %%r11\n");
	tek_text_add(text, "\tmovq\t__tek_words@gottpoff(%%rip), %%r10\n"
			   "\tmovq\t%%fs:24(%%r10), %%r10\n\ttestq\t%%r10, %%r10\n");
	tek_text_add(text, "\tje\t1f\n\tjmp\t*%%r10\n1:\tjmp\t*%%r11\n");
	end_function(text, "__tek_event");
}

/*
 * i386: the whole cold path. There is no red zone, so it may be called and use the stack: 8 bytes
 * below the probed SP, which is %esp + 4 here. Offsets: lo 0, line 4, event 8, handler 12,
 * lowest 16.
 */
static void add_deeper_stub(struct tek_text *text)
{
	begin_function(text, "__tek_deeper", "__tek_words");
	tek_text_add(text, "\tcall\t__tek_pc_edx\n\taddl\t$_GLOBAL_OFFSET_TABLE_, %%edx\n"
			   "\tmovl\t__tek_words@gotntpoff(%%edx), %%edx\n");
	tek_text_add(text, "\tleal\t4(%%esp), %%ecx\n\tsubl\t%%gs:(%%edx), %%ecx\n"
			   "\tpushl\t%%ebx\n\t.cfi_adjust_cfa_offset 4\n"
			   "\t.cfi_rel_offset %%ebx, 0\n");
	tek_text_add(text, "\tmovl\t%%gs:16(%%edx), %%ebx\n\tmovl\t(%%ebx), %%eax\n"
			   "\tcmpl\t%%eax, %%ecx\n\tjae\t1f\n\tcmpxchgl\t%%ecx, (%%ebx)\n");
	tek_text_add(text, "1:\tmovl\t(%%ebx), %%eax\n\tmovl\t%%eax, %%gs:4(%%edx)\n"
			   "\tpopl\t%%ebx\n\t.cfi_adjust_cfa_offset -4\n\t.cfi_restore %%ebx\n");
	tek_text_add(text, "\tcmpl\t%%gs:8(%%edx), %%ecx\n\tjae\t2f\n"
			   "\tmovl\t%%gs:12(%%edx), %%edx\n\ttestl\t%%edx, %%edx\n");
	tek_text_add(text, "\tje\t2f\n\tjmp\t*%%edx\n2:\tret\n");
	end_function(text, "__tek_deeper");
}

/* The address of the calling thread's words as this module sees them. */
static void add_module_words(struct tek_text *text)
{
	begin_function(text, "__tek_module_words", "__tek_words");
	if (TARGET_64BIT) {
		tek_text_add(text, "\tendbr64\n\tmovq\t__tek_words@gottpoff(%%rip), %%rax\n"
				   "\taddq\t%%fs:0, %%rax\n\tret\n");
	} else {
		tek_text_add(text, "\tendbr32\n\tcall\t__tek_pc_edx\n"
				   "\taddl\t$_GLOBAL_OFFSET_TABLE_, %%edx\n");
		tek_text_add(text, "\tmovl\t__tek_words@gotntpoff(%%edx), %%eax\n"
				   "\taddl\t%%gs:0, %%eax\n\tret\n");
	}
	end_function(text, "__tek_module_words");
}

void tek_arch_words_text(struct tek_text *text)
{
	if (TARGET_64BIT) {
		add_event_stub(text);
	} else {
		add_pc_thunk(text, "__tek_pc_edx", "__tek_words", "edx");
		add_deeper_stub(text);
	}
	add_module_words(text);
}

/*
 * x86-64: three scratch registers, of which the compiler is told, and nothing else: a leaf with
 * six arguments has no more. So the words' address and the offset are found anew instead of being
 * kept. cmpxchg without the lock prefix is one instruction, and nobody but this thread's own
 * signal handlers can come between. The event is a jump, for a call would write its return address
 * into a leaf's red zone.
 */
#define COLD_PATH(landing)                             \
	"movq\t__tek_words@gottpoff(%%rip), %%r10\n"   \
	"\tmovq\t%%fs:32(%%r10), %%r11\n"              \
	"\tmovq\t%%rsp, %%rax\n"                       \
	"\tsubq\t%%fs:(%%r10), %%rax\n"                \
	"\tmovq\t%%rax, %%r10\n"                       \
	"\tmovq\t(%%r11), %%rax\n"                     \
	"\tcmpq\t%%rax, %%r10\n"                       \
	"\tjae\t1f\n"                                  \
	"\tcmpxchgq\t%%r10, (%%r11)\n"                 \
	"1:\tmovq\t(%%r11), %%r11\n"                   \
	"\tmovq\t__tek_words@gottpoff(%%rip), %%rax\n" \
	"\tmovq\t%%r11, %%fs:8(%%rax)\n"               \
	"\tcmpq\t%%fs:16(%%rax), %%r10\n"              \
	"\tjae\t2f\n"                                  \
	"\tleaq\t2f(%%rip), %%r11\n"                   \
	"\tjmp\t__tek_event\n"                         \
	"2:" landing

#define IN_ATT_SYNTAX(text) ".att_syntax prefix\n\t" text "\n\t.intel_syntax noprefix"

static tree clobber(const char *name)
{
	return build_tree_list(NULL_TREE, build_string(strlen(name), name));
}

static const char *cold_path(void)
{
	const bool landing = flag_cf_protection & CF_BRANCH;
	const bool intel = ASSEMBLER_DIALECT == ASM_INTEL;

	if (!TARGET_64BIT)
		return "call\t__tek_deeper";
	if (landing)
		return intel ? IN_ATT_SYNTAX(COLD_PATH("\tendbr64")) : COLD_PATH("\tendbr64");
	return intel ? IN_ATT_SYNTAX(COLD_PATH("")) : COLD_PATH("");
}

/*
 * The statement that takes up a new minimum. It claims no memory: it changes nothing that the
 * compiler keeps, but words.line, and a stale line only leads here once more.
 */
gasm *tek_arch_cold_path(void)
{
	static const char *const wide[] = { "rax", "r10", "r11" };
	static const char *const narrow[] = { "eax", "ecx", "edx" };
	vec<tree, va_gc> *clobbers = NULL;
	gasm *statement;

	for (unsigned i = 0; i < ARRAY_SIZE(wide); i++)
		vec_safe_push(clobbers, clobber(TARGET_64BIT ? wide[i] : narrow[i]));
	statement = gimple_build_asm_vec(cold_path(), NULL, NULL, clobbers, NULL);
	gimple_asm_set_volatile(statement, true);
	return statement;
}
