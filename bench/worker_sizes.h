/* SPDX-License-Identifier: MIT */
/* What tuning would give threads_child's worker: 4 KiB used, its entry, margin and exit path. */
#ifdef __TEK__
#pragma tek stack("worker", 12288)
#endif
