#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A compiler cache takes the sizes for what they are: a part of the input.
. "$TEK_SOURCE/common.sh"
scratch "$1"
command -v ccache >/dev/null || skip "ccache is not installed"
cp "$TEK_SOURCE/program.c" .
CCACHE_DIR=$PWD/cache
export CCACHE_DIR
unset CCACHE_DISABLE CCACHE_READONLY CCACHE_RECACHE || true

compile() {
	ccache gcc -O2 "-fplugin=$plugin" -D__TEK__ -include tek_stack_sizes.h -c program.c -o "$1" ||
		fail "compile through ccache"
}

# hits: how often the cache answered so far.
hits() {
	ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { n += $2 } END { print n + 0 }'
}

printf '#ifdef __TEK__\n#pragma tek stack("deep", 300032)\n#endif\n' >tek_stack_sizes.h
compile first.o
[ "$(hits)" = 0 ] || fail "an empty cache answered"
compile second.o
[ "$(hits)" = 1 ] || fail "the same input was compiled twice"
cmp first.o second.o || fail "the cached object differs"
printf '#ifdef __TEK__\n#pragma tek stack("deep", 400384)\n#endif\n' >tek_stack_sizes.h
compile third.o
[ "$(hits)" = 1 ] || fail "the cache answered for other sizes"
! cmp -s first.o third.o || fail "other sizes make the same object"
