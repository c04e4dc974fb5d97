/* SPDX-License-Identifier: MIT */
/* The inline part of stack.h. */
#ifndef TEK_STACK_READ_H
#define TEK_STACK_READ_H

#include <fcntl.h>
#include <sys/mman.h>

#define PAGEMAP_PRESENT (1ull << 63) /* Documentation/admin-guide/mm/pagemap.rst */
#define PAGEMAP_SWAPPED (1ull << 62)

/* First word in [from, limit) that is not zero, or limit. */
__attribute__((always_inline)) TEK_UNSANITIZED static inline uintptr_t
stack_scan_zeros(uintptr_t from, uintptr_t limit)
{
	for (; from < limit; from += sizeof(uintptr_t)) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): lo bounds it from below */
		if (*(const volatile uintptr_t *)from)
			break;
	}
	return from;
}

/* First word in [from, limit) that is not as painted, or limit. */
__attribute__((always_inline)) TEK_UNSANITIZED static inline uintptr_t
stack_scan_paint(uintptr_t from, uintptr_t limit)
{
	for (; from < limit; from += sizeof(uint32_t)) {
		if (*(const volatile uint32_t *)from != tek_paint(from))
			break;
	}
	return from & ~(uintptr_t)(sizeof(uintptr_t) - 1);
}

/* Index of the first touched one of @count pages from @start; @count if none; negative errno. */
__attribute__((always_inline)) TEK_UNSANITIZED static inline long
stack_first_resident(uintptr_t start, long count, unsigned char *buffer)
{
	long error =
		arch_call(SYS_mincore, (long)start, count * (long)tek_target.page, (long)buffer, 0);
	long i;

	if (error)
		return error;
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the kernel has filled it */
	for (i = 0; i < count && !(((volatile unsigned char *)buffer)[i] & 1); i++)
		continue;
	return i;
}

__attribute__((always_inline)) TEK_UNSANITIZED static inline long
stack_first_mapped(int pagemap, uintptr_t start, long count, unsigned char *buffer)
{
	const volatile uint64_t *entries = (const volatile uint64_t *)(void *)buffer;
	long got, i;

	got = arch_read_at(pagemap, (long)buffer, count * 8, (long)(start / tek_target.page) * 8);
	if (got != count * 8)
		return -1;
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the kernel has filled it */
	for (i = 0; i < count && !(entries[i] & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)); i++)
		continue;
	return i;
}

/* Start of the lowest touched page in [lo, limit), limit if none, 0 if it cannot be told. */
__attribute__((always_inline)) TEK_UNSANITIZED static inline uintptr_t
stack_first_page(uintptr_t lo, uintptr_t limit)
{
	unsigned char buffer[READING_BUFFER] __attribute__((aligned(8)));
	uintptr_t page = tek_target.page;
	uintptr_t at = lo & ~(page - 1);
	long chunk = tek_target.swap ? READING_BUFFER / 8 : READING_BUFFER;
	int pagemap = -1;

	if (tek_target.no_pages)
		return 0;
	if (tek_target.swap) {
		pagemap = (int)arch_call(SYS_openat, AT_FDCWD, (long)"/proc/self/pagemap",
					 O_RDONLY | O_CLOEXEC, 0);
		if (pagemap < 0)
			return 0;
	}
	while (at < limit) {
		long count = (long)((limit - at + page - 1) / page);
		long found;

		if (count > chunk)
			count = chunk;
		found = pagemap >= 0 ? stack_first_mapped(pagemap, at, count, buffer)
				     : stack_first_resident(at, count, buffer);
		if (found < 0) {
			at = 0;
			break;
		}
		at += (uintptr_t)found * page;
		if (found < count)
			break;
	}
	if (pagemap >= 0)
		arch_call(SYS_close, pagemap, 0, 0, 0);
	return at && at > limit ? limit : at;
}

__attribute__((always_inline)) TEK_UNSANITIZED static inline struct stack_reading
stack_read(uintptr_t lo, uintptr_t painted, uintptr_t limit)
{
	uintptr_t zeros = painted < limit ? painted : limit;
	struct stack_reading reading = { .page = zeros > lo ? stack_first_page(lo, zeros) : zeros };
	bool pages = reading.page != 0;

	if (reading.page < lo)
		reading.page = lo; /* a foreign stack that starts within a page */
	reading.low = stack_scan_zeros(reading.page, zeros);
	if (reading.low == zeros)
		reading.low = stack_scan_paint(zeros, limit);
	/*
	 * Paint and zeros tell more than the page, but whether a stack is fresh or was used before
	 * must not show in the bracket's upper end: it is a page's in every reading of a role.
	 */
	if (!pages || reading.page >= zeros)
		reading.page = reading.low < limit ? reading.low & ~(tek_target.page - 1)
						   : reading.low;
	if (reading.page < lo)
		reading.page = lo;
	return reading;
}

/*
 * Giving pages back costs a page fault each when the thread comes to use them: more than painting
 * what glibc's cache of stacks keeps (PTHREAD_STACK_MIN; 16 KiB on x86).
 */
#define PAINT_AT_MOST 65536u

__attribute__((always_inline)) TEK_UNSANITIZED static inline uintptr_t stack_clean(uintptr_t lo,
										   uintptr_t here)
{
	uintptr_t top = here & ~(tek_target.page - 1);
	uintptr_t from;

	if (top <= lo)
		return lo;
	from = stack_first_page(lo, top);
	if (from && top - from <= PAINT_AT_MOST)
		return from;
	if (!arch_call(SYS_madvise, (long)lo, (long)(top - lo), MADV_DONTNEED, 0))
		return top;
	return lo; /* locked memory: EINVAL */
}

#endif
