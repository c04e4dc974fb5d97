/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "tool.h"

void tool_problem(const char *subject, const char *format, ...)
{
	va_list arguments;

	flockfile(stderr);
	fputs("tek: ", stderr);
	if (subject)
		fprintf(stderr, "%s: ", subject);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	funlockfile(stderr);
}
