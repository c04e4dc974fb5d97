#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install.sh BUILD LIBDIR: `make install` as a package is made: staged under DESTDIR, then put where the prefix
# says. The other tests use it there. (Without DESTDIR the installation would write into GCC's own
# plugin folder of the machine that tests.)
set -eu
fail() {
	printf '%s\n' "FAIL: $*" >&2
	exit 1
}

build=$1
libdir=$2
stage=$PWD/stage
rm -rf "$TEK_PREFIX" "$stage"
DESTDIR=$stage cmake --install "$build" --prefix "$TEK_PREFIX" >install.txt || fail "install"
for file in bin/tek "$libdir/tek/tek.so" "$libdir/libtek.so" "$libdir/libtek.a" include/tek/tek.h \
	"$libdir/pkgconfig/tek.pc" "$libdir/cmake/tek/tek-config.cmake"; do
	[ -e "$stage$TEK_PREFIX/$file" ] || fail "no $file under DESTDIR"
	[ ! -e "$TEK_PREFIX/$file" ] || fail "$file was put outside DESTDIR"
done
! grep -rlF -e "$stage" "$stage" || fail "staged files name DESTDIR"
# Nothing but tek.pc knows where it was put: the rest may be moved.
! grep -rlF -e "$TEK_PREFIX" "$stage$TEK_PREFIX" | grep -v '/pkgconfig/tek.pc$' ||
	fail "installed files name the prefix"
! find "$stage" -type f -exec readelf -d {} + 2>/dev/null | grep -E 'R(UN)?PATH' ||
	fail "an installed file has a run path"

mv "$stage$TEK_PREFIX" "$TEK_PREFIX"
[ "$(PKG_CONFIG_PATH=$TEK_PREFIX/$libdir/pkgconfig pkg-config --variable=plugin tek)" = \
	"$TEK_PREFIX/$libdir/tek/tek.so" ] || fail "tek.pc names another plugin"
