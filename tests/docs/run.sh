#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh DOCUMENT: runs what a document prints, as printed, in order, in one shell, in a scratch
# folder. The first command that fails fails the test. The conventions for writers:
#
# README.md and other Markdown, by the fence's info string:
#	```sh		is run; `cd` and variables last to the next block
#	```LANG FILE	is written to FILE (```c hello.c, ```cmake CMakeLists.txt, ```make Makefile)
#	anything else	(```text, ```console, no word, a language without a file) is only read
#
# Manual pages (.EX to .EE, or .Bd to .Ed), by the section and the comment line before:
#	in EXAMPLES	is run, unless the line before is	.\" text
#	elsewhere	is only read, unless the line before is	.\" run
#	anywhere	is written to FILE if the line before is .\" file FILE
#
# The folder holds app.c, a program with threads (samples/minimal), and for manual pages also ./app,
# that program instrumented, and ./tek-out with its run file. An installed TEK is in PATH and
# known to pkg-config, CMake and the loader, as after `make install` and ldconfig.
set -eu

document=$1
name=$(basename "$document")
rm -rf "$name.d"
mkdir "$name.d"
cd "$name.d"
cp "$TEK_ROOT/samples/minimal/minimal.c" app.c

libdir=$TEK_PREFIX/$TEK_LIBDIR
export PATH="$TEK_PREFIX/bin:$PATH"
export PKG_CONFIG_PATH="$libdir/pkgconfig"
export CMAKE_PREFIX_PATH="$TEK_PREFIX"
export LD_LIBRARY_PATH="$libdir"
export C_INCLUDE_PATH="$TEK_PREFIX/include" CPLUS_INCLUDE_PATH="$TEK_PREFIX/include"
unset TEK_OUT TEK_CONFIG TEK_VERBOSE CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS DESTDIR || true

markdown() {
	awk '
		/^```/ && !inside {
			inside = 1
			words = split(substr($0, 4), info, /[ \t]+/)
			kind = "read"
			if (info[1] == "sh" && words == 1)
				kind = "run"
			else if (words == 2 && info[2] != "")
				kind = "write"
			if (kind == "write")
				print "cat >" info[2] " <<\"END-OF-BLOCK\""
			next
		}
		/^```/ {
			if (kind == "write")
				print "END-OF-BLOCK"
			inside = 0
			next
		}
		inside && kind != "read" { print }' "$1"
}

manual() {
	awk '
		/^\.S[Hh] / { examples = ($0 ~ /EXAMPLES/) }
		/^\.\\" / { mark = $2; target = $3; next }
		/^\.(EX|Bd)/ {
			inside = 1
			kind = examples ? "run" : "read"
			if (mark == "text")
				kind = "read"
			else if (mark == "run")
				kind = "run"
			else if (mark == "file")
				kind = "write"
			if (kind == "write")
				print "cat >" target " <<\"END-OF-BLOCK\""
			mark = ""
			next
		}
		/^\.(EE|Ed)/ {
			if (inside && kind == "write")
				print "END-OF-BLOCK"
			inside = 0
			next
		}
		inside && kind != "read" {
			if ($0 ~ /^\./)
				next
			gsub(/\\-/, "-")
			gsub(/\\\(aq/, "\047")
			gsub(/\\\(dq/, "\"")
			gsub(/\\&/, "")
			gsub(/\\f[BIRP]/, "")
			gsub(/\\\(ga/, "`")
			gsub(/\\\(ha/, "^")
			gsub(/\\\(ti/, "~")
			gsub(/\\e/, "\\")
			gsub(/\\\\/, "\\")
			print
		}
		{ mark = "" }' "$1"
}

case $name in
*.md)
	markdown "$document" >script.sh
	;;
*)
	manual "$document" >script.sh
	if [ -s script.sh ]; then
		: >tek_stack_sizes.h
		gcc -O2 "-fplugin=$libdir/tek/tek.so" -D__TEK__ -include tek_stack_sizes.h app.c \
			-pthread -Wl,--push-state,--no-as-needed "-L$libdir" -ltek -Wl,--pop-state -o app
		tek run -- ./app >/dev/null
	fi
	;;
esac
case $name in
# What is only read: no commands in it, or those of somebody's CI.
tek.conf.5 | bench.md | ci-example.md | decisions.md | run-file.md) ;;
*)
	[ -s script.sh ] || {
		echo "$name: nothing in it is run" >&2
		exit 1
	}
	;;
esac
sh -eux script.sh </dev/null
echo "$name: $(grep -c . script.sh || true) lines run"
