/* SPDX-License-Identifier: MIT */
/* Children of every kind start anew and leave the parent's table alone. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime_fixture.h"
#include "tek/tek.h"
#include "thread.h"

static void *nothing(void *argument)
{
	return argument;
}

static void create_one(const char *role)
{
	pthread_t thread;

	tek_next_role(role);
	if (pthread_create(&thread, NULL, nothing, NULL))
		_exit(3);
	pthread_join(thread, NULL);
}

/* In the child: a table of its own, with its own thread alone. */
static void check_child(pid_t parent)
{
	struct tek_run_total *total;

	create_one("the child's");
	total = total_named("the child's", 0);
	if (!total || total->started != 1 || total_named("the parent's", 0))
		_exit(4);
	if (tek_process->header->pid != (uint32_t)getpid() || getpid() == parent)
		_exit(5);
	if (!(tek_process->header->flags & TEK_RUN_FORKED))
		_exit(6);
	if (!total_named("main", 0) || !tek_self.launch)
		_exit(7);
	_exit(0);
}

static void expect_success(pid_t child)
{
	int status = -1;

	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (status)
		print_error("child: status %#x\n", (unsigned int)status);
	assert_int_equal(status, 0);
	assert_null(total_named("the child's", 0));
	assert_int_equal(tek_process->header->pid, getpid());
}

static void fork_starts_anew(void **state)
{
	pid_t parent = getpid(), child;

	(void)state;
	create_one("the parent's");
	child = fork();
	if (!child)
		check_child(parent);
	expect_success(child);
}

static void a_raw_clone_starts_anew(void **state)
{
	pid_t parent = getpid(), child;

	(void)state;
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child)
		check_child(parent);
	expect_success(child);
}

static void *fork_there(void *argument)
{
	pid_t parent = getpid();
	pid_t child = fork();

	if (!child)
		check_child(parent);
	*(pid_t *)argument = child;
	return NULL;
}

static void a_thread_may_fork(void **state)
{
	pthread_t thread;
	pid_t child = -1;

	(void)state;
	tek_next_role("forks");
	assert_int_equal(pthread_create(&thread, NULL, fork_there, &child), 0);
	pthread_join(thread, NULL);
	expect_success(child);
	assert_int_equal(total_named("forks", 0)->ended, 1);
}

static void *create_many(void *argument)
{
	for (int i = 0; i < 100; i++)
		create_one("beside the fork");
	return argument;
}

/* The lock that another thread holds at the fork is not the child's. */
static void forks_amid_creations(void **state)
{
	pid_t parent = getpid(), child;
	pthread_t thread;

	(void)state;
	if (!FORKS_AMID_THREADS)
		skip();
	assert_int_equal(pthread_create(&thread, NULL, create_many, NULL), 0);
	for (int i = 0; i < 20; i++) {
		child = fork();
		if (!child)
			check_child(parent);
		expect_success(child);
	}
	pthread_join(thread, NULL);
	assert_int_equal(total_named("beside the fork", 0)->ended, 100);
}

static void vfork_shares(void **state)
{
	uint32_t started = total_named("the parent's", 0)->started;
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork): what is tested */
	pid_t child = vfork();
	int status;

	(void)state;
	if (!child)
		_exit(0);
	waitpid(child, &status, 0);
	create_one("the parent's");
	assert_int_equal(total_named("the parent's", 0)->started, started + 1);
}

/* glibc's cache keeps this much of an ended thread's stack: the next thread has it painted. */
static void *leave_a_dirty_stack(void *argument)
{
	volatile unsigned char used[12288];

	for (size_t i = 0; i < sizeof(used); i++)
		used[i] = 0xee;
	return argument;
}

/* Paint is no use: what the child has of it is told apart as in the parent. */
static void *fork_on_a_painted_stack(void *argument)
{
	volatile unsigned char used[4096];
	pid_t child;

	used[0] = used[sizeof(used) - 1] = 1;
	child = fork();
	if (!child) {
		uint32_t low = 0, high = 0;

		create_one("the child's");
		thread_read_other(tek_process, tek_self.launch, &low, &high);
		if (low < sizeof(used) || low > 2 * sizeof(used))
			_exit(8);
		_exit(0);
	}
	*(pid_t *)argument = child;
	return NULL;
}

static void a_painted_stack_is_read_right_in_the_child(void **state)
{
	pthread_attr_t attr;
	pthread_t thread;
	pid_t child = -1;

	(void)state;
	if (!tek_process->measure || !FRAMES_AS_COMPILED)
		skip();
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	assert_int_equal(pthread_create(&thread, &attr, leave_a_dirty_stack, NULL), 0);
	pthread_join(thread, NULL);
	assert_int_equal(pthread_create(&thread, &attr, fork_on_a_painted_stack, &child), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	expect_success(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fork_starts_anew),
		cmocka_unit_test(a_raw_clone_starts_anew),
		cmocka_unit_test(a_thread_may_fork),
		cmocka_unit_test(forks_amid_creations),
		cmocka_unit_test(vfork_shares),
		cmocka_unit_test(a_painted_stack_is_read_right_in_the_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
