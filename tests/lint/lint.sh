#!/bin/sh
# SPDX-License-Identifier: MIT
#
# lint.sh ROOT BUILD: all checks that need no run of the program. Each problem is one line on
# stderr; the exit status is 1 if there was any.
set -eu

root=$1
build=$2
jobs=${TEK_JOBS:-2}
status=0
cd "$root"

problem() {
	printf 'lint: %s\n' "$*" >&2
	status=1
}

# files PATTERN...: the project's own files: tracked, or new and not ignored.
files() {
	git -c safe.directory="$root" ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
		if [ -f "$file" ]; then
			printf '%s\n' "$file"
		fi
	done
}

# step NAME COMMAND...
step() {
	check=$1
	shift
	printf 'lint: %s\n' "$check" >&2
	"$@" || problem "$check found problems (above)"
}

# Compile cases hold a comment with the expected message on the very line: inputs, not code.
check_format() {
	files '*.c' '*.h' '*.cc' '*.cpp' '*.hpp' | grep -v '^tests/plugin/cases/' | xargs clang-format --dry-run -Werror
}

# The plugin's .cc files are left out: GCC's plugin headers are not clean C++ for clang (they poison
# identifiers and rely on GCC extensions), so that clang-tidy sees errors instead of code. They are
# compiled with -Wall -Wextra -Wshadow -Werror, and cppcheck reads them. Compile cases for the plugin
# and snippets that are wrong on purpose are inputs, not code.
tidy_files() {
	sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$build/compile_commands.json" | sort -u |
		grep -F "$root/" | grep -v -e '/plugin/[^/]*\.cc$' -e "^$build/" \
		-e '/tests/plugin/' -e '/tests/loop/cases/' -e '\.S$' |
		while IFS= read -r file; do
			git -c safe.directory="$root" ls-files --error-unmatch -- "$file" >/dev/null 2>&1 &&
				printf '%s\n' "$file"
		done || true
}

# tidy_commands: the compile commands without the options that clang does not know.
tidy_commands() {
	mkdir -p "$build/lint"
	sed -e 's/ -fplugin[^ "]*//g' -e 's/ -fno-ipa-[a-z-]*//g' \
		-e 's/ -fno-instrument-functions//g' \
		-e 's/ -fcompare-debug[^ "]*//g' "$build/compile_commands.json" \
		>"$build/lint/compile_commands.json"
}

check_tidy() {
	tidy_commands
	tidy_files | xargs -r -n 4 -P "$jobs" clang-tidy --quiet -p "$build/lint" \
		>"$build/lint/tidy.log" 2>"$build/lint/tidy.err" && return 0
	cat "$build/lint/tidy.log" >&2
	grep -v -e 'warnings generated' -e 'Suppressed' "$build/lint/tidy.err" >&2 || true
	return 1
}

# cppcheck [ARGS] FILES on stdin: warnings and portability. Its style group is left to clang-format
# and to readers; unused-member checks fail on records that another part reads.
# uninitvar: it assumes a loop that runs no time and then a read that needs it to have run; the compiler
# and clang-analyzer look for the same with better knowledge.
run_cppcheck() {
	xargs -r cppcheck --quiet --error-exitcode=1 -j "$jobs" --inline-suppr \
		--enable=warning,portability --suppress=uninitvar -I include "$@"
}

check_cppcheck() {
	bad=0
	files 'runtime/*.c' 'tool/*.c' 'plugin/*.c' 'samples/*.c' 'bench/*.c' |
		run_cppcheck --std=c11 --language=c -I runtime -I tool || bad=1
	files 'plugin/*.cc' 'samples/*.cpp' | run_cppcheck --std=c++17 --language=c++ || bad=1
	return "$bad"
}

# Every file says its licence on its first lines; plugin/ is GPL, the rest MIT. Files whose form has no
# comments are named here: JSON, recorded inputs and golden outputs.
check_licences() {
	bad=0
	for file in $(files); do
		case $file in
		*.json | LICENSES/* | *.tek | *.golden | *.expected | *.svg | tests/*/corpus/*) continue ;;
		*.md) want=none ;;
		plugin/* | cmake/GccPlugin.cmake | tests/plugin/*) want='\(GPL-3.0-or-later\|MIT\)' ;;
		*) want=MIT ;;
		esac
		case $file in
		plugin/*) want='GPL-3.0-or-later' ;;
		esac
		[ "$want" = none ] && continue
		head -n 3 "$file" | grep -q "SPDX-License-Identifier: $want" || {
			printf '%s: no SPDX line for %s in its first lines\n' "$file" "$want" >&2
			bad=1
		}
	done
	return "$bad"
}

# forbidden FILES REGEX WHY: no #include that matches.
forbidden() {
	# A list of names without blanks: split on purpose.
	# shellcheck disable=SC2086
	hits=$(grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*$2" $1 /dev/null) || return 0
	printf '%s\n' "$hits" | sed "s|\$|: $3|" >&2
	return 1
}

# Who may know whom (docs: the arrows of include):
#   plugin -> tek/abi.h <- runtime -> tek/runfile.h <- tool -> tek/abi.h; applications, runtime -> tek/tek.h
check_arrows() {
	bad=0
	plugin=$(files 'plugin/*.c' 'plugin/*.cc' 'plugin/*.h')
	runtime=$(files 'runtime/*.c' 'runtime/*.h')
	tool=$(files 'tool/*.c' 'tool/*.h')
	api=$(files 'include/tek/tek.h' 'include/tek/pthread.h')
	records=$(files 'include/tek/abi.h')
	forbidden "$plugin" '["<](tek/(runfile|tek|pthread)\.h|(\.\./)*(runtime|tool)/)' \
		'the plugin knows tek/abi.h alone' || bad=1
	forbidden "$runtime" '["<]((\.\./)*(plugin|tool)/|libelf|gelf|elfutils/|dwarf|jansson)' \
		'the runtime knows no plugin, tool, ELF reader or JSON' || bad=1
	forbidden "$tool" '["<](tek/(tek|pthread)\.h|(\.\./)*(plugin|runtime)/|gcc-plugin)' \
		'the tool knows records alone' || bad=1
	forbidden "$api" '["<](tek/(abi|runfile)\.h|(\.\./)*(plugin|runtime|tool)/)' \
		'the public headers stand alone' || bad=1
	forbidden "$records" '["<]' 'abi.h includes nothing' || bad=1
	# A header of one part that another part takes by its bare name is the same fault. (The plugin takes
	# GCC's headers by bare names, some of which the other parts have too.)
	for part in plugin runtime tool; do
		for header in $(files "$part/*.h"); do
			name=$(basename "$header")
			for other in runtime tool; do
				[ "$other" = "$part" ] || [ -e "$other/$name" ] ||
					forbidden "$(files "$other/*.c" "$other/*.cc" "$other/*.h")" \
						"\"$name\"" "$name belongs to $part/" || bad=1
			done
		done
	done
	return "$bad"
}

check_marks() {
	# Spelled apart so that this line is not found.
	! files | grep -v '^LICENSES/' | xargs grep -nE '\b(TO''DO|FIX''ME|XX''X|HA''CK)\b' >&2
}

# SC2317: functions that are called by name, through a variable, look unreachable to shellcheck.
# SC2034, SC2154: a sourced file sets what another one reads.
check_shell() {
	bad=0
	for script in $(files '*.sh' dev .ci/run); do
		case $(head -n 1 "$script") in
		*bash*) bash -n "$script" || bad=1 ;;
		*) sh -n "$script" || bad=1 ;;
		esac
	done
	files '*.sh' dev .ci/run | xargs shellcheck -S warning -e SC2317,SC2034,SC2154 || bad=1
	return "$bad"
}

check_manuals() {
	files 'docs/*.[1-8]' | xargs -r mandoc -T lint -W warning
}

step "licences" check_licences
step "include arrows" check_arrows
step "marks of unfinished work" check_marks
step "shell scripts" check_shell
step "manual pages" check_manuals
step "clang-format" check_format
step "cppcheck" check_cppcheck
step "clang-tidy" check_tidy
exit "$status"
