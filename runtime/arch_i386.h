/* SPDX-License-Identifier: MIT */
/* 32-bit x86. */
#ifndef TEK_ARCH_I386_H
#define TEK_ARCH_I386_H

#include <elf.h>
#include <sys/syscall.h>

#define ARCH_ELF_MACHINE EM_386

/*
 * A system call that writes nothing below the caller's SP and leaves errno alone. -errno on error.
 * int $0x80 and not the vDSO's entry, which pushes.
 */
__attribute__((always_inline)) static inline long arch_call(long number, long a, long b, long c,
							    long d)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d)
			 : "memory");
	return result;
}

__attribute__((always_inline)) static inline uintptr_t arch_sp(void)
{
	uintptr_t sp;

	__asm__ volatile("mov %%esp, %0" : "=r"(sp));
	return sp;
}

/* The address that thread-local objects of the initial-exec model have a fixed distance to. */
__attribute__((always_inline)) static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mov %%gs:0, %0" : "=r"(pointer));
	return pointer;
}

/* pread(2) in the manner of arch_call(). */
__attribute__((always_inline)) static inline long arch_read_at(long fd, long buffer, long length,
							       long offset)
{
	/* pread64 would take the offset in two registers; the descriptor is the reader's own. */
	long error = arch_call(SYS_lseek, fd, offset, 0, 0);

	return error < 0 ? error : arch_call(SYS_read, fd, buffer, length, 0);
}

#endif
