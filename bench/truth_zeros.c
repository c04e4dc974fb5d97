// SPDX-License-Identifier: MIT
#include "truth.h"

#include <stddef.h>

void truth_zeros(void)
{
	volatile unsigned char buffer[12288];

	for (size_t i = 0; i < sizeof(buffer); i++)
		buffer[i] = 0;
}
