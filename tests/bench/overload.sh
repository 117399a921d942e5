#!/usr/bin/env bash
# What admission keeps: so many streams as the daemon takes, alone, beside three times as many that want to begin. Prints the
# write delays of those that run, in pairs of runs, and the ratio of the medians.
set -euo pipefail

usage='usage: tests/bench/overload.sh [--seconds 30] [--pairs 3] [--build build] [FLAG OF surtitled...]'
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
seconds=30 pairs=3 build=$root/build
flags=()
while (($#)); do
  case $1 in
    --seconds) seconds=$2 && shift 2 ;;
    --pairs) pairs=$2 && shift 2 ;;
    --build) build=$2 && shift 2 ;;
    -h | --help) echo "$usage" && exit ;;
    *) flags+=("$1") && shift ;;
  esac
done
log=$root/tests/data/demo/europarl.jsonl
folder=$(mktemp -d)
daemon=
trap 'test -z "$daemon" || kill "$daemon"; rm -r "$folder"' EXIT

start() {
  "$build/surtitled" --port 0 --models de-en-gma --log-level error --journal-path "$folder/journal.sqlite" \
    "${flags[@]}" >"$folder/ready" &
  daemon=$!
  until url=$(grep -o 'http://[^/]*' "$folder/ready"); do
    sleep 0.1
  done
}

stop() {
  kill "$daemon"
  wait "$daemon" || true
  daemon=
  rm -f "$folder"/journal.sqlite*
}

# Sets ran, refused, p50 and p99 (ms) of streams that all want to begin now.
offer() {
  local streams=$1
  "$build/surtitle" replay "$log" --url "ws${url#http}" --streams "$streams" --duration "$seconds" --json \
    >"$folder/report" 2>/dev/null || true
  read -r refused p50 p99 < <(node -e '
    const { errors, delay_ms: delay } = JSON.parse(require("fs").readFileSync(process.argv[1]));
    console.log(errors, delay.p50, delay.p99)' "$folder/report")
  ran=$((streams - refused))
}

median() { printf '%s\n' "$@" | sort -g | sed -n "$((($# + 1) / 2))p"; }

# As many as are let in of very many.
start
offer 3000
stop
sustained=$ran
echo "the daemon takes $sustained streams of 3000"
printf '%-28s %8s %8s %8s %8s\n' 'offered' ran refused p50 p99
alone=() beside=()
for ((pair = 0; pair < pairs; ++pair)); do
  for offered in "$sustained" $((3 * sustained)); do
    start
    offer "$offered"
    stop
    printf '%-28s %8d %8d %8.1f %8.1f\n' "$offered" "$ran" "$refused" "$p50" "$p99"
    if ((offered == sustained)); then alone+=("$p99"); else beside+=("$p99"); fi
  done
done
awk -v a="$(median "${alone[@]}")" -v b="$(median "${beside[@]}")" \
  'BEGIN { printf "p99: %.1f ms alone, %.1f ms at three times the load: %.2f times\n", a, b, b / a }'
