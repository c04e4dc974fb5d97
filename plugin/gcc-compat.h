/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only file that includes GCC's headers, in the order in which they want to be included, and
 * the one place for what differs between GCC versions. BUILDING_GCC_VERSION says which headers are
 * read; the version of the compiler that builds the plugin says nothing.
 */
#ifndef TEK_GCC_COMPAT_H
#define TEK_GCC_COMPAT_H

#include "gcc-plugin.h"
#include "bversion.h"
#include "plugin-version.h"
#include "tm.h"
#include "tree.h"
#include "memmodel.h"
#include "rtl.h"
#include "tm_p.h"
#include "function.h"
#include "basic-block.h"
#include "cfghooks.h"
#include "cfgloop.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "ssa.h"
#include "tree-cfg.h"
#include "except.h"
#include "tree-eh.h"
#include "tree-pass.h"
#include "context.h"
#include "cgraph.h"
#include "ipa-utils.h"
#include "stringpool.h"
#include "attribs.h"
#include "c-family/c-common.h"
#include "c-family/c-pragma.h"
#include "diagnostic-core.h"
#include "fold-const.h"
#include "stor-layout.h"
#include "varasm.h"
#include "output.h"
#include "langhooks.h"
#include "options.h"
#include "opts.h"
#include "toplev.h"
#include "target.h"
#include "cfgexpand.h"
#include "file-prefix-map.h"
#include "intl.h"

#if BUILDING_GCC_VERSION < 12000
#error "TEK's plugin is built and tested with GCC 12 and later"
#endif

/*
 * Only cc1 and cc1plus have these. GCC loads plugins with RTLD_NOW, so a strong reference would
 * keep the plugin from loading in lto1.
 */
#pragma weak c_register_pragma
#pragma weak pragma_lex

#endif
