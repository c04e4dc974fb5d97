#!/bin/sh
# SPDX-License-Identifier: MIT
#
# -fplugin=tek is looked up in GCC's own folder, where the (staged) installation has put a link to the
# plugin's one place.
. "$TEK_SOURCE/common.sh"
folder=$(gcc -print-file-name=plugin)
link=$PWD/stage$(readlink -f "$folder")/tek.so
[ "$(readlink "$link")" = "$plugin" ] || fail "GCC's plugin folder has no link to the plugin"
scratch "$1"
echo 'int x;' >empty.c
gcc "-fplugin=$link" -c empty.c || fail "the plugin does not load through the link"
