# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# Sourced by the loop tests. The test's CMakeLists.txt gives, in the environment:
#   TEK_SOURCE  the folder of the loop tests
#   TEK_PREFIX  an installed TEK (loop.install has installed it)
#   TEK_LIBDIR  its library folder, relative
set -eu

fail() {
	printf '%s\n' "FAIL: $*" >&2
	exit 1
}

skip() {
	printf '%s\n' "skipped: $*"
	exit 77
}

# scratch NAME: an empty folder of this test's own, with a blank in its name, becomes the present one.
scratch() {
	rm -rf "./$1"
	mkdir -p "./$1/user project"
	cd "./$1/user project"
}

tek=$TEK_PREFIX/bin/tek
plugin=$TEK_PREFIX/$TEK_LIBDIR/tek/tek.so
libdir=$TEK_PREFIX/$TEK_LIBDIR
includedir=$TEK_PREFIX/include
export PATH="$TEK_PREFIX/bin:$PATH"
export PKG_CONFIG_PATH="$libdir/pkgconfig"
# What the shell that runs the tests has set must not decide what they see.
unset TEK_OUT TEK_CONFIG TEK_VERBOSE CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS DESTDIR || true
# Without a size of its own a thread gets this one: 8 MiB.
# shellcheck disable=SC3045 # every sh of the supported systems has it
ulimit -s 8192
default_stack=8388608

# given FILE ROLE: the stack that ROLE was given, from the subject's output.
given() {
	awk -v role="$2" '$1 == role { print $2 }' "$1"
}

# results FILE: the subject's output without the stacks.
results() {
	awk '{ print $1, $3 }' "$1"
}

# line HEADER ROLE: the usable bytes of a role's line.
line() {
	sed -n "s/^#pragma tek stack(\"$2\", *\([0-9]*\).*/\1/p" "$1"
}

# How a program of the tested word size is run: nothing, or an emulator where the kernel runs no 32-bit
# programs. An emulator gets its own way of measuring, since `tek run` would look into the emulator.
runner=

# use_bits BITS: sets folder, where that libtek is, and runner.
use_bits() {
	folder=$libdir
	[ "$1" = 32 ] || return 0
	folder=$TEK_PREFIX/lib32
	[ -e "$folder/libtek.so" ] || skip "TEK was built without the 32-bit runtime"
	echo 'int main(void) { return 0; }' >runs32.c
	gcc -m32 runs32.c -o runs32
	./runs32 2>/dev/null || {
		command -v qemu-i386 >/dev/null ||
			skip "this kernel runs no 32-bit programs, and there is no qemu-i386"
		runner=qemu-i386
		echo "this kernel runs no 32-bit programs: emulated by qemu-i386"
	}
}

# measure DIR PROGRAM ARGS: under measurement, run files into DIR.
measure() {
	into=$1
	shift
	if [ -n "$runner" ]; then
		mkdir -p "$into"
		TEK_OUT=$into $runner "$@"
	else
		"$tek" run -o "$into" -- "$@"
	fi
}

roles="shallow deep recursive wrapped"

# check_plain FILE: the subject ran with the default stack everywhere.
check_plain() {
	for role in $roles; do
		[ "$(given "$1" "$role")" = "$default_stack" ] ||
			fail "$role was given $(given "$1" "$role") bytes, not the default"
	done
}

# check_header FILE: a believable line for each role. deep holds 200 KiB, recursive 101 frames of
# 512 bytes and more; after a single run the margin is the need once more.
check_header() {
	for role in $roles; do
		[ -n "$(line "$1" "$role")" ] || {
			cat "$1" >&2
			fail "$1 has no line for $role"
		}
	done
	[ "$(line "$1" deep)" -ge 204800 ] || fail "deep got less than it holds"
	[ "$(line "$1" deep)" -lt 500000 ] || fail "deep got $(line "$1" deep) bytes"
	[ "$(line "$1" recursive)" -ge 51712 ] || fail "recursive got less than it holds"
	[ "$(line "$1" shallow)" -lt 40000 ] || fail "shallow got $(line "$1" shallow) bytes"
}

# check_tuned FILE HEADER: each thread was given its line and what the system needs on top (TLS,
# thread block, signal frame, page: together below 32 KiB here), and no more.
check_tuned() {
	for role in $roles; do
		have=$(given "$1" "$role")
		want=$(line "$2" "$role")
		[ "$have" -ge "$want" ] || fail "$role was given $have bytes, its line says $want"
		[ "$have" -lt $((want + 32768)) ] || fail "$role was given $have bytes for $want"
	done
}

# same_results FILE FILE
same_results() {
	results "$1" >"$1.results"
	results "$2" >"$2.results"
	cmp "$1.results" "$2.results" || fail "the tuned program computes something else"
}

# check_loop BUILD HEADER: the whole turn. BUILD is a command that leaves ./subject.
check_loop() {
	build=$1
	header=$2
	$build >first-build.txt 2>&1 || {
		cat first-build.txt >&2
		fail "first build"
	}
	$runner ./subject >plain.txt || fail "the instrumented program fails"
	check_plain plain.txt
	measure runs ./subject >measured.txt || fail "measured: status $?"
	same_results plain.txt measured.txt
	"$tek" sizes -o "$header" runs || fail "tek sizes: status $?"
	check_header "$header"
	$build >second-build.txt 2>&1 || {
		cat second-build.txt >&2
		fail "second build"
	}
	$runner ./subject >tuned.txt || fail "the tuned program fails"
	same_results plain.txt tuned.txt
	check_tuned tuned.txt "$header"
	measure tuned-runs ./subject >tuned-measured.txt || fail "measured: status $?"
	check_tuned tuned-measured.txt "$header"
	# 1, High Zone, and 2, a larger line wanted, are no faults here: one run has trained it, and where a
	# page ends changes from run to run.
	status=0
	"$tek" check --header "$header" tuned-runs || status=$?
	[ "$status" -le 3 ] || fail "tek check finds fault with the tuned program: status $status"
}
