/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>

#include "stack.h"

/*
 * Can the page be read? rt_sigprocmask copies the set before it looks at `how`, which is invalid:
 * EINVAL if the page could be read, EFAULT if not, and nothing has changed either way.
 */
static bool readable(uintptr_t page)
{
	return arch_call(SYS_rt_sigprocmask, ~0l, (long)page, 0, 8) != -EFAULT;
}

/*
 * glibc keeps { stackblock, stackblock_size, guardsize } in its thread block, at an offset that is
 * its own affair. A walk over the stack finds the words that say the same; from then on they spare
 * the walk, whose probes are page faults. They are believed only while they fit the thread.
 */
static uint32_t block_words; /* offset from the thread pointer, in words; 0: not known */

TEK_UNSANITIZED static uintptr_t block_says(const uintptr_t *block, uintptr_t top)
{
	uintptr_t page = tek_target.page;

	if (block[0] + block[1] != top || block[1] >= top || !block[2] || block[2] % page ||
	    block[2] >= block[1])
		return 0;
	return block[0] + block[2];
}

static void learn_block(uintptr_t pointer, uintptr_t top, uintptr_t lo)
{
	const uintptr_t *words = (const uintptr_t *)pointer;
	uint32_t count = (uint32_t)((top - pointer) / sizeof(*words));
	uint32_t i;

	for (i = 1; i + 2 < count; i++) {
		if (block_says(words + i, top) == lo) {
			__atomic_store_n(&block_words, i, __ATOMIC_RELAXED);
			return;
		}
	}
}

static uintptr_t walk_down(uintptr_t lo, uintptr_t highest)
{
	uintptr_t page = tek_target.page;

	while (lo < highest && !readable(lo))
		lo += page;
	while (readable(lo - page))
		lo -= page;
	return lo;
}

/*
 * glibc's pthread_t is the address of the thread block, at the upper end of the mapping that holds
 * the stack; musl's lies above the stack in the same mapping. So the page after it bounds the
 * stack, and what was asked for ends at or above the true end: from there the walk goes down to
 * the guard page, beyond what was asked for when glibc's cache gave a larger stack.
 */
uintptr_t stack_end(uintptr_t cfa, size_t asked, bool walk)
{
	uintptr_t page = tek_target.page;
	uintptr_t pointer = arch_thread_pointer();
	uintptr_t top = (pointer & ~(page - 1)) + page;
	uintptr_t highest = cfa & ~(page - 1);
	uint32_t known = __atomic_load_n(&block_words, __ATOMIC_RELAXED);
	uintptr_t lo;

	if (top < cfa)
		top = highest + page;
	lo = (top - asked + page - 1) & ~(page - 1);
	if (lo > highest || lo > top)
		lo = highest;
	if (!walk)
		return lo;
	if (known && pointer > cfa) {
		uintptr_t told = block_says((const uintptr_t *)pointer + known, top);

		if (told && told <= highest)
			return told;
	}
	lo = walk_down(lo, highest);
	if (pointer > cfa)
		learn_block(pointer, top, lo);
	return lo;
}

/* A page below the mapping must not be read: the kernel would grow the stack. mincore does not. */
uintptr_t stack_mapping_start(uintptr_t sp)
{
	uintptr_t page = tek_target.page;
	uintptr_t start = sp & ~(page - 1);
	unsigned char touched;

	while (start > page &&
	       !arch_call(SYS_mincore, (long)(start - page), (long)page, (long)&touched, 0))
		start -= page;
	return start;
}
