/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "runtime_fixture.h"
#include "table.h"

static void strings_are_kept_once(void **state)
{
	struct tek_process *process = tek_process;
	uint32_t first = table_string(process, "compressor"), i, used;
	char name[32];

	(void)state;
	assert_int_equal(table_string(process, "compressor"), first);
	assert_string_equal(text_of(first), "compressor");
	assert_int_not_equal(table_string(process, "compresso"), first);
	assert_int_equal(table_string(process, NULL), TEK_RUN_NONE);
	/* Beyond the index's first size and the area's first pages. */
	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "role %u", i);
		assert_int_not_equal(table_string(process, name), TEK_RUN_NONE);
	}
	used = process->header->strings.used;
	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "role %u", i);
		assert_string_equal(text_of(table_string(process, name)), name);
	}
	assert_int_equal(process->header->strings.used, used);
}

static void totals_are_found_by_content(void **state)
{
	struct tek_identity a = { .role = "fan", .entry = "fan_main", .file = "fan.c", .line = 3 };
	struct tek_identity b = a;
	uint32_t first = table_total(tek_process, &a);

	(void)state;
	assert_int_equal(table_total(tek_process, &a), first);
	b.line = 4;
	assert_int_not_equal(table_total(tek_process, &b), first);
	b = a;
	b.role = "valve";
	assert_int_not_equal(table_total(tek_process, &b), first);
	/* Not part of the identity: brought up to date. */
	a.usable = 4096;
	a.flags = TEK_SITE_TIME_CRITICAL;
	assert_int_equal(table_total(tek_process, &a), first);
	assert_int_equal(tek_process->totals[first].tuned, 4096);
	assert_true(tek_process->totals[first].flags & TEK_SITE_TIME_CRITICAL);
}

static void slots_are_used_again(void **state)
{
	uint32_t first = table_claim(tek_process), second = table_claim(tek_process);

	(void)state;
	assert_int_not_equal(first, second);
	table_release(tek_process, first);
	table_release(tek_process, second);
	assert_int_equal(table_claim(tek_process), second);
	assert_int_equal(table_claim(tek_process), first);
	table_release(tek_process, first);
	table_release(tek_process, second);
}

#define WRITES 200000u

static uint32_t writing_ends;

/* An owner that writes related values: any mixture of two writes shows. */
static void *write_slot(void *argument)
{
	struct tek_run_slot *slot = argument;
	uint32_t i;

	for (i = 0; i < WRITES; i++) {
		slot_write_begin(slot);
		__atomic_store_n(&slot->tid, i, __ATOMIC_RELAXED);
		__atomic_store_n(&slot->total, ~i, __ATOMIC_RELAXED);
		__atomic_store_n(&slot->created_ms, i * 7, __ATOMIC_RELAXED);
		slot_write_end(slot);
	}
	__atomic_store_n(&writing_ends, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void a_slot_is_never_read_torn(void **state)
{
	uint32_t index = table_claim(tek_process), before, after, tid, total, created, good = 0;
	struct tek_run_slot *slot = &tek_process->slots[index];
	pthread_t writer;

	(void)state;
	slot_write_begin(slot);
	slot->tid = 0;
	slot->total = ~0u;
	slot->created_ms = 0;
	slot_write_end(slot);
	assert_int_equal(__real_pthread_create(&writer, NULL, write_slot, slot), 0);
	while (!__atomic_load_n(&writing_ends, __ATOMIC_ACQUIRE) || !good) {
		before = __atomic_load_n(&slot->sequence, __ATOMIC_ACQUIRE);
		tid = __atomic_load_n(&slot->tid, __ATOMIC_RELAXED);
		total = __atomic_load_n(&slot->total, __ATOMIC_RELAXED);
		created = __atomic_load_n(&slot->created_ms, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		after = __atomic_load_n(&slot->sequence, __ATOMIC_RELAXED);
		if (before != after || before & 1)
			continue;
		assert_int_equal(total, ~tid);
		assert_int_equal(created, tid * 7);
		good++;
	}
	pthread_join(writer, NULL);
	table_release(tek_process, index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_kept_once),
		cmocka_unit_test(totals_are_found_by_content),
		cmocka_unit_test(slots_are_used_again),
		cmocka_unit_test(a_slot_is_never_read_torn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
