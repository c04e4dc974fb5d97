/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* In place of the tool's own: every line is formatted, none is shown; each must be one line. */
void tool_problem(const char *subject, const char *format, ...)
{
	char line[8192];
	va_list arguments;

	(void)subject;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	fuzz_require(!strchr(line, '\n'), "a problem is one line");
}
