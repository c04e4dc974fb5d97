/* SPDX-License-Identifier: MIT */
/* Writer of tek_stack_sizes.json. The form is described in tek-sizes(1), section FILES. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "evidence.h"

static json_t *number(uint64_t value)
{
	return json_integer(value < (uint64_t)EVIDENCE_LARGEST ? (json_int_t)value
							       : EVIDENCE_LARGEST);
}

static json_t *hex(uint64_t value)
{
	return json_sprintf("%016" PRIx64, value);
}

static json_t *builds_json(const struct evidence_section *section)
{
	json_t *builds = json_array();
	int i;

	for (i = 0; i < EVIDENCE_BUILDS && section->build_runs[i]; i++)
		json_array_append_new(builds, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "target",
							section->builds[i].target, "compiler",
							section->builds[i].compiler, "libc",
							section->builds[i].libc, "options",
							hex(section->builds[i].options), "runs",
							number(section->build_runs[i]), "newest_ns",
							number(section->build_newest[i])));
	return builds;
}

static json_t *build_json(int build)
{
	return build < 0 ? json_null() : json_integer(build);
}

static json_t *line_json(const struct evidence_line *line)
{
	if (!line->usable)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o}", "usable", number(line->usable), "peak",
			 number(line->peak), "margin", number(line->margin), "exit_reserve",
			 number(line->exit_reserve), "override", line->override, "build",
			 build_json(line->build));
}

static json_t *reading_json(const struct evidence_reading *reading, int build)
{
	return json_pack("{s:i, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "build", build, "whole",
			 reading->sound, "exit_needed", reading->exit_needed, "peak_low",
			 number(reading->peak_low), "peak_high", number(reading->peak_high),
			 "bound", number(reading->bound), "instances", number(reading->instances),
			 "runs", number(reading->runs.runs), "last_raise",
			 number(reading->runs.last_raise));
}

static json_t *role_json(const struct evidence_section *section, const struct evidence_role *role)
{
	json_t *seen = json_array(), *readings = json_array();
	size_t i;

	for (i = 0; i < EVIDENCE_WORDS; i++)
		if (role->seen & evidence_words[i].bit)
			json_array_append_new(seen, json_string(evidence_words[i].name));
	for (i = 0; i < EVIDENCE_BUILDS; i++)
		if (section->build_runs[i] &&
		    (role->builds[i].instances || role->builds[i].sound || role->builds[i].bound))
			json_array_append_new(readings, reading_json(&role->builds[i], (int)i));
	return json_pack("{s:o, s:o, s:o}", "line", line_json(&role->line), "seen", seen,
			 "readings", readings);
}

static json_t *section_json(const struct evidence_section *section)
{
	json_t *roles = json_object(), *runs = json_array();
	size_t i;

	for (i = 0; i < section->role_count; i++)
		json_object_set_new(roles, section->roles[i].name,
				    role_json(section, &section->roles[i]));
	for (i = 0; i < section->run_count; i++)
		json_array_append_new(runs, hex(section->run_ids[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "page_size",
			 number(section->page_size), "overhead", number(section->overhead),
			 "signal_reserve", number(section->signal_reserve), "minimum_stack",
			 number(section->minimum_stack), "runs_in_row", number(section->in_row),
			 "builds", builds_json(section), "current", build_json(section->current),
			 "runs", runs, "roles", roles);
}

char *evidence_text(const struct evidence *evidence)
{
	json_t *sections = json_object(), *root;
	char *text, *line;
	size_t i;

	for (i = 0; i < evidence->section_count; i++)
		json_object_set_new(sections, evidence->sections[i].name,
				    section_json(&evidence->sections[i]));
	root = json_pack("{s:i, s:o}", "schema", EVIDENCE_SCHEMA, "sections", sections);
	text = root ? json_dumps(root, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;
	json_decref(root);
	if (!text)
		return NULL;
	line = text_format("%s\n", text);
	free(text);
	return line;
}
