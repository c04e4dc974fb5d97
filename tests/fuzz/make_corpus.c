/* SPDX-License-Identifier: MIT */
/*
 * Makes the seeds: run files as small as the layout allows, one a feature, and evidence as `tek
 * sizes` writes it. Use: make_corpus FOLDER (as tests/fuzz/corpus). Findings are added by hand.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tek/abi.h>

#include "evidence.h"
#include "tool_fixture.h"
#include "tool_runs.h"

static FILE *create(const char *folder, const char *name)
{
	char path[4096];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	to = fopen(path, "w");
	if (!to) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	return to;
}

static void pack(FILE *to, struct tek_run_area *area, const void *items)
{
	area->offset = (tek_u64)ftell(to);
	area->capacity = area->used;
	fwrite(items, area->stride, area->used, to);
}

/* Only what is used, so that a mutation hits something. */
static void put(struct fixture *run, const char *folder, const char *name)
{
	FILE *to = create(folder, name);
	struct tek_run_header *header = &run->header;

	fwrite(header, sizeof(*header), 1, to);
	header->samples.used = header->slots.used;
	pack(to, &header->slots, run->slots);
	pack(to, &header->samples, run->samples);
	pack(to, &header->totals, run->totals);
	pack(to, &header->strings, run->strings);
	rewind(to);
	fwrite(header, sizeof(*header), 1, to);
	if (fclose(to) != 0)
		exit(1);
	free(run);
}

static struct fixture *wide(uint32_t number)
{
	struct fixture *run = fixture_new(number);
	struct tek_run_total *total;

	fixture_role(run, "main", 1, 20000, 8u << 20)->flags |= TEK_TOTAL_MAIN;
	total = fixture_role(run, "net", 3, 12000, 8u << 20);
	total->returned = 1;
	total->explicit_count = 2;
	fixture_role(run, "worker", 1, 900, 65536)->flags |= TEK_SITE_STATIC_ENTRY;
	total = fixture_role(run, "worker", 1, 5000, 65536);
	total->flags |= TEK_SITE_STATIC_ENTRY | TEK_SITE_TIME_CRITICAL;
	total->entry_file = fixture_string(run, "b.c");
	total = fixture_role(run, "tuned", 1, 9000, 28672);
	total->tuned_count = 1;
	total->tuned = 20480;
	fixture_role(run, "t\xc3\xa4sk\xff\n*/\"\\", 0, 0, 0);
	return run;
}

static struct fixture *narrow(uint32_t number)
{
	struct fixture *run = fixture_new(number);

	fixture_role(run, "net", 3, 12000, 65536)->flags |= TEK_TOTAL_FOREIGN;
	fixture_role(run, NULL, 1, 3000, 65536)->entry_offset = 0x1234;
	run->header.elf_class = 1;
	run->header.elf_machine = 3;
	run->header.target = fixture_string(run, "i386-linux-gnu");
	return run;
}

static struct fixture *killed(uint32_t number)
{
	struct fixture *run = fixture_new(number);
	struct tek_run_total *total = fixture_role(run, "daemon", 2, 4000, 65536);

	fixture_living(run, total, 7000);
	fixture_living(run, total, 0);
	run->samples[1] = (struct tek_run_sample){ .generation = 1, .low = 5000, .high = 8192 };
	run->slots[0].sequence = 5;
	return run;
}

static void put_evidence(const char *folder)
{
	struct evidence evidence = { 0 };
	FILE *to = create(folder, "three-runs.json");
	char *text;

	runs_add(&evidence, wide(1));
	runs_add(&evidence, narrow(2));
	runs_add(&evidence, killed(3));
	text = evidence_text(&evidence);
	if (!text || fputs(text, to) < 0 || fclose(to) != 0)
		exit(1);
	free(text);
	evidence_free(&evidence);
}

int main(int argc, char **argv)
{
	char folder[4000];
	struct fixture *run;

	if (argc != 2) {
		fputs("usage: make_corpus FOLDER\n", stderr);
		return 1;
	}
	snprintf(folder, sizeof(folder), "%s/runfile", argv[1]);
	put(wide(1), folder, "wide.tek");
	put(narrow(2), folder, "narrow.tek");
	put(killed(3), folder, "killed.tek");
	put(fixture_new(4), folder, "no-roles.tek");
	run = wide(5);
	run->header.flags |= TEK_RUN_SANITIZED | TEK_RUN_NO_PAGES | TEK_RUN_UNPROBED_LTO;
	put(run, folder, "sanitized.tek");
	run = wide(6);
	run->header.major = 2;
	put(run, folder, "future.tek");
	run = wide(7);
	run->header.byte_order = 0x04030201;
	put(run, folder, "foreign.tek");
	snprintf(folder, sizeof(folder), "%s/evidence", argv[1]);
	put_evidence(folder);
	return 0;
}
