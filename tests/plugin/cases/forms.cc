/* SPDX-License-Identifier: MIT */
/* Forms that only C++ has; 8 sites. */
#include <pthread.h>
#include <stdio.h>

static pthread_t thread;

static void join()
{
	if (pthread_join(thread, 0))
		puts("no thread to join");
}

namespace media
{
struct player {
	static void *run(void *arg)
	{
		return arg;
	}

	int start()
	{
		return pthread_create(&thread, 0, run, this);
	}
};

void *decode(void *arg)
{
	return arg;
}
} // namespace media

namespace
{
void *hidden(void *arg)
{
	return arg;
}
} // namespace

template <typename T> void *generic(void *arg)
{
	return static_cast<T *>(arg);
}

inline int in_line()
{
	return pthread_create(&thread, 0, media::decode, 0);
}

struct starter {
	starter()
	{
		pthread_create(&thread, 0, media::decode, 0);
	}
};

int main()
{
	int result = 0;

	result |= media::player().start();
	join();
	result |= pthread_create(&thread, 0, media::decode, 0);
	join();
	result |= pthread_create(&thread, 0, hidden, 0);
	join();
	result |= pthread_create(&thread, 0, generic<int>, 0);
	join();
	result |= in_line();
	join();
	starter now;
	join();
	try {
		result |= pthread_create(&thread, 0, &media::player::run, 0);
	} catch (...) {
		result = 1;
	}
	join();
#if __cplusplus >= 201103L
	result |= pthread_create(
		&thread, 0, [](void *arg) -> void * { return arg; }, 0);
#else
	result |= pthread_create(&thread, 0, hidden, 0);
#endif
	join();
	(void)now;
	return result;
}
