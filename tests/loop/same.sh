#!/bin/sh
# SPDX-License-Identifier: MIT
#
# same.sh NAME RUNTIME(shared|static) BITS(64|32): what a program can see of itself is the same plain, instrumented,
# tuned and measured: status, errno, signals, output, descriptors, keys, thread attributes. A tuned
# thread's stack and guard are the one difference that is meant.
. "$TEK_SOURCE/common.sh"
name=$1
runtime=$2
bits=$3
scratch "$name"
options=-O2
use_bits "$bits"
[ "$bits" = 64 ] || options="$options -m32"
[ -z "$runner" ] || skip "this kernel runs no 32-bit programs; what an emulator shows is not compared"
mkdir -p plain instrumented tuned
: >tek_stack_sizes.h

build() {
	set -- "$1" -Wl,-u,__tek_pthread_create -Wl,--wrap=pthread_create -Wl,--wrap=thrd_create \
		"-Wl,--export-dynamic-symbol=__tek_*" "$folder/libtek.a"
	if [ "$runtime" = shared ]; then
		set -- "$1" -Wl,--push-state,--no-as-needed "-L$folder" -ltek -Wl,--pop-state \
			"-Wl,-rpath,$folder"
	fi
	to=$1
	shift
	# Several options: split on purpose.
	# shellcheck disable=SC2086
	gcc $options "-fplugin=$plugin" -D__TEK__ -include tek_stack_sizes.h "$TEK_SOURCE/same.c" \
		"$@" -o "$to/same" || fail "build $to"
}

# shellcheck disable=SC2086
gcc $options "$TEK_SOURCE/same.c" -o plain/same
build instrumented

# A core file of its own would only cost time.
# shellcheck disable=SC3045 # every sh of the supported systems has it
ulimit -c 0

# run FOLDER HOW [COMMAND...]: output and status of one ending.
run() {
	into=$1
	how=$2
	shift 2
	status=0
	(cd "$into" && exec "$@" ./same "$how") >"$into/$how.out" 2>"$into/$how.err" || status=$?
	echo "status $status" >>"$into/$how.out"
}

endings="return _exit exec exit-in-thread last-thread sigterm sigsegv sigabrt overflow"
for how in $endings; do
	run plain "$how"
	mkdir -p measured
	cp instrumented/same measured/same
	run instrumented "$how"
	run measured "$how" "$tek" run -o runs --
	for kind in instrumented measured; do
		diff "plain/$how.out" "$kind/$how.out" || fail "$how: the $kind program differs"
	done
	cmp "plain/$how.err" "instrumented/$how.err" || fail "$how: something was said in plain mode"
done
[ "$(find instrumented tuned -name '*.tek' | wc -l)" = 0 ] || fail "a file was left in plain mode"

# Tuned: the same but for the stack and guard of those whose size TEK may choose.
"$tek" sizes -o tek_stack_sizes.h measured/runs || fail "tek sizes: status $?"
grep -q '^#pragma tek stack("entry"' tek_stack_sizes.h || fail "no line for entry"
build tuned
for how in return last-thread; do
	run tuned "$how"
	for kind in plain tuned; do
		# sized, guarded, unguarded, placed, main and the process default stay as they are.
		sed -E 's/^(default|exiting|cancelled|initialised|thrd|child.s|outlives main) stack [0-9]+ guard [0-9]+/\1/' \
			"$kind/$how.out" >"$kind/$how.without"
	done
	diff "plain/$how.without" "tuned/$how.without" || fail "$how: the tuned program differs"
done
grep -q '^default stack 8388608' plain/return.out || fail "the plain program's stack is not the default"
! grep -q '^default stack 8388608' tuned/return.out || fail "nothing was tuned"
