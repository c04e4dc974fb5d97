/* SPDX-License-Identifier: MIT */
/* Names of functions in the modules (ELF files) that run files speak of. */
#ifndef TEK_TOOL_SYMBOLS_H
#define TEK_TOOL_SYMBOLS_H

#include <stdint.h>

struct symbols;

struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

/**
 * symbols_name - the function that starts at an offset of a module
 * @module: path of the ELF file; NULL if unknown
 * @offset: the function's address less the module's load address
 * @run_ns: when the program ran; a module written later is not the one that ran
 *
 * Says once per module on stderr why it can name nothing.
 * Return: the assembler name, to be freed, or NULL.
 */
char *symbols_name(struct symbols *symbols, const char *module, uint64_t offset, uint64_t run_ns);

#endif
