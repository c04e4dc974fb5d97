/* SPDX-License-Identifier: MIT */
/* Reader of tek_stack_sizes.json. The form is described in tek-sizes(1), section FILES. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "evidence.h"
#include "files.h"

const struct evidence_word evidence_words[EVIDENCE_WORDS] = {
	{ "explicit", EVIDENCE_EXPLICIT },     { "foreign", EVIDENCE_FOREIGN },
	{ "partial", EVIDENCE_PARTIAL },       { "ran", EVIDENCE_RAN },
	{ "sanitized", EVIDENCE_SANITIZED },   { "saturated", EVIDENCE_SATURATED },
	{ "unmeasured", EVIDENCE_UNMEASURED },
};

/* Where a value was wrong: said once, the first place wins. */
struct parser {
	struct evidence *evidence;
	char *why;
	bool bad;
};

static void complain(struct parser *parser, const char *key, const char *wanted)
{
	if (!parser->bad)
		snprintf(parser->why, EVIDENCE_WHY_SIZE,
			 "\"%.60s\" is not %s; restore the file, or remove it to start anew", key,
			 wanted);
	parser->bad = true;
}

static uint64_t get_number(struct parser *parser, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < 0 || number > EVIDENCE_LARGEST) {
		complain(parser, key, "a number of bytes or runs");
		return 0;
	}
	return (uint64_t)number;
}

static const char *get_text(struct parser *parser, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_string(value)) {
		complain(parser, key, "a text");
		return "";
	}
	return names_put(&parser->evidence->names, json_string_value(value));
}

static bool get_flag(struct parser *parser, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_boolean(value))
		complain(parser, key, "true or false");
	return json_is_true(value);
}

/* @length digits of base 16. */
static uint64_t get_hex(struct parser *parser, const json_t *value, const char *key)
{
	const char *text = json_string_value(value);

	if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) {
		complain(parser, key, "made of 16 hexadecimal digits");
		return 0;
	}
	return strtoull(text, NULL, 16);
}

static json_t *get_array(struct parser *parser, const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	if (!json_is_array(value))
		complain(parser, key, "a list");
	return value;
}

static json_t *get_object(struct parser *parser, const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	if (!json_is_object(value))
		complain(parser, key, "an object");
	return value;
}

static void parse_builds(struct parser *parser, struct evidence_section *section,
			 const json_t *object)
{
	const json_t *builds = get_array(parser, object, "builds"), *build;
	const json_t *current = json_object_get(object, "current");
	size_t i;

	if (json_array_size(builds) > EVIDENCE_BUILDS)
		complain(parser, "builds", "a list of at most 8");
	for (i = 0; i < json_array_size(builds) && !parser->bad; i++) {
		build = json_array_get(builds, i);
		section->builds[i] = (struct build){
			.target = get_text(parser, build, "target"),
			.compiler = get_text(parser, build, "compiler"),
			.libc = get_text(parser, build, "libc"),
			.options = get_hex(parser, json_object_get(build, "options"), "options"),
		};
		section->build_runs[i] = get_number(parser, build, "runs");
		section->build_newest[i] = get_number(parser, build, "newest_ns");
		if (!section->build_runs[i])
			complain(parser, "runs", "above 0");
	}
	if (json_is_null(current))
		return;
	section->current = (int)get_number(parser, object, "current");
	if (section->current < 0 || section->current >= (int)json_array_size(builds))
		complain(parser, "current", "the place of a build");
}

static void parse_runs(struct parser *parser, struct evidence_section *section,
		       const json_t *object)
{
	const json_t *runs = get_array(parser, object, "runs");
	size_t i, count = json_array_size(runs);

	section->run_ids = text_grow(NULL, &section->run_capacity, count, sizeof(uint64_t));
	for (i = 0; i < count && !parser->bad; i++) {
		section->run_ids[i] = get_hex(parser, json_array_get(runs, i), "runs");
		if (i && section->run_ids[i] <= section->run_ids[i - 1])
			complain(parser, "runs", "in rising order");
	}
	section->run_count = i;
}

static int get_build(struct parser *parser, const struct evidence_section *section,
		     const json_t *object)
{
	uint64_t build;

	if (json_is_null(json_object_get(object, "build")))
		return -1;
	build = get_number(parser, object, "build");
	if (build >= EVIDENCE_BUILDS || !section->build_runs[build]) {
		complain(parser, "build", "the place of a build");
		return -1;
	}
	return (int)build;
}

static void parse_line(struct parser *parser, const struct evidence_section *section,
		       struct evidence_role *role, const json_t *line)
{
	role->line = (struct evidence_line){
		.usable = get_number(parser, line, "usable"),
		.peak = get_number(parser, line, "peak"),
		.margin = get_number(parser, line, "margin"),
		.exit_reserve = get_number(parser, line, "exit_reserve"),
		.override = get_flag(parser, line, "override"),
		.build = get_build(parser, section, line),
	};
}

static void parse_reading(struct parser *parser, const struct evidence_section *section,
			  struct evidence_role *role, const json_t *object)
{
	int build = get_build(parser, section, object);

	if (build < 0) {
		complain(parser, "build", "the place of a build");
		return;
	}
	role->builds[build] = (struct evidence_reading){
		.sound = get_flag(parser, object, "whole"),
		.exit_needed = get_flag(parser, object, "exit_needed"),
		.peak_low = get_number(parser, object, "peak_low"),
		.peak_high = get_number(parser, object, "peak_high"),
		.bound = get_number(parser, object, "bound"),
		.instances = get_number(parser, object, "instances"),
		.runs = { .runs = get_number(parser, object, "runs"),
			  .last_raise = get_number(parser, object, "last_raise") },
	};
}

static void parse_role(struct parser *parser, struct evidence_section *section, const char *name,
		       const json_t *object)
{
	struct evidence_role *role = evidence_role(parser->evidence, section, name);
	const json_t *seen = get_array(parser, object, "seen");
	const json_t *readings = get_array(parser, object, "readings");
	const json_t *line = json_object_get(object, "line");
	size_t i, k;

	if (!*name)
		complain(parser, "roles", "named");
	for (i = 0; i < json_array_size(seen); i++) {
		const char *text = json_string_value(json_array_get(seen, i));

		for (k = 0; k < EVIDENCE_WORDS; k++)
			if (text && strcmp(text, evidence_words[k].name) == 0)
				break;
		if (k == EVIDENCE_WORDS)
			complain(parser, "seen", "a list of known words");
		else
			role->seen |= evidence_words[k].bit;
	}
	if (!json_is_null(line))
		parse_line(parser, section, role, line);
	for (i = 0; i < json_array_size(readings); i++)
		parse_reading(parser, section, role, json_array_get(readings, i));
}

static void parse_section(struct parser *parser, const char *name, json_t *object)
{
	struct evidence_section *section = evidence_section(parser->evidence, name);
	json_t *roles, *role;
	const char *role_name;

	section->page_size = get_number(parser, object, "page_size");
	section->overhead = get_number(parser, object, "overhead");
	section->signal_reserve = get_number(parser, object, "signal_reserve");
	section->minimum_stack = get_number(parser, object, "minimum_stack");
	section->in_row = get_number(parser, object, "runs_in_row");
	if (section->page_size & (section->page_size - 1) || section->page_size > (16u << 20))
		complain(parser, "page_size", "a page size");
	parse_builds(parser, section, object);
	parse_runs(parser, section, object);
	roles = get_object(parser, object, "roles");
	json_object_foreach(roles, role_name, role)
	{
		if (parser->bad)
			break;
		parse_role(parser, section, role_name, role);
	}
}

static int parse_root(struct parser *parser, json_t *root)
{
	const json_t *schema = json_object_get(root, "schema");
	json_t *sections, *section;
	const char *name;

	if (!json_is_integer(schema)) {
		complain(parser, "schema", "a number: not a file of tek sizes");
		return -EBADMSG;
	}
	if (json_integer_value(schema) != EVIDENCE_SCHEMA) {
		snprintf(parser->why, EVIDENCE_WHY_SIZE,
			 "its form is version %" JSON_INTEGER_FORMAT
			 ", this tek knows %d; use the tek that wrote it",
			 json_integer_value(schema), EVIDENCE_SCHEMA);
		return -EPROTONOSUPPORT;
	}
	sections = get_object(parser, root, "sections");
	json_object_foreach(sections, name, section)
	{
		if (parser->bad)
			break;
		parse_section(parser, name, section);
	}
	return parser->bad ? -EBADMSG : 0;
}

int evidence_parse(struct evidence *evidence, const char *text, size_t size,
		   char why[EVIDENCE_WHY_SIZE])
{
	struct parser parser = { .evidence = evidence, .why = why };
	json_error_t error;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	int ret;

	memset(evidence, 0, sizeof(*evidence));
	if (!root) {
		snprintf(why, EVIDENCE_WHY_SIZE,
			 "line %d is not JSON (%.80s); restore the file, or remove it to start "
			 "anew",
			 error.line, error.text);
		return -EBADMSG;
	}
	ret = parse_root(&parser, root);
	json_decref(root);
	if (ret)
		evidence_free(evidence);
	return ret;
}

int evidence_load(struct evidence *evidence, const char *path, char why[EVIDENCE_WHY_SIZE])
{
	size_t size;
	char *text;
	int ret = files_read(path, &text, &size);

	memset(evidence, 0, sizeof(*evidence));
	if (ret) {
		snprintf(why, EVIDENCE_WHY_SIZE, "cannot be read: %s", strerror(-ret));
		return ret;
	}
	ret = evidence_parse(evidence, text, size, why);
	free(text);
	return ret;
}
