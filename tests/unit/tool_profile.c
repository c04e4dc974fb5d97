/* SPDX-License-Identifier: MIT */
/* Run files merged by role. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include <tek/abi.h>

#include "profile.h"
#include "runfile.h"
#include "target.h"
#include "tool_fixture.h"

/* Hands the run to the profile as its file would, and frees it. */
static void add(struct profile *profile, struct fixture *made, const char *name)
{
	int fd = memfd_create("run", MFD_CLOEXEC);
	char why[RUN_WHY_SIZE];
	struct run_file run;

	assert_int_equal(write(fd, made, sizeof(*made)), (ssize_t)sizeof(*made));
	assert_int_equal(run_file_read_fd(fd, &run, why), 0);
	profile_add(profile, name, &run);
	run_file_free(&run);
	close(fd);
	free(made);
}

static const struct role *find(const struct profile *profile, const char *name)
{
	size_t i;

	for (i = 0; i < profile->role_count; i++)
		if (strcmp(profile->roles[i].name, name) == 0)
			return &profile->roles[i];
	return NULL;
}

static void sites_of_one_role_become_one(void **state)
{
	struct fixture *made = fixture_new(1);
	struct tek_run_total *deep;
	struct profile profile;
	struct role_sum sum;

	(void)state;
	fixture_role(made, "net", 3, 5000, 65536);
	deep = fixture_role(made, "net", 2, 9000, 131072);
	deep->file = fixture_string(made, "src/deep.c");
	deep->line = 7;
	fixture_role(made, "net", 0, 0, 0);
	profile_init(&profile);
	add(&profile, made, "a.tek");
	profile_finish(&profile);
	assert_int_equal(profile.role_count, 1);
	sum = role_sum(&profile.roles[0]);
	assert_int_equal(sum.started, 5);
	assert_int_equal(sum.alive_max, 5);
	assert_int_equal(sum.peak_high, 9000);
	assert_int_equal(sum.usable_max, 131072);
	assert_false(sum.partial);
	assert_string_equal(profile.roles[0].file, "src/deep.c");
	assert_int_equal(profile.roles[0].line, 7);
	profile_free(&profile);
}

static void same_name_in_two_files_is_two_roles(void **state)
{
	struct fixture *made = fixture_new(1);
	struct tek_run_total *total;
	struct profile profile;

	(void)state;
	fixture_role(made, "worker", 1, 1000, 65536)->flags |= TEK_SITE_STATIC_ENTRY;
	total = fixture_role(made, "worker", 1, 9000, 65536);
	total->flags |= TEK_SITE_STATIC_ENTRY;
	total->entry_file = fixture_string(made, "other.c");
	fixture_role(made, "alone", 1, 1000, 65536)->flags |= TEK_SITE_STATIC_ENTRY;
	fixture_role(made, "both", 1, 1000, 65536)->flags |= TEK_SITE_STATIC_ENTRY;
	fixture_role(made, "both", 1, 3000, 65536);
	/* A name given at run time is the role, wherever its entry is. */
	fixture_role(made, "named", 1, 1000, 65536)->flags |= TEK_SITE_STATIC_ENTRY |
							      TEK_TOTAL_NAMED;
	total = fixture_role(made, "named", 1, 2000, 65536);
	total->flags |= TEK_SITE_STATIC_ENTRY | TEK_TOTAL_NAMED;
	total->entry_file = fixture_string(made, "other.c");
	profile_init(&profile);
	add(&profile, made, "a.tek");
	profile_finish(&profile);
	assert_int_equal(role_sum(find(&profile, "worker@main.c")).peak_high, 1000);
	assert_int_equal(role_sum(find(&profile, "worker@other.c")).peak_high, 9000);
	assert_null(find(&profile, "worker"));
	assert_non_null(find(&profile, "alone"));
	assert_int_equal(role_sum(find(&profile, "both@main.c")).peak_high, 1000);
	assert_int_equal(role_sum(find(&profile, "both")).peak_high, 3000);
	assert_int_equal(role_sum(find(&profile, "named")).peak_high, 2000);
	profile_free(&profile);
}

static void what_ran_under_another_name_is_not_missed(void **state)
{
	struct fixture *made = fixture_new(1);
	struct profile profile;

	(void)state;
	fixture_role(made, "thunk", 0, 0, 0)->flags |= TEK_TOTAL_RENAMED;
	fixture_role(made, "both", 2, 1000, 65536)->flags |= TEK_TOTAL_RENAMED;
	fixture_role(made, "idle", 0, 0, 0);
	profile_init(&profile);
	add(&profile, made, "a.tek");
	profile_finish(&profile);
	assert_null(find(&profile, "thunk"));
	assert_int_equal(role_sum(find(&profile, "both")).started, 2);
	assert_non_null(find(&profile, "idle"));
	profile_free(&profile);
}

static void main_thread_is_no_other_role_called_main(void **state)
{
	struct fixture *made = fixture_new(1);
	struct profile profile;

	(void)state;
	fixture_role(made, "main", 1, 20000, 8u << 20)->flags |= TEK_TOTAL_MAIN;
	fixture_role(made, "main", 1, 3000, 65536);
	profile_init(&profile);
	add(&profile, made, "a.tek");
	profile_finish(&profile);
	assert_int_equal(profile.role_count, 2);
	assert_true(profile.roles[0].main_thread != profile.roles[1].main_thread);
	profile_free(&profile);
}

static void a_run_counts_once_and_its_fuller_file_wins(void **state)
{
	struct fixture *early, *late;
	struct profile profile;
	int turn;

	(void)state;
	for (turn = 0; turn < 2; turn++) {
		early = fixture_new(1);
		late = fixture_new(1);
		fixture_living(early, fixture_role(early, "net", 1, 3000, 65536), 500);
		fixture_role(late, "net", 2, 8000, 65536);
		profile_init(&profile);
		add(&profile, turn ? early : late, "a.tek");
		add(&profile, turn ? late : early, "b.tek");
		profile_finish(&profile);
		assert_int_equal(profile.role_count, 1);
		assert_int_equal(profile.roles[0].count, 1);
		assert_int_equal(role_sum(&profile.roles[0]).peak_high, 8000);
		assert_false(role_sum(&profile.roles[0]).partial);
		profile_free(&profile);
	}
}

/* Two copies of a daemon's file: no thread has ended, so the peaks alone tell which is the later. */
static void the_later_copy_of_a_living_file_wins(void **state)
{
	struct fixture *early, *late;
	struct profile profile;
	int turn;

	(void)state;
	for (turn = 0; turn < 2; turn++) {
		early = fixture_new(1);
		late = fixture_new(1);
		fixture_living(early, fixture_role(early, "net", 0, 0, 0), 500);
		fixture_living(late, fixture_role(late, "net", 0, 0, 0), 30000);
		profile_init(&profile);
		add(&profile, turn ? early : late, "a.tek");
		add(&profile, turn ? late : early, "b.tek");
		profile_finish(&profile);
		assert_int_equal(profile.roles[0].count, 1);
		assert_int_equal(role_sum(&profile.roles[0]).peak_high, 30000);
		profile_free(&profile);
	}
}

/* exit() reads the living and is over some time later: their probes go on. */
static void what_is_probed_after_exit_counts(void **state)
{
	struct fixture *made = fixture_new(1);
	struct tek_run_total *total = fixture_role(made, "net", 0, 0, 0);
	struct profile profile;

	(void)state;
	fixture_living(made, total, 9000);
	total->ended = total->running = 1;
	total->peak_low = total->peak_high = 3000;
	made->header.ended = TEK_RUN_EXITED;
	profile_init(&profile);
	add(&profile, made, "a.tek");
	profile_finish(&profile);
	assert_int_equal(role_sum(&profile.roles[0]).peak_low, 9000);
	assert_int_equal(role_sum(&profile.roles[0]).peak_high, 9000);
	assert_int_equal(profile.roles[0].readings[0].sampled, 0);
	assert_false(role_sum(&profile.roles[0]).partial);
	profile_free(&profile);
}

/* One of two living threads was sampled and then read by exit(), which did not come to the other. */
static void a_thread_read_twice_hides_no_other(void **state)
{
	struct fixture *made = fixture_new(1);
	struct tek_run_total *total = fixture_role(made, "net", 0, 0, 0);
	struct profile profile;

	(void)state;
	fixture_living(made, total, 0);
	fixture_living(made, total, 0);
	made->samples[0] = (struct tek_run_sample){ .generation = 1, .low = 5000, .high = 8192 };
	total->ended = total->running = 1;
	profile_init(&profile);
	add(&profile, made, "a.tek");
	profile_finish(&profile);
	assert_int_equal(reading_unread(&profile.roles[0].readings[0]), 1);
	profile_free(&profile);
}

static void killed_process_leaves_partial_readings(void **state)
{
	struct fixture *made = fixture_new(1);
	struct tek_run_total *total;
	const struct role *role;
	struct profile profile;

	(void)state;
	total = fixture_role(made, "probed", 2, 3000, 65536);
	fixture_living(made, total, 7000);
	total = fixture_role(made, "sampled", 0, 0, 0);
	fixture_living(made, total, 0);
	made->samples[1] = (struct tek_run_sample){ .generation = 1, .low = 5000, .high = 8192 };
	fixture_role(made, "done", 2, 3000, 65536);
	total = fixture_role(made, "unseen", 0, 0, 0);
	total->started = 1; /* created, and killed before it ran */
	profile_init(&profile);
	add(&profile, made, "a.tek");
	profile_finish(&profile);

	role = find(&profile, "probed");
	assert_true(role_sum(role).partial);
	assert_int_equal(role_sum(role).peak_high, 7000); /* never lower than known */
	assert_int_equal(reading_unread(&role->readings[0]), 1);
	role = find(&profile, "sampled");
	assert_true(role_sum(role).partial);
	assert_int_equal(role_sum(role).peak_high, 8192);
	assert_int_equal(reading_unread(&role->readings[0]), 0);
	assert_false(role_sum(find(&profile, "done")).partial);
	assert_true(role_sum(find(&profile, "unseen")).partial);
	assert_false(role_sum(find(&profile, "unseen")).measured);
	profile_free(&profile);
}

static void targets_are_never_mixed(void **state)
{
	struct fixture *wide = fixture_new(1), *narrow = fixture_new(2);
	struct profile profile;

	(void)state;
	fixture_role(wide, "net", 1, 9000, 65536);
	fixture_role(narrow, "net", 1, 4000, 65536);
	narrow->header.elf_class = 1;
	narrow->header.elf_machine = EM_386;
	narrow->header.target = fixture_string(narrow, "i386-linux-gnu");
	profile_init(&profile);
	add(&profile, wide, "a.tek");
	add(&profile, narrow, "b.tek");
	profile_finish(&profile);
	assert_int_equal(profile.role_count, 2);
	assert_string_equal(profile.roles[0].section, "i386");
	assert_int_equal(role_sum(&profile.roles[0]).peak_high, 4000);
	assert_string_equal(profile.roles[1].section, "x86_64");
	assert_int_equal(role_sum(&profile.roles[1]).peak_high, 9000);
	profile_free(&profile);
}

static void sections_follow_the_target(void **state)
{
	static const struct {
		const char *triple;
		uint16_t machine;
		uint8_t elf_class;
		const char *section;
	} cases[] = {
		{ "x86_64-linux-gnu", 0, 2, "x86_64" },
		{ "x86_64-linux-gnux32", 0, 1, "x32" },
		{ "i386-linux-gnu", 0, 1, "i386" },
		{ "i686-pc-linux-gnu", 0, 1, "i386" },
		{ "aarch64-linux-gnu", 0, 2, "aarch64" },
		{ "aarch64_be-linux-gnu", 0, 2, "aarch64_be" },
		{ "arm-linux-gnueabihf", 0, 1, "armhf" },
		{ "arm-linux-gnueabi", 0, 1, "arm" },
		{ "riscv64-linux-gnu", 0, 2, "riscv64" },
		{ "", EM_X86_64, 2, "x86_64" },
		{ "", EM_X86_64, 1, "x32" },
		{ "", EM_386, 1, "i386" },
		{ "", EM_AARCH64, 2, "aarch64" },
		{ "vax-dec-ultrix", 0, 1, "unknown" },
		{ "", 0, 2, "unknown" },
		/* A 32-bit file that says a 64-bit target is nothing to build on. */
		{ "x86_64-linux-gnu", 0, 1, "unknown" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(
			target_section(cases[i].triple, cases[i].machine, cases[i].elf_class),
			cases[i].section);
	assert_null(target_condition("unknown"));
	assert_string_equal(target_condition("i386"), "defined(__i386__)");
}

/* The first object is the program itself. */
static int note_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uintptr_t *)base = info->dlpi_addr;
	return 1;
}

static void entries_are_named_by_their_module(void **state)
{
	struct fixture *made = fixture_new(1);
	struct tek_run_total *total = fixture_role(made, NULL, 1, 2000, 65536);
	struct profile profile;
	uintptr_t offset = (uintptr_t)entries_are_named_by_their_module;
	uintptr_t base = 0;

	(void)state;
	dl_iterate_phdr(note_base, &base);
	made->header.start_realtime_ns = UINT64_MAX; /* later than this program was built */
	total->module = fixture_string(made, "/proc/self/exe");
	total->entry_offset = offset - base;
	total = fixture_role(made, NULL, 1, 3000, 65536);
	total->module = fixture_string(made, "/proc/self/exe");
	total->entry_offset = 1;
	profile_init(&profile);
	add(&profile, made, "a.tek");
	profile_finish(&profile);
	assert_non_null(find(&profile, "entries_are_named_by_their_module"));
	assert_true(find(&profile, "/proc/self/exe+0x1")->nameless);
	profile_free(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites_of_one_role_become_one),
		cmocka_unit_test(same_name_in_two_files_is_two_roles),
		cmocka_unit_test(what_ran_under_another_name_is_not_missed),
		cmocka_unit_test(main_thread_is_no_other_role_called_main),
		cmocka_unit_test(a_run_counts_once_and_its_fuller_file_wins),
		cmocka_unit_test(the_later_copy_of_a_living_file_wins),
		cmocka_unit_test(what_is_probed_after_exit_counts),
		cmocka_unit_test(a_thread_read_twice_hides_no_other),
		cmocka_unit_test(killed_process_leaves_partial_readings),
		cmocka_unit_test(targets_are_never_mixed),
		cmocka_unit_test(sections_follow_the_target),
		cmocka_unit_test(entries_are_named_by_their_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
