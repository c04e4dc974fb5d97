/* SPDX-License-Identifier: MIT */
/* What a fuzzer and the replay of a corpus share: one function an input. */
#ifndef TEK_TESTS_FUZZ_H
#define TEK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process if @holds is false: a finding like a crash. */
static inline void fuzz_require(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: not true: %s\n", what);
	abort();
}

#endif
