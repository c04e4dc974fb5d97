/* SPDX-License-Identifier: MIT */
/* Attributes before, on and after; roles that find their sizes. With roles2.c one program. */
#include <pthread.h>
#include <stdlib.h>

#define ROLE(text) __attribute__((tek_role(text)))

void *gas(void *arg) ROLE("gas detection");
void *late(void *arg);
ROLE("say \"hi\"\\ to m\303\274ller") void *polite(void *arg);
void *elsewhere(void *arg) __attribute__((tek_time_critical));
int second(void);

static pthread_t thread;

/* Static here and in roles2.c: told apart by the file. */
static void *worker(void *arg)
{
	return arg;
}

__attribute__((tek_time_critical)) static void *urgent(void *arg)
{
	return arg;
}

void *gas(void *arg)
{
	return arg;
}

void *polite(void *arg)
{
	return arg;
}

ROLE("worker") static void *named_worker(void *arg)
{
	return arg;
}

ROLE("unused role") void unused_entry(void);

void unused_entry(void)
{
}

static void *unlisted(int arg)
{
	return &thread + arg;
}

static void start(void *(*fn)(void *))
{
	if (pthread_create(&thread, NULL, fn, NULL) || pthread_join(thread, NULL))
		abort();
}

int main(void)
{
	start(late);
	if (pthread_create(&thread, NULL, gas, NULL) || pthread_join(thread, NULL))
		return 1;
	if (pthread_create(&thread, NULL, polite, NULL) || pthread_join(thread, NULL))
		return 1;
	if (pthread_create(&thread, NULL, worker, NULL) || pthread_join(thread, NULL))
		return 1;
	if (pthread_create(&thread, NULL, named_worker, NULL) || pthread_join(thread, NULL))
		return 1;
	if (pthread_create(&thread, NULL, urgent, NULL) || pthread_join(thread, NULL))
		return 1;
	if (pthread_create(&thread, NULL, elsewhere, NULL) || pthread_join(thread, NULL))
		return 1;
	return second() || unlisted(0) != &thread;
}

void *late(void *arg) ROLE("gas detection");

void *late(void *arg)
{
	return arg;
}
