/* SPDX-License-Identifier: MIT */
/*
 * Stands in for libtek's half of the probe: arms the words as tek/abi.h says, asks the functions of
 * cases/deep.c how deep they were, and compares with what the probes saw.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tek/abi.h"

char *deep_frame(void);
char *deep_alloca(size_t size);
char *deep_vla(size_t size);
char *deep_recursion(int depth);
long deep_arguments(long a, long b, long c, long d, long e, long f, long g, double h);

/* Below what is reached: saved registers, alignment and the call of the next function. */
#define SLACK 300
/* A leaf of x86-64 may use so much below the SP that a probe sees (System V ABI, 3.2.2). */
#define RED_ZONE (sizeof(void *) == 8 ? 128 : 0)

__attribute__((tls_model("initial-exec"))) __thread struct tek_words __tek_words;
__attribute__((visibility("hidden"))) extern char test_handler[];
__attribute__((visibility("hidden"))) unsigned long test_events;

static uintptr_t lowest;
static char alternate[65536];

/* Counts, and lowers the line below which the next event is due to nothing. */
#ifdef __x86_64__
__asm__("	.text\n"
	"	.hidden	test_handler\n"
	"	.type	test_handler, @function\n"
	"test_handler:\n"
	"	endbr64\n"
	"	leaq	-128(%rsp), %rsp\n"
	"	incq	test_events(%rip)\n"
	"	movq	__tek_words@gottpoff(%rip), %r10\n"
	"	movq	$0, %fs:16(%r10)\n"
	"	leaq	128(%rsp), %rsp\n"
	"	jmp	*%r11\n"
	"	.size	test_handler, .-test_handler\n");
#else
__asm__("	.text\n"
	"	.hidden	test_handler\n"
	"	.type	test_handler, @function\n"
	"test_handler:\n"
	"	endbr32\n"
	"	call	1f\n"
	"1:	popl	%ecx\n"
	"	addl	$_GLOBAL_OFFSET_TABLE_+(.-1b), %ecx\n"
	"	incl	test_events@GOTOFF(%ecx)\n"
	"	movl	__tek_words@gotntpoff(%ecx), %edx\n"
	"	movl	$0, %gs:8(%edx)\n"
	"	ret\n"
	"	.size	test_handler, .-test_handler\n");
#endif

static void arm(void)
{
	char *here = __builtin_frame_address(0);

	__tek_words.lo = (uintptr_t)here - 500000;
	lowest = 500000;
	__tek_words.lowest = &lowest;
	__tek_words.handler = (uintptr_t)test_handler;
	__tek_words.event = 0;
	__tek_words.line = lowest;
}

static void saw(const char *what, const char *reached)
{
	uintptr_t at = (uintptr_t)reached - __tek_words.lo;

	if (lowest <= at + RED_ZONE && at + RED_ZONE - lowest < SLACK && __tek_words.line == lowest)
		return;
	printf("%s: reached %lu, the probe saw %lu, line %lu\n", what, (unsigned long)at,
	       (unsigned long)lowest, (unsigned long)__tek_words.line);
	exit(1);
}

static void on_signal(int number)
{
	(void)number;
	deep_recursion(100);
}

static void foreign_stack(void)
{
	const stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	const uintptr_t before = lowest;

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	if (lowest == before)
		return;
	puts("a foreign stack has changed the minimum");
	exit(1);
}

static void event(void)
{
	arm();
	__tek_words.event = 500000 - 3000;
	if (deep_arguments(1, 2, 3, 4, 5, 6, 7, 8.0) != 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64) {
		puts("the event has changed an argument");
		exit(1);
	}
	if (test_events == 1 && __tek_words.event == 0)
		return;
	printf("%lu events\n", test_events);
	exit(1);
}

int main(void)
{
	deep_frame();
	if (__tek_words.line || lowest) {
		puts("unarmed words were written");
		return 1;
	}
	arm();
	saw("frame", deep_frame());
	saw("alloca", deep_alloca(10000));
	saw("vla", deep_vla(20000));
	saw("recursion", deep_recursion(300));
	deep_frame();
	foreign_stack();
	event();
	return 0;
}
