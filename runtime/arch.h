/* SPDX-License-Identifier: MIT */
/*
 * What differs between processors. A new one adds arch_NAME.h (system calls that use no stack, the
 * stack pointer) and arch_NAME.S (start of a thread, event handler), and a line here.
 */
#ifndef TEK_ARCH_H
#define TEK_ARCH_H

/* Offsets into struct tek_launch and struct tek_self that arch_*.S uses, in words of the target. */
#define LAUNCH_FN 0
#define LAUNCH_ARG 1
#define LAUNCH_LO 2
#define LAUNCH_CFA 3
#define LAUNCH_PAGE 5
#define LAUNCH_FLAGS 7 /* 32 bits */
#define SELF_SCRATCH 0
#define SELF_SLOT 8
#define SELF_HIGH_COUNT 9
#define SELF_HIGH 10
#define WORDS_EVENT 2

/* launch.flags that arch_*.S sets */
#define LAUNCH_RETURNED 0x1 /* the entry returned */

/* tek_run_slot.flags: offset, number of TEK_SLOT_HIGH's bit, TEK_SLOT_LIVE */
#define SLOT_FLAGS 12
#define SLOT_HIGH_BIT 4
#define SLOT_LIVE 0x100

/* tek_paint() */
#define PAINT_MASK 0x54454b21

#ifndef __ASSEMBLER__
#include <stdint.h>

#if defined(__x86_64__)
#include "arch_x86_64.h"
#elif defined(__i386__)
#include "arch_i386.h"
#else
#error "TEK's runtime has no arch_NAME.h for this processor"
#endif

/*
 * The start routine of every thread that TEK registers: arms and cleans by tek_thread_begin(), then
 * calls the entry, whose CFA is thereby known.
 */
void *tek_start_thread(void *launch);

/* words.handler: see abi.h. Uses no stack. */
void tek_event_handler(void);
#endif

#endif
