/* SPDX-License-Identifier: MIT */
/* tek sizes: from run files and earlier evidence to tek_stack_sizes.h and its json. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evidence.h"
#include "files.h"
#include "header.h"
#include "inputs.h"
#include "options.h"
#include "profile.h"
#include "target.h"
#include "tool.h"

static const char usage[] = "tek sizes -o FILE.h [--override-explicit|--keep-explicit] "
			    "FILE|DIR...";

enum explicit_rule {
	EXPLICIT_AS_IS,
	EXPLICIT_OVERRIDE,
	EXPLICIT_KEEP
};

static int failure(const char *path, int error, const char *what)
{
	tool_problem(path, "%s: %s; nothing was changed", what, strerror(-error));
	return -1;
}

/* The evidence so far, with the header's own lines as those in force. */
static int load(struct evidence *evidence, const char *json, const char *header, char **old_text,
		char **old_header)
{
	char why[EVIDENCE_WHY_SIZE];
	size_t size;
	int ret = evidence_load(evidence, json, why);

	if (ret && ret != -ENOENT) {
		tool_problem(json, "%s; nothing was changed", why);
		return -1;
	}
	*old_text = NULL;
	if (!ret)
		ret = files_read(json, old_text, &size);
	if (ret && ret != -ENOENT)
		return failure(json, ret, "cannot be read");
	ret = files_read(header, old_header, &size);
	if (ret && ret != -ENOENT)
		return failure(header, ret, "cannot be read");
	if (*old_header && header_foreign(*old_header)) {
		tool_problem(header, "is no sizes header; nothing was changed, name another file");
		return -1;
	}
	if (*old_header)
		header_take(evidence, *old_header);
	return 0;
}

static void apply_rule(struct evidence *evidence, enum explicit_rule rule)
{
	size_t i, k;

	for (i = 0; rule != EXPLICIT_AS_IS && i < evidence->section_count; i++) {
		for (k = 0; k < evidence->sections[i].role_count; k++) {
			struct evidence_role *role = &evidence->sections[i].roles[k];

			role->line.override = rule == EXPLICIT_OVERRIDE && role->line.usable &&
					      role->seen & EVIDENCE_EXPLICIT;
		}
	}
}

static void say_unknown_targets(const struct profile *profile)
{
	size_t i, k;

	for (i = 0; i < profile->run_count; i++) {
		const char *target = profile->runs[i].build.target;

		if (target_condition(profile->runs[i].section))
			continue;
		for (k = 0; k < i && profile->runs[k].build.target != target; k++)
			;
		if (k == i)
			tool_problem(*target ? target : "unknown target",
				     "no #if is known for it; its runs give no sizes");
	}
}

/* The json first: should the header not follow, the next run writes it from there. */
static int store(const struct evidence *evidence, const char *json, const char *header,
		 const char *old_text, const char *old_header, bool *changed)
{
	char *text = evidence_text(evidence), *lines = header_text(evidence);
	int ret = text && lines ? 0 : failure(header, -ENOMEM, "cannot be made");

	*changed = false;
	if (!ret && (!old_text || strcmp(text, old_text) != 0)) {
		ret = files_replace(json, text);
		if (ret)
			ret = failure(json, ret, "cannot be written");
	}
	if (!ret && (!old_header || !header_same(lines, old_header))) {
		ret = files_replace(header, lines);
		if (ret)
			tool_problem(header, "cannot be written: %s; the evidence is kept",
				     strerror(-ret));
		*changed = true;
	}
	free(text);
	free(lines);
	return ret;
}

static void summary(const struct evidence *evidence, const char *header, bool changed)
{
	unsigned with = 0, without = 0;
	size_t i, k;

	for (i = 0; i < evidence->section_count; i++)
		for (k = 0; k < evidence->sections[i].role_count; k++)
			if (evidence->sections[i].roles[k].line.usable)
				with++;
			else
				without++;
	printf("%s: %s; roles with a size: %u, without: %u\n", header,
	       changed ? "written" : "unchanged", with, without);
}

static int update(struct profile *profile, const char *header, const char *json,
		  enum explicit_rule rule)
{
	char *old_text = NULL, *old_header = NULL;
	struct evidence evidence;
	bool changed;
	int ret;

	ret = load(&evidence, json, header, &old_text, &old_header);
	if (!ret) {
		say_unknown_targets(profile);
		evidence_add(&evidence, profile);
		apply_rule(&evidence, rule);
		ret = store(&evidence, json, header, old_text, old_header, &changed);
	}
	if (!ret)
		summary(&evidence, header, changed);
	evidence_free(&evidence);
	free(old_text);
	free(old_header);
	return ret;
}

static int sizes(const char *header, enum explicit_rule rule, char **paths, int count)
{
	char *json = files_evidence_path(header);
	struct profile profile;
	bool skipped = false;
	int lock, ret = TOOL_NOTHING;

	if (strcmp(json, header) == 0) {
		options_mistake(header, "is where the evidence goes; name a .h file", usage);
		free(json);
		return ret;
	}
	profile_init(&profile);
	if (inputs_read(&profile, paths, count, &skipped)) {
		lock = files_lock_folder(header);
		if (lock < 0)
			failure(header, lock, "its folder cannot be opened");
		else if (update(&profile, header, json, rule) == 0)
			ret = skipped ? TOOL_SKIPPED : TOOL_DONE;
		if (lock >= 0)
			close(lock);
	}
	profile_free(&profile);
	free(json);
	return ret;
}

int cmd_sizes(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "override-explicit", no_argument, NULL, 'O' },
		{ "keep-explicit", no_argument, NULL, 'K' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	enum explicit_rule rule = EXPLICIT_AS_IS;
	const char *header = NULL;
	int letter;

	options_reset();
	while ((letter = options_next(argc, argv, ":o:h", options, usage)) != -1) {
		switch (letter) {
		case 'o':
			header = optarg;
			break;
		case 'O':
			rule = EXPLICIT_OVERRIDE;
			break;
		case 'K':
			rule = EXPLICIT_KEEP;
			break;
		case 'h':
			printf("usage: %s\n", usage);
			return TOOL_DONE;
		default:
			return TOOL_NOTHING;
		}
	}
	if (!header || !*header) {
		options_mistake("sizes", "no header given with -o", usage);
		return TOOL_NOTHING;
	}
	if (optind == argc) {
		options_mistake("sizes", "no run file given", usage);
		return TOOL_NOTHING;
	}
	return sizes(header, rule, argv + optind, argc - optind);
}
