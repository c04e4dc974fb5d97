/* SPDX-License-Identifier: MIT */
/* The inline part of stack.h. */
#ifndef TEK_STACK_READ_H
#define TEK_STACK_READ_H

#include <fcntl.h>

#define PAGEMAP_PRESENT (1ull << 63) /* Documentation/admin-guide/mm/pagemap.rst */
#define PAGEMAP_SWAPPED (1ull << 62)

/* First word in [from, limit) that differs from a cleaned one, or limit. */
__attribute__((always_inline)) TEK_UNSANITIZED static inline uintptr_t
stack_scan(uintptr_t from, uintptr_t limit, bool painted)
{
	uintptr_t at = from;

	if (painted) {
		for (at &= ~(uintptr_t)3; at < limit; at += 4) {
			if (*(const volatile uint32_t *)at != tek_paint(at))
				break;
		}
		return at & ~(uintptr_t)(sizeof(uintptr_t) - 1);
	}
	for (; at < limit; at += sizeof(uintptr_t)) {
		if (*(const volatile uintptr_t *)at)
			break;
	}
	return at;
}

/* Index of the first touched one of @count pages from @start; @count if none; negative errno. */
__attribute__((always_inline)) static inline long stack_first_resident(uintptr_t start, long count,
								       unsigned char *buffer)
{
	long error =
		arch_call(SYS_mincore, (long)start, count * (long)tek_target.page, (long)buffer, 0);
	long i;

	if (error)
		return error;
	for (i = 0; i < count && !(((volatile unsigned char *)buffer)[i] & 1); i++)
		continue;
	return i;
}

__attribute__((always_inline)) static inline long
stack_first_mapped(int pagemap, uintptr_t start, long count, unsigned char *buffer)
{
	const volatile uint64_t *entries = (const volatile uint64_t *)(void *)buffer;
	long got, i;

	got = arch_read_at(pagemap, (long)buffer, count * 8, (long)(start / tek_target.page * 8));
	if (got != count * 8)
		return -1;
	for (i = 0; i < count && !(entries[i] & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)); i++)
		continue;
	return i;
}

/* Start of the lowest touched page in [lo, limit), limit if none, 0 if it cannot be told. */
__attribute__((always_inline)) static inline uintptr_t stack_first_page(uintptr_t lo,
									uintptr_t limit)
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
stack_read(uintptr_t lo, uintptr_t limit, bool painted)
{
	struct stack_reading reading;

	/* Locked memory is resident everywhere: the paint alone tells, to the word. */
	reading.page = painted ? 0 : stack_first_page(lo, limit);
	if (reading.page && reading.page < lo)
		reading.page = lo; /* a foreign stack that starts within a page */
	reading.low = stack_scan(reading.page ? reading.page : lo, limit, painted);
	if (!reading.page)
		reading.page = painted ? reading.low : reading.low & ~(tek_target.page - 1);
	if (reading.page < lo)
		reading.page = lo;
	return reading;
}

#endif
