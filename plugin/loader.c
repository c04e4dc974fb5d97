/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tek.so: what -fplugin= names. It uses libc alone and no symbol of GCC, so that every compiler
 * can load it, and hands over to the implementation for the compiler at hand, which lies beside it
 * as tek-gcc<major>-<target>.so. Without it a compiler of another version would stop with an
 * undefined symbol before the plugin could say a word.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "implementation-id.h"

#define EXPORT __attribute__((visibility("default")))

struct plugin_name_args;

/* GCC's plugin-version.h and gcc-plugin.h, the same since 4.5. */
struct plugin_gcc_version {
	const char *basever;
	const char *datestamp;
	const char *devphase;
	const char *revision;
	const char *configuration_arguments;
};

typedef int plugin_init_fn(struct plugin_name_args *, struct plugin_gcc_version *);

EXPORT int plugin_is_GPL_compatible;
EXPORT plugin_init_fn plugin_init;

/*
 * Compiler caches hash the file that -fplugin= names, and nothing beside it: this makes the loader
 * differ when an implementation does.
 */
EXPORT const char tek_implementation_id[] = TEK_IMPLEMENTATION_ID;

/* The value of a configure option, up to the next space. */
static char *configured(const char *arguments, const char *option)
{
	const char *at = arguments;
	size_t length = strlen(option);

	while ((at = strstr(at, option))) {
		if (at == arguments || at[-1] == ' ' || at[-1] == '\'')
			return strndup(at + length, strcspn(at + length, " '"));
		at += length;
	}
	return NULL;
}

static char *target_of(const char *arguments)
{
	static const char *const options[] = { "--target=", "--host=", "--build=" };
	char *target = NULL;

	for (size_t i = 0; !target && i < sizeof(options) / sizeof(options[0]); i++)
		target = configured(arguments, options[i]);
	return target;
}

static int start(const char *path, struct plugin_name_args *args,
		 struct plugin_gcc_version *version)
{
	plugin_init_fn *init;
	void *handle;

	/* Local: what the implementation defines is nobody else's. */
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		fprintf(stderr, "tek: %s: gcc %s cannot load it (%s); rebuild TEK for it\n", path,
			version->basever, dlerror());
		return 1;
	}
	init = (plugin_init_fn *)dlsym(handle, "plugin_init");
	if (!init) {
		fprintf(stderr, "tek: %s: not a plugin; install TEK again\n", path);
		return 1;
	}
	return init(args, version);
}

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version)
{
	const int major = (int)strtol(version->basever, NULL, 10);
	char *target = target_of(version->configuration_arguments);
	char *own = NULL, *path = NULL;
	const char *slash;
	int result = 1;
	Dl_info self;

	if (!dladdr((void *)(size_t)plugin_init, &self) || !self.dli_fname) {
		fprintf(stderr,
			"tek: tek.so cannot find its own path; name it by an absolute one\n");
		goto out;
	}
	/* GCC's plugin folder holds a link: the implementations lie beside what it leads to. */
	own = realpath(self.dli_fname, NULL);
	if (!own) {
		fprintf(stderr, "tek: %s: cannot be found; name tek.so by an absolute path\n",
			self.dli_fname);
		goto out;
	}
	slash = strrchr(own, '/');
	if (asprintf(&path, "%.*stek-gcc%d-%s.so", (int)(slash - own + 1), own, major,
		     target ? target : "unknown") < 0) {
		path = NULL;
		fprintf(stderr, "tek: %s: out of memory\n", self.dli_fname);
		goto out;
	}
	if (access(path, F_OK) != 0) {
		fprintf(stderr,
			"tek: %s: missing, so this TEK does not serve gcc %s for %s; install the "
			"TEK that was built for it, or build TEK with that compiler in "
			"TEK_TARGET_COMPILERS (needs the package gcc-%d-plugin-dev)\n",
			path, version->basever, target ? target : "an unknown target", major);
		goto out;
	}
	result = start(path, args, version);
out:
	free(path);
	free(own);
	free(target);
	return result;
}
