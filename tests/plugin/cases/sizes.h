/* SPDX-License-Identifier: MIT */
#ifdef __TEK__
#pragma tek stack("gas detection", 4096)
#pragma tek stack("worker@roles.c", 5120, override)
#pragma tek stack("worker", 6144)
#pragma tek stack("say \"hi\"\\ to m\303\274ller", 0x2000)
#endif
