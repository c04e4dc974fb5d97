/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "libc.h"
#include "message.h"
#include "module.h"
#include "runfile.h"
#include "sample.h"
#include "sizes.h"
#include "table.h"
#include "thread.h"
#include "zone.h"

struct tek_process *tek_process;
struct tek_target tek_target;

/* Main's stack, where no limit is set, is watched this far down. */
#define MAIN_STACK ((size_t)1 << 30)

extern char **environ;

/* What outlives the wiped page in a forked child. */
static struct {
	bool set_up; /* configuration, key and handlers: once in a process's and its children's life */
	bool forked;
	uint32_t lock;
	void *table;
	struct tek_launch *launches;
	/* The forking thread, which is all that came along. */
	bool known;
	bool grows;
	uintptr_t lo;
	uintptr_t cfa;
	uintptr_t lowest;
	uint64_t painted;
} lasting;

static size_t launches_length(void)
{
	return TEK_SLOTS * sizeof(struct tek_launch);
}

/*
 * In a child: let go of the parent's table. The parent's words stay armed, on a minimum of the
 * child's own.
 */
static void leave_parent(void)
{
	struct tek_launch *launch = tek_self.launch;
	uintptr_t line = __tek_words.line;

	lasting.forked = true;
	lasting.known = launch != NULL;
	if (launch) {
		lasting.grows = launch->flags & LAUNCH_MAIN;
		lasting.lo = launch->lo;
		lasting.cfa = launch->cfa;
		lasting.lowest = *slot_lowest(tek_self.slot);
		lasting.painted = tek_self.slot->painted;
	}
	thread_forget();
	if (line) {
		__tek_words.lowest = &lasting.lowest;
		__atomic_store_n(&__tek_words.line, line, __ATOMIC_RELEASE);
	}
	if (lasting.table)
		munmap(lasting.table, table_length());
	if (lasting.launches)
		munmap(lasting.launches, launches_length());
	lasting.table = NULL;
	lasting.launches = NULL;
}

static void in_child(void)
{
	/* Kernels before 4.14 have not wiped it. */
	memset(tek_process, 0, sizeof(*tek_process));
	leave_parent();
}

/* Above argv lie its count and nothing else: SP at the process's entry. musl's constructors get no argv. */
static uintptr_t entry_sp(void)
{
	uintptr_t upper = (uintptr_t)getauxval(AT_RANDOM);
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t *at = (const uintptr_t *)(void *)environ;
	uintptr_t count = 0;

	if (!at || (uintptr_t)at < here || (uintptr_t)at > upper)
		return here & ~(uintptr_t)15; /* moved by setenv() */
	for (at -= 2; (uintptr_t)at > here; at--, count++) {
		if (*at == count)
			return (uintptr_t)at;
	}
	return here & ~(uintptr_t)15;
}

static bool always_huge(void)
{
	int fd = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
	char text[64] = "";
	ssize_t length = 0;

	if (fd >= 0) {
		length = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	return length > 0 && strstr(text, "[always]");
}

void process_look_for_swap(void)
{
	struct sysinfo info;
	int fd;

	if (tek_target.swap || sysinfo(&info) || !info.totalswap)
		return;
	tek_target.swap = true;
	fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	else
		tek_target.no_pages = true;
}

/* Once; children inherit it. */
static int set_up(void)
{
	int error;

	config_read(getauxval(AT_SECURE));
	sizes_measure_target();
	tek_target.main_sp = entry_sp();
	if (tek_config.out[0]) {
		tek_target.huge_pages = always_huge();
		process_look_for_swap();
		error = runfile_pattern(tek_config.out, sizeof(tek_config.out));
		if (error) {
			message("%s: %s; the program runs unmeasured, choose another place in "
				"TEK_OUT",
				tek_config.out, strerror(-error));
			tek_config.out[0] = '\0';
		}
	}
	error = thread_key();
	if (error)
		return error;
	return -pthread_atfork(NULL, NULL, in_child);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void describe_process(struct tek_process *process)
{
	struct tek_run_header *header = process->header;
	char host[65] = "";

	header->pid = (uint32_t)getpid();
	header->uid = (uint32_t)getuid();
	if (process->path[0])
		header->start_ticks = start_ticks();
	header->start_realtime_ns = clock_ns(CLOCK_REALTIME);
	process->start_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	header->start_monotonic_ns = process->start_ns;
	if (getrandom(header->run_id, sizeof(header->run_id), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(header->run_id)) {
		/* Early boot: unlike any other run by time and process. */
		memcpy(header->run_id, &header->start_realtime_ns, 8);
		memcpy(header->run_id + 8, &header->pid, 4);
	}
	header->program = table_string(process, program_path());
	gethostname(host, sizeof(host) - 1);
	header->host = table_string(process, host);
	header->libc = table_string(process, libc_name());
	header->target = TEK_RUN_NONE;
	header->compiler = TEK_RUN_NONE;
}

static void describe_target(struct tek_run_header *header)
{
	header->elf_class = sizeof(void *) == 8 ? 2 : 1;
	header->elf_machine = ARCH_ELF_MACHINE;
	header->page_size = (uint32_t)tek_target.page;
	header->default_stack = tek_target.default_stack;
	header->minimum_stack = (uint32_t)tek_target.minimum_stack;
	header->overhead = (uint32_t)tek_target.overhead;
	header->signal_reserve = (uint32_t)tek_target.signal_reserve;
	header->low_percent = tek_config.low_percent;
	header->high_percent = tek_config.high_percent;
	header->flags |= (tek_target.swap ? TEK_RUN_SWAP : 0) |
			 (tek_target.no_pages ? TEK_RUN_NO_PAGES : 0) |
			 (lasting.forked ? TEK_RUN_FORKED : 0);
}

static void adopt_caller(struct tek_process *process)
{
	struct rlimit limit;
	size_t size = MAIN_STACK;

	if (lasting.forked) {
		if (!lasting.known)
			return;
		thread_adopt(process, lasting.lo, lasting.cfa, lasting.grows);
		if (!tek_self.slot)
			return;
		*slot_lowest(tek_self.slot) = lasting.lowest;
		slot_write_begin(tek_self.slot);
		tek_self.slot->painted = lasting.painted;
		slot_write_end(tek_self.slot);
		return;
	}
	if (arch_call(SYS_gettid, 0, 0, 0, 0) != getpid())
		return; /* main has run before the runtime could see it */
	if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < size)
		size = (size_t)limit.rlim_cur;
	if (size >= tek_target.main_sp)
		size = tek_target.main_sp / 2;
	thread_adopt(process, tek_target.main_sp - size, tek_target.main_sp, true);
}

static int build(struct tek_process *process)
{
	int error;

	process->launches = mmap(NULL, launches_length(), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (process->launches == MAP_FAILED)
		return -ENOMEM;
	error = runfile_open(process);
	if (error) {
		munmap(process->launches, launches_length());
		return error;
	}
	lasting.launches = process->launches;
	lasting.table = process->header;
	describe_process(process);
	describe_target(process->header);
	module_list_all(process, lasting.forked);
	adopt_caller(process);
	__atomic_store_n(&process->header->valid, 1, __ATOMIC_RELEASE);
	return 0;
}

static int start(struct tek_process *process)
{
	int error = 0;

	if (tek_self.launch)
		leave_parent(); /* a child that fork's handlers did not see */
	if (!lasting.set_up)
		error = set_up();
	if (error)
		return error;
	lasting.set_up = true;
	lock_take(&process->lock);
	error = build(process);
	lock_give(&process->lock);
	if (error)
		return error;
	__atomic_store_n(&process->ready, 1, __ATOMIC_RELEASE);
	zone_watch(process);
	sample_start(process);
	return 0;
}

static struct tek_process *state_page(void)
{
	long page = sysconf(_SC_PAGESIZE);
	struct tek_process *process;

	lock_take(&lasting.lock);
	if (!tek_process) {
		process = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (process != MAP_FAILED) {
			madvise(process, (size_t)page, MADV_WIPEONFORK);
			__atomic_store_n(&tek_process, process, __ATOMIC_RELEASE);
		}
	}
	lock_give(&lasting.lock);
	return tek_process;
}

struct tek_process *process_ready(void)
{
	struct tek_process *process = __atomic_load_n(&tek_process, __ATOMIC_ACQUIRE);
	int saved = errno;

	if (process && __atomic_load_n(&process->ready, __ATOMIC_ACQUIRE))
		return process;
	if (!process)
		process = state_page();
	if (!process)
		return NULL;
	lock_take(&process->start_lock);
	if (!process->ready && start(process))
		process->ready = 0;
	lock_give(&process->start_lock);
	errno = saved;
	return process->ready ? process : NULL;
}

/* Before the program's own constructors: those of the plugin's modules come with 101 as well. */
__attribute__((constructor(101))) static void at_start(void)
{
	process_ready();
}

/* After the program's own destructors and atexit() functions: their use of stack is seen. */
__attribute__((destructor(101))) static void at_exit(void)
{
	struct tek_process *process = tek_process;

	if (!process)
		return;
	/* A child that creates no thread has a run file too, if it is measured and leaves by exit(). */
	if (!__atomic_load_n(&process->ready, __ATOMIC_ACQUIRE) &&
	    (!lasting.forked || !tek_config.out[0] || !process_ready()))
		return;
	/* exit() in a child of vfork() runs in the parent's memory. */
	if (process->header->pid != (uint32_t)getpid())
		return;
	if (sample_close(process))
		__atomic_store_n(&process->header->ended, TEK_RUN_EXITED, __ATOMIC_RELEASE);
	runfile_close(process);
}
