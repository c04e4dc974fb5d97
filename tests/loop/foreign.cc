// SPDX-License-Identifier: MIT
/* Threads that uninstrumented libraries create: 3 by libstdc++, and OpenMP's by libgomp. */
#include <cstdio>
#include <future>
#include <omp.h>
#include <thread>

int main()
{
	std::thread first([] { std::puts("thread"); });
	first.join();
	std::thread second([] { std::puts("thread"); });
	second.join();
	std::printf("%d\n", std::async(std::launch::async, [] { return 7; }).get());
	int sum = 0;
	omp_set_dynamic(0);
#pragma omp parallel num_threads(4) reduction(+ : sum)
	sum += 1;
	std::printf("%d\n", sum);
}
