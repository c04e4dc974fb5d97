/* SPDX-License-Identifier: MIT */
/* The reader on files made field by field: right ones, and each way to be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "runfile.h"
#include "tool_fixture.h"

static int read_bytes(const void *bytes, size_t size, struct run_file *run, char *why)
{
	int fd = memfd_create("run", MFD_CLOEXEC), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	ret = run_file_read_fd(fd, run, why);
	close(fd);
	return ret;
}

static struct fixture *example(void)
{
	struct fixture *run = fixture_new(1);

	fixture_role(run, "net", 3, 12000, 65536);
	fixture_living(run, fixture_role(run, "ui", 0, 0, 0), 7000);
	return run;
}

static void good_file_is_read_whole(void **state)
{
	struct fixture *made = example();
	char why[RUN_WHY_SIZE];
	struct run_file run;

	(void)state;
	assert_int_equal(read_bytes(made, sizeof(*made), &run, why), 0);
	assert_int_equal(run.total_count, 2);
	assert_int_equal(run.slot_count, 1);
	assert_string_equal(run_file_string(&run, run.totals[0].role), "net");
	assert_int_equal(run.totals[0].peak_high, 12000);
	assert_null(run_file_string(&run, TEK_RUN_NONE));
	assert_null(run_file_string(&run, run.strings_size));
	assert_false(run.living); /* nobody holds its lock */
	run_file_free(&run);
	free(made);
}

static void living_file_is_told_by_its_lock(void **state)
{
	char path[] = "/tmp/tek-unit-XXXXXX", why[RUN_WHY_SIZE];
	struct fixture *made = example();
	int owner = mkstemp(path);
	struct run_file run;

	(void)state;
	assert_true(owner >= 0);
	made->slots[0].sequence = 3; /* its owner writes it */
	assert_int_equal(write(owner, made, sizeof(*made)), (ssize_t)sizeof(*made));
	assert_int_equal(flock(owner, LOCK_EX), 0);
	assert_int_equal(run_file_read(path, &run, why), 0);
	assert_true(run.living);
	assert_int_equal(run.torn, 1);
	assert_int_equal(run.slots[0].flags, 0);
	run_file_free(&run);
	close(owner);
	assert_int_equal(run_file_read(path, &run, why), 0);
	assert_false(run.living);
	assert_int_equal(run.torn, 1); /* died while it wrote */
	run_file_free(&run);
	unlink(path);
	free(made);
}

static void readings_of_living_threads(void **state)
{
	struct fixture *made = example();
	char why[RUN_WHY_SIZE];
	struct run_file run;
	uint64_t low, high;

	(void)state;
	assert_int_equal(read_bytes(made, sizeof(*made), &run, why), 0);
	assert_false(run_slot_reading(&run, 0, &low, &high));
	assert_int_equal(low, 7000);
	assert_int_equal(high, 7000);
	run_file_free(&run);

	made->samples[0] = (struct tek_run_sample){ .generation = 1, .low = 6000, .high = 12288 };
	assert_int_equal(read_bytes(made, sizeof(*made), &run, why), 0);
	assert_true(run_slot_reading(&run, 0, &low, &high));
	assert_int_equal(low, 7000);
	assert_int_equal(high, 12288);
	run_file_free(&run);

	made->samples[0].generation = 2; /* of an earlier or later thread in the slot */
	assert_int_equal(read_bytes(made, sizeof(*made), &run, why), 0);
	assert_false(run_slot_reading(&run, 0, &low, &high));
	assert_int_equal(high, 7000);
	run_file_free(&run);

	made->samples[0].generation = 1;
	made->samples[0].odd = 1; /* `tek` died while it wrote */
	made->slots[0].lowest = UINT64_MAX;
	assert_int_equal(read_bytes(made, sizeof(*made), &run, why), 0);
	assert_false(run_slot_reading(&run, 0, &low, &high));
	assert_int_equal(high, 0);
	run_file_free(&run);

	/* 32 bit: "none" is the target's own word. */
	made->header.elf_class = 1;
	made->slots[0].lowest = UINT32_MAX;
	made->slots[0].usable = (uint64_t)UINT32_MAX + 10;
	assert_int_equal(read_bytes(made, sizeof(*made), &run, why), 0);
	assert_false(run_slot_reading(&run, 0, &low, &high));
	assert_int_equal(high, 0);
	run_file_free(&run);
	free(made);
}

static void later_minor_with_longer_items_is_read(void **state)
{
	struct fixture *made = example();
	size_t stride = sizeof(struct tek_run_total) + 24, size;
	struct tek_run_area *totals = &made->header.totals;
	char why[RUN_WHY_SIZE], *bytes;
	struct run_file run;
	uint32_t i;

	(void)state;
	size = sizeof(*made) + stride * 2;
	bytes = calloc(1, size);
	assert_non_null(bytes);
	made->header.minor = 7;
	totals->offset = sizeof(*made);
	totals->stride = (uint32_t)stride;
	totals->capacity = 2;
	memcpy(bytes, made, sizeof(*made));
	for (i = 0; i < 2; i++)
		memcpy(bytes + sizeof(*made) + stride * i, &made->totals[i],
		       sizeof(made->totals[i]));
	assert_int_equal(read_bytes(bytes, size, &run, why), 0);
	assert_string_equal(run_file_string(&run, run.totals[1].role), "ui");
	run_file_free(&run);
	free(bytes);
	free(made);
}

struct damage {
	const char *name;
	size_t offset;
	uint32_t value;
	size_t width;
	int error;
	const char *says;
};

#define FIELD(field, value, error, says)                                  \
	{                                                                 \
#field, offsetof(struct fixture, field), value,           \
			sizeof(((struct fixture *)0)->field), error, says \
	}

static const struct damage damages[] = {
	FIELD(header.magic[0], 'X', -EBADMSG, "not a run file"),
	FIELD(header.byte_order, 0x04030201, -EPROTONOSUPPORT, "other byte order"),
	FIELD(header.byte_order, 7, -EBADMSG, "byte order"),
	FIELD(header.major, 2, -EPROTONOSUPPORT, "version 2.0"),
	FIELD(header.major, 0, -EPROTONOSUPPORT, "version 0.0"),
	FIELD(header.header_size, 40, -EBADMSG, "header too small"),
	FIELD(header.valid, 0, -EAGAIN, "unfinished"),
	FIELD(header.elf_class, 3, -EBADMSG, "32 nor 64"),
	FIELD(header.page_size, 0, -EBADMSG, "page size"),
	FIELD(header.page_size, 5000, -EBADMSG, "page size"),
	FIELD(header.low_percent, 101, -EBADMSG, "zone"),
	FIELD(header.slots.stride, 60, -EBADMSG, "impossible table"),
	FIELD(header.slots.stride, 0, -EBADMSG, "impossible table"),
	FIELD(header.slots.used, 65, -EBADMSG, "impossible table"),
	FIELD(header.totals.capacity, 0xffffffff, -EBADMSG, "truncated"),
	FIELD(header.totals.offset, 8, -EBADMSG, "overlaps"),
	FIELD(header.totals.offset, 0xfffffff0, -EBADMSG, "truncated"),
	FIELD(header.samples.offset, 0xfffffff0, -EBADMSG, "truncated"),
	FIELD(header.strings.used, 0xffffff, -EBADMSG, "impossible table"),
	FIELD(totals[0].role, 0xfffffff0, -EBADMSG, "name lies outside"),
	FIELD(totals[1].module, 60000, -EBADMSG, "name lies outside"),
	{ "usable_max", offsetof(struct fixture, totals[0].usable_max) + 4, 0x80000000, 4, -EBADMSG,
	  "larger than any memory" },
};

static void damaged_files_are_refused_with_a_reason(void **state)
{
	char why[RUN_WHY_SIZE];
	struct run_file run;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		struct fixture *made = example();

		memcpy((char *)made + damages[i].offset, &damages[i].value,
		       damages[i].width < 4 ? damages[i].width : 4);
		if (read_bytes(made, sizeof(*made), &run, why) != damages[i].error)
			fail_msg("%s: %s", damages[i].name, why);
		if (!strstr(why, damages[i].says))
			fail_msg("%s says: %s", damages[i].name, why);
		assert_null(strchr(why, '\n'));
		free(made);
	}
}

static void every_truncation_is_refused(void **state)
{
	struct fixture *made = example();
	char why[RUN_WHY_SIZE];
	struct run_file run;
	size_t size;

	(void)state;
	for (size = 0; size < sizeof(*made); size += size < 400 ? 1 : 4093) {
		assert_int_equal(read_bytes(made, size, &run, why), -EBADMSG);
		if (size == 0)
			assert_non_null(strstr(why, "empty"));
		else if (size >= 8)
			assert_non_null(strstr(why, "truncated"));
	}
	assert_int_equal(read_bytes(made, sizeof(*made) - 1, &run, why), -EBADMSG);
	free(made);
}

static void slot_of_an_unknown_role_is_harmless(void **state)
{
	struct fixture *made = example();
	char why[RUN_WHY_SIZE];
	struct run_file run;

	(void)state;
	made->slots[0].total = 0x7fffffff;
	assert_int_equal(read_bytes(made, sizeof(*made), &run, why), 0);
	run_file_free(&run);
	free(made);
}

static void what_is_no_file_does_not_hang(void **state)
{
	char folder[] = "/tmp/tek-unit-XXXXXX", path[64], why[RUN_WHY_SIZE];
	struct run_file run;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(run_file_read(path, &run, why), -EINVAL);
	assert_int_equal(run_file_read(folder, &run, why), -EINVAL);
	assert_int_equal(run_file_read("/dev/zero", &run, why), -EINVAL);
	unlink(path);
	assert_int_equal(run_file_read(path, &run, why), -ENOENT);
	assert_non_null(strstr(why, "No such file"));
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_file_is_read_whole),
		cmocka_unit_test(living_file_is_told_by_its_lock),
		cmocka_unit_test(readings_of_living_threads),
		cmocka_unit_test(later_minor_with_longer_items_is_read),
		cmocka_unit_test(damaged_files_are_refused_with_a_reason),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(slot_of_an_unknown_role_is_harmless),
		cmocka_unit_test(what_is_no_file_does_not_hang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
