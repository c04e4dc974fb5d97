/* SPDX-License-Identifier: MIT */
/*
 * Prints what a program can read about itself and its threads, so that the same program built plain,
 * instrumented and measured can be compared. `same END` ends in one of many ways.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

extern char **environ;

static pthread_key_t early_key, late_key;
static pthread_mutex_t print_lock = PTHREAD_MUTEX_INITIALIZER;

/* Entries of a /proc folder, without . and .. and the descriptor that reads it. */
static int count_entries(const char *path)
{
	DIR *folder = opendir(path);
	int count = -2;

	if (!folder)
		return -1;
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void print_signals(const char *who)
{
	sigset_t mask, pending;
	struct sigaction action;
	stack_t alternate;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigpending(&pending);
	printf("%s signals:", who);
	for (int number = 1; number <= SIGRTMAX; number++) {
		if (sigismember(&mask, number) == 1)
			printf(" blocked %d", number);
		if (sigismember(&pending, number) == 1)
			printf(" pending %d", number);
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
			printf(" %d %s", number,
			       action.sa_handler == SIG_IGN ? "ignored" : "handled");
	}
	sigaltstack(NULL, &alternate);
	printf(" alternate %d\n", alternate.ss_flags);
}

static void print_attributes(const char *who, const pthread_attr_t *attr)
{
	struct sched_param parameter;
	size_t stack, guard;
	int detach, inherit, policy, scope;

	pthread_attr_getstacksize(attr, &stack);
	/* Where the main stack ends depends on where the kernel put its top: within a few pages. */
	if (gettid() == getpid())
		stack = (stack + 0xffff) & ~(size_t)0xffff;
	pthread_attr_getguardsize(attr, &guard);
	pthread_attr_getdetachstate(attr, &detach);
	pthread_attr_getinheritsched(attr, &inherit);
	pthread_attr_getschedpolicy(attr, &policy);
	pthread_attr_getschedparam(attr, &parameter);
	pthread_attr_getscope(attr, &scope);
	printf("%s stack %zu guard %zu detached %d inherit %d policy %d priority %d scope %d\n",
	       who, stack, guard, detach, inherit, policy, parameter.sched_priority, scope);
}

static void print_self(const char *who, int first_errno)
{
	pthread_attr_t attr;
	cpu_set_t processors;
	char name[16];
	int state, type;

	pthread_mutex_lock(&print_lock);
	printf("%s errno %d\n", who, first_errno);
	pthread_getattr_np(pthread_self(), &attr);
	print_attributes(who, &attr);
	pthread_attr_destroy(&attr);
	pthread_getname_np(pthread_self(), name, sizeof(name));
	pthread_getaffinity_np(pthread_self(), sizeof(processors), &processors);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	printf("%s name %s processors %d cancel %d %d nice %d tasks %d early %s late %s\n", who,
	       name, CPU_COUNT(&processors), state, type, getpriority(PRIO_PROCESS, 0),
	       count_entries("/proc/self/task"), pthread_getspecific(early_key) ? "set" : "unset",
	       pthread_getspecific(late_key) ? "set" : "unset");
	print_signals(who);
	pthread_mutex_unlock(&print_lock);
}

static void destroy_value(void *value)
{
	printf("destructor of %s\n", (const char *)value);
}

static void *entry(void *arg)
{
	int first_errno = errno;

	pthread_setspecific(early_key, arg);
	pthread_setspecific(late_key, arg);
	pthread_setspecific(early_key, NULL);
	print_self((const char *)arg, first_errno);
	return arg;
}

/* A role of its own: what runs on stacks of the program is given no size. */
static void *entry_placed(void *arg)
{
	return entry(arg);
}

static void *entry_exits(void *arg)
{
	entry(arg);
	pthread_exit((void *)0x55);
}

static void *entry_waits(void *arg)
{
	entry(arg);
	for (;;)
		pause();
	return NULL;
}

static int entry_of_thrd(void *arg)
{
	entry(arg);
	return 33;
}

static void report_join(pthread_t thread, const void *arg)
{
	void *value;
	int result = pthread_join(thread, &value);

	printf("join %d value %s\n", result,
	       value == PTHREAD_CANCELED ? "cancelled"
	       : value == arg		 ? "argument"
	       : value == (void *)0x55	 ? "0x55"
					 : "other");
}

static void create(const pthread_attr_t *attr, void *(*start)(void *), const char *who, int cancel)
{
	pthread_t thread;
	int result;

	/* The new thread prints after its creator. */
	pthread_mutex_lock(&print_lock);
	errno = 1234;
	result = pthread_create(&thread, attr, start, (void *)who);
	printf("create %s %d errno %d\n", who, result, errno);
	pthread_mutex_unlock(&print_lock);
	if (result)
		return;
	if (cancel)
		pthread_cancel(thread);
	report_join(thread, who);
}

/* Each thread is joined before the next one starts: the order of lines is always the same. */
static void threads_of_all_kinds(void)
{
	pthread_attr_t attr;
	thrd_t thread;
	int value;
	void *stack =
		mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	create(NULL, entry, "default", 0);
	create(NULL, entry_exits, "exiting", 0);
	create(NULL, entry_waits, "cancelled", 1);
	pthread_attr_init(&attr);
	create(&attr, entry, "initialised", 0);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	create(&attr, entry, "sized", 0);
	pthread_attr_setguardsize(&attr, 3 * 4096);
	create(&attr, entry, "guarded", 0);
	pthread_attr_setguardsize(&attr, 0);
	create(&attr, entry, "unguarded", 0);
	pthread_attr_setstack(&attr, stack, 1 << 20);
	create(&attr, entry_placed, "placed", 0);
	printf("the creator's own attributes: ");
	print_attributes("placed", &attr);
	pthread_attr_destroy(&attr);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)1 << (sizeof(size_t) * 8 - 2));
	create(&attr, entry, "impossible", 0);
	pthread_attr_destroy(&attr);
	pthread_mutex_lock(&print_lock);
	printf("thrd_create %d\n", thrd_create(&thread, entry_of_thrd, (void *)"thrd"));
	pthread_mutex_unlock(&print_lock);
	printf("thrd_join %d", thrd_join(thread, &value));
	printf(" value %d\n", value);
}

static void print_process(void)
{
	struct rlimit limit;
	pthread_attr_t attr;
	char text[64] = "";
	int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int file = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);

	printf("descriptors %d %d\n", descriptor, file);
	if (read(file, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	printf("comm %s", text);
	close(file);
	close(descriptor);
	pthread_key_create(&early_key, destroy_value);
	pthread_key_create(&late_key, destroy_value);
	printf("keys %u %u\n", (unsigned int)early_key, (unsigned int)late_key);
	pthread_getattr_default_np(&attr);
	print_attributes("process default", &attr);
	getrlimit(RLIMIT_STACK, &limit);
	printf("stack limit %llu\n", (unsigned long long)limit.rlim_cur);
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("file limit %llu\n", (unsigned long long)limit.rlim_cur);
	printf("umask %o dumpable %d new privileges %d tasks %d\n", (unsigned int)umask(022),
	       prctl(PR_GET_DUMPABLE), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
	       count_entries("/proc/self/task"));
	for (char **variable = environ; *variable; variable++)
		if (strncmp(*variable, "TEK_", 4) != 0 && strncmp(*variable, "_=", 2) != 0 &&
		    strncmp(*variable, "PWD=", 4) != 0 && strncmp(*variable, "OLDPWD=", 7) != 0)
			printf("environment %s\n", *variable);
}

static void print_child(void)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		create(NULL, entry, "child's", 0);
		printf("child's tasks %d\n", count_entries("/proc/self/task"));
		exit(5);
	}
	waitpid(child, &status, 0);
	printf("child %d %d\n", WIFEXITED(status), WEXITSTATUS(status));
}

static void *raise_here(void *arg)
{
	raise(*(const int *)arg);
	return NULL;
}

static void *overflow(void *arg)
{
	volatile char block[4096];

	block[0] = 1;
	if (arg == (void *)block)
		return NULL;
	return (char *)overflow(arg) + block[0];
}

static void *exit_here(void *arg)
{
	exit(*(const int *)arg);
	return NULL;
}

/* Main has called pthread_exit: whether the kernel counts it still, when exit() comes, is chance. */
static bool main_has_left;

static void at_exit(void)
{
	printf("atexit tasks %d\n", main_has_left ? 0 : count_entries("/proc/self/task"));
	fflush(stdout);
}

static int end(const char *how)
{
	int term = SIGTERM, segv = SIGSEGV, abrt = SIGABRT, code = 9;
	pthread_t thread;
	sigset_t all;

	fflush(stdout);
	if (strcmp(how, "return") == 0)
		return 3;
	if (strcmp(how, "_exit") == 0)
		_exit(4);
	if (strcmp(how, "exec") == 0)
		execl("/proc/self/exe", "same", "return", NULL);
	if (strcmp(how, "exit-in-thread") == 0)
		pthread_create(&thread, NULL, exit_here, &code);
	if (strcmp(how, "last-thread") == 0) {
		main_has_left = true;
		pthread_create(&thread, NULL, entry, (void *)"outlives main");
		pthread_exit(NULL);
	}
	if (strcmp(how, "sigterm") == 0)
		pthread_create(&thread, NULL, raise_here, &term);
	if (strcmp(how, "sigsegv") == 0)
		pthread_create(&thread, NULL, raise_here, &segv);
	if (strcmp(how, "sigabrt") == 0)
		pthread_create(&thread, NULL, raise_here, &abrt);
	if (strcmp(how, "overflow") == 0)
		pthread_create(&thread, NULL, overflow, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int first_errno = errno;

	atexit(at_exit);
	printf("arguments %d %s\n", argc, argc > 1 ? argv[1] : "");
	print_process();
	print_self("main", first_errno);
	threads_of_all_kinds();
	print_child();
	print_self("main", 0);
	return end(argc > 1 ? argv[1] : "return");
}
