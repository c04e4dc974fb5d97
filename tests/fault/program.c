/* SPDX-License-Identifier: MIT */
/* The program that things happen to. Prints "done" when all its threads came to their ends. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

static __attribute__((noinline)) void use(int depth)
{
	volatile char frame[1024];
	size_t i;

	for (i = 0; i < sizeof(frame); i++)
		frame[i] = (char)(depth | 1);
	if (depth)
		use(depth - 1);
	sink += frame[1];
}

static void *work(void *argument)
{
	use(20);
	return argument;
}

static void *hold(void *argument)
{
	use(20);
	pthread_barrier_wait(argument);
	for (;;)
		pause();
	return NULL;
}

static int create_and_join(int count)
{
	pthread_t thread;

	while (count--) {
		if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	return 0;
}

static pthread_barrier_t barrier;

/* @count threads that have used their stacks and live on. */
static void leave_running(unsigned int count)
{
	unsigned int i;

	pthread_barrier_init(&barrier, NULL, count + 1);
	for (i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, hold, &barrier))
			exit(1);
	}
	pthread_barrier_wait(&barrier);
}

static int storm(int count)
{
	int failed = 0, i;

	for (i = 0; i < count; i++) {
		pid_t child = fork();
		int status = 0;

		if (!child)
			exit(create_and_join(i % 3));
		waitpid(child, &status, 0);
		failed |= status;
	}
	return failed | create_and_join(3);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int count = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 10;
	int failed = 0;

	if (!strcmp(what, "short")) {
		failed = create_and_join(count);
	} else if (!strcmp(what, "fork")) {
		failed = storm(count);
	} else if (!strcmp(what, "close")) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		failed = create_and_join(count);
	} else if (!strcmp(what, "running")) {
		leave_running((unsigned int)count);
	} else if (!strcmp(what, "killed") || !strcmp(what, "sampled")) {
		if (!strcmp(what, "killed"))
			failed = create_and_join(count);
		leave_running((unsigned int)count);
		puts("ready");
		fflush(stdout);
		pause();
	}
	if (failed)
		return 1;
	puts("done");
	return 0;
}
