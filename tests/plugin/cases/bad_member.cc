/* SPDX-License-Identifier: MIT */
struct player {
	[[gnu::tek_role("one")]] static void *run(void *); /* tek-note: tek: the role before is here */
};

[[gnu::tek_role("two")]] void *player::run(void *arg) /* tek-error: tek: 'static void* player::run(void*)' has role 'two' here and role 'one' before */
{
	return arg;
}
