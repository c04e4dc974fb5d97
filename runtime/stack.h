/* SPDX-License-Identifier: MIT */
/*
 * Where a stack ends and how much of it has been used. All of it reads memory that other code
 * writes: the raciness is the method (a byte is zero or it is not), hence no sanitizer.
 */
#ifndef TEK_STACK_H
#define TEK_STACK_H

#include "process.h"

/*
 * stack_end - lowest usable address of the calling thread's stack
 * @cfa: inside the stack, below the thread block
 * @asked: size that the thread was created with
 * @walk: look for the guard page; else the end is computed alone
 */
TEK_HIDDEN uintptr_t stack_end(uintptr_t cfa, size_t asked, bool walk);

/* stack_mapping_start - lowest mapped page below @sp, without a touch of what is below it */
TEK_HIDDEN uintptr_t stack_mapping_start(uintptr_t sp);

/* What a reading found; both are @limit if nothing below it is used. */
struct stack_reading {
	uintptr_t low;	/* lowest word that is not as cleaned */
	uintptr_t page; /* start of the lowest touched page */
};

/* Touched pages are asked for in pieces, whose answers lie on the stack being read. */
#define READING_BUFFER 256

/*
 * stack_read - read [lo, limit)
 * @painted: from here on tek_paint() was there; below, zeros and untouched pages
 *
 * Inline, calls nothing and writes nothing below the caller's SP: the caller may read down to it.
 * Below @painted only pages at and above the lowest touched one are looked into.
 */
__attribute__((always_inline)) TEK_UNSANITIZED static inline struct stack_reading
stack_read(uintptr_t lo, uintptr_t painted, uintptr_t limit);

/*
 * stack_clean - make [lo, here) tell what will be used of it
 * @here: the caller's SP, whose page is touched
 *
 * Touched pages are few on a fresh or reused stack: they are painted by the caller, from the address
 * returned on. Many are given back to the system. Inline as above.
 */
__attribute__((always_inline)) TEK_UNSANITIZED static inline uintptr_t stack_clean(uintptr_t lo,
										   uintptr_t here);

#include "stack_read.h"

#endif
