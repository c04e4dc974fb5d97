/* SPDX-License-Identifier: MIT */
/* The picture of a report: stack given against stack used, role by role. */
#ifndef TEK_TOOL_SVG_H
#define TEK_TOOL_SVG_H

#include <stdio.h>

struct rows;

/* One SVG document. Return: 0 or -EIO. */
int svg_print(const struct rows *rows, FILE *to);

#endif
