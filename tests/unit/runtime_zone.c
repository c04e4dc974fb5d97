/* SPDX-License-Identifier: MIT */
/* The probe's words, written here as the plugin writes them: minimum, line and event. */
#include <semaphore.h>
#include <signal.h>

#include "create.h"
#include "runtime_fixture.h"
#include "tek/tek.h"
#include "zone.h"

#if defined(__x86_64__)
#define EVENT(handler)                                         \
	__asm__ volatile("lea 1f(%%rip), %%r11\n\tjmp *%0\n1:" \
			 :                                     \
			 : "r"(handler)                        \
			 : "r10", "r11", "cc")
#else
#define EVENT(handler) __asm__ volatile("call *%0" : : "r"(handler) : "ecx", "edx", "cc")
#endif

/* abi.h has this text. */
#define PROBE()                                                                               \
	do {                                                                                  \
		uintptr_t off_ = arch_sp() - __tek_words.lo, old_;                            \
		if (off_ < __tek_words.line) {                                                \
			old_ = *__tek_words.lowest;                                           \
			if (off_ < old_)                                                      \
				__sync_bool_compare_and_swap(__tek_words.lowest, old_, off_); \
			__tek_words.line = *__tek_words.lowest;                               \
			if (off_ < __tek_words.event && __tek_words.handler)                  \
				EVENT(__tek_words.handler);                                   \
		}                                                                             \
	} while (0)

static sem_t told;
static struct tek_high_zone_event last;
static int calls, marker;

static void on_high(const struct tek_high_zone_event *event, void *argument)
{
	if (argument == &marker)
		last = *event;
	calls++;
	sem_post(&told);
}

static volatile int sink;

/* Down to @target. */
static __attribute__((noinline)) void recurse(uintptr_t target)
{
	volatile char frame[512];

	PROBE();
	frame[0] = (char)target;
	if (arch_sp() > target)
		recurse(target);
	sink += frame[0];
}

/* The address that @percent of the calling thread's stack lie above. */
static uintptr_t part(unsigned int percent)
{
	return __tek_words.lo + (uintptr_t)tek_self.slot->usable / 100 * (100 - percent);
}

static void *work(void *argument)
{
	uintptr_t cfa = (uintptr_t)__builtin_dwarf_cfa();
	uintptr_t target = part(*(unsigned int *)argument);

	assert_int_equal(cfa - __tek_words.lo, tek_self.slot->usable);
	recurse(target);
	/* The minimum is in the table while the thread lives, to the byte. */
	assert_true(__tek_words.lo + *slot_lowest(tek_self.slot) <= target);
	return NULL;
}

static void create(const char *role, unsigned int percent)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	tek_next_role(role);
	assert_int_equal(pthread_create(&thread, &attr, work, &percent), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
}

static void a_crossing_is_recorded_once(void **state)
{
	(void)state;
	create("stays low", 20);
	assert_int_equal(total_named("stays low", 0)->high_count, 0);
	create("goes high", 85);
	assert_int_equal(total_named("goes high", 0)->high_count, 1);
	assert_true(total_named("goes high", 0)->peak_low >=
		    total_named("goes high", 0)->usable_max / 100 * 85);
}

static void *wait_high(void *argument)
{
	recurse(part(85));
	sem_wait(&told);
	return argument;
}

static void the_listener_hears_of_it(void **state)
{
	pthread_attr_t attr;
	pthread_t thread;

	(void)state;
	assert_int_equal(tek_on_high_zone(NULL, NULL), EINVAL);
	assert_int_equal(tek_on_high_zone(on_high, &marker), 0);
	assert_int_equal(tek_on_high_zone(on_high, &marker), EBUSY);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	tek_next_role("heard of");
	/* The thread waits on its High stack until the listener has been called. */
	assert_int_equal(pthread_create(&thread, &attr, wait_high, NULL), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	assert_int_equal(calls, 1);
	assert_string_equal(last.role, "heard of");
	assert_true(last.used > last.usable / 2 && last.used < last.usable);
}

static void deep_handler(int signal)
{
	(void)signal;
	recurse(arch_sp() - 30 * 1024);
}

static void *storm(void *argument)
{
	for (int i = 0; i < 2000; i++)
		recurse(arch_sp() - (uintptr_t)(10 + i % 30) * 1024);
	return argument;
}

/* Handlers whose probes interrupt probes: the minimum is the deepest of all. */
static void signals_do_not_break_the_minimum(void **state)
{
	struct sigaction action = { .sa_handler = deep_handler };
	struct tek_run_total *total;
	pthread_t thread;
	void *ended = NULL;

	(void)state;
	sigaction(SIGUSR1, &action, NULL);
	tek_next_role("in a storm");
	assert_int_equal(pthread_create(&thread, NULL, storm, &marker), 0);
	for (int i = 0; i < 3000; i++)
		pthread_kill(thread, SIGUSR1);
	pthread_join(thread, &ended);
	assert_ptr_equal(ended, &marker);
	total = total_named("in a storm", 0);
	assert_true(total->peak_low >= 39 * 1024 && total->peak_low < 400 * 1024);
}

static void a_foreign_stack_pointer_is_ignored(void **state)
{
	struct tek_words words = __tek_words;

	(void)state;
	/* Above and below the stack, as on a signal's alternate stack or a fiber's. */
	assert_true(words.line <= tek_self.slot->usable);
	assert_true((uintptr_t)0 - words.lo >= words.line);
	assert_true(words.lo + tek_self.slot->usable - words.lo >= words.line);
}

/* Bytes of use from which on a thread with a line of @usable is High. */
static uintptr_t tuned_border_of(uintptr_t usable, uintptr_t given)
{
	const struct tek_launch launch = { .lo = 0x10000,
					   .cfa = 0x10000 + given,
					   .flags = LAUNCH_TUNED };
	const struct tek_run_total total = { .tuned = usable };

	return given - zone_event(&launch, &total);
}

/* The smallest margin of the sizing policy: a quarter of the peak, and 4 KiB at least. */
static void a_tuned_size_is_high_within_its_least_margin(void **state)
{
	(void)state;
	assert_int_equal(tuned_border_of(100 * 1024, 108 * 1024), 80 * 1024);
	assert_int_equal(tuned_border_of(20 * 1024, 28 * 1024), 16 * 1024);
	assert_int_equal(tuned_border_of(6 * 1024, 16 * 1024), 2 * 1024);
}

/* The border that `tek report` has, to the rounding of a percent: the crossing is not seen later. */
static void a_size_of_the_callers_is_high_where_the_report_says(void **state)
{
	const size_t given = 60000;
	const struct tek_launch launch = { .lo = 0x10000, .cfa = 0x10000 + given };
	const struct tek_run_total total = { 0 };
	size_t peak = given - zone_event(&launch, &total);
	size_t used = peak + tek_target.signal_reserve + tek_target.overhead;
	size_t size = given + tek_target.overhead;

	(void)state;
	if (!STACKS_AS_ASKED)
		skip();
	assert_true(used * 100 <= size * 75);
	assert_true((used + 100) * 100 > size * 75);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crossing_is_recorded_once),
		cmocka_unit_test(the_listener_hears_of_it),
		cmocka_unit_test(signals_do_not_break_the_minimum),
		cmocka_unit_test(a_foreign_stack_pointer_is_ignored),
		cmocka_unit_test(a_tuned_size_is_high_within_its_least_margin),
		cmocka_unit_test(a_size_of_the_callers_is_high_where_the_report_says),
	};

	sem_init(&told, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
