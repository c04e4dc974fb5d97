/* SPDX-License-Identifier: MIT */
/* A plain program that opens an instrumented library. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	char *(*deep)(void);

	if (!library) {
		puts(dlerror());
		return 1;
	}
	*(void **)&deep = dlsym(library, "deep_frame");
	if (!deep || !deep())
		return 2;
	return dlclose(library);
}
