#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh BUILD_DIR [--json] [NAME...]: measure the claims (hub truth cpu threads table report; all
# if none is named). With --json one array of {claim, value, bar, pass} on stdout. Exit status 1 if
# a claim does not hold, 2 if a measurement could not be made.
set -u

usage() {
	echo "usage: run.sh BUILD_DIR [--json] [hub] [truth] [cpu] [threads] [table] [report]" >&2
	exit 2
}

[ $# -ge 1 ] || usage
build=$1
shift
json=
names=
for argument; do
	case $argument in
	--json) json=--json ;;
	hub | truth | cpu | threads | table | report) names="$names $argument" ;;
	*) usage ;;
	esac
done
here=$(cd -- "$(dirname -- "$0")" && pwd)
build=$(cd -- "$build" && pwd) || exit 2
claims=$(mktemp) || exit 2
trap 'rm -f "$claims"' EXIT
worst=0

for name in ${names:-hub truth cpu threads table report}; do
	[ -n "$json" ] || printf '%s\n' "-- $name"
	if [ "$name" = hub ]; then
		set -- sh "$here/hub.sh" "$build" $json
	else
		set -- "$build/bench/$name" $json
	fi
	if [ -n "$json" ]; then
		"$@" >>"$claims"
	else
		"$@"
	fi
	status=$?
	[ "$status" -le "$worst" ] || worst=$status
done
[ -z "$json" ] || awk 'BEGIN { print "[" } NR > 1 { print line "," } { line = "  " $0 }
	END { if (NR) print line; print "]" }' "$claims"
[ "$worst" -le 1 ] || worst=2
exit "$worst"
