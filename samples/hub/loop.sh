# shellcheck shell=sh
# SPDX-License-Identifier: MIT
#
# The hub's way through the loop, for demo.sh and for the benchmark. To be sourced; wants $build,
# the build directory. Every function prints progress on stderr.

hub_dir=${build:?}/samples/hub
hub_header=$hub_dir/tek_stack_sizes.h
tek=$build/bin/tek

hub_say() {
	printf '%s\n' "hub: $*" >&2
}

hub_die() {
	hub_say "$*"
	exit 2
}

# hub_build TARGET...: with what the header says now.
hub_build() {
	cmake --build "$build" --target "$@" >"$hub_dir/build.log" 2>&1 || {
		cat "$hub_dir/build.log" >&2
		hub_die "cannot be built"
	}
}

# hub_reset: forget all sizes and all evidence.
hub_reset() {
	mkdir -p "$hub_dir" || exit 2
	rm -rf "$hub_dir/runs" "$hub_dir/unseen" "$hub_dir/tek_stack_sizes.json"
	echo '/* Stack sizes of threads. No run has been measured yet. */' >"$hub_header"
}

# hub_train PROGRAM FIRST LAST [RUNNER...]: measure it on these seeds.
hub_train() {
	program=$1 seed=$2 last=$3
	shift 3
	while [ "$seed" -le "$last" ]; do
		if [ -t 2 ]; then
			printf '\rhub: training, seed %s of %s ' "$seed" "$last" >&2
		elif [ $((seed % 10)) -eq 0 ]; then
			hub_say "training, seed $seed of $last"
		fi
		"$tek" run -o "$hub_dir/runs" -- "$@" "$hub_dir/$program" --seed "$seed" \
			>"$hub_dir/train.log" ||
			hub_die "$program --seed $seed failed under measurement"
		seed=$((seed + 1))
	done
	[ -t 2 ] && echo >&2
	return 0
}

# hub_tune: the sizes header from all runs so far. As the report advises, also for the five threads
# whose authors chose a size by hand.
hub_tune() {
	"$tek" sizes --override-explicit -o "$hub_header" "$hub_dir/runs" || hub_die "tek sizes: status $?"
}

# hub_settle PROGRAM LAST: after LAST runs, five more and five more while a role's peak still rose
# among the last ones (its line then has more than the settled margin), at most up to run 60.
hub_settle() {
	settled=$2
	while grep -Eq 'margin (50|100) %' "$hub_header" && [ "$settled" -lt 60 ]; do
		hub_say "a peak still rose: five more runs"
		hub_train "$1" $((settled + 1)) $((settled + 5))
		settled=$((settled + 5))
		hub_tune
	done
}

# hub_compare PLAIN TUNED FIRST LAST [RUNNER...]: run both on these seeds. A line for each seed:
# seed, given and used by conventional stacks, given and used by tuned ones, in KB. Stops where the
# results differ.
hub_compare() {
	plain=$1 tuned=$2 seed=$3 last=$4
	shift 4
	while [ "$seed" -le "$last" ]; do
		"$@" "$hub_dir/$plain" --seed "$seed" --account --default-stacks \
			>"$hub_dir/plain.log" || hub_die "$plain --seed $seed failed"
		"$@" "$hub_dir/$tuned" --seed "$seed" --account >"$hub_dir/tuned.log" ||
			hub_die "$tuned --seed $seed failed with tuned stacks"
		[ "$(grep checksum "$hub_dir/plain.log")" = "$(grep checksum "$hub_dir/tuned.log")" ] ||
			hub_die "seed $seed: $plain and $tuned have different results"
		awk -v seed="$seed" '
			$1 == "given" || $1 == "used" { value[++count] = $2 }
			END { print seed, value[1], value[2], value[3], value[4] }' \
			"$hub_dir/plain.log" "$hub_dir/tuned.log"
		seed=$((seed + 1))
	done
}
