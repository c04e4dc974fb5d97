// SPDX-License-Identifier: MIT
#include <pthread.h>

static void *part_entry(void *arg)
{
	*static_cast<int *>(arg) = 7;
	return nullptr;
}

extern "C" int part_run(void)
{
	pthread_t thread;
	int value = 0;

	if (pthread_create(&thread, nullptr, part_entry, &value))
		return -1;
	pthread_join(thread, nullptr);
	return value;
}
