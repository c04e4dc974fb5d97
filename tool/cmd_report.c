/* SPDX-License-Identifier: MIT */
/* tek report: what the run files say, role by role. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tek/abi.h>

#include "emit.h"
#include "options.h"
#include "rows.h"
#include "svg.h"
#include "tool.h"

static const char usage[] = "tek report [--format=table|json|csv|svg] [--header=FILE] FILE|DIR...";

enum column {
	ROLE,
	TARGET,
	ENTRY,
	SITE,
	CLASS,
	INSTANCES,
	EXPLICIT,
	STACK,
	RECOMMENDED,
	PEAK_LOW,
	PEAK_HIGH,
	ZONE,
	PARTIAL,
	REASON,
	COLUMNS,
};

static const struct emit_column all_columns[COLUMNS] = {
	[ROLE] = { "role", "ROLE", EMIT_TEXT },
	[TARGET] = { "target", "TARGET", EMIT_TEXT },
	[ENTRY] = { "entry", NULL, EMIT_TEXT },
	[SITE] = { "site", "SITE", EMIT_TEXT },
	[CLASS] = { "class", NULL, EMIT_TEXT },
	[INSTANCES] = { "instances", "RAN", EMIT_COUNT },
	[EXPLICIT] = { "explicit", "EXPL", EMIT_COUNT },
	[STACK] = { "stack_bytes", "STACK", EMIT_BYTES },
	[RECOMMENDED] = { "recommended_bytes", "NEXT", EMIT_BYTES },
	[PEAK_LOW] = { "peak_low_bytes", NULL, EMIT_BYTES },
	[PEAK_HIGH] = { "peak_high_bytes", "PEAK", EMIT_BYTES },
	[ZONE] = { "zone", "ZONE", EMIT_TEXT },
	[PARTIAL] = { "partial", "PART", EMIT_FLAG },
	[REASON] = { "reason", "WHY", EMIT_TEXT },
};

static struct emit_value text_value(const char *text)
{
	return (struct emit_value){ .known = text && *text, .text = text };
}

static struct emit_value number_value(bool known, uint64_t number)
{
	return (struct emit_value){ .known = known, .number = number };
}

/* @with_target: several targets are in the answer, so each row must tell its own. */
static void put_row(struct emit *emit, const struct row *row, bool with_target)
{
	const struct role *role = row->role;
	char *site = *role->file ? text_format("%s:%" PRIu32, role->file, role->line) : NULL;
	struct emit_value values[COLUMNS] = {
		[ROLE] = { .known = true, .text = role->name },
		[TARGET] = text_value(role->section),
		[ENTRY] = text_value(role->entry),
		[SITE] = text_value(site),
		[CLASS] = text_value(role->flags & TEK_SITE_TIME_CRITICAL ? "time-critical"
									  : "non-time-critical"),
		[INSTANCES] = number_value(true, row->sum.started),
		[EXPLICIT] = number_value(true, row->sum.explicit_count),
		[STACK] = number_value(row->sum.usable_max, row->sum.usable_max),
		[RECOMMENDED] = number_value(row->line.usable, row->line.usable),
		[PEAK_LOW] = number_value(row->sum.measured, row->sum.peak_low),
		[PEAK_HIGH] = number_value(row->sum.measured, row->sum.peak_high),
		[ZONE] = text_value(zone_name(row->zone)),
		[PARTIAL] = number_value(true, row->sum.partial),
		[REASON] = text_value(row->reason),
	};

	if (!with_target)
		memmove(&values[TARGET], &values[TARGET + 1],
			(COLUMNS - TARGET - 1) * sizeof(*values));
	emit_row(emit, values);
	free(site);
}

struct totals {
	uint64_t instances, threads, given, after, used, wasted, withheld;
};

static struct totals add_up(const struct rows *rows)
{
	struct totals totals = { 0 };
	size_t i;

	for (i = 0; i < rows->count; i++) {
		const struct row *row = &rows->rows[i];

		if (row->role->main_thread)
			continue;
		totals.instances += row->sum.started;
		totals.threads += row->sum.alive_max;
		totals.given = bytes_plus(totals.given, row->given);
		totals.after = bytes_plus(totals.after, row->after);
		totals.used = bytes_plus(totals.used, row->used);
		totals.wasted = bytes_plus(totals.wasted, row->wasted);
		totals.withheld = bytes_plus(totals.withheld, row->withheld);
	}
	return totals;
}

static void put_totals(struct emit *emit, const struct totals *totals, size_t runs)
{
	emit_total(emit, "runs", "runs", EMIT_COUNT, runs);
	emit_total(emit, "instances", "threads that ran (main not counted)", EMIT_COUNT,
		   totals->instances);
	emit_total(emit, "threads", "threads alive at once, at most", EMIT_COUNT, totals->threads);
	emit_total(emit, "stack_bytes", "their stacks' address space, before", EMIT_BYTES,
		   totals->given);
	emit_total(emit, "recommended_bytes", "after the next compile", EMIT_BYTES, totals->after);
	emit_total(emit, "used_bytes", "used, by the largest peak of each role", EMIT_BYTES,
		   totals->used);
	emit_total(emit, "wasted_bytes", "wasted in the Low Zone", EMIT_BYTES, totals->wasted);
	emit_total(emit, "withheld_bytes", "withheld by explicit sizes", EMIT_BYTES,
		   totals->withheld);
}

static size_t distinct_runs(const struct profile *profile)
{
	size_t i, count = 0;

	for (i = 0; i < profile->run_count; i++)
		count += !profile->runs[i].duplicate;
	return count;
}

/* The command that would apply what explicit sizes withhold, as it can be pasted. */
static void put_command(struct emit *emit, const char *header, char **paths, int count)
{
	char *word = text_shell_word(header);
	char *command = text_format("tek sizes --override-explicit -o %s --", word);
	int i;

	free(word);
	for (i = 0; i < count; i++) {
		char *longer;

		word = text_shell_word(paths[i]);
		longer = text_format("%s %s", command, word);
		free(word);
		free(command);
		command = longer;
	}
	emit_note(emit, "To size threads whose size the program chose itself:\n  %s", command);
	free(command);
}

static void put_notes(struct emit *emit, const struct rows *rows)
{
	uint64_t untotalled = 0, unprobed = 0, distorted = 0, no_pages = 0, lto = 0;
	size_t i;

	for (i = 0; i < rows->profile.run_count; i++) {
		const struct profile_run *run = &rows->profile.runs[i];

		if (run->duplicate)
			continue;
		untotalled += run->untotalled;
		unprobed += run->unprobed;
		distorted += (run->flags & (TEK_RUN_SANITIZED | TEK_RUN_COVERAGE)) != 0;
		no_pages += (run->flags & TEK_RUN_NO_PAGES) != 0;
		lto += (run->flags & TEK_RUN_UNPROBED_LTO) != 0;
	}
	if (untotalled)
		emit_note(emit,
			  "%" PRIu64 " threads had no room in the table: they are in no "
			  "row.",
			  untotalled);
	if (unprobed)
		emit_note(emit,
			  "%" PRIu64 " instrumented modules could not be probed: stack "
			  "reserved and never written there may be missed.",
			  unprobed);
	if (distorted)
		emit_note(emit,
			  "%" PRIu64 " runs of sanitizer or coverage builds: shown, never "
			  "used for a size.",
			  distorted);
	if (no_pages)
		emit_note(emit,
			  "%" PRIu64 " runs could not see which pages were touched: they "
			  "do not make a margin smaller.",
			  no_pages);
	if (lto)
		emit_note(emit,
			  "%" PRIu64 " runs of -flto programs linked without the plugin: "
			  "give the link line -fplugin too.",
			  lto);
}

static int print(const struct rows *rows, enum emit_format format, const char *header, char **paths,
		 int count)
{
	struct emit_column columns[COLUMNS];
	struct totals totals = add_up(rows);
	size_t column_count = COLUMNS, i;
	struct emit *emit;

	memcpy(columns, all_columns, sizeof(columns));
	if (!rows->sections)
		memmove(&columns[TARGET], &columns[TARGET + 1],
			(--column_count - TARGET) * sizeof(*columns));
	emit = emit_new(format, stdout, "roles", columns, column_count);
	for (i = 0; i < rows->count; i++)
		put_row(emit, &rows->rows[i], rows->sections);
	put_totals(emit, &totals, distinct_runs(&rows->profile));
	put_notes(emit, rows);
	if (totals.withheld)
		put_command(emit, header, paths, count);
	return emit_end(emit);
}

static int by_weight(const void *a, const void *b)
{
	const struct row *one = a, *two = b;
	int order = strcmp(one->role->section, two->role->section);

	if (order)
		return order;
	if (one->given != two->given)
		return one->given > two->given ? -1 : 1;
	return one->role < two->role ? -1 : one->role > two->role;
}

static int report(enum emit_format format, bool picture, const char *header, char **paths,
		  int count)
{
	bool skipped = false;
	struct rows rows;
	unsigned done = rows_load(&rows, header, false, paths, count, &skipped);
	int ret = 0;

	if (done) {
		text_sort(rows.rows, rows.count, sizeof(*rows.rows), by_weight);
		ret = picture ? svg_print(&rows, stdout)
			      : print(&rows, format, header, paths, count);
		if (ret)
			tool_problem("standard output", "cannot be written; is the disk full?");
	}
	rows_free(&rows);
	if (!done || ret)
		return TOOL_NOTHING;
	return skipped ? TOOL_SKIPPED : TOOL_DONE;
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "header", required_argument, NULL, 'H' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *header = "tek_stack_sizes.h";
	enum emit_format format = EMIT_TABLE;
	bool picture = false;
	int letter;

	options_reset();
	while ((letter = options_next(argc, argv, ":f:h", options, usage)) != -1) {
		switch (letter) {
		case 'f':
			picture = strcmp(optarg, "svg") == 0;
			if (!picture && !emit_format_of(optarg, &format)) {
				options_mistake(optarg, "no such format", usage);
				return TOOL_NOTHING;
			}
			break;
		case 'H':
			header = optarg;
			break;
		case 'h':
			printf("usage: %s\n", usage);
			return TOOL_DONE;
		default:
			return TOOL_NOTHING;
		}
	}
	if (optind == argc) {
		options_mistake("report", "no run file given", usage);
		return TOOL_NOTHING;
	}
	return report(format, picture, header, argv + optind, argc - optind);
}
