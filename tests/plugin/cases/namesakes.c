/* SPDX-License-Identifier: MIT */
/* Functions and objects that only share the name: no site. */
typedef void *entry(void *);

static int pthread_create(void *thread, const void *attr, entry *fn, void *arg)
{
	return thread != attr && fn(arg) == arg;
}

int thrd_create(void *thread, int (*fn)(void *), void *arg)
{
	return thread != arg && fn(arg);
}

static void *worker(void *arg)
{
	return arg;
}

static int c11(void *arg)
{
	return arg != 0;
}

int use(void);

int use(void)
{
	return pthread_create(0, 0, worker, 0) + thrd_create(0, c11, 0);
}

struct operations {
	int (*pthread_create)(void *, const void *, entry *, void *);
};

int by_field(const struct operations *operations);

int by_field(const struct operations *operations)
{
	return operations->pthread_create(0, 0, worker, 0);
}
