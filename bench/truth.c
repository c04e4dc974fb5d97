// SPDX-License-Identifier: MIT
/*
 * truth [--json]: every scenario's peak as TEK reads it against the painted truth. Exit status 1
 * if a claim does not hold; this program is a test too.
 */
#include "truth.h"

#include "bench.h"
#include "runs.h"
#include "truth_child.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct verdict {
	double deviation;      /* largest |low - truth|, deepest word non-zero or probed */
	double page_deviation; /* largest distance of high from the truth elsewhere */
	unsigned int outside;  /* brackets that do not hold the truth */
	unsigned int failed;
};

/* The child's exit status, or -1. */
static int child(const char *how, const char *name, const char *directory, struct bench_run *run)
{
	char *self = bench_path("truth");
	char *argv[] = { self, (char *)how, (char *)name, NULL };
	char *variable = NULL;
	char *environment[2] = { NULL, NULL };
	int status = -1;

	if (directory && asprintf(&variable, "TEK_OUT=%s", directory) < 0)
		variable = NULL;
	environment[0] = variable;
	if (self && (variable || !directory) && !bench_run(argv, environment, run) &&
	    WIFEXITED(run->status))
		status = WEXITSTATUS(run->status);
	free(variable);
	free(self);
	return status;
}

static void judge(const struct scenario *scenario, double depth, double low, double high,
		  struct verdict *verdict)
{
	double page = (double)sysconf(_SC_PAGESIZE);
	double off = fabs(low - depth);

	bench_note("  %-24s truth %7.0f  low %7.0f  high %7.0f", scenario->name, depth, low, high);
	if (low > depth + 8 || high + 8 < depth)
		verdict->outside++;
	if (scenario->unprobed_zero)
		verdict->page_deviation = fmax(verdict->page_deviation, fabs(high - depth));
	else
		verdict->deviation = fmax(verdict->deviation, off);
	if (high > depth + page)
		verdict->outside++;
}

/* Run both forms of a scenario. 0, TRUTH_SKIP or -1. */
static int compare(const struct scenario *scenario, const char *directory, struct verdict *verdict)
{
	const struct tek_run_total *total;
	struct bench_run painted, measured;
	struct run run;
	double pad, depth;
	int status;

	status = child("--paint", scenario->name, NULL, &painted);
	if (!status)
		status = child("--measure", scenario->name, directory, &measured);
	if (status)
		return status == TRUTH_SKIP ? status : -1;
	status = run_open(&run, directory);
	if (status) {
		fprintf(stderr, "truth: %s: no run file: %s\n", scenario->name, strerror(-status));
		return -1;
	}
	depth = bench_number(&painted, "depth");
	pad = bench_number(&measured, "pad");
	total = run_total(&run, TRUTH_ENTRY);
	if (total && !isnan(depth) && !isnan(pad))
		judge(scenario, depth, total->peak_low - pad, total->peak_high - pad, verdict);
	else
		status = -1;
	run_close(&run);
	return status;
}

static void one(const struct scenario *scenario, struct verdict *verdict)
{
	char *directory = bench_directory();
	int status = directory ? compare(scenario, directory, verdict) : -1;

	if (status == TRUTH_SKIP) {
		bench_note("  %-24s not run: this system refuses mlockall()", scenario->name);
	} else if (status) {
		fprintf(stderr, "truth: %s: no figures\n", scenario->name);
		verdict->failed++;
	}
	if (directory)
		bench_remove(directory);
	free(directory);
}

static const struct scenario *find(const char *name)
{
	for (unsigned int i = 0; i < truth_scenario_count; i++) {
		if (!strcmp(truth_scenarios[i].name, name))
			return &truth_scenarios[i];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct verdict verdict = { 0 };
	bool good;

	if (argc == 3 && find(argv[2]))
		return truth_child(find(argv[2]), !strcmp(argv[1], "--paint"));
	bench_json(argc, argv);
	bench_note("peaks against painted stacks, bytes below the scenario's start:");
	for (unsigned int i = 0; i < truth_scenario_count; i++)
		one(&truth_scenarios[i], &verdict);
	good = bench_claim("peak: largest deviation, word non-zero or probed, bytes",
			   verdict.deviation, 8, true);
	good &= bench_claim("peak: largest deviation elsewhere, bytes", verdict.page_deviation,
			    (double)sysconf(_SC_PAGESIZE), true);
	good &= bench_claim("peak: brackets that do not hold the truth", verdict.outside, 0, true);
	good &= bench_claim("peak: scenarios without figures", verdict.failed, 0, true);
	return good ? 0 : 1;
}
