/* SPDX-License-Identifier: MIT */
struct player {
	[[gnu::tek_role("member")]] int field; /* tek-error: tek: 'tek_role' belongs on a function that a thread starts in */
};
