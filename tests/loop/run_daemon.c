/* SPDX-License-Identifier: MIT */
/*
 * Five threads that use known amounts of stack and then wait for ever, in a program that never
 * exits by itself. Says "ready" on stdout when all of them wait.
 *
 * With argument "answer" it also answers each signal by a line "got N VALUE", SIGTERM and SIGTSTP
 * excepted. With "locked" all its memory is locked. With "foreign" the threads' stacks are its own,
 * clean but for data at their upper ends; with "dirty" they are full of data.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 5
#define FOREIGN (1u << 20)
#define STEP 24576 /* thread i uses (i + 1) times as many bytes of stack */

static pthread_barrier_t deep;
static sigset_t answered;

__attribute__((noinline)) static void use(size_t size)
{
	volatile char bytes[size];

	memset((char *)bytes, 0x5a, size);
	(void)bytes[size / 2];
}

static void *entry(void *arg)
{
	use(((uintptr_t)arg + 1) * STEP);
	pthread_barrier_wait(&deep);
	while (pause() < 0)
		;
	return NULL;
}

static void answer(void)
{
	for (;;) {
		siginfo_t info;

		if (sigwaitinfo(&answered, &info) > 0) {
			printf("got %d %d\n", info.si_signo,
			       info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
			fflush(stdout);
		}
	}
}

static void set_foreign(pthread_attr_t *attr, uintptr_t number, size_t dirty)
{
	static char stacks[THREADS][FOREIGN] __attribute__((aligned(65536)));

	memset(stacks[number] + FOREIGN - dirty, 0x77, dirty);
	pthread_attr_setstack(attr, stacks[number], FOREIGN);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_attr_t attr;
	pthread_t thread;

	if (strcmp(how, "locked") == 0 && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
		puts("cannot lock");
		return 1;
	}
	pthread_attr_init(&attr);
	if (strcmp(how, "answer") == 0) {
		sigfillset(&answered);
		sigdelset(&answered, SIGTERM);
		sigdelset(&answered, SIGTSTP);
		pthread_sigmask(SIG_BLOCK, &answered, NULL);
	}
	pthread_barrier_init(&deep, NULL, THREADS + 1);
	for (uintptr_t i = 0; i < THREADS; i++) {
		if (strcmp(how, "foreign") == 0)
			set_foreign(&attr, i, STEP);
		if (strcmp(how, "dirty") == 0)
			set_foreign(&attr, i, FOREIGN);
		if (pthread_create(&thread, &attr, entry, (void *)i) != 0)
			return 1;
	}
	pthread_barrier_wait(&deep);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	if (strcmp(how, "answer") == 0)
		answer();
	for (;;)
		pause();
}
