// SPDX-License-Identifier: MIT
/* Nothing but calls: the worst case of any instrumentation, shown beside the three programs. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline, noipa)) static unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
	printf("%u\n", fib(24 + (argc > 1 ? (unsigned)strtol(argv[1], NULL, 10) : 0)));
	return 0;
}
