#!/bin/sh
# SPDX-License-Identifier: MIT
#
# noapt.sh DEV: where there is no apt-get, ./dev names what is missing, changes nothing and ends with 1.
set -eu
dev=$1
rm -rf noapt.d
mkdir -p noapt.d/bin
for folder in /usr/bin /bin /usr/sbin /sbin; do
	for program in "$folder"/*; do
		name=${program##*/}
		case $name in
		apt-get | gcc | cmake | cmake[0-9]*) continue ;;
		esac
		[ -e "noapt.d/bin/$name" ] || ln -s "$program" "noapt.d/bin/$name"
	done
done
status=0
PATH=$PWD/noapt.d/bin TEK_BUILD=$PWD/noapt.d/build sh "$dev" build >noapt.d/out 2>noapt.d/err || status=$?
[ "$status" = 1 ] || {
	cat noapt.d/err >&2
	echo "FAIL: status $status, not 1" >&2
	exit 1
}
grep -q 'missing, and there is no apt-get.* gcc.* cmake' noapt.d/err || {
	cat noapt.d/err >&2
	echo "FAIL: gcc and cmake are not named" >&2
	exit 1
}
[ ! -s noapt.d/out ] && [ ! -e noapt.d/build ] || {
	echo "FAIL: something was built or said on standard output" >&2
	exit 1
}
