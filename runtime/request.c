/* SPDX-License-Identifier: MIT */
#include "create.h"

/*
 * pthread_attr_getstack does not tell whether a stack was set: glibc then gives a null upper end
 * (address + size wraps to 0), musl fails.
 */
static bool foreign_stack(const pthread_attr_t *attr, struct request *request)
{
	void *address;
	size_t size;

	if (pthread_attr_getstack(attr, &address, &size) || (uintptr_t)address + size == 0)
		return false;
	request->address = (uintptr_t)address;
	request->size = size;
	return true;
}

static void read_schedule(const pthread_attr_t *attr, struct request *request)
{
	struct sched_param parameters;
	int inherit, policy;

	if (pthread_attr_getinheritsched(attr, &inherit) || inherit != PTHREAD_EXPLICIT_SCHED ||
	    pthread_attr_getschedpolicy(attr, &policy) ||
	    pthread_attr_getschedparam(attr, &parameters))
		return;
	request->policy = (int16_t)policy;
	request->priority = (int16_t)parameters.sched_priority;
}

/* The default may have been changed since the start: a fresh object knows the present one. */
static size_t present_default(void)
{
	size_t size = tek_target.default_stack;
	pthread_attr_t fresh;

	if (!pthread_attr_init(&fresh)) {
		pthread_attr_getstacksize(&fresh, &size);
		pthread_attr_destroy(&fresh);
	}
	return size;
}

struct request request_read(const pthread_attr_t *attr)
{
	struct request request = { .policy = -1 };
	int detached = PTHREAD_CREATE_JOINABLE;
	size_t guard = 1;

	if (!attr) {
		request.size = present_default();
		request.explicit_size = request.size != tek_target.default_stack;
		return request;
	}
	pthread_attr_getguardsize(attr, &guard);
	pthread_attr_getdetachstate(attr, &detached);
	request.unguarded = !guard;
	request.detached = detached == PTHREAD_CREATE_DETACHED;
	read_schedule(attr, &request);
	request.foreign = foreign_stack(attr, &request);
	if (request.foreign)
		return request;
	pthread_attr_getstacksize(attr, &request.size);
	request.explicit_size = request.size != tek_target.default_stack;
	return request;
}
