/* SPDX-License-Identifier: MIT */
/* evidence_decide(): from what is known to lines and the reasons for them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "evidence.h"

static const char *keep_text(struct evidence *evidence, char *text)
{
	const char *kept = names_put(&evidence->names, text);

	free(text);
	return kept;
}

/* Why there is no size, the strongest reason first. */
static const char *absence(uint32_t seen)
{
	if (seen & EVIDENCE_SATURATED)
		return "no size: a peak of 4 GiB or more";
	if (seen & EVIDENCE_FOREIGN)
		return "no size: runs on stack memory of the program's own "
		       "(pthread_attr_setstack)";
	if (seen & EVIDENCE_PARTIAL)
		return "no size: only partial readings, an instance was never seen to end";
	if (seen & EVIDENCE_UNMEASURED)
		return "no size: ran in a process that did not measure";
	if (seen & EVIDENCE_SANITIZED)
		return "no size: ran only in sanitizer or coverage builds";
	if (seen & EVIDENCE_RAN)
		return "no size: no reading of this build or an earlier one";
	return "no size: never ran";
}

static char *sum_text(uint64_t peak, unsigned margin, uint64_t exit_reserve, uint64_t runs)
{
	char bytes[3][TEXT_BYTES_SIZE], part[32], count[40];
	uint64_t extra = peak * margin / 100;

	text_bytes(bytes[0], peak);
	text_bytes(bytes[1], POLICY_MARGIN_MIN);
	text_bytes(bytes[2], exit_reserve);
	if (extra < POLICY_MARGIN_MIN)
		snprintf(part, sizeof(part), "%s", bytes[1]);
	else
		snprintf(part, sizeof(part), "%u %%", margin);
	if (runs)
		snprintf(count, sizeof(count), "%" PRIu64 " run%s", runs, runs == 1 ? "" : "s");
	else
		snprintf(count, sizeof(count), "read while running");
	return text_format("peak %s + margin %s (%s)%s%s", bytes[0], part, count,
			   exit_reserve ? " + exit reserve " : "", exit_reserve ? bytes[2] : "");
}

static void set_line(struct evidence_line *line, uint64_t usable, uint64_t peak, unsigned margin,
		     uint64_t exit_reserve, int build)
{
	line->usable = usable;
	line->peak = peak;
	line->margin = margin;
	line->exit_reserve = exit_reserve;
	line->build = build;
}

/* Nothing whole of this build: a line stays, and grows if even a lower bound is beyond it. */
static void decide_without(struct evidence *evidence, struct evidence_section *section,
			   struct evidence_role *role, const struct evidence_reading *reading)
{
	struct evidence_line *line = &role->line;
	char bound[TEXT_BYTES_SIZE];
	uint64_t wanted;

	if (!line->usable) {
		role->reason = absence(role->seen);
		return;
	}
	if (!reading || reading->bound <= line->peak || !reading->bound) {
		role->reason = "kept: no whole reading of this build";
		return;
	}
	text_bytes(bound, reading->bound);
	wanted = policy_usable(reading->bound, POLICY_MARGIN_NEW, line->exit_reserve);
	if (wanted <= line->usable) {
		role->reason = keep_text(
			evidence,
			text_format("kept: enough for a partial reading of %s or more", bound));
		return;
	}
	set_line(line, wanted, reading->bound, POLICY_MARGIN_NEW, line->exit_reserve,
		 section->current);
	role->reason =
		keep_text(evidence, text_format("raised by a partial reading: %s or more", bound));
}

/*
 * Thinner evidence of a new build is no reason to grow: as long as the peak and the way to end are
 * within what the line was built on, it holds. A line whose origin nobody knows (a header without
 * its json) holds as long as the smallest margin is left.
 */
static bool only_thinner(const struct evidence_section *section, const struct evidence_line *line,
			 uint64_t peak, uint64_t exit_reserve)
{
	if (!line->peak)
		return line->usable > exit_reserve &&
		       peak <= policy_largest_peak(line->usable - exit_reserve);
	return line->build != section->current && peak <= line->peak &&
	       exit_reserve <= line->exit_reserve;
}

static void decide_with(struct evidence *evidence, struct evidence_section *section,
			struct evidence_role *role, const struct evidence_reading *reading)
{
	struct evidence_line *line = &role->line;
	uint64_t peak = reading->peak_high > reading->bound ? reading->peak_high : reading->bound;
	unsigned margin = policy_margin(&reading->runs);
	bool stable = policy_stable(&reading->runs) && section->in_row >= POLICY_STABLE_RUNS;
	uint64_t exit_reserve =
		policy_exit_reserve(section->builds[section->current].libc, reading->exit_needed);
	uint64_t wanted;
	char *sum;

	if (peak < POLICY_PEAK_MIN)
		peak = POLICY_PEAK_MIN;
	wanted = policy_usable(peak, margin, exit_reserve);
	sum = sum_text(peak, margin, exit_reserve, reading->runs.runs);
	switch (policy_change(line->usable, wanted, stable)) {
	case POLICY_GROW:
		if (only_thinner(section, line, peak, exit_reserve)) {
			role->reason =
				keep_text(evidence, text_format("kept: still right for %s", sum));
			break;
		}
		/* fall through */
	case POLICY_MAKE:
	case POLICY_SHRINK:
		set_line(line, wanted, peak, margin, exit_reserve, section->current);
		role->reason = keep_text(evidence, text_format("%s", sum));
		break;
	case POLICY_KEEP:
		/*
		 * The evidence of today carries the size of yesterday: it now rests on that. One
		 * of unknown origin may rest on more than a few runs show.
		 */
		if ((line->peak && peak > line->peak) || stable)
			set_line(line, line->usable, peak, margin, exit_reserve, section->current);
		role->reason = keep_text(evidence, wanted == line->usable
							   ? text_format("%s", sum)
							   : text_format("kept: %s", sum));
		break;
	}
	free(sum);
}

void evidence_decide(struct evidence *evidence, struct evidence_section *section)
{
	size_t i;

	for (i = 0; i < section->role_count; i++) {
		struct evidence_role *role = &section->roles[i];
		bool known = section->current >= 0;
		const struct evidence_reading *reading = known ? &role->builds[section->current]
							       : NULL;

		if (known && reading->sound && !(role->seen & EVIDENCE_SATURATED))
			decide_with(evidence, section, role, reading);
		else
			decide_without(evidence, section, role, reading);
	}
}
