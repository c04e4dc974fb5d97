/* SPDX-License-Identifier: MIT */
/* The doors: who is recorded under which role, with which size; in measure and in plain mode. */
#include <errno.h>
#include <limits.h>
#include <threads.h>
#include <unistd.h>

#include "create.h"
#include "module.h"
#include "runtime_fixture.h"
#include "tek/tek.h"

static size_t seen_size, seen_guard;

/* Puts the thread block far below the stack's upper end; the first tuned thread must not pay. */
static _Thread_local volatile char strict[64] __attribute__((aligned(4096)));

static void *look(void *argument)
{
	pthread_attr_t attr;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attr), 0);
	pthread_attr_getstacksize(&attr, &seen_size);
	pthread_attr_getguardsize(&attr, &seen_guard);
	pthread_attr_destroy(&attr);
	strict[0] = 1;
	return argument;
}

static void *nothing(void *argument)
{
	return argument;
}

static void *announced(void *argument)
{
	return argument;
}

static void *no_entry(void *argument)
{
	return argument;
}

static int c11_entry(void *argument)
{
	return *(int *)argument;
}

#define SITE(name, number, ...)                                          \
	static struct tek_site name = { .size = sizeof(struct tek_site), \
					.file = "create.c",              \
					.function = "here",              \
					.line = (number),                \
					__VA_ARGS__ }

SITE(tuned_site, 10, .role = "tuned", .entry = "look", .usable = 20000);
SITE(plain_site, 20, .role = "nothing", .entry = "nothing");
SITE(value_site, 30);
SITE(strict_site, 90, .role = "strict", .entry = "look");
SITE(spawn_site, 40, .role = "spawned", .entry = "look", .flags = TEK_SITE_CREATOR);
SITE(override_site, 50, .role = "forced", .entry = "look", .usable = 20000,
     .flags = TEK_SITE_OVERRIDE);
SITE(c11_site, 60, .role = "c11", .entry = "c11_entry", .usable = 30000, .flags = TEK_SITE_THRD);
SITE(huge_site, 70, .role = "huge", .entry = "nothing", .usable = SIZE_MAX / 4);

static struct tek_site inlined_site = {
	.size = sizeof(inlined_site),
	.role = "nothing",
	.entry = "nothing",
	.file = "create.c",
	.function = "spawn",
	.line = 80,
};

static struct tek_role roles[] = {
	{ .size = sizeof(struct tek_role),
	  .entry = (const void *)nothing,
	  .role = "by address",
	  .name = "nothing",
	  .file = "create.c",
	  .flags = TEK_SITE_STATIC_ENTRY },
	{ .size = sizeof(struct tek_role),
	  .entry = (const void *)announced,
	  .role = "declared",
	  .name = "announced",
	  .flags = TEK_SITE_ROLE_ATTRIBUTE },
	{ .size = sizeof(struct tek_role),
	  .entry = (const void *)no_entry,
	  .role = "no_entry",
	  .name = "no_entry" },
};
static struct tek_size sizes[] = {
	{ .size = sizeof(struct tek_size), .role = "named at run time", .usable = 40000 },
	{ .size = sizeof(struct tek_size), .role = "by address@create.c", .usable = 24000 },
};
static struct tek_module module = {
	.size = sizeof(module),
	.abi = TEK_ABI_VERSION,
	.roles = roles,
	.roles_end = roles + 3,
	.sizes = sizes,
	.sizes_end = sizes + 2,
};

static void run(struct tek_site *site, const pthread_attr_t *attr, void *(*fn)(void *))
{
	pthread_t thread;
	void *result = NULL;
	int mark = 5;

	errno = 77;
	assert_int_equal(__tek_pthread_create(&thread, attr, fn, &mark, site), 0);
	assert_int_equal(errno, 77);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, &mark);
}

/* The first tuned thread, of a size that page rounding adds nothing to. */
static void strict_alignment_is_paid_for(void **state)
{
	size_t reserve = tek_target.signal_reserve, page = tek_target.page;

	(void)state;
	strict_site.usable = 64 * page - (tek_target.overhead + reserve) % page;
	run(&strict_site, NULL, look);
	assert_int_equal(total_named("strict", 90)->tuned_count, 1);
	assert_true(total_named("strict", 90)->usable_min >= strict_site.usable + reserve);
}

static void a_tuned_size_is_applied(void **state)
{
	struct tek_run_total *total;

	(void)state;
	run(&tuned_site, NULL, look);
	total = total_named("tuned", 10);
	assert_non_null(total);
	assert_int_equal(total->tuned_count, 1);
	assert_int_equal(total->explicit_count, 0);
	assert_int_equal(total->tuned, 20000);
	assert_true(seen_size < tek_target.default_stack);
	if (STACKS_AS_ASKED)
		assert_int_equal(seen_size % tek_target.page, 0);
	/* What the line promises, and a signal on top. */
	assert_true(total->usable_min >= 20000 + tek_target.signal_reserve);
	if (STACKS_AS_ASKED)
		assert_true(total->usable_max <
			    20000 + tek_target.signal_reserve + 3 * tek_target.page);
	assert_true(seen_guard >= tek_target.page);
}

static void an_explicit_size_is_kept(void **state)
{
	pthread_attr_t attr, before;

	(void)state;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 512 * 1024);
	memcpy(&before, &attr, sizeof(attr));
	run(&tuned_site, &attr, look);
	if (STACKS_AS_ASKED)
		assert_int_equal(seen_size, 512 * 1024);
	assert_int_equal(total_named("tuned", 10)->explicit_count, 1);
	assert_int_equal(total_named("tuned", 10)->explicit_max, 512 * 1024);
	run(&override_site, &attr, look);
	if (STACKS_AS_ASKED)
		assert_true(seen_size < 512 * 1024);
	assert_int_equal(total_named("forced", 50)->tuned_count, 1);
	if (STACKS_AS_ASKED)
		assert_memory_equal(&before, &attr, sizeof(attr));
	pthread_attr_destroy(&attr);
}

static void without_a_guard_nothing_is_tuned(void **state)
{
	pthread_attr_t attr;

	(void)state;
	pthread_attr_init(&attr);
	pthread_attr_setguardsize(&attr, 0);
	run(&override_site, &attr, look);
	assert_int_equal(seen_size, tek_target.default_stack);
	pthread_attr_destroy(&attr);
}

static void a_refused_size_is_repeated(void **state)
{
	(void)state;
	run(&huge_site, NULL, nothing);
	assert_int_equal(total_named("huge", 70)->retries, 1);
	assert_int_equal(total_named("huge", 70)->started, 1);
	assert_int_equal(total_named("huge", 70)->tuned_count, 0);
	assert_int_equal(tek_process->header->retries, 1);
}

static void names_have_their_order(void **state)
{
	(void)state;
	run(&plain_site, NULL, nothing);
	assert_int_equal(total_named("nothing", 20)->started, 1);
	/* An entry passed as a value finds its record and its line. */
	run(&value_site, NULL, nothing);
	assert_int_equal(total_named("by address", 30)->started, 1);
	assert_int_equal(total_named("by address", 30)->tuned, 24000);
	/* tek_next_role beats them, once. */
	assert_int_equal(tek_next_role("named at run time"), 0);
	run(&plain_site, NULL, look);
	assert_int_equal(total_named("named at run time", 20)->tuned, 40000);
	assert_true(total_named("named at run time", 20)->usable_min >= 40000);
	run(&plain_site, NULL, nothing);
	assert_int_equal(total_named("nothing", 20)->started, 2);
	/* No site at the wrapped door. */
	assert_int_equal(total_named("named at run time", 20)->started, 1);
}

/* A project's creating function, which may itself be built on another (@inner, or null). */
static __attribute__((noinline)) void spawn(struct tek_site *inner, int times)
{
	if (inner)
		__tek_creator_enter(inner, (const void *)look, "inner");
	while (times--)
		run(&plain_site, NULL, nothing);
	if (inner)
		__tek_creator_leave(inner);
}

static void a_creator_names_what_it_creates(void **state)
{
	(void)state;
	__tek_creator_enter(&spawn_site, (const void *)look, NULL);
	spawn(NULL, 2);
	__tek_creator_leave(&spawn_site);
	/* The first is the creator's, the second the thread's own call. */
	assert_int_equal(total_named("spawned", 40)->started, 1);
	assert_int_equal(total_named("nothing", 20)->started, 3);
	__tek_creator_enter(&spawn_site, (const void *)look, "argument");
	spawn(&value_site, 1);
	__tek_creator_leave(&spawn_site);
	assert_int_equal(total_named("argument", 40)->started, 1);
	assert_null(total_named("inner", 0));
	run(&plain_site, NULL, nothing);
	assert_int_equal(total_named("nothing", 20)->started, 4);
}

static void only_declared_entries_are_listed(void **state)
{
	(void)state;
	assert_null(total_named("no_entry", 0));
	assert_int_equal(total_named("declared", 0) != NULL, tek_process->measure);
}

static void what_runs_under_another_name_says_so(void **state)
{
	const struct tek_run_total *own;

	(void)state;
	__tek_creator_enter(&spawn_site, (const void *)announced, "given");
	run(&plain_site, NULL, announced);
	__tek_creator_leave(&spawn_site);
	assert_int_equal(total_named("given", 40)->started, 1);
	own = total_named("declared", 0);
	assert_int_equal(own != NULL, tek_process->measure);
	if (!own)
		return;
	assert_int_equal(own->started, 0);
	assert_true(own->flags & TEK_TOTAL_RENAMED);
	assert_true(total_named("nothing", 20)->flags & TEK_TOTAL_RENAMED);
	assert_false(total_named("given", 40)->flags & TEK_TOTAL_RENAMED);
}

/* At the SP of the creator's call: its body inlined, or a jump at its end. */
static void a_creator_without_a_frame_names_its_thread(void **state)
{
	pthread_t first, second;

	(void)state;
	__tek_creator_enter(&spawn_site, (const void *)nothing, "frameless");
	assert_int_equal(__tek_pthread_create(&first, NULL, nothing, NULL, &inlined_site), 0);
	__tek_creator_leave(&spawn_site);
	assert_int_equal(total_named("frameless", 40)->started, 1);
	/* What the calling function creates itself, after a longjmp out of the creator, is its own. */
	__tek_creator_enter(&spawn_site, (const void *)nothing, "left");
	assert_int_equal(__tek_pthread_create(&second, NULL, nothing, NULL, &plain_site), 0);
	__tek_creator_leave(&spawn_site);
	assert_null(total_named("left", 0));
	pthread_join(first, NULL);
	pthread_join(second, NULL);
}

static __attribute__((noinline)) void enter_and_throw(jmp_buf *out)
{
	volatile char room[256];

	room[0] = 0;
	__tek_creator_enter(&spawn_site, (const void *)look, "thrown");
	longjmp(*out, 1 + room[0]);
}

static void a_skipped_leave_names_nothing(void **state)
{
	jmp_buf out;

	(void)state;
	if (!setjmp(out))
		enter_and_throw(&out);
	run(&plain_site, NULL, nothing);
	assert_null(total_named("thrown", 0));
}

static void c11_threads_are_tuned_and_joined(void **state)
{
	int value = -42, result = 0;
	thrd_t thread;

	(void)state;
	if (!STACKS_AS_ASKED)
		skip(); /* ThreadSanitizer of GCC 12 does not know thrd_create */
	assert_int_equal(__tek_thrd_create(&thread, c11_entry, &value, &c11_site), thrd_success);
	assert_int_equal(thrd_join(thread, &result), thrd_success);
	assert_int_equal(result, -42);
	assert_int_equal(total_named("c11", 60)->tuned_count, 1);
	assert_int_equal(total_named("c11", 60)->returned, 1);
	assert_int_equal(thrd_create(&thread, c11_entry, &value), thrd_success);
	assert_int_equal(thrd_join(thread, &result), thrd_success);
	assert_int_equal(result, -42);
}

static void errors_are_the_callers(void **state)
{
	struct tek_run_total *total = total_named("nothing", 20);
	uint32_t started = total->started, alive = total->alive;
	pthread_attr_t attr;
	pthread_t thread;
	int plain;

	(void)state;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)1 << (sizeof(size_t) * 8 - 2));
	plain = __real_pthread_create(&thread, &attr, nothing, NULL);
	assert_int_not_equal(plain, 0);
	assert_int_equal(__tek_pthread_create(&thread, &attr, nothing, NULL, &plain_site), plain);
	assert_int_equal(total->started, started);
	assert_int_equal(total->alive, alive);
	pthread_attr_destroy(&attr);
}

static void *hold(void *argument)
{
	pthread_barrier_wait(argument);
	pthread_barrier_wait(argument);
	return NULL;
}

static void the_living_are_counted(void **state)
{
	pthread_barrier_t barrier;
	pthread_t threads[10];

	(void)state;
	pthread_barrier_init(&barrier, NULL, 11);
	for (int i = 0; i < 10; i++) {
		tek_next_role("held");
		assert_int_equal(pthread_create(&threads[i], NULL, hold, &barrier), 0);
	}
	pthread_barrier_wait(&barrier);
	assert_int_equal(total_named("held", 0)->alive, 10);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 10; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(total_named("held", 0)->alive, 0);
	assert_int_equal(total_named("held", 0)->alive_max, 10);
	assert_int_equal(total_named("held", 0)->ended, 10);
	pthread_barrier_destroy(&barrier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strict_alignment_is_paid_for),
		cmocka_unit_test(a_tuned_size_is_applied),
		cmocka_unit_test(an_explicit_size_is_kept),
		cmocka_unit_test(without_a_guard_nothing_is_tuned),
		cmocka_unit_test(a_refused_size_is_repeated),
		cmocka_unit_test(names_have_their_order),
		cmocka_unit_test(a_creator_names_what_it_creates),
		cmocka_unit_test(a_creator_without_a_frame_names_its_thread),
		cmocka_unit_test(only_declared_entries_are_listed),
		cmocka_unit_test(what_runs_under_another_name_says_so),
		cmocka_unit_test(a_skipped_leave_names_nothing),
		cmocka_unit_test(c11_threads_are_tuned_and_joined),
		cmocka_unit_test(errors_are_the_callers),
		cmocka_unit_test(the_living_are_counted),
	};

	__tek_module_add(&module);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
