/* SPDX-License-Identifier: MIT */
/* Shapes of functions that are awkward for a pass: each prints what it computed. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef HOOKS
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *fn, void *site)
{
	(void)fn;
	(void)site;
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *fn, void *site)
{
	(void)fn;
	(void)site;
}
#endif

struct large {
	int values[40];
};

static jmp_buf back;

static void *worker(void *arg)
{
	return arg;
}

__attribute__((constructor)) static void before(void)
{
	puts("constructor");
}

__attribute__((destructor)) static void after(void)
{
	puts("destructor");
}

__attribute__((noinline)) static struct large by_value(int n)
{
	struct large result;

	memset(&result, n, sizeof(result));
	return result;
}

__attribute__((noinline)) static int sum(int count, ...)
{
	va_list list;
	int total = 0;

	va_start(list, count);
	while (count--)
		total += va_arg(list, int);
	va_end(list);
	return total;
}

__attribute__((noinline)) static double sum_double(int count, ...)
{
	va_list list;
	double total = 0;

	va_start(list, count);
	while (count--)
		total += va_arg(list, double);
	va_end(list);
	return total;
}

__attribute__((noinline)) static int jump(int n)
{
	volatile int tries = 0;
	pthread_t thread;
	int result;

	result = setjmp(back);
	tries++;
	if (pthread_create(&thread, NULL, worker, NULL) || pthread_join(thread, NULL))
		return -1;
	if (tries < n)
		longjmp(back, tries);
	return result * 10 + tries;
}

__attribute__((noinline)) static int computed(const unsigned char *code)
{
	static const void *const table[] = { &&stop, &&add, &&twice };
	int value = 1;

	goto *table[*code];
add:
	value += 3;
	code++;
	goto *table[*code];
twice:
	value *= 2;
	code++;
	goto *table[*code];
stop:
	return value;
}

__attribute__((noinline)) static int nested(int n)
{
	__label__ out;
	int count = 0;

	__attribute__((noinline)) int step(int k)
	{
		char block[k + 1];

		memset(block, k, sizeof(block));
		count += block[k];
		if (count > 100)
			goto out;
		return count;
	}

	while (step(n) < 1000)
		count++;
out:
	return count;
}

__attribute__((noinline)) static int lengths(int n)
{
	int total = 0;

	for (int i = 1; i <= n; i++) {
		int block[i];

		for (int j = 0; j < i; j++)
			block[j] = i * j;
		total += block[i - 1] + block[i / 2];
	}
	return total;
}

__attribute__((noinline)) static int parallel(int n)
{
	int total = 0;

#pragma omp parallel for reduction(+ : total)
	for (int i = 0; i < n; i++) {
		char block[64];

		memset(block, i & 63, sizeof(block));
		total += block[i & 63];
	}
	return total;
}

__attribute__((noinline, aligned(64))) static int aligned(int n)
{
	_Alignas(64) char block[128];

	memset(block, n, sizeof(block));
	return (int)((unsigned long)block % 64) + block[5];
}

__attribute__((cold, noinline)) static int cold(int n)
{
	return n ? sum(2, n, cold(n - 1)) : 0;
}

static inline __attribute__((always_inline)) int start_inside(pthread_t *thread)
{
	return pthread_create(thread, NULL, worker, thread);
}

__attribute__((noinline)) static int loops(int n)
{
	pthread_t thread;
	int made = 0;

	while (n--) {
		if (start_inside(&thread))
			continue;
		do {
			made++;
		} while (pthread_join(thread, NULL));
	}
	return made;
}

struct link {
	const struct link *next;
	const char *text;
};

/*
 * Calls itself and ends in another call of itself: optimized, it is recursive still, and its first
 * block is that of a loop with three variables.
 */
void chain(int level, int pad, const struct link *link);

__attribute__((noipa)) void chain(int level, int pad, const struct link *link)
{
	int written = printf("%d %d ", level, pad);

	if (level)
		pad += link->next ? 7 : 4;
	if (link->text[0] == 'm')
		pad += written;
	for (int i = 0; i < 3; i++) {
		if (link->next) {
			putchar('\n');
			for (int j = 0; j < pad; j++)
				putchar(' ');
			printf("%c", link->text[i]);
		} else {
			printf("%d", written - i);
		}
	}
	if (link->next) {
		if (pad > 5)
			chain(level + 2, pad, link->next);
		chain(level + 1, pad + written, link->next);
	}
}

/* At -O0 too the first block is a loop's: a jump back to the very beginning. */
static int from_the_start(int n)
{
	char text[64];

again:
	text[n & 63] = 2;
	n -= text[n & 63];
	if (n > 3)
		goto again;
	return n;
}

int main(void)
{
	static const struct link end = { NULL, "end" }, middle = { &end, "middle" },
				 first = { &middle, "first" };
	static const unsigned char code[] = { 1, 2, 1, 2, 0 };

	printf("%d\n", by_value(3).values[17]);
	printf("%d %.1f\n", sum(4, 1, 2, 3, 4), sum_double(3, 1.5, 2.5, 3.0));
	printf("%d\n", jump(4));
	printf("%d\n", computed(code));
	printf("%d\n", nested(20));
	printf("%d\n", lengths(30));
	printf("%d\n", parallel(1000));
	printf("%d\n", aligned(9));
	printf("%d\n", cold(20));
	printf("%d\n", loops(5));
	chain(0, 0, &first);
	printf("%d\n", from_the_start(20));
	putchar('\n');
	return 0;
}
