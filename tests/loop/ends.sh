#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A process that ends without a word leaves what its probes knew, marked partial; and what a run file
# must not do to the files that are there.
. "$TEK_SOURCE/common.sh"
scratch "$1"
set -- -Wl,--push-state,--no-as-needed "-L$libdir" -ltek -Wl,--pop-state "-Wl,-rpath,$libdir"
: >tek_stack_sizes.h

build() {
	gcc -O2 "-fplugin=$plugin" -D__TEK__ -include tek_stack_sizes.h "$TEK_SOURCE/ends.c" -pthread "$@" \
		-o ends
}

# field FILE NAME [ROLE]: of the role worker, or another.
field() {
	awk -F, -v name="$2" -v role="${3-worker}" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
		$1 == role { print $column }' "$1"
}

build "$@"
for ending in _exit:3 quick_exit:3 term:143 kill:137 return:0; do
	how=${ending%:*}
	status=0
	# Straight, so that nobody takes a last reading.
	TEK_OUT=$how.tek ./ends "$how" 2>said.txt || status=$?
	[ "$status" = "${ending#*:}" ] || fail "$how: status $status"
	"$tek" report --format=csv "$how.tek" >"$how.csv"
	partial=true
	[ "$how" != return ] || partial=false
	[ "$(field "$how.csv" partial)" = "$partial" ] || fail "$how: partial is not $partial"
	# The last 128 bytes of a leaf may lie in the red zone, below what its probe sees.
	[ "$(field "$how.csv" peak_low_bytes)" -ge $((200000 - 128)) ] ||
		fail "$how: $(field "$how.csv" peak_low_bytes) bytes of 200,000"
	status=0
	"$tek" sizes -o "$how.h" "$how.tek" >sizes.txt || fail "$how: tek sizes: status $?"
	if [ "$partial" = true ]; then
		grep -q '^/\* "worker": no size: only partial readings' "$how.h" ||
			fail "$how: a size from partial readings"
	fi
done

# The header's macro serves code that is compiled without the plugin.
size=$(sed -n 's/^#define TEK_STACK_WORKER //p' return.h)
[ "${size:-0}" -ge 200000 ] && [ "$size" -lt 1000000 ] || fail "TEK_STACK_WORKER is '$size'"
gcc -O2 -include return.h -DSTACK=TEK_STACK_WORKER "$TEK_SOURCE/ends.c" -pthread -o by-macro
./by-macro return || fail "a thread with TEK_STACK_WORKER bytes: status $?"

# Probes come at the link with -flto; a link without the plugin is told of.
gcc -O2 -flto "-fplugin=$plugin" -D__TEK__ -c "$TEK_SOURCE/ends.c" -o lto.o
gcc -O2 -flto lto.o -pthread "$@" -o lto
TEK_OUT=lto.tek ./lto return
"$tek" report lto.tek >lto.txt
grep -q 'of -flto programs linked without the plugin' lto.txt || fail "nobody tells of the missing probes"
gcc -O2 -flto "-fplugin=$plugin" lto.o -pthread "$@" -o lto
TEK_OUT=lto-probed.tek ./lto return
"$tek" report lto-probed.tek >lto.txt
! grep -q 'linked without the plugin' lto.txt || fail "probes that are there are called missing"

# A site that was loaded and created nothing is listed, and is no measured role.
[ "$(field return.csv instances spare)" = 0 ] || fail "a site that created nothing is not listed"
status=0
"$tek" check return.tek >check.txt || status=$?
[ "$status" = 8 ] && grep -q '^spare: unmeasured' check.txt || fail "tek check: status $status"

# No file is replaced, no link is followed: the next free name is taken.
ln -s elsewhere taken.tek
echo mine >taken-1.tek
TEK_OUT=taken.tek ./ends return
[ ! -e elsewhere ] || fail "a run file was written through a link"
[ "$(cat taken-1.tek)" = mine ] || fail "a run file replaced another file"
[ "$(stat -c %a taken-2.tek)" = 600 ] || fail "the run file has mode $(stat -c %a taken-2.tek)"

# A size that no system can give is repeated with the caller's own; said once, on request alone.
printf '#ifdef __TEK__\n#pragma tek stack("worker", 70368744177664)\n#endif\n' >tek_stack_sizes.h
build "$@"
./ends return 2>said.txt || fail "a refused size: status $?"
[ ! -s said.txt ] || fail "a refused size is told without TEK_VERBOSE"
TEK_VERBOSE=on ./ends return 2>said.txt || fail "a refused size: status $?"
[ "$(grep -c '^tek: .*tuned stack.*refused' said.txt)" = 1 ] && [ "$(wc -l <said.txt)" = 1 ] || {
	cat said.txt >&2
	fail "a refused size is not told in one line"
}
