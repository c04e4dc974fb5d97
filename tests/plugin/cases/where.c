/* SPDX-License-Identifier: MIT */
/* Functions that get a probe, and functions that must not. */
#include <stddef.h>

int leaf(int n);
int buffer(int n);
int recursive(int n, int *p);
int indirect(int n);
void naked_one(void);
int uninstrumented(int n);

static volatile int sink;

__attribute__((noinline)) int leaf(int n)
{
	return n + 1;
}

__attribute__((noinline)) int buffer(int n)
{
	volatile char block[200];

	block[n] = 1;
	return block[n / 2];
}

__attribute__((noinline)) int recursive(int n, int *p)
{
	if (n <= 0)
		return sink;
	sink = n;
	p[0] += sink * 3;
	p[1] -= sink / 5;
	p[2] ^= sink << 2;
	p[3] |= sink % 7;
	p[4] += p[0] * p[1] + p[2];
	p[5] -= p[3] * p[4] - p[1];
	return recursive(n - 1, p) + recursive(n - 2, p) * 3 - leaf(n);
}

__attribute__((naked)) void naked_one(void)
{
	__asm__("ret");
}

struct frame;

__attribute__((interrupt, target("general-regs-only"))) void interrupted(struct frame *frame);

__attribute__((interrupt, target("general-regs-only"))) void interrupted(struct frame *frame)
{
	sink = frame != NULL;
}

__attribute__((no_instrument_function, noinline)) int uninstrumented(int n)
{
	volatile char block[200];

	block[n] = 1;
	return block[n];
}

static int one(int n)
{
	return n + sink;
}

/* Called by the resolver, before there is any thread-local memory. */
__attribute__((noinline)) static int choose(int n)
{
	volatile char block[200];

	block[n] = 1;
	return block[n];
}

static int (*resolve(void))(int)
{
	return choose(1) ? one : NULL;
}

int indirect(int n) __attribute__((ifunc("resolve")));

int main(void)
{
	volatile char block[100];
	int p[6] = { 0 };

	block[0] = 0;
	naked_one();
	recursive(5, p);
	return indirect(0) - sink + buffer(3) * 0 + leaf(-1) + (uninstrumented(3) - 1) + block[0];
}
