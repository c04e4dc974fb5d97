/* SPDX-License-Identifier: MIT */
/*
 * The run file: one process's Thread Information Table, kept as a file. Shared by the runtime
 * (writer), `tek` (reader, and writer of the samples area alone) and, inside a process, by the
 * table itself: the private table of plain mode has the same layout.
 *
 * Layout: header, then four areas at the offsets that the header names. Everything is in the byte
 * order of the target (header.byte_order), at fixed offsets, without pointers, longs or bit-fields;
 * a 32- and a 64-bit reader see the same bytes. A reader trusts no offset, count or index: it
 * checks each against the file's size.
 *
 * Versions: a reader refuses another major; it accepts a larger minor, header_size and strides
 * (steps by the stride in the file, ignores the tail).
 *
 * Synchronization table (W: only this one writes; atomics are 32-bit and relaxed unless said):
 *
 *	what			writer				reader
 *	header.valid		W: the start-up, last, release	everybody, acquire
 *	header counters		any thread, atomic add		everybody
 *	slot			W: its owner, sequence lock	retries at most 100 times
 *	slot.lowest		W: its owner, outside the lock	everybody
 *	sample			W: `tek`, one at a time (flock)	`tek`
 *				with TEK_RUN_INSIDE: W: the runtime
 *	header.sample_request	`tek`, atomic add, release	the runtime, acquire
 *	header.sample_done	W: the runtime, release		`tek`, acquire
 *	total, identity		W: the creator, before the	everybody, below totals.used
 *				release of totals.used
 *	total, counters		any thread, atomic add or	everybody
 *				compare-and-swap maximum
 *	strings			W: under the runtime's lock,	everybody, below strings.used
 *				before the release of used
 *
 * The writer holds flock(LOCK_EX) on the file for as long as the mapping lives: a reader that gets
 * flock(LOCK_SH|LOCK_NB) knows that the owner is dead.
 */
#ifndef TEK_RUNFILE_H
#define TEK_RUNFILE_H

#include <stddef.h>
#include <stdint.h>

#define TEK_RUN_MAGIC "TEKRUN\r\n" /* 8 bytes, without the NUL */
#define TEK_RUN_BYTE_ORDER 0x01020304u
#define TEK_RUN_MAJOR 1
#define TEK_RUN_MINOR 0
#define TEK_RUN_NONE 0xffffffffu /* no string, no module, nothing measured */

typedef uint64_t tek_u64 __attribute__((aligned(8))); /* i386 would align it to 4 */

/* An area: `used` of at most `capacity` items of `stride` bytes, from `offset`. */
struct tek_run_area {
	tek_u64 offset;
	uint32_t stride;
	uint32_t capacity;
	uint32_t used; /* items ever used; for strings: bytes */
	uint32_t reserved;
};

/* header.flags */
#define TEK_RUN_MEASURE 0x01u	/* stacks were cleaned and read */
#define TEK_RUN_PUBLISH 0x02u	/* a living table for others to read */
#define TEK_RUN_KEEP 0x04u	/* asked to be kept after the process's end */
#define TEK_RUN_SANITIZED 0x08u /* a unit was built with a sanitizer: no sizes from this run */
#define TEK_RUN_COVERAGE 0x10u
#define TEK_RUN_UNPROBED_LTO 0x20u /* -flto without the plugin on the link line */
#define TEK_RUN_SWAP 0x40u	   /* touched pages came from pagemap */
#define TEK_RUN_NO_PAGES 0x80u	   /* touched pages could not be read: scan alone */
#define TEK_RUN_FORKED 0x100u	   /* the child of a fork: its first thread came with it */
#define TEK_RUN_INSIDE 0x200u	   /* the runtime samples from inside */

/* header.ended */
#define TEK_RUN_RUNNING 0u /* or died without a word: SIGKILL, _exit, a signal's default action */
#define TEK_RUN_EXITED 1u  /* exit() or return from main: every living thread was read */

struct tek_run_header {
	uint8_t magic[8];
	uint32_t byte_order;
	uint16_t major;
	uint16_t minor;
	uint32_t header_size;
	uint32_t flags;
	uint32_t valid; /* 1 when complete; written last */
	uint32_t ended;
	uint8_t run_id[16]; /* random; a run counts once ever */
	uint32_t pid;
	uint32_t uid;
	tek_u64 start_ticks; /* field 22 of /proc/PID/stat; 0 without /proc */
	tek_u64 start_realtime_ns;
	tek_u64 start_monotonic_ns;
	uint8_t elf_class; /* 1: 32 bit, 2: 64 bit */
	uint8_t reserved0;
	uint16_t elf_machine; /* EM_* */
	uint32_t page_size;
	struct tek_run_area slots;
	struct tek_run_area samples; /* item i belongs to slot i */
	struct tek_run_area totals;
	struct tek_run_area strings;
	/* What the target adds to usable bytes, for TEK_STACK_<ROLE> and the report. */
	tek_u64 default_stack; /* the process default at start, as pthread_attr_getstacksize says */
	uint32_t minimum_stack;	 /* smallest size that pthread_create takes */
	uint32_t overhead;	 /* TLS, thread block and start frames above the entry, in bytes */
	uint32_t signal_reserve; /* added to each tuned stack, in bytes */
	uint32_t low_percent;	 /* zone borders in force */
	uint32_t high_percent;
	/* Counters. */
	uint32_t lost;	     /* threads without a slot (counted in totals all the same) */
	uint32_t untotalled; /* threads without a totals record */
	uint32_t retries;    /* creations repeated with the caller's own attributes */
	uint32_t unprobed;   /* instrumented modules whose words could not be armed */
	uint32_t heartbeat;  /* ms since start of the last inside sample */
	/* Fingerprint. Offsets into strings, or TEK_RUN_NONE. */
	uint32_t target;
	uint32_t compiler;
	uint32_t libc; /* "glibc 2.36" */
	uint32_t options_lo;
	uint32_t options_hi;
	uint32_t program; /* absolute path of the executable */
	uint32_t host;
	/*
	 * Readings from inside (TEK_RUN_INSIDE). `tek` adds 1 to sample_request and wakes it (a shared
	 * futex: FUTEX_WAKE without FUTEX_PRIVATE_FLAG, on the file's mapping); the runtime's thread
	 * reads every living stack into the samples area, then stores the request that it had seen
	 * into sample_done and wakes that. `tek` waits until sample_done - request >= 0 (as a signed
	 * difference), with a time-out: the process may be stopped.
	 */
	uint32_t sample_request;
	uint32_t sample_done;
	uint32_t reserved1[11];
};

/* slot.flags */
#define TEK_SLOT_MAIN 0x01u	/* the process's first thread */
#define TEK_SLOT_EXPLICIT 0x02u /* the caller chose the size */
#define TEK_SLOT_TUNED 0x04u	/* TEK chose the size */
#define TEK_SLOT_FOREIGN 0x08u	/* stack from pthread_attr_setstack */
#define TEK_SLOT_HIGH 0x10u	/* has crossed into the High Zone */
#define TEK_SLOT_PAINTED 0x20u	/* locked memory: painted from lo on, see slot.painted */
#define TEK_SLOT_CLEANED 0x40u	/* zeroed below the entry before it ran */
#define TEK_SLOT_DETACHED 0x80u
#define TEK_SLOT_LIVE 0x100u /* between start and end of the thread */

struct tek_run_slot {
	uint32_t sequence;   /* odd while its owner writes */
	uint32_t tid;	     /* 0: free, or created and not yet running */
	uint32_t generation; /* +1 at each reuse */
	uint32_t flags;	     /* TEK_SLOT_* */
	uint32_t total;	     /* index of its totals record, or TEK_RUN_NONE */
	int16_t policy;	     /* SCHED_*, from pthread_create's own arguments; -1 inherited */
	int16_t priority;
	tek_u64 lo;	/* lowest usable address */
	tek_u64 usable; /* bytes from lo to the entry's CFA */
	tek_u64 lowest; /* smallest SP - lo that a probe saw, ~0 (of the target's word) if none */
	uint32_t created_ms; /* since start_monotonic_ns */
	uint32_t clean; /* foreign stacks: bytes from lo that were zero when the thread started */
	/*
	 * From this address to the entry's CFA the stack held tek_paint() when the entry started, and
	 * was resident: there the pattern tells. Below it, touched pages and zeros do. 0: no paint.
	 */
	tek_u64 painted;
};

/* What a painted stack (TEK_SLOT_PAINTED) holds in the 32-bit word at @address, until it is used. */
static inline uint32_t tek_paint(uint64_t address)
{
	return (uint32_t)address ^ 0x54454b21u;
}

/* A reading of a living thread's stack from outside; valid if generation is the slot's and odd is 0. */
struct tek_run_sample {
	uint32_t generation;
	uint32_t odd; /* 1 while `tek` writes */
	uint32_t low; /* bytes below the entry, as tek_run_total.peak_low */
	uint32_t high;
};

/* total.flags: TEK_SITE_* of abi.h in the low 16 bits, and */
#define TEK_TOTAL_MAIN 0x10000u	     /* the main thread's record, role "main" */
#define TEK_TOTAL_NAMED 0x20000u     /* role from tek_next_role() or the creator's name argument */
#define TEK_TOTAL_LISTED 0x40000u    /* from a loaded site or role, maybe never run */
#define TEK_TOTAL_SATURATED 0x80000u /* a peak of 4 GiB or more was cut */
#define TEK_TOTAL_ENTRY_ONLY 0x100000u /* from tek_roles: no site known */
#define TEK_TOTAL_FOREIGN 0x200000u    /* an instance ran on a stack from pthread_attr_setstack */
#define TEK_TOTAL_RENAMED 0x400000u    /* listed; its threads ran under a name given to them */

struct tek_run_total {
	/* Identity; offsets into strings, or TEK_RUN_NONE. */
	uint32_t role;	     /* NONE: the tool names it by its entry */
	uint32_t entry;	     /* assembler name; NONE: module + entry_offset */
	uint32_t entry_file; /* base name, for `role@file` */
	uint32_t file;
	uint32_t function;
	uint32_t line;
	uint32_t column;
	uint32_t flags;
	uint32_t module; /* path of the module that holds the entry */
	uint32_t reserved0;
	tek_u64 entry_offset; /* entry's address as in the module's symbol table (less the load bias) */
	tek_u64 tuned;	      /* usable bytes of the header's line in force; 0: none */
	/* Counters over all instances. */
	uint32_t started;
	uint32_t ended;		 /* read at their end (or at exit(), still running) */
	uint32_t returned;	 /* of the ended: those whose entry returned */
	uint32_t running;	 /* of the ended: still running at exit() */
	uint32_t explicit_count; /* caller's own size kept */
	uint32_t tuned_count;	 /* ran with a size that TEK chose */
	uint32_t retries;
	uint32_t high_count;  /* crossed into the High Zone */
	uint32_t peak_low;    /* largest, in bytes; 0 with ended = 0 means nothing read */
	uint32_t peak_high;   /* largest, in bytes */
	uint32_t alive;	      /* living now */
	uint32_t alive_max;   /* most alive at once */
	tek_u64 usable_max;   /* largest usable stack given */
	tek_u64 usable_min;   /* smallest; ~0 before the first */
	tek_u64 explicit_max; /* largest size a caller chose, as he gave it */
	tek_u64 reserved1;
};

#define TEK_RUN_AT(type, field, at) \
	_Static_assert(offsetof(struct type, field) == (at), #type "." #field " has moved")
TEK_RUN_AT(tek_run_header, valid, 24);
TEK_RUN_AT(tek_run_header, run_id, 32);
TEK_RUN_AT(tek_run_header, start_ticks, 56);
TEK_RUN_AT(tek_run_header, elf_class, 80);
TEK_RUN_AT(tek_run_header, slots, 88);
TEK_RUN_AT(tek_run_header, default_stack, 184);
TEK_RUN_AT(tek_run_header, lost, 212);
TEK_RUN_AT(tek_run_header, target, 232);
TEK_RUN_AT(tek_run_header, sample_request, 260);
_Static_assert(sizeof(struct tek_run_header) == 312, "run file header has changed size");
TEK_RUN_AT(tek_run_slot, lo, 24);
TEK_RUN_AT(tek_run_slot, lowest, 40);
TEK_RUN_AT(tek_run_slot, painted, 56);
_Static_assert(sizeof(struct tek_run_slot) == 64, "a slot is one cache line");
_Static_assert(sizeof(struct tek_run_sample) == 16, "run file sample has changed size");
TEK_RUN_AT(tek_run_total, entry_offset, 40);
TEK_RUN_AT(tek_run_total, started, 56);
TEK_RUN_AT(tek_run_total, peak_low, 88);
TEK_RUN_AT(tek_run_total, usable_max, 104);
_Static_assert(sizeof(struct tek_run_total) == 136, "run file total has changed size");

#endif
