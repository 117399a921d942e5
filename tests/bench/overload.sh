#!/usr/bin/env bash
# What admission keeps: as many streams as the daemon takes, alone, and while twice as many more want to begin, again and
# again from the sixth second to the last. Prints the write delays of those that run, in pairs of runs, and the ratio of the medians.
set -euo pipefail

usage='usage: tests/bench/overload.sh [--seconds 30] [--pairs 3] [--again 5] [--build build] [FLAG OF surtitled...]
--again: seconds after which those who were refused knock again; a daemon says 5 or more'
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
seconds=30 pairs=3 again=5 build=$root/build
flags=()
while (($#)); do
  case $1 in
    --seconds) seconds=$2 && shift 2 ;;
    --pairs) pairs=$2 && shift 2 ;;
    --again) again=$2 && shift 2 ;;
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

# Lets so many streams run, and twice as many knock meanwhile where `knock` is not empty, again and again. Sets how many
# ran, how often somebody knocked and was let in, how many of them at a time, and p50 and p99 (ms) of the first ones' write delays.
offer() {
  local streams=$1 knock=$2 first entered end=$((SECONDS + seconds))
  knocked=0 let_in=0 beside=0
  start
  say "$streams" "$seconds" first &
  first=$!
  if [[ $knock ]]; then
    sleep 6
    while ((SECONDS < end - 2)); do
      say $((2 * streams)) 4 second
      read -r entered _ < <(ran second $((2 * streams)))
      knocked=$((knocked + 2 * streams)) let_in=$((let_in + entered))
      ((entered <= beside)) || beside=$entered
      sleep "$again"
    done
  fi
  wait "$first"
  read -r ran p50 p99 < <(ran first "$streams")
  stop
}

# The report of so many streams for so many seconds is in this file.
say() {
  "$build/surtitle" replay "$log" --url "ws${url#http}" --streams "$1" --duration "$2" --json >"$folder/$3" 2>/dev/null || true
}

# How many of so many were let in, p50, p99.
ran() {
  node -e '
    const { errors, delay_ms: delay } = JSON.parse(require("fs").readFileSync(process.argv[1]));
    console.log(process.argv[2] - errors, delay.p50, delay.p99)' "$folder/$1" "$2"
}

median() { printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

# As many as there is room for: those of very many who are let in, and who comes in beside them.
offer 3000 ''
offer "$ran" knock
sustained=$((ran + beside))
echo "the daemon takes $sustained streams"
printf '%-24s %8s %8s %8s %8s %8s\n' '' ran knocked 'let in' p50 p99
alone=() crowded=()
for ((pair = 0; pair < pairs; ++pair)); do
  for knock in '' 'twice as many knock'; do
    offer "$sustained" "$knock"
    printf '%-24s %8d %8d %8d %8.1f %8.1f\n' "${knock:-alone}" "$ran" "$knocked" "$let_in" "$p50" "$p99"
    if [[ $knock ]]; then crowded+=("$p99"); else alone+=("$p99"); fi
  done
done
awk -v a="$(median "${alone[@]}")" -v b="$(median "${crowded[@]}")" \
  'BEGIN { printf "p99: %.1f ms alone, %.1f ms at three times the load: %.2f times\n", a, b, b / a }'
