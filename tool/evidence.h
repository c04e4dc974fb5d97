/* SPDX-License-Identifier: MIT */
/*
 * What all runs so far have shown, per section (target) and role, and the lines in force: the
 * content of tek_stack_sizes.json, of which the header is a rendering.
 *
 * A run counts once ever, by its id. Readings are kept per build, since those of another compiler
 * or optimization say nothing certain about this one.
 */
#ifndef TEK_TOOL_EVIDENCE_H
#define TEK_TOOL_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile.h"
#include "recommend.h"
#include "text.h"

#define EVIDENCE_SCHEMA 1
#define EVIDENCE_BUILDS 8 /* of a section; the one longest unused is forgotten */

/* One role in one build. Bytes as in tek_run_total. */
struct evidence_reading {
	bool sound;	  /* a whole reading exists: peak_low and peak_high hold */
	bool exit_needed; /* an instance did not end by returning, or was not seen to end */
	uint64_t peak_low, peak_high;
	uint64_t bound; /* largest lower bound from partial readings */
	uint64_t instances;
	struct policy_runs runs;
};

struct evidence_line {
	uint64_t usable; /* 0: no line */
	uint64_t peak;	 /* it was built on; 0: not known */
	uint64_t margin; /* percent */
	uint64_t exit_reserve;
	bool override;
	int build; /* index of the build it was made from; -1: not known */
};

/* Why a role may be without a size; what was ever seen. */
#define EVIDENCE_RAN 0x01u	  /* an instance existed */
#define EVIDENCE_PARTIAL 0x02u	  /* instances of which only a lower bound is known */
#define EVIDENCE_SANITIZED 0x04u  /* in a run of a sanitizer or coverage build */
#define EVIDENCE_FOREIGN 0x08u	  /* on a stack from pthread_attr_setstack */
#define EVIDENCE_SATURATED 0x10u  /* a peak of 4 GiB or more */
#define EVIDENCE_UNMEASURED 0x20u /* in a run that did not measure */
#define EVIDENCE_EXPLICIT 0x40u	  /* with a size the caller chose */

/* The json's words for them. */
#define EVIDENCE_WORDS 7
struct evidence_word {
	const char *name;
	uint32_t bit;
};
extern const struct evidence_word evidence_words[EVIDENCE_WORDS];

/* Of any number in the json. */
#define EVIDENCE_LARGEST ((int64_t)1 << 62)

struct evidence_role {
	const char *name;
	uint32_t seen; /* EVIDENCE_* */
	struct evidence_line line;
	struct evidence_reading builds[EVIDENCE_BUILDS];
	const char *reason; /* of the line or of its absence; set by evidence_decide(), not kept */
};

struct evidence_section {
	const char *name;
	struct build builds[EVIDENCE_BUILDS];
	uint64_t build_runs[EVIDENCE_BUILDS]; /* distinct runs; 0: free */
	uint64_t build_newest[EVIDENCE_BUILDS];
	int current;	 /* build of the newest run; -1: none */
	uint64_t in_row; /* last distinct runs that are all of the current build */
	uint64_t page_size, overhead, signal_reserve, minimum_stack;
	struct evidence_role *roles; /* by name */
	size_t role_count, role_capacity;
	uint64_t *run_ids; /* first 8 bytes of each id, ascending */
	size_t run_count, run_capacity;
};

struct evidence {
	struct names names;
	struct evidence_section *sections; /* by name */
	size_t section_count, section_capacity;
};

#define EVIDENCE_WHY_SIZE 200

/**
 * evidence_load - read a tek_stack_sizes.json
 * Return: 0; -ENOENT if there is none (evidence is empty then); another negative errno with the
 * sentence for tool_problem() in @why.
 */
int evidence_load(struct evidence *evidence, const char *path, char why[EVIDENCE_WHY_SIZE]);

/* The same from memory. */
int evidence_parse(struct evidence *evidence, const char *text, size_t size,
		   char why[EVIDENCE_WHY_SIZE]);

/* The file's text, to be freed. */
char *evidence_text(const struct evidence *evidence);

/*
 * Makes room for a section or role if it is not there, which moves the others: a pointer to one
 * holds until the next new one.
 */
struct evidence_section *evidence_section(struct evidence *evidence, const char *name);
struct evidence_role *evidence_role(struct evidence *evidence, struct evidence_section *section,
				    const char *name);

/* NULL if it is not there. */
const struct evidence_section *evidence_find_section(const struct evidence *evidence,
						     const char *name);
const struct evidence_role *evidence_find_role(const struct evidence_section *section,
					       const char *name);

/* Adds the profile's runs and decides each line anew. */
void evidence_add(struct evidence *evidence, const struct profile *profile);

/* The lines of one section from what is known of the current build. */
void evidence_decide(struct evidence *evidence, struct evidence_section *section);

/* The run is of another build than the section's evidence. */
bool evidence_stale(const struct evidence *evidence, const struct profile_run *run);

/* A whole reading of the role exists in some build. */
bool evidence_measured(const struct evidence_role *role);

void evidence_free(struct evidence *evidence);

#endif
