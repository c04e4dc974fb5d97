#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh CASE: one compile case of the plugin. CMakeLists.txt sets the environment: CC, CXX (GCC),
# PLUGIN (tek.so), SOURCE (this folder), INCLUDE, WORK (a folder for this case alone), RUN32 (how a
# 32-bit program is started: a command, empty for directly, "none" where that is not possible).
set -u
export LC_ALL=C
cases=$SOURCE/cases
plugin=-fplugin=$PLUGIN
arg=-fplugin-arg-tek
rm -rf "$WORK"
mkdir -p "$WORK" || exit 1
cd "$WORK" || exit 1

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# quiet COMMAND...: must succeed and say nothing.
quiet() {
	"$@" >said 2>&1 || {
		status=$?
		cat said >&2
		fail "$*: exit status $status"
	}
	[ ! -s said ] || { cat said >&2; fail "$*: is not silent"; }
}

# refused TEXT COMMAND...: must fail with that text on stderr, without a crash of the compiler.
refused() {
	text=$1
	shift
	if "$@" >said 2>&1; then fail "$*: succeeds"; fi
	grep -qF -- "$text" said || { cat said >&2; fail "$*: does not say '$text'"; }
	! grep -q 'internal compiler error' said || { cat said >&2; fail "$*: crashes"; }
}

# same FILE FILE: equal text.
same() {
	diff -u "$1" "$2" >&2 || fail "$1 and $2 differ"
}

# size_of FILE SECTION: in bytes, 0 if it is not there.
size_of() {
	LC_ALL=C readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' |
		awk -v s="$2" '$1 == s { printf "%s\n", $5 }' | while read -r h; do echo $((0x$h)); done |
		awk '{ n += $1 } END { print n + 0 }'
}

# sites FILE BYTES: number of records.
sites() {
	echo $(($(size_of "$1" tek_sites) / $2))
}

# probed FILE: the functions with a probe, one a line, sorted.
probed() {
	objdump -dr --no-show-raw-insn "$1" | awk '
		/^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name) }
		/__tek_event|__tek_deeper/ && name !~ /^__tek/ { print name }' | sort -u
}

runtime() {
	quiet "$CC" "$@" -O2 -Wall -Wextra -I"$INCLUDE" -c "$SOURCE/fake_runtime.c" -o "fake$*.o"
}

can_run_32() {
	[ "$RUN32" != none ]
}

case_load() {
	echo 'int main(void) { return 0; }' >t.c
	cp t.c t.cc
	printf '#define X\n\t.globl f\nf:\n' >t.S
	for source in t.c t.cc; do
		driver=$CC
		[ $source = t.c ] || driver=$CXX
		for how in "-c -o t.o" "-S -o t.s" "-E -o t.i" "-M -MF t.d" "-fsyntax-only" \
			"-flto -o t" "-flto -ffat-lto-objects -o t" "-save-temps -c -o t.o"; do
			quiet "$driver" $plugin -D__TEK__ $how $source
		done
	done
	quiet "$CC" $plugin -c t.S -o t.o
	quiet "$CC" $plugin -x c-header t.c -o t.h.gch
	: >empty.c
	quiet "$CC" $plugin -c empty.c -o empty.o
	[ "$(size_of empty.o tek_units)" = 0 ] || fail "an empty unit has records"
	"$CC" $plugin --version >/dev/null 2>said || fail "--version"
	[ ! -s said ] || fail "--version is not silent"
}

case_loader() {
	echo 'int x;' >t.c
	mkdir alone
	cp "$PLUGIN" alone/tek.so
	refused "missing, so this TEK does not serve gcc" "$CC" -fplugin="$PWD/alone/tek.so" -c t.c
	[ "$(grep -c '^tek: ' said)" = 1 ] || fail "not one line"
	# As GCC's plugin folder has it.
	mkdir linked
	ln -s "$PLUGIN" linked/tek.so
	quiet "$CC" -fplugin="$PWD/linked/tek.so" -c t.c
	for words in "probes=all|unknown argument" "probe=some|use none, frames or all" \
		"probe|use none, frames or all" "creator=f|use NAME:ENTRY" "creator=:1|use NAME:ENTRY" \
		"creator=f:0|not an argument number" "creator=f:1:1|same argument" \
		"creator=f:1:x|not an argument number"; do
		key=${words%%|*}
		refused "$arg-$key: " "$CC" $plugin "$arg-$key" -c t.c
		grep -qF -- "${words#*|}" said || { cat said >&2; fail "$key: no '${words#*|}'"; }
	done
	refused "given twice" "$CC" $plugin $arg-creator=f:1 $arg-creator=f:2 -c t.c
	# The loader carries a hash of what lies beside it.
	set -- "${PLUGIN%/*}"/tek-gcc*.so
	[ $# -gt 1 ] || {
		sum=$(sha256sum "$1" | cut -d' ' -f1)
		sum=$(printf '%s' "$sum" | sha256sum | cut -d' ' -f1)
		strings "$PLUGIN" | grep -qx "$sum" || fail "the loader has no hash of $1"
	}
}

case_needs() {
	for file in "$PLUGIN" "${PLUGIN%/*}"/tek-gcc*.so; do
		LC_ALL=C readelf -dW "$file" | grep NEEDED | grep -vE '\[(libc|libdl|ld-linux.*)\.so' &&
			fail "$file needs more than libc"
		LC_ALL=C readelf -dW "$file" | grep TEXTREL && fail "$file has text relocations"
	done
	nm -D --undefined-only "${PLUGIN%/*}"/tek-gcc*.so | grep -E 'GLIBCXX|CXXABI|_ZTI' &&
		fail "libstdc++ is needed"
	[ "$(nm -D --defined-only "${PLUGIN%/*}"/tek-gcc*.so | grep -c ' [TDBR] ')" = 2 ] ||
		fail "more than plugin_init and plugin_is_GPL_compatible is visible"
	return 0
}

# The same sites at every -O, through LTO with and without the plugin at the link, and for -m32.
case_counts() {
	for source in forms.c:9 forms.cc:8; do
		want=${source#*:}
		file=$cases/${source%:*}
		driver=$CC
		[ "$source" = forms.c:9 ] || driver=$CXX
		for level in -O0 -O1 -O2 -O3 -Os; do
			for width in -m64:72 -m32:48; do
				[ "$RUN32" != none ] || [ "$width" = -m64:72 ] || continue
				flags="$level ${width%:*}"
				quiet "$driver" $plugin $flags -c "$file" -o t.o
				got=$(sites t.o "${width#*:}")
				[ "$got" = "$want" ] || fail "$source $flags: $got sites"
			done
			quiet "$driver" $plugin $level -flto -c "$file" -o t.o
			for at_link in "" "$plugin"; do
				[ "$level" = -O0 ] || [ "$level" = -O2 ] || continue
				quiet "$driver" $at_link $level -flto t.o -o t
				got=$(sites t 72)
				[ "$got" = "$want" ] || fail "$source $level -flto $at_link: $got sites"
			done
		done
	done
}

# What the sites and roles say; the same at every -O.
case_records() {
	runtime
	for file in forms.c forms.cc; do
		driver=$CC
		[ $file = forms.c ] || driver=$CXX
		for level in -O0 -O1 -O2 -O3 "-O2 -flto" "-O2 -static"; do
			quiet "$driver" $plugin $level "$cases/$file" fake.o -o t
			DUMP=1 ./t >out || fail "$file $level: exit status"
			sort out | grep -vE '^unit ' >got
			same "$cases/$file.expected" got
		done
	done
}

case_records32() {
	can_run_32 || exit 77
	runtime -m32
	for level in -O0 -O2 "-O2 -fno-pie -no-pie" "-O2 -static"; do
		quiet "$CC" -m32 $plugin $level "$cases/forms.c" fake-m32.o -o t
		DUMP=1 $RUN32 ./t >out || fail "$level: exit status"
		grep -q '^unit gcc .* i386-linux-gnu ' out || fail "$level: target"
		sort out | grep -vE '^unit ' >got
		same "$cases/forms.c.expected" got
	done
}

# Functions that only share the name.
case_untouched() {
	for level in -O0 -O2; do
		quiet "$CXX" $plugin $level -c "$cases/namesakes.cc" -o t.o
		quiet "$CC" $plugin $level -c "$cases/namesakes.c" -o u.o
		[ "$(sites t.o 72) $(sites u.o 72)" = "0 0" ] || fail "$level: a namesake was rewritten"
	done
}

case_creators() {
	runtime
	flags="$arg-creator=task_spawn:2:1 $arg-creator=start:1 $arg-creator=_ZN4osal5spawnEPFPvS0_E:1"
	for level in -O0 -O2 -flto; do
		quiet "$CC" $plugin $flags $level "$cases/creators.c" fake.o -o t
		./t >got || fail "$level: exit status"
		same "$cases/creators.expected" got
		quiet "$CXX" $plugin $flags $level "$cases/creators.cc" fake.o -o u
		./u >got || fail "$level: C++: exit status"
		same "$cases/creators.cc.expected" got
		quiet "$CC" $plugin $flags $level "$cases/creators.c" -o t
		[ -z "$(./t)" ] || fail "$level: says something without a runtime"
	done
	echo 'int start(int); int f(void) { return start(3); }' >t.c
	refused "argument 1 of 'start' is no pointer" "$CC" $plugin $arg-creator=start:1 -c t.c
	refused "has 1 arguments" "$CC" $plugin $arg-creator=start:2 -c t.c
	echo 'int start(void *, int); int f(void) { return start(0, 3); }' >t.c
	refused "argument 2 of 'start' is no string" "$CC" $plugin $arg-creator=start:1:2 -c t.c
}

# Attributes and sizes, and which name finds its size.
case_roles() {
	runtime
	for level in -O0 -O2 "-O2 -flto" "-O2 -std=c99" "-O2 -std=c2x"; do
		quiet "$CC" $plugin -D__TEK__ -include "$cases/sizes.h" $level \
			"$cases/roles.c" "$cases/roles2.c" fake.o -o t
		DUMP=1 ./t >out || fail "$level: exit status"
		sort out | grep -vE '^unit ' >got
		same "$cases/roles.expected" got
	done
}

# Each `tek-error: TEXT` in a source is an error of its line with that text, and there are no others.
case_diagnostics() {
	for file in "$cases"/bad_*.c "$cases"/bad_*.cc; do
		driver=$CC
		[ "${file%.cc}" = "$file" ] || driver=$CXX
		LC_ALL=C "$driver" $plugin -c "$file" -o t.o 2>said && fail "$file compiles"
		grep -q 'internal compiler error' said && { cat said >&2; fail "$file crashes GCC"; }
		grep -nE 'tek-(error|note): ' "$file" |
			sed -E 's/^([0-9]+):.*tek-(error|note): (.*) \*\/$/\1 \2 \3/' | sort -n >want
		grep -E '^[^ ]+:[0-9]+:[0-9]+: (error|note): ' said |
			sed -E 's/^[^ ]+:([0-9]+):[0-9]+: (error|note): (.*)$/\1 \2 \3/' | sort -n >got
		same want got
	done
}

# Without the plugin nothing is said about sources that use it.
case_vanish() {
	quiet "$CC" -Wall -Wextra -Werror -include "$cases/sizes.h" -c "$cases/forms.c" -o t.o
	quiet "$CC" $plugin -Wall -Wextra -Werror -D__TEK__ -include "$cases/sizes.h" -c \
		"$cases/forms.c" -o t.o
	quiet "$CXX" $plugin -Wall -Wextra -Werror -D__TEK__ -include "$cases/sizes.h" -c \
		"$cases/forms.cc" -o t.o
	# The pragma survives preprocessing on its own.
	quiet "$CC" $plugin -D__TEK__ -include "$cases/sizes.h" -E "$cases/forms.c" -o t.i
	quiet "$CC" $plugin -c t.i -o u.o
	quiet "$CC" $plugin -D__TEK__ -include "$cases/sizes.h" -c "$cases/forms.c" -o t.o
	objcopy -O binary -j tek_sizes t.o a && objcopy -O binary -j tek_sizes u.o b
	cmp a b && [ -s a ] || fail "sizes are lost by preprocessing"
}

# Linked without libtek: runs as if it were not instrumented.
case_link() {
	for probe in none all; do
		for how in -O0 -O2 "-fno-pie -no-pie" -static -static-pie "-O2 -flto" "-O2 -flto -static" \
			"-O2 -Wl,--gc-sections -ffunction-sections" "-O2 -fPIC" "-O2 -masm=intel" \
			"-O2 -fcf-protection=full" "-O2 -mcmodel=large" "-O2 -Wl,-z,now -fno-plt"; do
			quiet "$CC" $plugin $arg-probe=$probe $how "$cases/forms.c" "$cases/deep.c" \
				-DNO_MAIN -o t
			quiet ./t
			[ $probe = all ] || [ "$how" != -O2 ] || break
			LC_ALL=C readelf -dW t | grep TEXTREL && fail "$how: text relocations"
		done
	done
	# A shared library with records of its own, opened by a plain program.
	quiet "$CC" $plugin $arg-probe=all -O2 -fPIC -shared -DNO_MAIN "$cases/deep.c" -o libdeep.so
	quiet "$CC" -O2 "$cases/open.c" -o open
	quiet ./open "$PWD/libdeep.so"
}

case_link32() {
	can_run_32 || exit 77
	for probe in none all; do
		for how in -O0 -O2 "-O2 -fno-pie -no-pie" "-O2 -static" "-O2 -static-pie" "-O2 -flto" \
			"-O2 -masm=intel"; do
			quiet "$CC" -m32 $plugin $arg-probe=$probe $how "$cases/forms.c" "$cases/deep.c" \
				-DNO_MAIN -o t
			quiet $RUN32 ./t
		done
	done
}

# The same bytes from run to run, with -g and without, and with a collection at every chance.
case_identity() {
	for file in forms.c forms.cc roles.c deep.c shapes.c shapes.cc; do
		driver=$CC
		flags="-D__TEK__ -include $cases/sizes.h $arg-probe=all"
		case $file in *.cc) driver=$CXX flags="$flags -std=c++20" ;; esac
		for level in -O0 -O2; do
			quiet "$driver" $plugin $flags $level -c "$cases/$file" -o a.o
			quiet "$driver" $plugin $flags $level -c "$cases/$file" -o b.o
			cmp a.o b.o || fail "$file $level: objects differ from run to run"
			quiet "$driver" $plugin $flags $level -fcompare-debug -c "$cases/$file" -o b.o
			quiet "$driver" $plugin $flags $level -fchecking -c "$cases/$file" -o b.o
			cmp a.o b.o || fail "$file $level: -fchecking changes the object"
		done
		# The standard library's headers take minutes this way.
		[ $file != shapes.cc ] || continue
		quiet "$driver" $plugin $flags -O1 -c "$cases/$file" -o a.o
		quiet "$driver" $plugin $flags -O1 --param ggc-min-expand=0 --param ggc-min-heapsize=0 \
			-c "$cases/$file" -o b.o
		cmp a.o b.o || fail "$file: garbage collection changes the object"
	done
}

# Which functions have a probe.
case_probe_where() {
	for level in -O0 -O2; do
		quiet "$CC" $plugin $arg-probe=all $level -c "$cases/where.c" -o t.o
		probed t.o >got
		for name in leaf buffer recursive main; do
			grep -qx $name got || fail "all $level: no probe in $name"
		done
		for name in naked_one interrupted uninstrumented resolve choose; do
			! grep -qx $name got || fail "all $level: a probe in $name"
		done
		quiet "$CC" $plugin $arg-probe=frames $level -c "$cases/where.c" -o t.o
		probed t.o >got
		grep -qx buffer got || fail "frames $level: no probe in buffer"
		grep -qx recursive got || fail "frames $level: no probe in recursive"
		! grep -qx leaf got || fail "frames $level: a probe in leaf"
		quiet "$CC" $plugin $arg-probe=none $level -c "$cases/where.c" -o t.o
		[ -z "$(probed t.o)" ] || fail "none $level: there are probes"
		nm t.o | grep -q __tek_words && fail "none $level: has thread-local words"
	done
	quiet "$CC" $plugin $arg-probe=all -O2 "$cases/where.c" -o t
	quiet ./t
	quiet "$CC" $plugin $arg-probe=all -O2 -static "$cases/where.c" -o t
	quiet ./t
}

# A leaf without a frame stays so. In `all` one that uses every free register may save one more
# (tek-plugin.7, LIMITS): six() is left out there.
case_probe_frames() {
	quiet "$CC" -O2 -fstack-usage -c "$cases/leaves.c" -o plain.o
	sed 's/^.*\///' plain.su >want
	quiet "$CC" $plugin $arg-probe=frames -O2 -fstack-usage -c "$cases/leaves.c" -o probed.o
	sed 's/^.*\///' probed.su >got
	same want got
	quiet "$CC" $plugin $arg-probe=all -O2 -fstack-usage -c "$cases/leaves.c" -o probed.o
	grep -v ':six' want >want_all
	sed 's/^.*\///' probed.su | grep -v ':six' >got
	same want_all got
}

# The words are served as abi.h says: minimum, event, foreign stacks, alloca.
case_probe_runs() {
	quiet "$CC" -O2 -Wall -Wextra -I"$INCLUDE" -c "$SOURCE/words.c" -o words.o
	for level in -O0 -O1 -O2 -O3 -Os "-O2 -flto" "-O2 -fno-omit-frame-pointer" "-O2 -static" \
		"-O2 -fcf-protection=full" "-O2 -fstack-clash-protection" "-O2 -mno-red-zone" \
		"-O2 -fstack-protector-all" "-O2 -masm=intel"; do
		for probe in frames all; do
			quiet "$CC" $plugin $arg-probe=$probe $level -I"$INCLUDE" "$cases/deep.c" words.o -o t
			quiet ./t
		done
	done
}

case_probe_runs32() {
	can_run_32 || exit 77
	quiet "$CC" -m32 -O2 -Wall -Wextra -I"$INCLUDE" -c "$SOURCE/words.c" \
		-o words.o
	for level in -O0 -O2 "-O2 -fno-pie -no-pie" "-O2 -static"; do
		quiet "$CC" -m32 $plugin $arg-probe=all $level -I"$INCLUDE" "$cases/deep.c" words.o -o t
		quiet $RUN32 ./t
	done
}

# Unusual shapes of functions compile and give what they give without the plugin.
case_shapes() {
	for level in -O0 -O2 -O3; do
		for extra in "" "-fexceptions -fopenmp" "-fPIC -fnon-call-exceptions"; do
			quiet "$CC" -w $level $extra "$cases/shapes.c" -o plain
			quiet "$CC" -w $plugin $arg-probe=all $level $extra "$cases/shapes.c" -o t
			./plain >a && ./t >b || fail "shapes.c $level $extra: exit status"
			same a b
			quiet "$CXX" -w -std=c++20 $level $extra "$cases/shapes.cc" -o plain
			quiet "$CXX" -w -std=c++20 $plugin $arg-probe=all $level $extra "$cases/shapes.cc" -o t
			./plain >a && ./t >b || fail "shapes.cc $level $extra: exit status"
			same a b
		done
	done
}

case_instruments() {
	quiet "$CC" -w -O1 "$cases/shapes.c" -o plain
	./plain >a
	for extra in -fsanitize=address -fsanitize=undefined -fsanitize=thread --coverage -pg \
		"-fprofile-generate" "-finstrument-functions -DHOOKS"; do
		quiet "$CC" -w $plugin $arg-probe=all -O2 $extra "$cases/shapes.c" -o t
		setarch -R ./t >b 2>said || { cat said >&2; fail "$extra: exit status"; }
		same a b
	done
}

# Language standards, with warnings as errors.
case_standards() {
	for std in c89 gnu89 c99 gnu99 c11 gnu11 c17 c2x gnu2x; do
		quiet "$CC" $plugin -std=$std -Wall -Wextra -Werror -c "$cases/plain.c" -o t.o
		[ "$(sites t.o 72)" = 1 ] || fail "$std: sites"
	done
	for std in c++98 gnu++98 c++11 c++14 c++17 c++20 gnu++23; do
		quiet "$CXX" $plugin -std=$std -Wall -Wextra -Werror -c "$cases/forms.cc" -o t.o
		[ "$(sites t.o 72)" = 8 ] || fail "$std: sites"
	done
}

unit() {
	quiet "$CC" $plugin "$@" "$cases/forms.c" fake.o -o t
	DUMP=1 ./t | grep '^unit '
}

# The fingerprint changes with the code's options and with no others.
case_units() {
	runtime
	base=$(unit -O2)
	for same in "$arg-probe=all -O2" "$arg-creator=f:1 -O2" "-ffile-prefix-map=/a=b -O2" \
		"-O2 -g" "-O2 -frandom-seed=3" "-O2 -fdiagnostics-color=never" "-O2 -DX -I." \
		"-O2 -D__TEK__ -include $cases/sizes.h" "-O2 -fmax-errors=3" "-O2 -pipe"; do
		[ "$(unit $same)" = "$base" ] || fail "$same: $(unit $same), not $base"
	done
	for other in -O1 "-O2 -march=haswell" "-O2 -fno-omit-frame-pointer" -O3; do
		[ "$(unit $other)" != "$base" ] || fail "$other: the fingerprint is that of -O2"
	done
	case $(unit -O2) in *x86_64-linux-gnu\ flags=8\ *) ;; *) fail "flags: $base" ;; esac
	case $(unit $arg-probe=none -O2) in *flags=0\ *) ;; *) fail "probe=none: flags" ;; esac
	case $(unit -O2 --coverage) in *flags=a\ *) ;; *) fail "--coverage: flags" ;; esac
	case $(unit -O2 -fsanitize=undefined) in *flags=9\ *) ;; *) fail "-fsanitize: flags" ;; esac
	# LTO: the unit promises nothing; what links it says whether there are probes.
	quiet "$CC" $plugin $arg-probe=all -O2 -flto=2 -c "$cases/forms.c" -o t.o
	quiet "$CC" -O2 -flto t.o fake.o -o t
	[ "$(DUMP=1 ./t | grep -c '^unit .*flags=4 ')" = 1 ] || fail "LTO: flags of the unit"
	DUMP=1 ./t | grep -q '^unit .*flags=c ' && fail "LTO without the plugin at the link: probed"
	quiet "$CC" $plugin $arg-probe=all -O2 -flto t.o fake.o -o t
	DUMP=1 ./t | grep -q '^unit .*flags=c ' || fail "LTO with the plugin at the link: not probed"
	quiet "$CC" $plugin $arg-probe=all -O2 -flto -ffat-lto-objects -c "$cases/forms.c" -o t.o
	quiet "$CC" -O2 -fno-lto t.o fake.o -o t
	DUMP=1 ./t | grep -q '^unit .*flags=c ' || fail "fat object without LTO: not probed"
}

# A module has each line of the header and each kind of unit once, however many units it has.
case_once() {
	runtime
	for level in -O2 "-O2 -flto" "-O2 -flto=2 -flto-partition=max"; do
		for i in 1 2 3; do
			quiet "$CC" $plugin $arg-probe=none -D__TEK__ -include "$cases/sizes.h" $level -DN=$i \
				-c "$cases/plain.c" -Df=f$i -Dworker=worker$i -o $i.o
		done
		quiet "$CC" $level 1.o 2.o 3.o fake.o "$cases/empty_main.c" -o t
		DUMP=1 ./t | grep -E '^(size|unit|module words)' | sort | uniq -d >twice
		[ ! -s twice ] || { cat twice >&2; fail "$level: records are there twice"; }
		[ "$(DUMP=1 ./t | grep -c '^size ')" = 4 ] || fail "$level: sizes"
		[ "$(DUMP=1 ./t | grep -c '^site ')" = 3 ] || fail "$level: sites"
	done
}

# A unit of 10,000 functions.
case_many() {
	awk 'BEGIN { print "int g(void *), f9999(int);";
		for (i = 0; i < 10000; i++)
			printf "int f%d(int n) { char b[80]; return n ? g(b) + f%d(n - 1) : 0; }\n",
				i, (i + 9999) % 10000 }' >t.c
	quiet "$CC" $plugin $arg-probe=frames -O1 -c t.c -o t.o
	[ "$(probed t.o | wc -l)" -ge 9000 ] || fail "probes are missing"
}

case ${1:-} in
load | loader | needs | counts | records | records32 | untouched | creators | roles | diagnostics | \
	vanish | link | link32 | identity | probe_where | probe_frames | probe_runs | probe_runs32 | \
	shapes | instruments | standards | units | once | many)
	"case_$1"
	;;
*)
	fail "no such case: ${1:-}"
	;;
esac
