#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install.sh BUILD LIBDIR: `make install`, by prefix (what the other loop tests use) and under DESTDIR.
set -eu
fail() {
	printf '%s\n' "FAIL: $*" >&2
	exit 1
}

build=$1
libdir=$2
rm -rf "$TEK_PREFIX" stage
unset DESTDIR || true
cmake --install "$build" --prefix "$TEK_PREFIX" >install.txt || fail "install to a prefix"

DESTDIR=$PWD/stage cmake --install "$build" --prefix /opt/tek >stage.txt || fail "install under DESTDIR"
for file in bin/tek "$libdir/tek/tek.so" "$libdir/libtek.so" "$libdir/libtek.a" include/tek/tek.h \
	"$libdir/pkgconfig/tek.pc" "$libdir/cmake/tek/tek-config.cmake"; do
	[ -e "$TEK_PREFIX/$file" ] || fail "the prefix has no $file"
	[ -e "stage/opt/tek/$file" ] || fail "DESTDIR has no opt/tek/$file"
done
# Both hold the same files, and no file but tek.pc knows where it was put.
(cd "$TEK_PREFIX" && find . | sort) >prefix.lst
(cd stage/opt/tek && find . | sort) >stage.lst
cmp prefix.lst stage.lst || fail "DESTDIR changes what is installed"
! grep -rl -e "$TEK_PREFIX" "$TEK_PREFIX" | grep -v '/pkgconfig/tek.pc$' ||
	fail "installed files name the prefix"
! grep -rl -e "$PWD/stage" stage || fail "staged files name DESTDIR"
[ "$(PKG_CONFIG_PATH=stage/opt/tek/$libdir/pkgconfig pkg-config --variable=plugin tek)" = \
	"/opt/tek/$libdir/tek/tek.so" ] || fail "tek.pc names another plugin"
# The plugin's loader needs nothing but libc, and no installed file keeps a path of the build.
! find "$TEK_PREFIX" -type f -exec readelf -d {} + 2>/dev/null | grep -E 'R(UN)?PATH' ||
	fail "an installed file has a run path"
