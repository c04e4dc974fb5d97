/* SPDX-License-Identifier: MIT */
/* A method, a namespace's function and a local object of that name: no site. */
namespace my
{
int pthread_create(void *, const void *, void *(*)(void *), void *);
}

struct X {
	static int thrd_create(void *, int (*)(void *), void *);
	int pthread_create(void *, const void *, void *(*)(void *), void *);
};

int pthread_create(int, int, int, int);

int use(X &x)
{
	struct {
		int operator()(void *, void *, void *, void *)
		{
			return 0;
		}
	} local;
	auto &pthread_create_too = local;

	return my::pthread_create(0, 0, 0, 0) + X::thrd_create(0, 0, 0) +
	       x.pthread_create(0, 0, 0, 0) + pthread_create(1, 2, 3, 4) +
	       pthread_create_too(0, 0, 0, 0);
}
