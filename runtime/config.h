/* SPDX-License-Identifier: MIT */
/* The configuration: /etc/tek.conf or $TEK_CONFIG, then TEK_* variables. Read once, at start. */
#ifndef TEK_CONFIG_H
#define TEK_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#define TEK_CONFIG_FILE "/etc/tek.conf"

struct tek_config {
	uint32_t low_percent;
	uint32_t high_percent;
	uint32_t sample_inside; /* ms; 0: no thread that samples */
	bool publish;
	bool keep; /* a published file stays after a clean exit */
	bool verbose;
	char out[1024]; /* pattern, made absolute; "" does not measure */
};

extern __attribute__((visibility("hidden"))) struct tek_config tek_config;

/**
 * config_read - fill tek_config
 * @secure: the environment is not trusted (AT_SECURE)
 *
 * Unknown keys and bad values are named on stderr, with file and line; the default stays.
 */
__attribute__((visibility("hidden"))) void config_read(bool secure);

/**
 * config_parse - apply the text of one file
 * @text: NUL-terminated, is cut into lines
 * @file: its name in messages
 *
 * Returns: the number of problems named.
 */
__attribute__((visibility("hidden"))) int config_parse(struct tek_config *config, char *text,
						       const char *file);

/**
 * config_check - put right what only both borders together can tell
 */
__attribute__((visibility("hidden"))) int config_check(struct tek_config *config, const char *file);

#endif
