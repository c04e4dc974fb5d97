/* SPDX-License-Identifier: MIT */
/* What is asked of the C library beyond its documented interface, and how to do without. */
#ifndef TEK_LIBC_H
#define TEK_LIBC_H

#include <pthread.h>
#include <stddef.h>

/* libc_minstack - glibc's __pthread_get_minstack(), or 0 where it cannot be reached */
__attribute__((visibility("hidden"))) size_t libc_minstack(const pthread_attr_t *attr);

/* libc_static_tls - an upper bound of thread block and thread-local objects, in bytes */
__attribute__((visibility("hidden"))) size_t libc_static_tls(void);

/*
 * libc_block_gap - at most this many bytes lie unused above the thread block
 *
 * The block is put below the stack's upper end at the alignment of the strictest thread-local object.
 */
__attribute__((visibility("hidden"))) size_t libc_block_gap(void);

/* libc_name - "glibc 2.36", "musl" */
__attribute__((visibility("hidden"))) const char *libc_name(void);

#endif
