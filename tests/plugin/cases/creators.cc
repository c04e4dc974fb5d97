/* SPDX-License-Identifier: MIT */
/* A creating function that throws: the call keeps its way out, and its name does not stay. */
#include <cstdlib>

namespace osal
{
typedef void *task(void *);

__attribute__((noinline)) int spawn(task *fn)
{
	if (!fn(0))
		throw 7;
	return 0;
}
} // namespace osal

static void *fine(void *)
{
	return std::malloc(1);
}

static void *failing(void *)
{
	return 0;
}

struct guard {
	int &count;

	~guard()
	{
		count++;
	}
};

/* No handler and no destructor here. */
__attribute__((noinline)) static int passing_on()
{
	return osal::spawn(failing) + 1;
}

int main()
{
	int left = 0, caught = 0;

	try {
		passing_on();
		return 4;
	} catch (int value) {
		if (value != 7)
			return 5;
	}

	try {
		guard first = { left };

		if (osal::spawn(fine))
			return 1;
		osal::spawn(failing);
		return 2;
	} catch (int value) {
		caught = value;
	}
	return left == 1 && caught == 7 ? 0 : 3;
}
