// SPDX-License-Identifier: MIT
#include "hub.h"

/* The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable PRNGs, 2014). */
static uint64_t finalize(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
	return value ^ (value >> 31);
}

uint64_t input_next(struct task *task)
{
	task->random += 0x9e3779b97f4a7c15u;
	return finalize(task->random);
}

uint32_t input_range(struct task *task, uint32_t low, uint32_t high)
{
	return low + (uint32_t)(input_next(task) % (high - low + 1u));
}

double input_real(struct task *task, double low, double high)
{
	return low + (high - low) * (double)(input_next(task) >> 40) / 16777216.0;
}

uint64_t mix(uint64_t hash, uint64_t value)
{
	return finalize(hash * 0x9e3779b97f4a7c15u + value + 1u);
}

uint64_t mix_bytes(uint64_t hash, const void *bytes, size_t count)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3u;
	return hash;
}
