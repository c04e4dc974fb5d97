/* SPDX-License-Identifier: MIT */
/* tek check: the exit status tells a CI job what is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "rows.h"
#include "tool.h"

/* Exit status: these, or-ed. 16 is kept for a baseline. */
#define CHECK_HIGH 1
#define CHECK_OUTGREW 2
#define CHECK_STALE 4
#define CHECK_UNMEASURED 8
#define CHECK_SKIPPED 32
#define CHECK_USAGE 64

static const char usage[] = "tek check [--header=FILE] FILE|DIR...";

static void say(const struct row *row, bool with_target, const char *finding, const char *detail)
{
	char *name = text_visible(row->role->name);

	printf("%s%s%s: %s%s\n", name, with_target ? " on " : "",
	       with_target ? row->role->section : "", finding, detail);
	free(name);
}

static int check_row(const struct row *row, bool with_target)
{
	char peak[TEXT_BYTES_SIZE], size[TEXT_BYTES_SIZE];
	const struct evidence_line *line = &row->line_before;
	char *detail;
	int found = 0;

	if (row->zone == ZONE_HIGH) {
		detail = text_format("peak %s of %s", text_bytes(peak, row->sum.peak_high),
				     text_bytes(size, row->sum.usable_max));
		say(row, with_target, "High Zone: ", detail);
		free(detail);
		found |= CHECK_HIGH;
	}
	if (row->role->main_thread)
		return found;
	if (line->usable && row->line.usable > line->usable) {
		char next[TEXT_BYTES_SIZE];

		detail = text_format(
			"peak %s, line %s, needs %s", text_bytes(peak, row->sum.peak_high),
			text_bytes(size, line->usable), text_bytes(next, row->line.usable));
		say(row, with_target, "outgrew its line: ", detail);
		free(detail);
		found |= CHECK_OUTGREW;
	}
	if (!row->measured) {
		say(row, with_target, "unmeasured: ", row->reason);
		found |= CHECK_UNMEASURED;
	}
	return found;
}

static int check_runs(const struct rows *rows)
{
	size_t i;
	int found = 0;

	for (i = 0; i < rows->profile.run_count; i++) {
		const struct profile_run *run = &rows->profile.runs[i];

		if (run->duplicate || !rows->stale_run[i])
			continue;
		printf("%s: stale evidence: this run is of another build (target, compiler, "
		       "options or libc) than the header's sizes\n",
		       run->path);
		found |= CHECK_STALE;
	}
	return found;
}

static int check(const char *header, bool required, char **paths, int count)
{
	bool skipped = false;
	struct rows rows;
	int found;
	size_t i;

	rows_load(&rows, header, required, paths, count, &skipped);
	found = skipped ? CHECK_SKIPPED : 0;
	for (i = 0; i < rows.count; i++)
		found |= check_row(&rows.rows[i], rows.sections);
	found |= check_runs(&rows);
	rows_free(&rows);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		tool_problem("standard output", "cannot be written; is the disk full?");
		found |= CHECK_USAGE;
	}
	return found;
}

int cmd_check(int argc, char **argv)
{
	static const struct option options[] = {
		{ "header", required_argument, NULL, 'H' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *header = "tek_stack_sizes.h";
	bool required = false;
	int letter;

	options_reset();
	while ((letter = options_next(argc, argv, ":h", options, usage)) != -1) {
		switch (letter) {
		case 'H':
			header = optarg;
			required = true;
			break;
		case 'h':
			printf("usage: %s\n", usage);
			return 0;
		default:
			return CHECK_USAGE;
		}
	}
	if (optind == argc) {
		options_mistake("check", "no run file given", usage);
		return CHECK_USAGE;
	}
	return check(header, required, argv + optind, argc - optind);
}
