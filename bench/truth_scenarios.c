// SPDX-License-Identifier: MIT
#include "truth.h"

#include <alloca.h>
#include <netdb.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uintptr_t truth_base;
uintptr_t truth_lowest_sp = UINTPTR_MAX;

static volatile unsigned int kilobytes = 13;
static volatile unsigned char sink;

/* Where the stack pointer of this function stands: __builtin_frame_address is its other end. */
#if defined(__x86_64__)
#define STACK_POINTER(sp) __asm__ volatile("mov %%rsp, %0" : "=r"(sp))
#elif defined(__i386__)
#define STACK_POINTER(sp) __asm__ volatile("mov %%esp, %0" : "=r"(sp))
#else
#define STACK_POINTER(sp) __asm__ volatile("mov %0, sp" : "=r"(sp))
#endif

static inline __attribute__((always_inline)) void note_stack_pointer(void)
{
	uintptr_t sp;

	STACK_POINTER(sp);
	if (sp < truth_lowest_sp)
		truth_lowest_sp = sp;
}

__attribute__((noinline)) void truth_aligned(void (*deep)(void))
{
	_Alignas(64) volatile unsigned char line[64];

	line[0] = 1;
	truth_base = (uintptr_t)line;
	deep();
	line[1] = 2;
}

/* Without memset(): its return address would be the deepest word. */
static inline __attribute__((always_inline)) void fill(volatile unsigned char *bytes, size_t count,
						       unsigned char value)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = value;
	sink = bytes[count / 2];
}

static __attribute__((noinline)) void plain(void)
{
	volatile unsigned char buffer[12345];

	note_stack_pointer();
	fill(buffer, sizeof(buffer), 0xa5);
}

/* The call that never comes makes it no leaf: all of the buffer is above the stack pointer. */
static __attribute__((noinline)) void zeros(void)
{
	volatile unsigned char buffer[12345];

	note_stack_pointer();
	fill(buffer, sizeof(buffer), 0);
	if (!kilobytes)
		plain();
}

/* A leaf: where the ABI has a red zone, the buffer's end is below the stack pointer. */
static __attribute__((noinline)) void zeros_in_leaf(void)
{
	volatile unsigned char buffer[12345];

	fill(buffer, sizeof(buffer), 0);
}

/* The upper end alone is written: what is below is reserved all the same. */
static __attribute__((noinline)) void reserved(void)
{
	volatile unsigned char buffer[20000];

	note_stack_pointer();
	fill(buffer + 19000, 1000, 0xa5);
}

static __attribute__((noinline)) void dynamic(void)
{
	unsigned int size = kilobytes * 1024 + 40;
	/* cppcheck-suppress allocaCalled */
	volatile unsigned char *buffer = alloca(size);

	note_stack_pointer();
	fill(buffer, size, 0xa5);
}

static __attribute__((noinline)) void variable(void)
{
	unsigned int size = kilobytes * 2048 + 24;
	volatile unsigned char buffer[size];

	note_stack_pointer();
	fill(buffer, size, 0xa5);
}

/* A leaf that keeps its 100 bytes below its stack pointer where the ABI has a red zone. */
static __attribute__((noinline)) unsigned int leaf(unsigned int value)
{
	volatile unsigned char bytes[100];

	fill(bytes, sizeof(bytes), (unsigned char)(value | 1));
	return bytes[value % 100];
}

static __attribute__((noinline)) unsigned int odd(unsigned int depth);

static __attribute__((noinline)) unsigned int even(unsigned int depth)
{
	volatile unsigned char mark = 1;

	return (depth ? odd(depth - 1) : leaf(7)) + mark;
}

static __attribute__((noinline)) unsigned int odd(unsigned int depth)
{
	volatile unsigned int marks[9] = { depth | 1 };

	return (depth ? even(depth - 1) : leaf(9)) + marks[depth % 9];
}

static void recursion(void)
{
	sink = (unsigned char)even(kilobytes * 20);
}

static int compare(const void *a, const void *b)
{
	char left[400], right[400];

	snprintf(left, sizeof(left), "%.200f", *(const double *)a);
	snprintf(right, sizeof(right), "%.200f", *(const double *)b);
	return strcmp(left, right);
}

static void library(void)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST }, *found = NULL;
	double values[40];
	char text[600];
	regex_t pattern;

	for (int i = 0; i < 40; i++)
		values[i] = 1.0 / (i + 3) + (i * 7) % 11;
	qsort(values, 40, sizeof(*values), compare);
	snprintf(text, sizeof(text), "%.300f", values[3]);
	if (!regcomp(&pattern, "(a|b)*c([0-9]+)\\.[0-9]*", REG_EXTENDED)) {
		sink = (unsigned char)regexec(&pattern, text, 0, NULL, 0);
		regfree(&pattern);
	}
	if (!getaddrinfo("127.0.0.1", "80", &hints, &found))
		freeaddrinfo(found);
}

const struct scenario truth_scenarios[] = {
	{ .name = "plain", .deep = plain },
	{ .name = "libc", .deep = library },
	{ .name = "alloca", .deep = dynamic },
	{ .name = "variable array", .deep = variable },
	{ .name = "recursion", .deep = recursion },
	{ .name = "reserved, not written", .deep = reserved },
	{ .name = "zeros, probed", .deep = zeros },
	{ .name = "zeros, red zone", .deep = zeros_in_leaf, .unprobed_zero = true },
	{ .name = "zeros, not probed", .deep = truth_zeros, .unprobed_zero = true },
	{ .name = "pthread_exit", .deep = plain, .ending = EXITS },
	{ .name = "cancelled", .deep = plain, .ending = CANCELLED },
	{ .name = "running at exit()", .deep = plain, .ending = STAYS },
	{ .name = "key destructor", .deep = plain, .in_destructor = true },
	{ .name = "locked memory", .deep = plain, .locked = true },
	{ .name = "locked memory, libc", .deep = library, .locked = true },
	{ .name = "reused stack", .deep = plain, .reused = true },
	{ .name = "reused stack, libc", .deep = library, .reused = true },
	{ .name = "reused stack, locked", .deep = plain, .reused = true, .locked = true },
};
const unsigned int truth_scenario_count = sizeof(truth_scenarios) / sizeof(*truth_scenarios);
