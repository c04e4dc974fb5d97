/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "header.h"
#include "inputs.h"
#include "tool.h"

static bool distorted(const struct profile_run *run)
{
	return run->flags & (TEK_RUN_SANITIZED | TEK_RUN_COVERAGE);
}

static enum zone worse(enum zone a, enum zone b)
{
	return a > b ? a : b;
}

/*
 * The instance that had the peak is not known, so the smallest stack that can have held it is
 * taken: no High Zone is missed.
 */
static enum zone zone_of_reading(const struct reading *reading, const struct profile_run *run,
				 const struct evidence_line *line)
{
	/* The high end on a foreign stack may be data that the program put there. */
	uint64_t peak = reading->flags & TEK_TOTAL_FOREIGN ? reading->peak_low : reading->peak_high;
	enum zone zone = ZONE_NONE;

	if (!peak || distorted(run))
		return ZONE_NONE;
	if (reading->tuned_count &&
	    (peak <= reading->tuned || reading->tuned_count == reading->started))
		zone = zone_tuned(peak, reading->tuned,
				  line->usable == reading->tuned ? line->peak : 0);
	if (reading->tuned_count < reading->started) {
		uint64_t usable = reading->usable_min && peak <= reading->usable_min
					  ? reading->usable_min
					  : reading->usable_max;

		if (reading->high_count && !reading->tuned_count)
			return ZONE_HIGH;
		if (usable)
			zone = worse(zone, zone_by_percent(peak, usable, run->overhead,
							   run->signal_reserve, run->low_percent,
							   run->high_percent));
	}
	return zone;
}

static void find_zone(const struct rows *rows, struct row *row)
{
	const struct role *role = row->role;
	size_t i;

	for (i = 0; i < role->count; i++)
		row->zone =
			worse(row->zone, zone_of_reading(&role->readings[i],
							 &rows->profile.runs[role->readings[i].run],
							 &row->line_before));
}

static void find_bytes(const struct rows *rows, struct row *row)
{
	const struct role *role = row->role;
	const struct profile_run *run = &rows->profile.runs[role->readings[role->count - 1].run];
	uint64_t given = row->sum.usable_max + run->overhead, after = given;
	uint64_t threads = row->sum.alive_max, peak = row->sum.peak_high;
	bool kept = row->sum.explicit_count && !row->line.override;

	if (role->main_thread || !row->sum.started)
		return;
	if (row->line.usable)
		after = policy_attribute(row->line.usable, run->overhead, run->signal_reserve,
					 run->page_size, run->minimum_stack);
	row->given = bytes_times(threads, given);
	row->used = bytes_times(threads, peak + run->overhead);
	if (row->zone == ZONE_LOW && row->sum.usable_max > peak)
		row->wasted = bytes_times(threads, row->sum.usable_max - peak);
	if (kept && given > after)
		row->withheld = bytes_times(
			threads < row->sum.explicit_count ? threads : row->sum.explicit_count,
			given - after);
	row->after = kept ? row->given : bytes_times(threads, after);
}

/* A whole reading among the inputs, whether or not a size may come of it. */
static bool read_whole(const struct rows *rows, const struct role *role)
{
	size_t i;

	for (i = 0; i < role->count; i++) {
		const struct reading *reading = &role->readings[i];
		const struct profile_run *run = &rows->profile.runs[reading->run];

		if (reading->ended + reading->sampled && !reading_unread(reading) &&
		    run->flags & TEK_RUN_MEASURE && !distorted(run))
			return true;
	}
	return false;
}

static void find_line(const struct rows *rows, struct row *row)
{
	const struct role *role = row->role;
	const struct evidence_section *section =
		evidence_find_section(&rows->evidence, role->section);
	const struct evidence_role *known = section ? evidence_find_role(section, role->name)
						    : NULL;

	row->measured = read_whole(rows, role) || (known && evidence_measured(known));
	if (role->main_thread) {
		row->reason = "main thread: sized by the system's limit (ulimit -s), not by TEK";
	} else if (role->nameless) {
		row->reason = "no size: its entry has no name; link its module with symbols";
	} else if (!known) {
		row->reason = "no size: no header section for this target";
	} else {
		row->line = known->line;
		row->reason = known->reason;
	}
}

static void note_before(struct rows *rows)
{
	size_t i;

	for (i = 0; i < rows->count; i++) {
		struct row *row = &rows->rows[i];
		const struct evidence_section *section;
		const struct evidence_role *known = NULL;

		row->role = &rows->profile.roles[i];
		row->sum = role_sum(row->role);
		row->line_before.build = -1;
		section = evidence_find_section(&rows->evidence, row->role->section);
		if (section && !row->role->main_thread)
			known = evidence_find_role(section, row->role->name);
		if (known)
			row->line_before = known->line;
		find_zone(rows, row);
		rows->sections |= strcmp(row->role->section, rows->profile.roles[0].section) != 0;
	}
	for (i = 0; i < rows->profile.run_count; i++)
		rows->stale_run[i] = evidence_stale(&rows->evidence, &rows->profile.runs[i]);
}

/* Return: false if something that is there could not be used. */
static bool load_evidence(struct rows *rows, const char *header, bool required)
{
	char *path = files_evidence_path(header), *text;
	char why[EVIDENCE_WHY_SIZE];
	bool good = true;
	size_t size;
	int ret;

	ret = evidence_load(&rows->evidence, path, why);
	rows->had_evidence = ret == 0;
	if (ret && ret != -ENOENT) {
		tool_problem(path, "%s", why);
		good = false;
	}
	ret = files_read(header, &text, &size);
	if (!ret && header_foreign(text)) {
		tool_problem(header, "is no sizes header; make one with `tek sizes -o`");
		free(text);
		good = false;
	} else if (!ret) {
		rows->had_header = true;
		if (header_take(&rows->evidence, text) && required && !rows->had_evidence) {
			tool_problem(path, "is not there, so nobody can tell which build and peaks "
					   "the sizes came from; keep it beside the header");
			good = false;
		}
		free(text);
	} else if (required || ret != -ENOENT) {
		tool_problem(header, "cannot be read: %s; make it with `tek sizes -o`",
			     strerror(-ret));
		good = false;
	}
	free(path);
	return good;
}

unsigned rows_load(struct rows *rows, const char *header, bool required, char **paths, int count,
		   bool *skipped)
{
	unsigned done;
	size_t i;

	memset(rows, 0, sizeof(*rows));
	profile_init(&rows->profile);
	done = inputs_read(&rows->profile, paths, count, skipped);
	if (!load_evidence(rows, header, required))
		*skipped = true;
	rows->count = rows->profile.role_count;
	rows->rows = text_alloc(rows->count, sizeof(*rows->rows));
	rows->stale_run = text_alloc(rows->profile.run_count, sizeof(*rows->stale_run));
	note_before(rows);
	evidence_add(&rows->evidence, &rows->profile);
	for (i = 0; i < rows->count; i++) {
		find_line(rows, &rows->rows[i]);
		find_bytes(rows, &rows->rows[i]);
	}
	return done;
}

void rows_free(struct rows *rows)
{
	free(rows->rows);
	free(rows->stale_run);
	evidence_free(&rows->evidence);
	profile_free(&rows->profile);
}
