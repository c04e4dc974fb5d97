/* SPDX-License-Identifier: MIT */
/* What the cases of run_cases.c and run_cases_*.c share. */
#ifndef RUN_CASES_H
#define RUN_CASES_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* `tek`, and the folder of the test programs; both absolute. */
extern const char *tek, *programs;

/* A started command, leader of a process group of its own. */
struct job {
	pid_t pid;
	FILE *out; /* its stdout */
};

/* Path of test program @name; valid until the fourth call after. */
const char *program(const char *name);

/* Called in the new process before it executes; may be null. */
typedef void (*job_setup)(void);

/* Starts @argv; stderr goes to the file "stderr". Ends the test if it cannot. */
struct job job_start(const char *const *argv, job_setup setup);

/* Waits for its end: exit status, or 1000 + signal. */
int job_end(struct job *job);

/* Next line of its stdout without the newline; ends the test at the end of file. */
const char *job_line(struct job *job);

/* Runs to the end; what it wrote to stdout is put into @text. */
int job_run(const char *const *argv, job_setup setup, char *text, size_t size);

/* Starts tek run -o out run_daemon ARG, waits until it is ready; its process goes to @daemon. */
struct job daemon_start(const char *argument, job_setup setup, pid_t *daemon);

/* The process number in a line "ready NUMBER", 0 if it is another line. */
pid_t ready(const char *line);

/* True if the file "stderr" holds @text. */
bool told(const char *text);

/* Number of samples of the daemon's run file in "out" that bracket a thread's use. */
int good_samples(pid_t daemon);

/* Waits until process @pid is in state @state of /proc/PID/stat, with a deadline that only a
 * failing test meets. */
bool reaches_state(pid_t pid, char state);

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			failures++;                                                     \
		}                                                                       \
	} while (0)
extern int failures;

/* Files run_cases_*.c. */
void case_status(void);
void case_stdin(void);
void case_same(void);
void case_reading(void);
void case_passes(void);
void case_once(void);
void case_alarm(void);
void case_hangup(void);
void case_terminal(void);
void case_stop(void);
void case_survives(void);
void case_inside(void);
void case_nobody(void);
void case_snapshot(void);
void case_gc(void);
void case_why(void);
void case_period(void);
void case_truth(void);
void case_locked(void);
void case_foreign(void);
void case_cut(void);
void case_dirty(void);
void case_leader(void);

#endif
