#!/bin/sh
# SPDX-License-Identifier: MIT
#
# matrix.sh NAME LANGUAGE(c|c++) OPTIONS RUNTIME(shared|static|alone) BITS(64|32): one turn of the loop by
# hand, with the switches that a Makefile would have. `alone` is a fully static executable.
. "$TEK_SOURCE/common.sh"
name=$1
language=$2
options=$3
runtime=$4
bits=$5
scratch "$name"

compiler=gcc
[ "$language" = c ] || compiler=g++
use_bits "$bits"
[ "$bits" = 64 ] || options="$options -m32"

build() {
	set -- -Wl,-u,__tek_pthread_create -Wl,--wrap=pthread_create -Wl,--wrap=thrd_create \
		"-Wl,--export-dynamic-symbol=__tek_*" "$folder/libtek.a"
	case $runtime in
	shared)
		set -- -Wl,--push-state,--no-as-needed "-L$folder" -ltek -Wl,--pop-state \
			"-Wl,-rpath,$folder"
		;;
	alone)
		set -- -static "$@"
		;;
	esac
	# Several options: split on purpose.
	# shellcheck disable=SC2086
	"$compiler" -x "$language" -Wall -Wextra -Werror $options "-fplugin=$plugin" -D__TEK__ \
		-include tek_stack_sizes.h -c "$TEK_SOURCE/program.c" -o subject.o
	# As a product is linked: whoever comes first would else pay for the binding of a function.
	# shellcheck disable=SC2086
	"$compiler" $options "-fplugin=$plugin" subject.o -pthread -Wl,-z,now "$@" -o subject
}

: >tek_stack_sizes.h
check_loop build tek_stack_sizes.h
[ ! -s second-build.txt ] || {
	cat second-build.txt >&2
	fail "the compiler says something that it does not say without the plugin"
}
