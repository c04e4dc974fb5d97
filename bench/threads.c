// SPDX-License-Identifier: MIT
/*
 * threads [--json]: what creating threads costs with TEK and without. Every ratio is the median of
 * pairs that ran one right after the other; figures are CPU time of the creating process.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define PAIRS 61 /* at most */

/* One way to run the child program. */
struct way {
	const char *program;
	bool measure; /* with TEK_OUT */
	const char *batch, *count, *stack, *use;
	bool paint;
};

struct figures {
	double cpu;	 /* seconds */
	double resident; /* bytes of the last thread's stack */
	double own;	 /* bytes, see memory.h */
	double heap;
};

/* No process and no living stack is without resident memory: 0 was not measured. */
static double memory_of(const struct bench_run *run, const char *key)
{
	double bytes = bench_number(run, key);

	return bytes > 0 ? bytes : NAN;
}

static struct figures run_child(const struct way *way, const char *directory)
{
	struct figures figures = { NAN, NAN, NAN, NAN };
	static struct bench_run run;
	char *path = bench_path(way->program);
	char *argv[] = { path,
			 (char *)way->batch,
			 (char *)way->count,
			 (char *)way->stack,
			 (char *)way->use,
			 way->paint ? "paint" : NULL,
			 NULL };
	char *environment[] = { NULL, NULL };
	char *variable = NULL;

	if (way->measure && asprintf(&variable, "TEK_OUT=%s", directory) < 0)
		variable = NULL;
	environment[0] = variable;
	if (path && (variable || !way->measure) && !bench_run(argv, environment, &run) &&
	    WIFEXITED(run.status) && !WEXITSTATUS(run.status)) {
		figures.cpu = bench_number(&run, "cpu");
		figures.resident = memory_of(&run, "stack_resident");
		figures.own = memory_of(&run, "own");
		figures.heap = memory_of(&run, "heap");
	}
	if (isnan(figures.cpu))
		fprintf(stderr, "threads: %s: no figures\n", way->program);
	free(variable);
	free(path);
	return figures;
}

/* Each run's files in a directory of their own: old ones would be looked through at the start. */
static struct figures measure(const struct way *way)
{
	struct figures figures = { NAN, NAN, NAN, NAN };
	char *directory = bench_directory();

	if (directory) {
		figures = run_child(way, directory);
		bench_remove(directory);
	}
	free(directory);
	return figures;
}

/* fmin() and fmax() pass over what was not measured; a claim may not. */
static double least(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static double larger(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* The median over pairs of first / second. */
static double ratio(const struct way *first, const struct way *second, size_t pairs)
{
	double ratios[PAIRS];

	for (size_t i = 0; i < pairs; i++) {
		double one, other;

		/* By turns first and second, so that a drift favours neither. */
		if (i & 1) {
			other = measure(second).cpu;
			one = measure(first).cpu;
		} else {
			one = measure(first).cpu;
			other = measure(second).cpu;
		}
		ratios[i] = one / other;
		if (isnan(ratios[i]))
			return NAN;
	}
	return bench_median(ratios, pairs);
}

static bool batches(void)
{
	static const struct way plain = {
		"threads_plain", false, "200", "1000", "0", "4096", false
	};
	static const struct way tuned = {
		"threads_tuned", false, "200", "1000", "0", "4096", false
	};

	return bench_claim("create+join, 200 at a time: tuned / plain", ratio(&tuned, &plain, 15),
			   1.0, true);
}

static bool one_at_a_time(void)
{
	static const struct way plain = { "threads_plain", false,   "1",  "1000",
					  "65536",	   "32768", false };
	static const struct way quiet = {
		"threads_tek", false, "1", "1000", "65536", "32768", false
	};
	static const struct way measuring = { "threads_tek", true,    "1",  "1000",
					      "65536",	     "32768", false };
	bool good;

	good = bench_claim("create+join one at a time, 32 of 64 KB used: measuring / plain",
			   ratio(&measuring, &plain, 31), 1.5, true);
	good &= bench_claim("create+join one at a time, 32 of 64 KB used: not measuring / plain",
			    ratio(&quiet, &plain, PAIRS), 1.05, true);
	return good;
}

/* A thread with an 8 MB stack of which it uses 16 KB. */
static bool large_stack(void)
{
	static const struct way plain = { "threads_plain", false,   "1",  "200",
					  "8388608",	   "16384", false };
	static const struct way measuring = { "threads_tek", true,    "1",  "200",
					      "8388608",     "16384", false };
	static const struct way painting = { "threads_plain", false,   "1", "40",
					     "8388608",	      "16384", true };
	double best[3] = { INFINITY, INFINITY, INFINITY };
	struct figures figures;
	double grown = 0;

	for (int i = 0; i < 5; i++) {
		double resident;

		figures = measure(&plain);
		best[0] = least(best[0], figures.cpu / 200);
		resident = figures.resident;
		figures = measure(&measuring);
		best[1] = least(best[1], figures.cpu / 200);
		grown = larger(grown, figures.resident - resident);
		best[2] = least(best[2], measure(&painting).cpu / 40);
	}
	bench_note("  8 MB stack, start and end of a thread, CPU: measuring %.1f us, painting %.1f "
		   "us (beside %.1f us of create+join)",
		   (best[1] - best[0]) * 1e6, (best[2] - best[0]) * 1e6, best[0] * 1e6);
	return bench_claim("measuring an 8 MB stack: growth of its resident memory, bytes", grown,
			   0, true);
}

/* 10,000 threads over time: what TEK adds to one, at 200 and at 2,000 alive. */
static bool many(void)
{
	static const struct way ways[2][2] = {
		{ { "threads_plain", false, "200", "10000", "65536", "4096", false },
		  { "threads_tek", true, "200", "10000", "65536", "4096", false } },
		{ { "threads_plain", false, "2000", "10000", "65536", "4096", false },
		  { "threads_tek", true, "2000", "10000", "65536", "4096", false } },
	};
	double best[2][2] = { { INFINITY, INFINITY }, { INFINITY, INFINITY } };
	double few, most, own = 0, heap = 0;
	bool good;

	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 2; i++) {
			struct figures plain = measure(&ways[i][0]);
			struct figures tek = measure(&ways[i][1]);

			best[i][0] = least(best[i][0], plain.cpu);
			best[i][1] = least(best[i][1], tek.cpu);
			if (i) {
				own = larger(own, tek.own - plain.own);
				heap = larger(heap, tek.heap - plain.heap);
			}
		}
	}
	few = (best[0][1] - best[0][0]) / 10000;
	most = (best[1][1] - best[1][0]) / 10000;
	bench_note("  TEK adds to a thread: %.2f us with 200 alive (plain %.2f us), %.2f us with "
		   "2,000 alive (plain %.2f us)",
		   few * 1e6, best[0][0] * 100, most * 1e6, best[1][0] * 100);
	bench_note(
		"  libc's heap is %.0f bytes larger: an entry of each thread's TLS vector for each "
		"module with TLS",
		heap);
	/* Less than nothing added is noise, and a ratio of it says nothing. */
	good = bench_claim("10,000 threads: CPU that TEK adds, 2,000 alive / 200 alive",
			   few > 0 && most > 0 ? most / few : NAN, 1.2, true);
	good &= bench_claim("2,000 threads: memory of the runtime, bytes", own,
			    2000 * 128 + 64 * 1024, true);
	return good;
}

int main(int argc, char **argv)
{
	bool good;

	bench_json(argc, argv);
	good = batches();
	good &= one_at_a_time();
	good &= large_stack();
	good &= many();
	return good ? 0 : 1;
}
