/* SPDX-License-Identifier: MIT */
/* tek_stack_sizes.json: what is read must be written and read again as the same. */
#include <stdlib.h>
#include <string.h>

#include "evidence.h"
#include "fuzz.h"
#include "header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[EVIDENCE_WHY_SIZE], *text, *again, *header;
	struct evidence evidence, second;
	size_t i;

	if (evidence_parse(&evidence, (const char *)data, size, why)) {
		fuzz_require(memchr(why, '\0', sizeof(why)) != NULL, "a reason is given");
		return 0;
	}
	text = evidence_text(&evidence);
	fuzz_require(text != NULL, "evidence can be written");
	fuzz_require(evidence_parse(&second, text, strlen(text), why) == 0,
		     "what was written can be read");
	again = evidence_text(&second);
	fuzz_require(strcmp(text, again) == 0, "a round trip changes nothing");
	evidence_free(&second);
	for (i = 0; i < evidence.section_count; i++)
		evidence_decide(&evidence, &evidence.sections[i]);
	header = header_text(&evidence);
	fuzz_require(header != NULL && header_same(header, header), "a header can be made");
	header_take(&evidence, header);
	evidence_free(&evidence);
	free(header);
	free(again);
	free(text);
	return 0;
}
