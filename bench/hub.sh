#!/bin/sh
# SPDX-License-Identifier: MIT
#
# hub.sh BUILD_DIR [--json]: stack given / stack used of the tuned hub on unseen inputs. Used is
# what the stacks themselves show (hub/account.c), TLS and thread block in it; given is without
# guards.
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
build=$(cd -- "$1" && pwd)
json=${2:-}
hub_dir='' # set by loop.sh
# shellcheck source=samples/hub/loop.sh
. "$here/../samples/hub/loop.sh"

# shellcheck disable=SC3045 # dash, bash, busybox and mksh have it
ulimit -s 8192
hub_reset
hub_build hub hub_plain
hub_train hub 1 30
hub_tune 1>&2
hub_settle hub 30 1>&2
hub_build hub
hub_compare hub_plain hub 2001 2010 >"$hub_dir/bench.txt"
awk -v json="$json" '
	function claim(text, value, bar, pass) {
		pass = value <= bar
		good = good && pass
		if (json != "")
			printf "{\"claim\": \"%s\", \"value\": %.6g, \"bar\": \"<= %g\", \"pass\": %s}\n",
				text, value, bar, pass ? "true" : "false"
		else
			printf "%s  %-66s %10.4g  (<= %g)\n", pass ? "pass" : "MISS", text, value, bar
	}
	{ ratio = $4 / $5; if (ratio > worst) worst = ratio; given += $4; used += $5; conventional += $2 }
	END {
		good = NR > 0
		if (json == "")
			printf "  mean of %d unseen seeds: given %d KB, used %d KB (conventional: given %d KB)\n",
				NR, given / NR, used / NR, conventional / NR
		claim("hub: stack given / used, unseen inputs, worst seed, no overflow", worst, 1.39)
		exit !good
	}' "$hub_dir/bench.txt"
