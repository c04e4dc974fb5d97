/* SPDX-License-Identifier: MIT */
/* x86-64: start of a thread, and the event handler of the probe. */
#include "arch.h"

#define WORD 8
#define SYS_futex 202
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
	endbr64
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	mov	%rdi, %rbx
	mov	%rsp, %rsi
	call	tek_thread_begin		/* (launch, CFA): where to paint from, or 0 */
	test	%rax, %rax
	jz	2f
1:	mov	%eax, %edi
	xor	$PAINT_MASK, %edi		/* tek_paint() */
	mov	%edi, (%rax)
	add	$4, %rax
	cmp	%rsp, %rax
	jb	1b
2:	mov	LAUNCH_PAGE*WORD(%rbx), %rax	/* the slot */
	mov	LAUNCH_CFA*WORD(%rbx), %rcx
	mov	%rcx, LAUNCH_PAGE*WORD(%rbx)
	lock orl $SLOT_LIVE, SLOT_FLAGS(%rax)	/* from here on it may be read */
	mov	LAUNCH_ARG*WORD(%rbx), %rdi
	call	*LAUNCH_FN*WORD(%rbx)
	orl	$LAUNCH_RETURNED, LAUNCH_FLAGS*WORD(%rbx)
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	.cfi_endproc
	.size	tek_start_thread, . - tek_start_thread

/*
 * The thread has gone below its High line. Registers are kept in thread-local memory and not on
 * the stack, whose deepest point this is. event = 0 comes first, so that a signal handler's probe
 * does not come here again while the registers are being kept.
 */
	.globl	tek_event_handler
	.hidden	tek_event_handler
	.type	tek_event_handler, @function
	.p2align 4
tek_event_handler:
	.cfi_startproc
	.cfi_def_cfa %rsp, 0
	.cfi_register %rip, %r11
	endbr64
	mov	__tek_words@gottpoff(%rip), %r10
	movq	$0, %fs:WORDS_EVENT*WORD(%r10)
	mov	tek_self@gottpoff(%rip), %r10
	mov	%rax, %fs:(SELF_SCRATCH + 0)*WORD(%r10)
	mov	%fs:SELF_SLOT*WORD(%r10), %rax
	test	%rax, %rax
	jz	1f
	lock btsl $SLOT_HIGH_BIT, SLOT_FLAGS(%rax)
	jc	1f
	mov	%fs:SELF_HIGH_COUNT*WORD(%r10), %rax
	test	%rax, %rax
	jz	1f
	lock incl (%rax)
	mov	%fs:SELF_HIGH*WORD(%r10), %rax
	lock incl (%rax)			/* tek_high.sequence */
	cmpl	$0, 4(%rax)			/* tek_high.watched */
	je	1f
	mov	%rcx, %fs:(SELF_SCRATCH + 1)*WORD(%r10)
	mov	%rdx, %fs:(SELF_SCRATCH + 2)*WORD(%r10)
	mov	%rsi, %fs:(SELF_SCRATCH + 3)*WORD(%r10)
	mov	%rdi, %fs:(SELF_SCRATCH + 4)*WORD(%r10)
	mov	%r11, %fs:(SELF_SCRATCH + 5)*WORD(%r10)
	.cfi_undefined %rip
	mov	%rax, %rdi
	mov	$FUTEX_WAKE_PRIVATE, %esi
	mov	$1, %edx
	mov	$SYS_futex, %eax
	syscall
	mov	%fs:(SELF_SCRATCH + 5)*WORD(%r10), %r11
	mov	%fs:(SELF_SCRATCH + 4)*WORD(%r10), %rdi
	mov	%fs:(SELF_SCRATCH + 3)*WORD(%r10), %rsi
	mov	%fs:(SELF_SCRATCH + 2)*WORD(%r10), %rdx
	mov	%fs:(SELF_SCRATCH + 1)*WORD(%r10), %rcx
	.cfi_register %rip, %r11
1:	mov	%fs:(SELF_SCRATCH + 0)*WORD(%r10), %rax
	jmp	*%r11
	.cfi_endproc
	.size	tek_event_handler, . - tek_event_handler

	.section .note.GNU-stack, "", @progbits
