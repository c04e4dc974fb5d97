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
 * glibc's pthread_t is the address of the thread block, at the upper end of the mapping that holds
 * the stack; musl's lies above the stack in the same mapping. So the page after it bounds the
 * stack, and what was asked for ends at or above the true end: from there the walk goes down to
 * the guard page, beyond what was asked for when glibc's cache gave a larger stack.
 */
uintptr_t stack_end(uintptr_t cfa, size_t asked, bool walk)
{
	uintptr_t page = tek_target.page;
	uintptr_t top = (arch_thread_pointer() & ~(page - 1)) + page;
	uintptr_t highest = cfa & ~(page - 1);
	uintptr_t lo;

	if (top < cfa)
		top = highest + page;
	lo = (top - asked + page - 1) & ~(page - 1);
	if (lo > highest || lo > top)
		lo = highest;
	if (!walk)
		return lo;
	while (lo < highest && !readable(lo))
		lo += page;
	while (readable(lo - page))
		lo -= page;
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
