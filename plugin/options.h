/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's arguments. No GCC header, so that the parser can be tested on its own. */
#ifndef TEK_PLUGIN_OPTIONS_H
#define TEK_PLUGIN_OPTIONS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tek_probe {
	TEK_PROBE_NONE,
	TEK_PROBE_FRAMES,
	TEK_PROBE_ALL
};

/* A project's own thread-creating function. Argument numbers count from 1. */
struct tek_creator {
	char *name;	   /* assembler name */
	unsigned entry;	   /* the argument that is the start routine */
	unsigned name_arg; /* the argument that names the thread; 0: none */
};

struct tek_options {
	enum tek_probe probe;
	struct tek_creator *creators;
	size_t creator_count;
};

#define TEK_OPTIONS_DEFAULT               \
	{                                 \
		TEK_PROBE_FRAMES, NULL, 0 \
	}

/*
 * Takes one -fplugin-arg-PLUGIN-KEY[=VALUE]; value is null where there is no `=`. Returns 0,
 * -EINVAL or -ENOMEM, and in the latter cases has put one sentence without a newline in message.
 */
int tek_options_parse(struct tek_options *options, const char *plugin, const char *key,
		      const char *value, char *message, size_t size);

void tek_options_free(struct tek_options *options);

#ifdef __cplusplus
}
#endif

#endif
