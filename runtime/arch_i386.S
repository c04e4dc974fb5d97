/* SPDX-License-Identifier: MIT */
/* 32-bit x86: start of a thread, and the event handler of the probe. */
#include "arch.h"

#define WORD 4
#define SYS_futex 240
#define FUTEX_WAKE_PRIVATE 129

	.text

/*
 * void *tek_start_thread(struct tek_launch *launch)
 *
 * The part of the stack just below SP, which C code has written to, is painted here, by code that
 * writes nothing else there. What differs below the entry is then the thread's own.
 */
	.globl	tek_start_thread
	.hidden	tek_start_thread
	.type	tek_start_thread, @function
	.p2align 4
tek_start_thread:
	.cfi_startproc
	endbr32
	push	%ebx
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %ebx, 0
	push	%esi
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %esi, 0
	push	%edi
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %edi, 0
	mov	16(%esp), %esi			/* launch */
	sub	$16, %esp			/* arguments; SP is 16-byte aligned here */
	.cfi_adjust_cfa_offset 16
	mov	%esi, (%esp)
	mov	%esp, 4(%esp)
	call	tek_thread_begin		/* (launch, CFA): where to paint from, or 0 */
	test	%eax, %eax
	jz	2f
1:	mov	%eax, %edi
	xor	$PAINT_MASK, %edi		/* tek_paint() */
	mov	%edi, (%eax)
	add	$4, %eax
	cmp	%esp, %eax
	jb	1b
2:	mov	LAUNCH_PAGE*WORD(%esi), %eax	/* the slot */
	mov	LAUNCH_CFA*WORD(%esi), %ecx
	mov	%ecx, LAUNCH_PAGE*WORD(%esi)
	lock orl $SLOT_LIVE, SLOT_FLAGS(%eax)	/* from here on it may be read */
	mov	LAUNCH_ARG*WORD(%esi), %eax
	mov	%eax, (%esp)
	call	*LAUNCH_FN*WORD(%esi)
	orl	$LAUNCH_RETURNED, LAUNCH_FLAGS*WORD(%esi)
	add	$16, %esp
	.cfi_adjust_cfa_offset -16
	pop	%edi
	.cfi_adjust_cfa_offset -4
	.cfi_restore %edi
	pop	%esi
	.cfi_adjust_cfa_offset -4
	.cfi_restore %esi
	pop	%ebx
	.cfi_adjust_cfa_offset -4
	.cfi_restore %ebx
	ret
	.cfi_endproc
	.size	tek_start_thread, . - tek_start_thread

/*
 * The thread has gone below its High line. Registers are kept in thread-local memory and not on
 * the stack, whose deepest point this is; the 4 bytes of the call below lie where the stub's own 8
 * do. event = 0 comes first, so that a signal handler's probe does not come here again while the
 * registers are being kept.
 */
	.globl	tek_event_handler
	.hidden	tek_event_handler
	.type	tek_event_handler, @function
	.p2align 4
tek_event_handler:
	.cfi_startproc
	endbr32
	call	9f
	.cfi_adjust_cfa_offset 4
9:	pop	%edx
	.cfi_adjust_cfa_offset -4
	add	$_GLOBAL_OFFSET_TABLE_ + (. - 9b), %edx
	mov	__tek_words@gotntpoff(%edx), %ecx
	movl	$0, %gs:WORDS_EVENT*WORD(%ecx)
	mov	tek_self@gotntpoff(%edx), %edx
	mov	%gs:SELF_SLOT*WORD(%edx), %ecx
	test	%ecx, %ecx
	jz	1f
	lock btsl $SLOT_HIGH_BIT, SLOT_FLAGS(%ecx)
	jc	1f
	mov	%gs:SELF_HIGH_COUNT*WORD(%edx), %ecx
	test	%ecx, %ecx
	jz	1f
	lock incl (%ecx)
	mov	%gs:SELF_HIGH*WORD(%edx), %ecx
	lock incl (%ecx)			/* tek_high.sequence */
	cmpl	$0, 4(%ecx)			/* tek_high.watched */
	je	1f
	mov	%eax, %gs:(SELF_SCRATCH + 0)*WORD(%edx)
	mov	%ebx, %gs:(SELF_SCRATCH + 1)*WORD(%edx)
	mov	%esi, %gs:(SELF_SCRATCH + 2)*WORD(%edx)
	mov	%edx, %esi
	mov	%ecx, %ebx
	mov	$FUTEX_WAKE_PRIVATE, %ecx
	mov	$1, %edx
	mov	$SYS_futex, %eax
	int	$0x80
	mov	%esi, %edx
	mov	%gs:(SELF_SCRATCH + 2)*WORD(%edx), %esi
	mov	%gs:(SELF_SCRATCH + 1)*WORD(%edx), %ebx
	mov	%gs:(SELF_SCRATCH + 0)*WORD(%edx), %eax
1:	ret
	.cfi_endproc
	.size	tek_event_handler, . - tek_event_handler

	.section .note.GNU-stack, "", @progbits
