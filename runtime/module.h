/* SPDX-License-Identifier: MIT */
/* The loaded modules and what they say of sites, roles and sizes. */
#ifndef TEK_MODULE_H
#define TEK_MODULE_H

#include "process.h"
#include "table.h"

struct tek_module;

TEK_EXPORT void __tek_module_add(struct tek_module *module);
TEK_EXPORT void __tek_module_remove(struct tek_module *module);

/* module_list_all - enter every module's sites and roles into a new table; under process.lock */
TEK_HIDDEN void module_list_all(struct tek_process *process, bool forked);

/* module_role - the tek_roles record of the function at @entry, or null */
TEK_HIDDEN const struct tek_role *module_role(const void *entry);

/* module_sanitized - has a unit been compiled with a sanitizer? */
TEK_HIDDEN bool module_sanitized(void);

/* module_size - the line for @role in the sizes header, or null */
TEK_HIDDEN const struct tek_size *module_size(const char *role);

/* identity_of_site, identity_of_role - what the records say, for table_total() */
TEK_HIDDEN struct tek_identity identity_of_site(const struct tek_site *site);
TEK_HIDDEN struct tek_identity identity_of_role(const struct tek_role *role);

/* Says the source that it is a thread's entry, or is that no more than possible by its type? */
static inline bool role_declared(const struct tek_role *role)
{
	return role->flags & (TEK_SITE_ROLE_ATTRIBUTE | TEK_SITE_TIME_CRITICAL);
}

/* The calling thread's words in modules that do not share ours (a library opened with RTLD_LOCAL). */
TEK_HIDDEN void module_arm_copies(const struct tek_launch *launch, struct tek_run_slot *slot);
TEK_HIDDEN void module_disarm_copies(void);

#endif
