/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* C allows 127 arguments (C11 5.2.4.1); a larger number is a slip of the pen. */
#define MAX_ARGUMENT 127

struct argument {
	const char *plugin, *key, *value;
	char *message;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static int refuse(const struct argument *arg,
							const char *format, ...)
{
	va_list list;
	int used;

	used = snprintf(arg->message, arg->size, "-fplugin-arg-%s-%s%s%s: ", arg->plugin, arg->key,
			arg->value ? "=" : "", arg->value ? arg->value : "");
	if (used < 0 || (size_t)used >= arg->size)
		return -EINVAL;
	va_start(list, format);
	vsnprintf(arg->message + used, arg->size - (size_t)used, format, list);
	va_end(list);
	return -EINVAL;
}

static int parse_probe(struct tek_options *options, const struct argument *arg)
{
	static const struct {
		const char *name;
		enum tek_probe probe;
	} modes[] = { { "none", TEK_PROBE_NONE },
		      { "frames", TEK_PROBE_FRAMES },
		      { "all", TEK_PROBE_ALL } };

	for (size_t i = 0; arg->value && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(arg->value, modes[i].name) == 0) {
			options->probe = modes[i].probe;
			return 0;
		}
	}
	return refuse(arg, "no such probe; use none, frames or all");
}

/* Reads an argument number up to the end or the next colon; null if it is none. */
static const char *parse_number(const char *text, unsigned *number)
{
	unsigned value = 0;

	if (*text < '1' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		value = value * 10 + (unsigned)(*text - '0');
		if (value > MAX_ARGUMENT)
			return NULL;
	}
	if (*text != '\0' && *text != ':')
		return NULL;
	*number = value;
	return text;
}

static int add_creator(struct tek_options *options, const struct argument *arg, size_t length,
		       unsigned entry, unsigned name_arg)
{
	struct tek_creator *grown;
	char *name;

	for (size_t i = 0; i < options->creator_count; i++) {
		const char *known = options->creators[i].name;

		if (strlen(known) == length && memcmp(known, arg->value, length) == 0)
			return refuse(arg, "'%s' is given twice; give it once", known);
	}
	grown = realloc(options->creators, (options->creator_count + 1) * sizeof(*grown));
	if (grown)
		options->creators = grown;
	name = strndup(arg->value, length);
	if (!grown || !name) {
		free(name);
		refuse(arg, "out of memory");
		return -ENOMEM;
	}
	options->creators[options->creator_count++] =
		(struct tek_creator){ .name = name, .entry = entry, .name_arg = name_arg };
	return 0;
}

static int parse_creator(struct tek_options *options, const struct argument *arg)
{
	static const char form[] =
		"use NAME:ENTRY or NAME:ENTRY:NAMEARG, the arguments counted from 1";
	const char *rest, *colon;
	unsigned entry, name_arg = 0;

	colon = arg->value ? strchr(arg->value, ':') : NULL;
	if (!colon || colon == arg->value)
		return refuse(arg, "no function and argument number; %s", form);
	rest = parse_number(colon + 1, &entry);
	if (rest && *rest == ':')
		rest = parse_number(rest + 1, &name_arg);
	if (!rest || *rest)
		return refuse(arg, "not an argument number of 1 to %d; %s", MAX_ARGUMENT, form);
	if (name_arg == entry)
		return refuse(arg, "entry and name are the same argument; %s", form);
	return add_creator(options, arg, (size_t)(colon - arg->value), entry, name_arg);
}

int tek_options_parse(struct tek_options *options, const char *plugin, const char *key,
		      const char *value, char *message, size_t size)
{
	const struct argument arg = { plugin, key, value, message, size };

	if (strcmp(key, "probe") == 0)
		return parse_probe(options, &arg);
	if (strcmp(key, "creator") == 0)
		return parse_creator(options, &arg);
	return refuse(&arg, "unknown argument; there are probe and creator");
}

void tek_options_free(struct tek_options *options)
{
	for (size_t i = 0; i < options->creator_count; i++)
		free(options->creators[i].name);
	free(options->creators);
	*options = (struct tek_options)TEK_OPTIONS_DEFAULT;
}
