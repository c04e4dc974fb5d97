/* SPDX-License-Identifier: MIT */
/*
 * Readings against ground truth. The same entry runs twice: in a thread that the runtime does not
 * see, where it paints the stack below itself and looks for the deepest change; and in a measured
 * one, without painting.
 */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime_fixture.h"
#include "stack.h"
#include "tek/tek.h"

#define PAINT (160u * 1024)
#define PATTERN 0x5a

/* Reads and writes below SP by design. */
#define BELOW_SP __attribute__((noinline, no_sanitize("address", "thread")))

enum ending {
	RETURNS,
	EXITS,
	IS_CANCELLED
};

struct run {
	void (*work)(void);
	enum ending ending;
	bool paint;
	size_t truth; /* bytes below the entry's CFA */
	size_t read;  /* filled by measure() */
	size_t read_high;
};

static _Thread_local volatile int sink;

static __attribute__((noinline)) void recurse(int depth)
{
	volatile char frame[512];

	for (size_t i = 0; i < sizeof(frame); i++)
		frame[i] = (char)(depth | 1);
	if (depth)
		recurse(depth - 1);
	sink += frame[3];
}

static void work_recursion(void)
{
	recurse(40);
}

static void work_alloca(void)
{
	volatile char *block = alloca(20000);

	for (size_t i = 0; i < 20000; i++)
		block[i] = 0x77;
	sink += block[123];
}

static void work_libc(void)
{
	char text[400];

	recurse(12);
	snprintf(text, sizeof(text), "%.300f", 1e10);
	sink += text[0];
}

static void work_little(void)
{
	recurse(3);
}

static BELOW_SP void paint_below(uintptr_t cfa)
{
	volatile unsigned char *at = (volatile unsigned char *)(cfa - PAINT);
	uintptr_t end = (uintptr_t)__builtin_frame_address(0) - 256;

	while ((uintptr_t)at < end)
		*at++ = PATTERN;
}

static BELOW_SP size_t deepest_change(uintptr_t cfa)
{
	const volatile unsigned char *at = (const volatile unsigned char *)(cfa - PAINT);

	while (*at == PATTERN)
		at++;
	return cfa - (uintptr_t)at;
}

static BELOW_SP void *entry(void *argument)
{
	struct run *run = argument;
	uintptr_t cfa = (uintptr_t)__builtin_dwarf_cfa();

	if (run->paint)
		paint_below(cfa);
	run->work();
	if (run->paint)
		run->truth = deepest_change(cfa);
	if (run->ending == EXITS)
		pthread_exit(NULL);
	while (run->ending == IS_CANCELLED)
		pause();
	return NULL;
}

static void finish(pthread_t thread, const struct run *run)
{
	if (run->ending == IS_CANCELLED)
		assert_int_equal(pthread_cancel(thread), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void attributes(pthread_attr_t *attr)
{
	assert_int_equal(pthread_attr_init(attr), 0);
	assert_int_equal(pthread_attr_setstacksize(attr, STACK), 0);
}

static void find_truth(struct run *run)
{
	struct run again = *run;
	pthread_attr_t attr;
	pthread_t thread;

	attributes(&attr);
	again.paint = true;
	again.ending = RETURNS;
	/* Twice: the first time pays for what libc does once. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(__real_pthread_create(&thread, &attr, entry, &again), 0);
		finish(thread, &again);
	}
	pthread_attr_destroy(&attr);
	run->truth = again.truth;
}

static void measure(struct run *run, const char *role, const pthread_attr_t *given)
{
	struct tek_run_total *total;
	pthread_attr_t attr;
	pthread_t thread;

	attributes(&attr);
	tek_next_role(role);
	assert_int_equal(pthread_create(&thread, given ? given : &attr, entry, run), 0);
	finish(thread, run);
	pthread_attr_destroy(&attr);
	total = total_named(role, 0);
	assert_non_null(total);
	assert_int_equal(total->ended, total->started);
	run->read = total->peak_low;
	run->read_high = total->peak_high;
}

static void expect_exact(const struct run *run)
{
	if (run->read < run->truth || run->read > run->truth + 8)
		print_error("truth %zu, read %zu to %zu\n", run->truth, run->read, run->read_high);
	assert_true(run->read >= run->truth && run->read <= run->truth + 8);
	assert_true(run->read_high >= run->read);
	assert_true(run->read_high < run->read + tek_target.page);
}

static void work_little_more(void)
{
	volatile char room[6000]; /* into a page that is untouched on a fresh stack */

	room[0] = 1;
	(void)room[0];
}

/* The bracket's upper end is a page's, whatever the stack's former use. */
static void fresh_and_used_stacks_read_alike(void **state)
{
	struct run first = { .work = work_little_more }, again = first;
	struct run deep = { .work = work_recursion };

	(void)state;
	if (!STACKS_AS_ASKED)
		skip();
	measure(&first, "on a fresh stack", NULL);
	measure(&deep, "between", NULL);
	measure(&again, "on a used one", NULL);
	assert_int_equal(first.read_high, again.read_high);
}

static void each_kind_of_use_is_exact(void **state)
{
	static const struct {
		void (*work)(void);
		const char *role;
	} kinds[] = {
		{ work_recursion, "truth recursion" },
		{ work_alloca, "truth alloca" },
		{ work_libc, "truth libc" },
		{ work_little, "truth little" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct run run = { .work = kinds[i].work };

		find_truth(&run);
		measure(&run, kinds[i].role, NULL);
		expect_exact(&run);
	}
}

static void each_ending_is_exact(void **state)
{
	struct run exits = { .work = work_recursion, .ending = EXITS };
	struct run cancelled = { .work = work_recursion, .ending = IS_CANCELLED };

	(void)state;
	find_truth(&exits);
	measure(&exits, "ends by pthread_exit", NULL);
	expect_exact(&exits);
	assert_int_equal(total_named("ends by pthread_exit", 0)->returned, 0);
	cancelled.truth = exits.truth;
	measure(&cancelled, "ends by cancellation", NULL);
	expect_exact(&cancelled);
	assert_int_equal(total_named("ends by cancellation", 0)->returned, 0);
}

static void a_reused_stack_starts_clean(void **state)
{
	struct run deep = { .work = work_recursion }, little = { .work = work_little };

	(void)state;
	find_truth(&little);
	for (int i = 0; i < 20; i++) {
		measure(&deep, "before it", NULL);
		measure(&little, "after it", NULL);
		expect_exact(&little);
	}
}

static void locked_memory_is_exact(void **state)
{
	struct run run = { .work = work_recursion };

	(void)state;
	find_truth(&run);
	if (!MEMORY_CAN_BE_LOCKED || mlockall(MCL_CURRENT | MCL_FUTURE))
		skip();
	measure(&run, "locked", NULL);
	munlockall();
	expect_exact(&run);
	/* All its pages are touched; that must not be taken for use. */
	assert_true(run.read_high < run.read + tek_target.page);
}

/* As on a machine with swap, and as where pagemap cannot be read. */
static void other_sources_of_touched_pages(void **state)
{
	struct run run = { .work = work_recursion };

	(void)state;
	find_truth(&run);
	tek_target.swap = true;
	measure(&run, "by pagemap", NULL);
	expect_exact(&run);
	tek_target.no_pages = true;
	measure(&run, "by scan alone", NULL);
	expect_exact(&run);
	tek_target.swap = tek_target.no_pages = false;
}

/* As where each touch would bring in 2 MiB. */
static void huge_pages_are_kept_off(void **state)
{
	struct run run = { .work = work_recursion };
	bool always = tek_target.huge_pages;

	(void)state;
	find_truth(&run);
	tek_target.huge_pages = true;
	measure(&run, "without huge pages", NULL);
	tek_target.huge_pages = always;
	expect_exact(&run);
}

static void a_detached_thread_is_read(void **state)
{
	struct run run = { .work = work_recursion };
	struct tek_run_total *total;
	pthread_attr_t attr;
	pthread_t thread;

	(void)state;
	find_truth(&run);
	attributes(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	tek_next_role("detached");
	assert_int_equal(pthread_create(&thread, &attr, entry, &run), 0);
	pthread_attr_destroy(&attr);
	total = total_named("detached", 0);
	assert_non_null(total);
	/* Nobody joins it: its end is in the table. */
	while (!__atomic_load_n(&total->ended, __ATOMIC_ACQUIRE))
		sched_yield();
	run.read = __atomic_load_n(&total->peak_low, __ATOMIC_RELAXED);
	run.read_high = __atomic_load_n(&total->peak_high, __ATOMIC_RELAXED);
	expect_exact(&run);
}

static void a_foreign_stack_keeps_its_data(void **state)
{
	struct run run = { .work = work_recursion };
	unsigned char *block = aligned_alloc(4096, STACK);
	pthread_attr_t attr;

	(void)state;
	assert_non_null(block);
	memset(block, 0, STACK);
	memset(block, 0x33, 4096);
	find_truth(&run);
	pthread_attr_init(&attr);
	assert_int_equal(pthread_attr_setstack(&attr, block, STACK), 0);
	measure(&run, "foreign", &attr);
	pthread_attr_destroy(&attr);
	/* Its own data is no use, but bounds it. */
	assert_true(run.read <= run.truth + 8);
	assert_true(run.read_high > total_named("foreign", 0)->usable_max - 2 * 4096);
	for (int i = 0; i < 4096; i++)
		assert_int_equal(block[i], 0x33);
	assert_true(total_named("foreign", 0)->flags & TEK_TOTAL_FOREIGN);
	free(block);
}

static pthread_key_t late;

static void use_late(void *value)
{
	(void)value;
	recurse(60);
}

static void *set_late(void *argument)
{
	pthread_setspecific(late, argument);
	return NULL;
}

static void key_destructors_are_seen(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_key_create(&late, use_late), 0);
	tek_next_role("late");
	assert_int_equal(pthread_create(&thread, NULL, set_late, &late), 0);
	pthread_join(thread, NULL);
	pthread_key_delete(late);
	assert_true(total_named("late", 0)->peak_low > 60 * 512);
}

static void the_programs_keys_keep_their_numbers(void **state)
{
	pthread_key_t key;

	(void)state;
	assert_int_equal(pthread_key_create(&key, NULL), 0);
	assert_true(key < 31);
	pthread_key_delete(key);
}

/* What another thread may do while the stack cannot go away: the outer bounds hold at each moment. */
static void the_end_is_where_the_guard_is(void **state)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t start = stack_mapping_start(here);

	(void)state;
	assert_true(start <= here && start % tek_target.page == 0);
	assert_true(here - start < (8u << 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fresh_and_used_stacks_read_alike),
		cmocka_unit_test(each_kind_of_use_is_exact),
		cmocka_unit_test(each_ending_is_exact),
		cmocka_unit_test(a_reused_stack_starts_clean),
		cmocka_unit_test(locked_memory_is_exact),
		cmocka_unit_test(other_sources_of_touched_pages),
		cmocka_unit_test(huge_pages_are_kept_off),
		cmocka_unit_test(a_detached_thread_is_read),
		cmocka_unit_test(a_foreign_stack_keeps_its_data),
		cmocka_unit_test(key_destructors_are_seen),
		cmocka_unit_test(the_programs_keys_keep_their_numbers),
		cmocka_unit_test(the_end_is_where_the_guard_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
