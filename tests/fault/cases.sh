#!/bin/sh
# SPDX-License-Identifier: MIT
# cases.sh CASE PROGRAM PEEK LIBDIR: one fault. 0 as it must be, 1 not, 77 cannot be tried here.
set -u
case=$1 program=$2 peek=$3 libdir=$4
dir=$(mktemp -d /tmp/tek-fault-XXXXXX) || exit 1
mounted=
trap '[ -z "$mounted" ] || umount "$mounted"; rm -rf "$dir"' EXIT
export TEK_CONFIG=/dev/null
unset TEK_OUT

fail()
{
	echo "fault.$case: $*" >&2
	exit 1
}

skip()
{
	echo "fault.$case: skipped: $*" >&2
	exit 77
}

# expect TEXT COMMAND...: its standard output, and exit status 0.
expect()
{
	wanted=$1
	shift
	got=$("$@" 2>"$dir/err") || fail "$* ended with $?: $(cat "$dir/err")"
	[ "$got" = "$wanted" ] || fail "$*: said '$got', not '$wanted'"
}

# one_line TEXT: exactly one line was said on standard error, with TEXT in it.
one_line()
{
	[ "$(wc -l <"$dir/err")" = 1 ] || fail "not one line: $(cat "$dir/err")"
	grep -q "^tek: .*$1" "$dir/err" || fail "no '$1' in: $(cat "$dir/err")"
}

# sum: what the run files in $dir/out add up to, without the peak.
sum()
{
	"$peek" "$dir"/out/*.tek | sed 's/ low=.*//'
}

mkdir "$dir/out"
case $case in
killed)
	mkfifo "$dir/pipe"
	TEK_OUT="$dir/out" "$program" killed 5 >"$dir/pipe" &
	pid=$!
	read -r line <"$dir/pipe"
	kill -KILL $pid
	wait $pid 2>"$dir/err"
	[ "$line" = ready ] || fail "the program did not come up"
	# Those that ended are whole, those that ran are there: ended stays 0.
	expect "files=1 ended=0 started=10 read=5 running=0" sum
	"$peek" "$dir"/out/*.tek | grep -q 'low=2[0-9][0-9][0-9][0-9]$' || fail "the peak is lost"
	;;
sampled)
	mkfifo "$dir/pipe"
	TEK_OUT="$dir/out" TEK_SAMPLE_INSIDE=20 "$program" sampled 5 >"$dir/pipe" &
	pid=$!
	read -r line <"$dir/pipe"
	# A sample comes after it; no thread of this program ever ends.
	until "$peek" "$dir"/out/*.tek | grep -q 'low=2[0-9][0-9][0-9][0-9]$'; do
		kill -0 $pid || fail "the program ended"
	done
	kill -KILL $pid
	wait $pid 2>"$dir/err"
	[ "$line" = ready ] || fail "the program did not come up"
	expect "files=1 ended=0 started=5 read=0 running=0" sum
	;;
full-tmpfs)
	[ "$(id -u)" = 0 ] || skip "needs root to mount"
	mkdir "$dir/small"
	mount -t tmpfs -o size=64k tmpfs "$dir/small" 2>"$dir/err" || skip "$(cat "$dir/err")"
	mounted=$dir/small
	dd if=/dev/zero of="$dir/small/fill" bs=4k count=16 2>"$dir/err"
	expect "done" env TEK_OUT="$dir/small" "$program" short 10
	one_line "runs without a run file"
	[ "$(ls "$dir/small")" = fill ] || fail "a file was left: $(ls "$dir/small")"
	# Room for the start but not for all of it: the program runs on, nothing is SIGBUS.
	rm "$dir/small/fill"
	dd if=/dev/zero of="$dir/small/fill" bs=4k count=10 2>"$dir/err"
	expect "done" env TEK_OUT="$dir/small" "$program" running 600
	;;
unwritable)
	expect "done" env TEK_OUT="$dir/nowhere/x.tek" "$program" short 10
	one_line "No such file or directory"
	expect "done" env TEK_OUT=/proc/self/nothing "$program" short 10
	one_line "runs without a run file"
	;;
odd-places)
	# A configuration that nobody writes must not hang the program; a device gets no neighbour.
	mkfifo "$dir/fifo" "$dir/out/fifo"
	expect "done" env TEK_CONFIG="$dir/fifo" "$program" short 10
	one_line "not a file"
	expect "done" env TEK_CONFIG="$dir" "$program" short 10
	one_line "not a file"
	expect "done" env TEK_OUT="$dir/out/fifo" "$program" short 10
	one_line "runs without a run file"
	[ "$(ls "$dir/out")" = fifo ] || fail "files were left: $(ls "$dir/out")"
	printf 'a\033[1mkey = 1\n' >"$dir/config"
	expect "done" env TEK_CONFIG="$dir/config" "$program" short 10
	one_line "a?\[1mkey"
	;;
no-proc)
	[ "$(id -u)" = 0 ] || skip "needs root to hide /proc"
	unshare -m true 2>"$dir/err" || skip "$(cat "$dir/err")"
	expect "done" env TEK_OUT="$dir/out" unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' \
		sh "$program" short 10
	expect "files=1 ended=1 started=10 read=10 running=0" sum
	;;
address-space)
	# Less than the table takes: the program runs as it would without.
	for kib in 24000 32000 48000 80000; do
		# shellcheck disable=SC3045 # every sh of the supported systems has it
		plain=$(ulimit -v $kib; "$program" short 10 2>&1)
		rm -f "$dir"/out/*
		# shellcheck disable=SC3045
		got=$(ulimit -v $kib; TEK_OUT="$dir/out" "$program" short 10 2>"$dir/err")
		[ "$got" = "$plain" ] || fail "with $kib KiB: '$got', plain '$plain': $(cat "$dir/err")"
	done
	;;
short-threads)
	expect "done" env TEK_OUT="$dir/out" "$program" short 10000
	expect "files=1 ended=1 started=10000 read=10000 running=0" sum
	;;
fork-storm)
	expect "done" env TEK_OUT="$dir/out" "$program" fork 60
	# 60 children with 0, 1, 2, 0... threads, and the parent's 3: one file each.
	expect "files=61 ended=61 started=63 read=63 running=0" sum
	;;
setuid)
	[ "$(id -u)" = 0 ] || skip "needs root to make a setuid file"
	command -v setpriv >"$dir/null" || skip "needs setpriv"
	chmod 755 "$dir"
	cp "$program" "$libdir"/libtek.so.0 "$dir"/
	chmod 4755 "$dir/$(basename "$program")"
	mkdir "$dir/open"
	chmod 777 "$dir/open"
	# The loader ignores the RUNPATH of no setuid program: it is absolute. What counts is the file.
	got=$(TEK_OUT="$dir/open" setpriv --reuid 65534 --clear-groups \
		"$dir/$(basename "$program")" short 3 2>"$dir/err")
	[ "$got" = "done" ] || skip "cannot run a setuid program here: $(cat "$dir/err")"
	[ -z "$(ls "$dir/open")" ] || fail "the environment was believed: $(ls "$dir/open")"
	;;
file-size)
	got=$(ulimit -f 16; TEK_OUT="$dir/out" "$program" short 10 2>"$dir/err") ||
		fail "ended with $?: $(cat "$dir/err")"
	[ "$got" = "done" ] || fail "said '$got'"
	one_line "File too large"
	[ -z "$(ls "$dir/out")" ] || fail "a file was left"
	;;
closed-fds)
	expect "done" env TEK_OUT="$dir/out" "$program" close 10
	expect "files=1 ended=1 started=10 read=10 running=0" sum
	;;
exit-running)
	expect "done" env TEK_OUT="$dir/out" "$program" running 50
	expect "files=1 ended=1 started=50 read=50 running=50" sum
	;;
publish-gc)
	shm=/dev/shm/tek-$(id -u)-
	TEK_PUBLISH=on "$program" killed 2 >"$dir/log" &
	pid=$!
	until grep -q ready "$dir/log"; do kill -0 $pid || fail "did not come up"; done
	ls "$shm$pid"-* >"$dir/null" 2>&1 || fail "no table in /dev/shm"
	kill -KILL $pid
	wait $pid 2>"$dir/err"
	expect "done" env TEK_PUBLISH=on "$program" short 1
	ls "$shm$pid"-* >"$dir/null" 2>&1 && fail "the dead process's table is still there"
	TEK_PUBLISH=on "$program" short 1 >"$dir/log" &
	pid=$!
	wait $pid || fail "ended with $?"
	ls "$shm$pid"-* >"$dir/null" 2>&1 && fail "a process that has ended left its table"
	;;
*)
	fail "no such case"
	;;
esac
exit 0
