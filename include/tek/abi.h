/* SPDX-License-Identifier: MIT */
/*
 * What the plugin emits and the runtime reads. No libc and no GCC header is included, so that the
 * plugin (for its field lists), the runtime and the tool can all read the same text.
 *
 * Every record starts with its own size, so that a newer plugin may append fields: a reader steps
 * by that size and never reads beyond it. All strings are NUL-terminated UTF-8.
 */
#ifndef TEK_ABI_H
#define TEK_ABI_H

#ifdef __cplusplus
extern "C" {
#endif

#define TEK_ABI_VERSION 1

/* Names of the allocated, writable sections; the linker provides __start_NAME and __stop_NAME. */
#define TEK_SECTION_SITES "tek_sites"
#define TEK_SECTION_ROLES "tek_roles"
#define TEK_SECTION_SIZES "tek_sizes"
#define TEK_SECTION_UNITS "tek_units"

/*
 * The words of one thread that the inline probe reads: a thread-local object, initial-exec,
 * symbol __tek_words. All zero means "not armed": no offset is below a line of zero.
 *
 *	off = SP - lo;			unsigned: a foreign stack gives a large value
 *	if (off < line) {		cold
 *		old = *lowest;
 *		if (off < old)
 *			compare_and_swap(lowest, old, off);
 *		line = *lowest;
 *		if (off < event)
 *			__tek_event();	keeps every register, see plugin/probe.cc
 *	}
 *
 * A signal handler that runs between the load of *lowest and the swap lies deeper on the same
 * stack, so a failed swap means that *lowest is already deeper: nothing is lost, nothing repeats.
 * Only the owner thread writes line and lowest; event may be lowered by the handler alone.
 *
 * __tek_event() is a stub in each module, not a C function. It loads words.handler and, if that is
 * not zero, jumps to it; if it is zero it goes back to the probe. What the handler finds and owes:
 *
 *	x86-64	Reached by a jump. Return address in %r11; nothing has been written to the stack.
 *		It may change %r10, %r11 and the flags, and keeps every other register, vector
 *		registers and x87 state included. It first moves %rsp down by 128 (the function
 *		may use its red zone), and ends, with %rsp as found, in `jmp *` to that address.
 *		CFI at its first instruction: .cfi_def_cfa %rsp, 0; .cfi_register %rip, %r11.
 *	i386	Reached as by a call: return address at (%esp), no red zone. It may change %ecx,
 *		%edx and the flags, keeps every other register, and ends in `ret`. The stub has
 *		written at most the 8 bytes below the probed SP.
 *
 * %rsp and %esp have any alignment. The handler is entered by an indirect jump, so its first
 * instruction is endbr64 or endbr32. What it leaves below SP a later scan would take for the
 * thread's: it works on a stack of its own or zeroes what it wrote. It changes no memory that the
 * program can see: the compiler keeps values in registers across the probe.
 */
struct tek_words {
	__UINTPTR_TYPE__ lo;	  /* lowest usable address of the stack */
	__UINTPTR_TYPE__ line;	  /* offset below which something is to be done */
	__UINTPTR_TYPE__ event;	  /* offset below which the handler is to be called; 0: none */
	__UINTPTR_TYPE__ handler; /* address the event stub jumps to; 0: none */
	__UINTPTR_TYPE__ *lowest; /* smallest offset seen; non-null whenever line is non-zero */
};

/* tek_site.flags and tek_role.flags */
#define TEK_SITE_TIME_CRITICAL 0x01u  /* the entry carries tek_time_critical */
#define TEK_SITE_ROLE_ATTRIBUTE 0x02u /* role is the text of tek_role on the entry */
#define TEK_SITE_STATIC_ENTRY 0x04u /* the entry has internal linkage: `name@file` tells it apart */
#define TEK_SITE_OVERRIDE 0x08u	    /* the size's line says override */
#define TEK_SITE_CREATOR 0x10u	    /* made by a -fplugin-arg-tek-creator function */
#define TEK_SITE_THRD 0x20u	    /* a call of thrd_create */

/*
 * One creation site, section tek_sites. Written by the plugin except `record`.
 */
struct tek_site {
	__UINT32_TYPE__ size;  /* sizeof(struct tek_site) of the writer */
	__UINT32_TYPE__ flags; /* TEK_SITE_* */
	const char *role;      /* attribute text, else the entry's name; null: run time tells */
	const char *entry;     /* the entry's assembler name; null: passed as a value */
	const char *file;      /* source file as the compiler names it (path maps applied) */
	const char *function;  /* the creating function's name */
	__UINT32_TYPE__ line;  /* of the call */
	__UINT32_TYPE__ column;
	/*
	 * Base name of the file that defines or declares the entry; null if the entry is not known
	 * here. `role@entry_file` names a static entry.
	 */
	const char *entry_file;
	__UINTPTR_TYPE__ usable; /* tuned usable bytes; 0: no line in the header */
	/* The runtime's own: 1 + index of its totals record; 0 in objects. */
	__UINT32_TYPE__ record;
	__UINT32_TYPE__ reserved;
};

/*
 * One function that may be an entry, section tek_roles: defined in the unit, and either carrying
 * a TEK attribute or having the type of a start routine and its address taken.
 */
struct tek_role {
	__UINT32_TYPE__ size;
	/* TEK_SITE_TIME_CRITICAL, _ROLE_ATTRIBUTE, _STATIC_ENTRY, _OVERRIDE */
	__UINT32_TYPE__ flags;
	const void *entry;	 /* the function's address */
	const char *role;	 /* attribute text, else the name */
	const char *name;	 /* assembler name */
	const char *file;	 /* as tek_site.entry_file */
	__UINTPTR_TYPE__ usable; /* tuned usable bytes; 0: none */
	__UINT32_TYPE__ line;	 /* of the definition */
	__UINT32_TYPE__ reserved;
};

/* One line of the sizes header, section tek_sizes (one comdat copy per content and module). */
#define TEK_SIZE_OVERRIDE 0x01u
struct tek_size {
	__UINT32_TYPE__ size;
	__UINT32_TYPE__ flags; /* TEK_SIZE_* */
	const char *role;
	__UINTPTR_TYPE__ usable;
};

/* How a unit was compiled, section tek_units (one comdat copy per content and module). */
#define TEK_UNIT_SANITIZED 0x01u /* any -fsanitize=, -fsplit-stack: sizes mean nothing */
#define TEK_UNIT_COVERAGE 0x02u	 /* --coverage or -pg */
/* Compiled with -flto: probes come at the link, if the plugin is there. */
#define TEK_UNIT_LTO 0x04u
/* Probes are in this object; never set together with LTO at compile time. */
#define TEK_UNIT_PROBED 0x08u
struct tek_unit {
	__UINT32_TYPE__ size;
	__UINT32_TYPE__ flags; /* TEK_UNIT_* */
	const char *compiler;  /* "gcc 12.2.0" */
	const char *target;    /* "x86_64-linux-gnu", "i386-linux-gnu" for -m32, ... */
	/* 64-bit FNV-1a over the -O, -m, -f options, see plugin/units.cc. */
	__UINT32_TYPE__ options_lo;
	__UINT32_TYPE__ options_hi;
};

/*
 * One per linked module (executable or shared library): a hidden comdat object, handed to the
 * runtime by a constructor (.init_array.00101) and taken back by a destructor. A null start means
 * that the module has no such records.
 */
struct tek_module {
	__UINT32_TYPE__ size;
	__UINT32_TYPE__ abi; /* TEK_ABI_VERSION */
	struct tek_site *sites, *sites_end;
	struct tek_role *roles, *roles_end;
	struct tek_size *sizes, *sizes_end;
	struct tek_unit *units, *units_end;
	struct tek_words *(*words)(void); /* the calling thread's words as this module sees them */
	struct tek_module *next;	  /* the runtime's own; null in objects */
};

/*
 * Called by code that the plugin wrote. The plugin refers to them weakly and does nothing (or
 * calls the plain function) where the address is null: an object linked without libtek runs as if
 * it were not instrumented. Thread- and signal-safety is that of the function they stand for.
 *
 * int  __tek_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *,
 *                           struct tek_site *);
 * int  __tek_thrd_create(thrd_t *, thrd_start_t, void *, struct tek_site *);
 * void __tek_creator_enter(struct tek_site *, const void *entry, const char *name);
 *      before a call of a project's own creating function; name may be null. Names the next thread
 *      that this thread creates until __tek_creator_leave().
 * void __tek_creator_leave(struct tek_site *);
 *      also reached when an exception leaves the creating function, but not when longjmp does. So
 *      enter notes its own frame address: a creation by this thread counts as the creating
 *      function's only if its frame lies deeper, or is the same (an inlined or tail call);
 *      otherwise the name is stale.
 * void __tek_module_add(struct tek_module *);
 * void __tek_module_remove(struct tek_module *);
 */

#ifdef __cplusplus
}
#endif

#endif
