/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "message.h"

#define LOW_PERCENT 40u /* the reference's borders */
#define HIGH_PERCENT 75u
#define LARGEST_FILE 65536

struct tek_config tek_config = { .low_percent = LOW_PERCENT, .high_percent = HIGH_PERCENT };

enum kind {
	PERCENT,
	SWITCH,
	PERIOD,
	TEXT
};

static const struct key {
	const char *name;
	const char *variable;
	enum kind kind;
	size_t offset;
} keys[] = {
	{ "low_percent", "TEK_LOW_PERCENT", PERCENT, offsetof(struct tek_config, low_percent) },
	{ "high_percent", "TEK_HIGH_PERCENT", PERCENT, offsetof(struct tek_config, high_percent) },
	{ "sample_inside", "TEK_SAMPLE_INSIDE", PERIOD,
	  offsetof(struct tek_config, sample_inside) },
	{ "publish", "TEK_PUBLISH", SWITCH, offsetof(struct tek_config, publish) },
	{ "keep", "TEK_KEEP", SWITCH, offsetof(struct tek_config, keep) },
	{ "verbose", "TEK_VERBOSE", SWITCH, offsetof(struct tek_config, verbose) },
	{ "out", "TEK_OUT", TEXT, offsetof(struct tek_config, out) },
};

static const char *set_number(uint32_t *field, const char *value, unsigned long least,
			      unsigned long most, const char *wanted)
{
	unsigned long number;
	char *end;

	if (*value < '0' || *value > '9')
		return wanted;
	errno = 0;
	number = strtoul(value, &end, 10);
	if (errno || *end || number < least || number > most)
		return wanted;
	*field = (uint32_t)number;
	return NULL;
}

static const char *set_switch(bool *field, const char *value)
{
	static const char *const on[] = { "on", "1", "yes", "true" };
	static const char *const off[] = { "off", "0", "no", "false" };
	size_t i;

	for (i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
		if (!strcmp(value, on[i]) || !strcmp(value, off[i])) {
			*field = !strcmp(value, on[i]);
			return NULL;
		}
	}
	return "on or off";
}

/* Null, or what the value should have been. */
static const char *set(struct tek_config *config, const struct key *key, const char *value)
{
	char *field = (char *)config + key->offset;

	switch (key->kind) {
	case PERCENT:
		return set_number((uint32_t *)(void *)field, value, 1, 100,
				  "a number from 1 to 100");
	case PERIOD:
		return set_number((uint32_t *)(void *)field, value, 0, 86400000,
				  "milliseconds, 0 to 86400000");
	case SWITCH:
		return set_switch((bool *)field, value);
	case TEXT:
		if (strlen(value) >= sizeof(config->out))
			return "a path of less than 1024 bytes";
		memcpy(field, value, strlen(value) + 1);
		return NULL;
	}
	return NULL;
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (*text == ' ' || *text == '\t')
		text++;
	while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	*end = '\0';
	return text;
}

static int parse_line(struct tek_config *config, char *line, const char *file, unsigned int number)
{
	char *value = strchr(line, '=');
	const char *wanted;
	size_t i;

	line = trim(line);
	if (!*line || *line == '#')
		return 0;
	if (!value) {
		message("%s:%u: `%s' is not KEY = VALUE; correct or remove the line", file, number,
			line);
		return 1;
	}
	*value++ = '\0';
	line = trim(line);
	value = trim(value);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(line, keys[i].name) != 0)
			continue;
		wanted = set(config, &keys[i], value);
		if (!wanted)
			return 0;
		message("%s:%u: %s: bad value `%s', the default is used; give %s", file, number,
			line, value, wanted);
		return 1;
	}
	message("%s:%u: unknown key `%s' is ignored; see tek.conf(5)", file, number, line);
	return 1;
}

int config_parse(struct tek_config *config, char *text, const char *file)
{
	unsigned int number = 1;
	int problems = 0;
	char *line = text;

	for (; line; number++) {
		char *next = strchr(line, '\n');

		if (next)
			*next++ = '\0';
		problems += parse_line(config, line, file, number);
		line = next;
	}
	return problems;
}

int config_check(struct tek_config *config, const char *file)
{
	if (config->low_percent < config->high_percent)
		return 0;
	message("%s: low_percent %u is not below high_percent %u, the defaults %u and %u are used; "
		"correct one of them",
		file, config->low_percent, config->high_percent, LOW_PERCENT, HIGH_PERCENT);
	config->low_percent = LOW_PERCENT;
	config->high_percent = HIGH_PERCENT;
	return 1;
}

static void read_file(const char *file, bool wanted)
{
	static char text[LARGEST_FILE + 1];
	/* Not blocked by a fifo without a writer. */
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;
	size_t length = 0;
	ssize_t got;

	if (fd < 0) {
		/* No file at the usual place is the usual case. */
		if (wanted || errno != ENOENT)
			message("%s: %s; the defaults are used", file, strerror(errno));
		return;
	}
	/* /dev/null is the usual way to say: no configuration. */
	if (fstat(fd, &status) || S_ISFIFO(status.st_mode) || S_ISDIR(status.st_mode) ||
	    S_ISSOCK(status.st_mode)) {
		message("%s: not a file; the defaults are used, name a file in TEK_CONFIG", file);
		close(fd);
		return;
	}
	do {
		got = read(fd, text + length, LARGEST_FILE - length);
		if (got > 0)
			length += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0)
		message("%s: %s; the defaults are used", file, strerror(errno));
	else if (length == LARGEST_FILE)
		message("%s: longer than %d bytes, the defaults are used; shorten it", file,
			LARGEST_FILE);
	else
		config_parse(&tek_config, text, file);
	close(fd);
}

static void read_environment(void)
{
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = getenv(keys[i].variable);
		const char *wanted = value && *value ? set(&tek_config, &keys[i], value) : NULL;

		if (wanted)
			message("%s: bad value `%s', the default is used; give %s",
				keys[i].variable, value, wanted);
	}
}

void config_read(bool secure)
{
	const char *file = secure ? NULL : getenv("TEK_CONFIG");

	read_file(file && *file ? file : TEK_CONFIG_FILE, file && *file);
	if (!secure)
		read_environment();
	config_check(&tek_config, file && *file ? file : TEK_CONFIG_FILE);
}
