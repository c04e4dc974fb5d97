#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A user project with a Makefile and pkg-config, under a linker that drops what nobody strongly wants.
. "$TEK_SOURCE/common.sh"
scratch "$1"
cp "$TEK_SOURCE/program.c" .
cp "$TEK_SOURCE/user.mk" Makefile
echo 'int other(void); int other(void) { return 1; }' >other.c
export LDFLAGS=-Wl,--as-needed

[ "$(pkg-config --variable=plugin tek)" = "$plugin" ] ||
	fail "tek.pc names another plugin: $(pkg-config --variable=plugin tek)"
[ -e "$plugin" ] || fail "$plugin is not there"
case $(pkg-config --cflags tek) in
*-fplugin*) fail "tek.pc has -fplugin in its Cflags" ;;
esac

check_loop make tek_stack_sizes.h
readelf -d subject | grep -q 'NEEDED.*libtek' || fail "--as-needed dropped libtek"
[ "$(make | tail -n 1)" = "make: 'subject' is up to date." ] || fail "make builds again for nothing"

# An unchanged header is not written again, a changed one rebuilds the instrumented unit alone.
touch -d '1 hour ago' tek_stack_sizes.h
"$tek" sizes -o tek_stack_sizes.h runs || fail "tek sizes: status $?"
make -q subject || fail "the same evidence made the program old"
sed -i 's/\("deep", *\)[0-9]*/\1300032/' tek_stack_sizes.h
make -n subject >steps.txt
grep -q -e '-c program.c' steps.txt || fail "a changed header does not rebuild its unit"
! grep -q -e '-c other.c' steps.txt || fail "a changed header rebuilds a unit that has none"
