/* SPDX-License-Identifier: MIT */
/* Which section of the header a target's sizes go to, and the #if that guards it. */
#ifndef TEK_TOOL_TARGET_H
#define TEK_TOOL_TARGET_H

#include <stdint.h>

/**
 * target_section - the section's name for a GNU target triple
 * @triple: "x86_64-linux-gnu"; "" if unknown: @machine (EM_*) and @elf_class decide
 * Return: a fixed text such as "x86_64" or "i386"; "unknown" if this tek cannot guard it.
 */
const char *target_section(const char *triple, uint16_t machine, uint8_t elf_class);

/* The preprocessor's condition for a section; NULL if it is none of ours. */
const char *target_condition(const char *section);

#endif
