/* SPDX-License-Identifier: MIT */
/* The like for C++20: exceptions, coroutines, thunks, templates, thread_local. */
#include <coroutine>
#include <cstdio>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int pthread_join_throwing(pthread_t, void **) __asm__("pthread_join");

struct generator {
	struct promise_type {
		int value = 0;

		generator get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(int next)
		{
			value = next;
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			throw;
		}
	};

	std::coroutine_handle<promise_type> handle;
};

static void *worker(void *arg)
{
	return arg;
}

static generator count(int n)
{
	char block[100];

	for (int i = 0; i < n; i++) {
		pthread_t thread;

		block[i] = static_cast<char>(i);
		if (pthread_create(&thread, nullptr, worker, block))
			throw std::runtime_error("no thread");
		pthread_join_throwing(thread, nullptr);
		co_yield block[i] * 2;
	}
}

struct first {
	int a = 1;
	virtual ~first() = default;
	virtual int get(int n)
	{
		return n + a;
	}
};

struct second {
	int b = 2;
	virtual ~second() = default;
	virtual int give(int n)
	{
		char block[300];

		snprintf(block, sizeof(block), "%d", n);
		return block[0] + b;
	}
};

struct both : first, second {
	int give(int n) override
	{
		return second::give(n) + get(n);
	}
};

static int total(int depth)
{
	std::vector<int> values(static_cast<size_t>(depth + 1), depth);

	if (depth == 7)
		throw std::out_of_range("seven");
	return values[0] + (depth < 9 ? total(depth + 1) : 0);
}

struct noisy {
	const char *name;

	explicit noisy(const char *text) : name(text)
	{
		pthread_t thread;

		if (!pthread_create(&thread, nullptr, worker, this))
			pthread_join(thread, nullptr);
	}
	~noisy()
	{
		puts(name);
	}
};

static thread_local std::string local = "local";

int main()
{
	noisy outer("outer");
	both object;
	second *half = &object;

	generator numbers = count(4);
	while (numbers.handle.resume(), !numbers.handle.done())
		printf("%d\n", numbers.handle.promise().value);
	numbers.handle.destroy();
	printf("%d\n", half->give(42));
	try {
		noisy inner("inner");

		printf("%d\n", total(3));
	} catch (const std::out_of_range &problem) {
		printf("%s %s\n", problem.what(), local.c_str());
	}
	auto twice = [](auto value) { return value + value; };
	printf("%d %s\n", twice(21), twice(local).c_str());
	return 0;
}
