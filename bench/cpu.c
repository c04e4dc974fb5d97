// SPDX-License-Identifier: MIT
/*
 * cpu [--json]: instructions of programs with TEK's probes against the same without, by callgrind,
 * and against -finstrument-functions with empty hooks.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct program {
	const char *name;
	const char *scale; /* so that the process's start is a small part */
	double plain;
	double frames;	 /* probes in place, program started plainly */
	double measured; /* the same under measurement */
	double all;	 /* a probe in every function */
	double hooks;	 /* -finstrument-functions */
};

/* Instructions of one program's variant; NAN if it did not run. */
static double instructions(const struct program *program, const char *variant,
			   const char *directory)
{
	static struct bench_run run;
	char *environment[] = { NULL, NULL };
	char *argv[] = { "valgrind",
			 "--tool=callgrind",
			 "--callgrind-out-file=/dev/null",
			 "--log-fd=1",
			 NULL,
			 NULL,
			 NULL };
	char *variable = NULL, *file = NULL, *path = NULL;
	double count = NAN;

	if (asprintf(&file, "cpu_%s_%s", program->name, variant) < 0)
		file = NULL;
	if (directory && asprintf(&variable, "TEK_OUT=%s", directory) < 0)
		variable = NULL;
	path = file ? bench_path(file) : NULL;
	argv[4] = path;
	argv[5] = (char *)program->scale;
	environment[0] = variable;
	if (path && (variable || !directory) && !bench_run(argv, environment, &run) &&
	    WIFEXITED(run.status) && !WEXITSTATUS(run.status)) {
		const char *at = strstr(run.text, "Collected :");

		count = at ? strtod(at + strlen("Collected :"), NULL) : NAN;
	}
	if (isnan(count))
		fprintf(stderr, "cpu: %s: no count of instructions; is valgrind installed?\n",
			file ? file : program->name);
	free(path);
	free(variable);
	free(file);
	return count;
}

static void count(struct program *program)
{
	char *directory = bench_directory();

	program->plain = instructions(program, "plain", NULL);
	program->frames = instructions(program, "frames", NULL);
	program->measured = directory ? instructions(program, "frames", directory) : NAN;
	program->all = instructions(program, "all", NULL);
	program->hooks = instructions(program, "hooks", NULL);
	bench_note("  %-10s %12.0f %8.4f %10.4f %8.4f %8.4f", program->name, program->plain,
		   program->frames / program->plain, program->measured / program->plain,
		   program->all / program->plain, program->hooks / program->plain);
	if (directory)
		bench_remove(directory);
	free(directory);
}

int main(int argc, char **argv)
{
	struct program programs[] = { { .name = "machine", .scale = "5" },
				      { .name = "document", .scale = "1" },
				      { .name = "pack", .scale = "3" } };
	struct program worst = { .name = "fib", .scale = "6" };
	double most = 0, least_gain = INFINITY;
	bool good;

	bench_json(argc, argv);
	bench_note("instructions; ratios to plain:\n  %-10s %12s %8s %10s %8s %8s", "program",
		   "plain", "frames", "measuring", "all", "hooks");
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct program *program = &programs[i];
		double dearer, gain;

		count(program);
		dearer = fmax(program->frames, program->measured);
		/* No less than one instruction in a million: the loader's own count varies. */
		gain = (program->hooks - program->plain) /
		       fmax(dearer - program->plain, program->plain * 1e-6);
		most = isnan(dearer) ? NAN : fmax(most, dearer / program->plain);
		least_gain = isnan(gain) ? NAN : fmin(least_gain, gain);
	}
	count(&worst);
	bench_note("  (%s is nothing but calls: the worst case, not judged)", worst.name);
	good = bench_claim("cpu: instructions, instrumented / plain, worst of three", most, 1.03,
			   true);
	good &= bench_claim("cpu: overhead of -finstrument-functions / overhead of TEK, worst",
			    least_gain, 10, false);
	return good ? 0 : 1;
}
