/* SPDX-License-Identifier: MIT */
/* Zeros alone: no scan finds their lowest word, a probe knows it. */
void descend(void);
void descend(void)
{
	volatile char bytes[100000];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = 0;
}
