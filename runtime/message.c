/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "message.h"

void message(const char *format, ...)
{
	char line[1400] = "tek: ";
	const size_t start = 5;
	int saved = errno;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line + start, sizeof(line) - start - 1, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	length += (int)start;
	if ((size_t)length > sizeof(line) - 2)
		length = (int)sizeof(line) - 2;
	line[length++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		errno = saved; /* nobody to tell */
	errno = saved;
}
