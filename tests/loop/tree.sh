#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tree.sh NAME TREE GENERATOR: the same project with TEK's source tree inside (add_subdirectory, as FetchContent
# does): plugin and runtime are built before the target's units, and TEK brings no tests along.
. "$TEK_SOURCE/common.sh"
scratch "$1"
cp "$TEK_SOURCE/project/"* "$TEK_SOURCE/program.c" .
cmake -G "$3" -S . -B build "-DTEK_TREE=$2" -DTEK_MULTILIB=OFF >configure.txt 2>&1 || {
	cat configure.txt >&2
	fail "the project does not configure"
}
cmake --build build -j 2 --target subject plain >build.txt 2>&1 || {
	cat build.txt >&2
	fail "the project does not build"
}
build/subject >plain.txt || fail "the instrumented program fails"
check_plain plain.txt
cmake --build build --target tune >tune.txt 2>&1 || {
	cat tune.txt >&2
	fail "the tuning target fails"
}
check_header tek_stack_sizes.h
cmake --build build --target subject >build.txt 2>&1 || fail "the second build fails"
build/subject >tuned.txt || fail "the tuned program fails"
same_results plain.txt tuned.txt
check_tuned tuned.txt tek_stack_sizes.h

# A changed plugin rebuilds what it compiled.
find build -name "loader.c.o" -exec touch {} +
before=$(stat -c %y build/CMakeFiles/subject.dir/program.c.o)
cmake --build build -j 2 --target subject >build.txt 2>&1 || fail "the third build fails"
[ "$(stat -c %y build/CMakeFiles/subject.dir/program.c.o)" != "$before" ] ||
	fail "a changed plugin does not rebuild the units it compiled"
