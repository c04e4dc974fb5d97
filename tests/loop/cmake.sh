#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cmake.sh NAME GENERATOR RUNTIME(SHARED|STATIC) [OPTIONS]: a user's CMake project over the installed TEK.
. "$TEK_SOURCE/common.sh"
name=$1
generator=$2
runtime=$3
options=${4-}
scratch "$name"
cp "$TEK_SOURCE/project/"* "$TEK_SOURCE/program.c" .

if [ "$runtime" = STATIC ]; then
	# A module takes the shared runtime; see the refusal below.
	sed -i 's/^tek_instrument(plugged .*/tek_instrument(plugged SHARED PROBE none)/' CMakeLists.txt
fi
# Several options, or none: split on purpose.
# shellcheck disable=SC2086
cmake -G "$generator" -S . -B build "-DCMAKE_PREFIX_PATH=$TEK_PREFIX" $options \
	"-DTEK_RUNTIME=$runtime" >configure.txt 2>&1 || {
	cat configure.txt >&2
	fail "the project does not configure"
}
[ -e tek_stack_sizes.h ] || fail "no header was created"
[ -e "other sizes.h" ] || fail "no header was created where SIZES says"

build() {
	cmake --build build >build.txt 2>&1 || {
		cat build.txt >&2
		return 1
	}
	cp build/subject .
}

check_loop build tek_stack_sizes.h
build/plain >untouched.txt
check_plain untouched.txt
build/whole || fail "a program with an instrumented library fails"
"$tek" run -o whole-runs -- build/whole || fail "tek run: status $?"
"$tek" report --format=csv whole-runs | grep -q part_entry ||
	fail "a library's thread is not in the report"

# objects: when each object of the build was made.
objects() {
	find build -name "*.o" -exec stat -c "%n %y" {} + | sort
}

# Nothing changed: nothing is built.
build
objects >before.txt
build
objects >after.txt
cmp before.txt after.txt || fail "built again for nothing"

# The header of `part` changes: its unit is built again and no other.
echo "/* changed */" >>"other sizes.h"
build
objects >after.txt
[ "$(diff before.txt after.txt | grep -c "^>")" = 1 ] || fail "a header rebuilt another number of units"
diff before.txt after.txt | grep -q "^> .*part.dir" || fail "a header rebuilt a unit of another target"

# The target that closes the loop: two more runs, and the header follows.
cmake --build build --target tune >tune.txt 2>&1 || {
	cat tune.txt >&2
	fail "the tuning target fails"
}
[ "$(find build/tek-out/tune -name '*.tek' | wc -l)" = 2 ] || fail "RUNS 2 left another number of runs"
check_header tek_stack_sizes.h

# Mistakes are named when the project is configured.
for call in 'tek_instrument(plain PROBE some)' 'tek_instrument(nobody)' 'tek_instrument(plain TYPO)' \
	'tek_instrument(plugged STATIC)' 'tek_add_tuning(t TARGET plain)'; do
	cp CMakeLists.txt good.txt
	echo "$call" >>CMakeLists.txt
	! cmake -S . -B build >mistake.txt 2>&1 || fail "$call is taken"
	grep -q "$(echo "$call" | cut -d'(' -f1)" mistake.txt || fail "$call: the message does not say where"
	mv good.txt CMakeLists.txt
done
