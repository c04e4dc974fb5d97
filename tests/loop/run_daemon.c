/* SPDX-License-Identifier: MIT */
/*
 * Five threads that use known amounts of stack and then wait for ever, in a program that never
 * exits by itself. Says "ready" on stdout when all of them wait.
 *
 * With an argument it also answers each signal by a line "got N", SIGTERM excepted.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define THREADS 5
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

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (argc > 1) {
		sigfillset(&answered);
		sigdelset(&answered, SIGTERM);
		sigdelset(&answered, SIGTSTP);
		pthread_sigmask(SIG_BLOCK, &answered, NULL);
	}
	pthread_barrier_init(&deep, NULL, THREADS + 1);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, entry, (void *)i) != 0)
			return 1;
	pthread_barrier_wait(&deep);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	if (argc > 1)
		answer();
	for (;;)
		pause();
}
