#!/bin/sh
# SPDX-License-Identifier: MIT
#
# foreign.sh: threads that libraries without the plugin create are counted and read like any other.
. "$TEK_SOURCE/common.sh"
scratch foreign
g++ -O2 -fopenmp "-fplugin=$plugin" -D__TEK__ "$TEK_SOURCE/foreign.cc" -pthread \
	-Wl,--push-state,--no-as-needed "-L$libdir" -ltek -Wl,--pop-state "-Wl,-rpath,$libdir" -o foreign
printf 'thread\nthread\n7\n4\n' >wanted.txt
./foreign >plain.txt
cmp wanted.txt plain.txt || fail "plain mode changes the output"
"$tek" run -o runs -- ./foreign >measured.txt || fail "tek run: status $?"
cmp wanted.txt measured.txt || fail "measuring changes the output"
"$tek" report --format=json runs >report.json 2>messages.txt
# 3 of libstdc++, 3 of libgomp: the fourth of the team is main.
instances=$(tr -d ' ,' <report.json | awk -F: '
	/"role":/ { role = $2 }
	/"instances":/ && role != "\"main\"" && !total { sum += $2 }
	/"totals":/ { total = 1 }
	END { print sum + 0 }')
[ "$instances" = 6 ] || {
	cat report.json >&2
	fail "$instances threads counted, not 6"
}
