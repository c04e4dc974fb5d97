/* SPDX-License-Identifier: MIT */
/* Whole files: read, replaced in one step, and the lock between two `tek sizes` of one header. */
#ifndef TEK_TOOL_FILES_H
#define TEK_TOOL_FILES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * files_read - a regular file's content, NUL-terminated
 * Return: 0; -ENOENT, -EINVAL (not a regular file), -EFBIG (above 256 MiB) or another errno.
 */
int files_read(const char *path, char **text, size_t *size);

/**
 * files_replace - give a file new content: old or new is there at every moment
 * A symbolic link is followed; the mode of an existing file is kept.
 * Return: 0 or a negative errno.
 */
int files_replace(const char *path, const char *text);

/* Waits for other `tek sizes` in the same folder. Return: descriptor to be closed, or -errno. */
int files_lock_folder(const char *path);

/* "dir/tek_stack_sizes.json" for "dir/tek_stack_sizes.h"; to be freed. */
char *files_evidence_path(const char *header);

#endif
