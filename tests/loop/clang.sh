#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A clang project that uses tek_instrument(): one message, and the very commands that it has without it.
. "$TEK_SOURCE/common.sh"
scratch "$1"
command -v clang >/dev/null || skip "clang is not installed"
cp "$TEK_SOURCE/program.c" .
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(tek REQUIRED)
find_package(Threads REQUIRED)
add_executable(subject program.c)
target_link_libraries(subject PRIVATE Threads::Threads)
if(WITH_TEK)
	tek_instrument(subject)
	tek_add_tuning(tune TARGET subject)
endif()
EOF
for with in OFF ON; do
	rm -rf build
	cmake -G Ninja -S . -B build -DCMAKE_C_COMPILER=clang "-DCMAKE_PREFIX_PATH=$TEK_PREFIX" \
		-DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DWITH_TEK=$with >configure-$with.txt 2>&1 ||
		fail "the project does not configure with WITH_TEK=$with"
	cmake --build build >build.txt 2>&1 || fail "the project does not build with WITH_TEK=$with"
	cp build/compile_commands.json commands-$with.json
	readelf -d build/subject | grep NEEDED >needed-$with.txt
done
cmp commands-OFF.json commands-ON.json || fail "clang is given other options"
cmp needed-OFF.txt needed-ON.txt || fail "the program needs other libraries"
grep -q 'tek_instrument(subject): the compiler is not GCC' configure-ON.txt ||
	fail "nothing says that the target stays as it is"
build/subject >plain.txt
check_plain plain.txt
