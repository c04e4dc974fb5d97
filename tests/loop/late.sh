#!/bin/sh
# SPDX-License-Identifier: MIT
#
# late.sh NAME RUNTIME(shared|static): an instrumented library that is opened when threads run already is
# probed in them and in later ones.
. "$TEK_SOURCE/common.sh"
scratch "$1"
set -- "$2" -Wl,-u,__tek_pthread_create -Wl,--wrap=pthread_create -Wl,--wrap=thrd_create \
	"-Wl,--export-dynamic-symbol=__tek_*" "$libdir/libtek.a"
if [ "$1" = shared ]; then
	set -- "$1" -Wl,--push-state,--no-as-needed "-L$libdir" -ltek -Wl,--pop-state "-Wl,-rpath,$libdir"
fi
shift
gcc -O2 "-fplugin=$plugin" -D__TEK__ -fPIC -shared "$TEK_SOURCE/late_library.c" -o library.so
gcc -O2 "-fplugin=$plugin" -D__TEK__ "$TEK_SOURCE/late.c" -pthread "$@" -o late
"$tek" run -o runs -- ./late ./library.so || fail "tek run: status $?"
"$tek" report --format=csv runs >report.csv
# Zeros alone were written, 100,000 of them: but for a probe the low end would be a few kilobytes.
for role in older younger; do
	low=$(awk -F, -v role=$role '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "peak_low_bytes") column = i }
		$1 == role { print $column }' report.csv)
	[ "${low:-0}" -ge 99000 ] || {
		cat report.csv >&2
		fail "$role: $low bytes seen of 100,000"
	}
done
