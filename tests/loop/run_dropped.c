/* SPDX-License-Identifier: MIT */
/* Has what the plugin writes, and no libtek: as the linker's --as-needed leaves a program. */
#include <stddef.h>
#include <tek/abi.h>

__attribute__((section(TEK_SECTION_SITES), used)) static struct tek_site site = {
	.size = sizeof(struct tek_site), .role = "worker", .entry = "worker"
};

int main(void)
{
	return site.record;
}
