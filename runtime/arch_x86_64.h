/* SPDX-License-Identifier: MIT */
/* x86-64 (the LP64 ABI). */
#ifndef TEK_ARCH_X86_64_H
#define TEK_ARCH_X86_64_H

#include <elf.h>
#include <sys/syscall.h>

#define ARCH_ELF_MACHINE EM_X86_64

/* A system call that writes nothing below the caller's SP and leaves errno alone. -errno on error. */
__attribute__((always_inline)) static inline long arch_call(long number, long a, long b, long c,
							    long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

__attribute__((always_inline)) static inline uintptr_t arch_sp(void)
{
	uintptr_t sp;

	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
	return sp;
}

/* The address that thread-local objects of the initial-exec model have a fixed distance to. */
__attribute__((always_inline)) static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

/* pread(2) in the manner of arch_call(). */
__attribute__((always_inline)) static inline long arch_read_at(long fd, long buffer, long length,
							       long offset)
{
	return arch_call(SYS_pread64, fd, buffer, length, offset);
}

#endif
