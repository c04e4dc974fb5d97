/* SPDX-License-Identifier: MIT */
#include "tool_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "profile.h"
#include "runfile.h"

void runs_add(struct evidence *evidence, struct fixture *made)
{
	int fd = memfd_create("run", MFD_CLOEXEC);
	char why[RUN_WHY_SIZE];
	struct profile profile;
	struct run_file run;

	assert_int_equal(write(fd, made, sizeof(*made)), (ssize_t)sizeof(*made));
	assert_int_equal(run_file_read_fd(fd, &run, why), 0);
	profile_init(&profile);
	profile_add(&profile, "run.tek", &run);
	profile_finish(&profile);
	evidence_add(evidence, &profile);
	profile_free(&profile);
	run_file_free(&run);
	close(fd);
	free(made);
}

void runs_repeat(struct evidence *evidence, uint32_t first, uint32_t count, const char *role,
		 uint32_t peak)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct fixture *run = fixture_new(first + i);

		fixture_role(run, role, 2, peak, 8u << 20);
		runs_add(evidence, run);
	}
}

static const struct evidence_role *role_of(const struct evidence *evidence, const char *name)
{
	const struct evidence_section *section = evidence_find_section(evidence, "x86_64");
	const struct evidence_role *role = section ? evidence_find_role(section, name) : NULL;

	assert_non_null(role);
	return role;
}

const struct evidence_line *runs_line(const struct evidence *evidence, const char *role)
{
	return &role_of(evidence, role)->line;
}

const char *runs_reason(const struct evidence *evidence, const char *role)
{
	return role_of(evidence, role)->reason;
}
