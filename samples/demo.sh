#!/bin/sh
# SPDX-License-Identifier: MIT
#
# demo.sh BUILD_DIR: the home hub before and after tuning. Trains on some seeds, tunes, rebuilds,
# and compares on seeds that were not trained on; then the same as a 32-bit process with 3 GB of
# address space. Every figure is of this run; the paper's stand beside it and are named so.
set -eu

[ $# -eq 1 ] || {
	echo "usage: demo.sh BUILD_DIR" >&2
	exit 2
}
here=$(cd -- "$(dirname -- "$0")" && pwd)
build=$(cd -- "$1" && pwd)
hub_dir='' hub_header='' tek='' # set by loop.sh
# shellcheck source=samples/hub/loop.sh
. "$here/hub/loop.sh"

training=30
picture=$build/hub.svg
limit=3145728 # KB: what a 32-bit process has below a 1 GB kernel

title() {
	printf '\n== %s\n' "$*"
}

# Stack of 8 MB whatever the shell's limit is: what the word conventional means here.
conventional_limit() {
	# shellcheck disable=SC3045 # dash, bash, busybox and mksh have it
	ulimit -s 8192 2>/dev/null || hub_die "the stack limit cannot be set to 8192 KB"
}

# summary FILE: the table of before and after from hub_compare's lines.
summary() {
	awk -v limit="$limit" '
		function grouped(number, text) {
			text = sprintf("%d", number)
			while (text ~ /[0-9][0-9][0-9][0-9]/)
				text = gensub_first(text)
			return text
		}
		function gensub_first(text, digits) {
			match(text, /[0-9]+/)
			digits = substr(text, RSTART, RLENGTH)
			return substr(digits, 1, RLENGTH - 3) "," \
				substr(digits, RLENGTH - 2) substr(text, RSTART + RLENGTH)
		}
		function row(name, a, b, c, d) {
			printf "%-42s %14s %14s %14s %14s\n", name, a, b, c, d
		}
		{
			n++
			given += $2; used += $3; tuned += $4; tuned_used += $5
			ratio = $4 / $5
			if (ratio > worst) worst = ratio
		}
		END {
			row("", "conventional", "TEK", "paper: conv.", "paper: TEK")
			row("stack given, KB (mean of " n " seeds)", grouped(given / n),
			    grouped(tuned / n), grouped(2236416), grouped(70528))
			row("stack used, KB", grouped(used / n), grouped(tuned_used / n),
			    grouped(50828), grouped(50828))
			row("given / used", sprintf("%.2f", given / used),
			    sprintf("%.2f", tuned / tuned_used), sprintf("%.2f", 2236416 / 50828),
			    sprintf("%.2f", 70528 / 50828))
			row("given / used, worst seed", "", sprintf("%.2f", worst), "", "")
			row("threads whose stacks fill 3 GB (computed)", grouped(limit * 273 * n / given),
			    grouped(limit * 273 * n / tuned), grouped(limit * 273 / 2236416),
			    grouped(limit * 273 / 70528))
		}' "$1"
}

# How this machine runs a 32-bit program, with 3 GB of address space. Sets $runner.
find_runner() {
	runner=''
	if "$hub_dir/hub32_plain" --rounds 0 >"$hub_dir/try.log" 2>&1; then
		return 0
	fi
	if command -v qemu-i386 >/dev/null 2>&1; then
		runner=qemu-i386
		hub_say "this kernel runs no 32-bit program: qemu-i386 stands in for it"
	else
		return 1
	fi
}

# in_3gb PROGRAM ARGUMENTS...: what it said, and that it stopped.
in_3gb() {
	program=$1
	shift
	if [ -n "$runner" ]; then
		"$runner" -R $((limit * 1024)) "$hub_dir/$program" "$@"
	else
		# shellcheck disable=SC3045
		(ulimit -v "$limit" && exec "$hub_dir/$program" "$@")
	fi
}

conventional_limit
hub_reset
title "The hub"
hub_say "building it, no size known"
hub_build hub hub_plain

title "Training: $training runs under measurement"
hub_train hub 1 "$training"
"$tek" report "$hub_dir/runs"

title "Tuning"
hub_tune
hub_settle hub "$training"
grep -c '#pragma tek stack' "$hub_header" | sed 's/$/ sizes in tek_stack_sizes.h/'
hub_say "building it again"
hub_build hub

title "Inputs that it was not trained on"
hub_compare hub_plain hub 1001 1010 >"$hub_dir/unseen.txt"
"$tek" run -o "$hub_dir/unseen" -- "$hub_dir/hub" --seed 1001 >"$hub_dir/train.log"
"$tek" report --format=svg --header="$hub_header" "$hub_dir/unseen" >"$picture"
summary "$hub_dir/unseen.txt"
echo "No overflow, and the same results with tuned stacks as with conventional ones."
echo "Stack given against stack used, role by role: $picture"

title "As a 32-bit process with 3 GB of address space"
cmake --build "$build" --target help 2>/dev/null | grep -q hub32_plain || {
	echo "Left out: this compiler makes no 32-bit programs (Debian: g++-multilib)."
	exit 0
}
hub_build hub32 hub32_plain
find_runner || {
	echo "Left out: this kernel runs no 32-bit programs (Debian: qemu-user would stand in)."
	exit 0
}
# shellcheck disable=SC2086 # $runner is no word or one
hub_train hub32 1 6 $runner
hub_tune
hub_build hub32
in_3gb hub32_plain --threads 1092 --default-stacks >"$hub_dir/32.log" 2>&1 || true
sed 's/^/conventional: /' "$hub_dir/32.log"
conventional=$(awk '$1 == "threads" { print $2 }' "$hub_dir/32.log")
if ! grep -q EAGAIN "$hub_dir/32.log" || [ "$conventional" -ge 500 ]; then
	hub_die "conventional stacks did not stop with EAGAIN before 500 threads"
fi
in_3gb hub32 --threads 1092 >"$hub_dir/32.log" 2>&1 || {
	cat "$hub_dir/32.log" >&2
	hub_die "tuned stacks did not suffice for 1092 threads"
}
sed 's/^/tuned:        /' "$hub_dir/32.log"
