/* SPDX-License-Identifier: MIT */
/* Functions that reach a known depth; words.c asks them. */
#include <alloca.h>
#include <stddef.h>

char *deep_frame(void);
char *deep_alloca(size_t size);
char *deep_vla(size_t size);
char *deep_recursion(int depth);
long deep_arguments(long a, long b, long c, long d, long e, long f, long g, double h);

static char *volatile lowest;

__attribute__((noinline)) char *deep_frame(void)
{
	char block[3000];

	lowest = block;
	return lowest;
}

__attribute__((noinline)) char *deep_alloca(size_t size)
{
	lowest = alloca(size);
	return lowest;
}

__attribute__((noinline)) char *deep_vla(size_t size)
{
	char block[size];

	lowest = block;
	return lowest;
}

__attribute__((noinline)) char *deep_recursion(int depth)
{
	char block[100];
	char *result;

	lowest = block;
	if (depth == 0)
		return lowest;
	result = deep_recursion(depth - 1);
	lowest = block;
	return result;
}

__attribute__((noinline)) long deep_arguments(long a, long b, long c, long d, long e, long f,
					      long g, double h)
{
	char block[4000];

	lowest = block;
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + (long)(8 * h);
}
