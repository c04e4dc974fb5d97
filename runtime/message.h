/* SPDX-License-Identifier: MIT */
#ifndef TEK_MESSAGE_H
#define TEK_MESSAGE_H

/**
 * message - one line on stderr: "tek: TEXT"
 *
 * One write(2), no stdio, no allocation; keeps errno.
 */
__attribute__((visibility("hidden"), format(printf, 1, 2))) void message(const char *format, ...);

#endif
