/* SPDX-License-Identifier: MIT */
void *a(void *) __attribute__((tek_role("one"))); /* tek-note: tek: the role before is here */
void *a(void *);
void *a(void *) __attribute__((tek_role("one")));
void *a(void *) __attribute__((tek_role("two"))); /* tek-error: tek: 'a' has role 'two' here and role 'one' before */

void *b(void *) __attribute__((tek_role(3))); /* tek-error: tek: the argument of 'tek_role' is no string; write 'tek_role("...")' */
void *c(void *) __attribute__((tek_role(""))); /* tek-error: tek: the role is empty; write 'tek_role("...")' */
void *d(void *) __attribute__((tek_role("a\nb"))); /* tek-error: tek: the role has a control character in it */
void *i(void *) __attribute__((tek_role("a\xff"))); /* tek-error: tek: the role is no UTF-8 text */
void *j(void *) __attribute__((tek_role("K\303\244se")));
void *k(void *) __attribute__((tek_role("\355\240\200"))); /* tek-error: tek: the role is no UTF-8 text */
void *l(void *) __attribute__((tek_role("\342\202"))); /* tek-error: tek: the role is no UTF-8 text */
void *e(void *) __attribute__((tek_role(L"wide"))); /* tek-error: tek: the argument of 'tek_role' is no string; write 'tek_role("...")' */
int f __attribute__((tek_role("variable"))); /* tek-error: tek: 'tek_role' belongs on a function that a thread starts in */
typedef void *g(void *) __attribute__((tek_role("type"))); /* tek-error: tek: 'tek_role' belongs on a function that a thread starts in */
int h __attribute__((tek_time_critical)); /* tek-error: tek: 'tek_time_critical' belongs on a function that a thread starts in */
