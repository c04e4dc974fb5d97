/* SPDX-License-Identifier: MIT */
/* Every form of a direct call; 9 sites. */
#include <pthread.h>
#include <stdio.h>
#include <threads.h>

static pthread_t thread;

static void *worker(void *arg)
{
	return arg;
}

void *shared(void *arg)
{
	return arg;
}

static int c11(void *arg)
{
	return arg != NULL;
}

#define START(fn) pthread_create(&thread, NULL, fn, NULL)

static inline int by_helper(void)
{
	return pthread_create(&thread, NULL, shared, NULL);
}

static int by_value(void *(*fn)(void *))
{
	return pthread_create(&thread, NULL, fn, NULL);
}

__attribute__((noinline)) static int by_tail_call(void)
{
	return pthread_create(&thread, NULL, worker, NULL);
}

extern int renamed(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		   void *) __asm__("pthread_create");

static void join(void)
{
	if (pthread_join(thread, NULL))
		puts("no thread to join");
}

int main(void)
{
	thrd_t other;
	int result = 0;

	if (pthread_create(&thread, NULL, worker, NULL))
		return 1;
	join();
	pthread_create(&thread, NULL, (void *(*)(void *))shared, NULL);
	join();
	if (START(worker))
		return 2;
	join();
	if ((pthread_create)(&thread, NULL, worker, NULL))
		return 3;
	join();
	result |= by_helper();
	join();
	result |= by_value(worker);
	join();
	result |= by_tail_call();
	join();
	result |= renamed(&thread, NULL, shared, NULL);
	join();
	result |= thrd_create(&other, c11, NULL) != thrd_success;
	thrd_join(other, NULL);
	return result;
}
