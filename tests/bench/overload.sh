#!/usr/bin/env bash
# Measures the effect of admission control, in pairs of runs. In the first run, three times as many streams as the daemon can
# carry try to start; rejected ones retry, after the time in `overloaded`, until the end. The second run has as many streams
# as ran in the first one, and no others; it disables admission, so that all of them run. Prints the write delays of running
# streams, without their beginnings and ends, and the ratio of the medians.
#
# The generator has priority over the daemon, so that its own delays are not measured as overload. That needs root.
set -euo pipefail

usage='usage: tests/bench/overload.sh [--seconds 60] [--warm-up 25] [--pairs 3] [--build build] [FLAG OF surtitled...]'
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
seconds=60 warm_up=25 pairs=3 build=$root/build
flags=()
while (($#)); do
  case $1 in
    --seconds) seconds=$2 && shift 2 ;;
    --warm-up) warm_up=$2 && shift 2 ;;
    --pairs) pairs=$2 && shift 2 ;;
    --build) build=$2 && shift 2 ;;
    -h | --help) echo "$usage" && exit ;;
    *) flags+=("$1") && shift ;;
  esac
done
((warm_up < seconds)) || { echo 'overload.sh: --warm-up must be shorter than --seconds' >&2 && exit 2; }
(($(nice --adjustment=-5 nice 2>/dev/null) < $(nice))) || { echo 'overload.sh: cannot raise the priority of the generator; run as root' >&2 && exit 2; }
log=$root/tests/data/demo/europarl.jsonl
folder=$(mktemp -d)
daemon=
trap 'test -z "$daemon" || kill "$daemon"; rm -r "$folder"' EXIT

start() {
  "$build/surtitled" --port 0 --models de-en-gma-small --log-level error \
    --journal-path "$folder/journal.sqlite" "${flags[@]}" "$@" >"$folder/ready" &
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

# offer STREAMS [FLAG...]: runs streams on a daemon with these flags. Sets `ran` (streams at the end), `overloaded` (number of
# rejections), `words` (a second), and `p50`, `p95` and `p99` of the write delays (ms).
offer() {
  local streams=$1 generator
  start "${@:2}"
  nice --adjustment=-5 "$build/surtitle" loadtest "$log" --url "ws${url#http}" --streams "$streams" --duration "$seconds" \
    --warm-up "$warm_up" --retry --json >"$folder/report" 2>"$folder/errors" &
  generator=$!
  sleep $((seconds - 1))
  ran=$(curl --silent "$url/metrics" | sed -n 's/^surtitle_streams //p')
  wait "$generator" || true
  stop
  [[ -s $folder/report ]] || { cat "$folder/errors" >&2 && exit 1; }
  read -r overloaded words p50 p95 p99 < <(node -e '
    const report = JSON.parse(require("fs").readFileSync(process.argv[1]));
    const { p50, p95, p99 } = report.delay_ms;
    console.log(report.overloaded, report.words_per_second, p50, p95, p99)' "$folder/report")
}

line() { printf '%-28s %8d %8d %10d %8.0f %8.1f %8.1f %8.1f\n' "$1" "$2" "$ran" "$overloaded" "$words" "$p50" "$p95" "$p99"; }

median() { printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

printf '%-28s %8s %8s %10s %8s %8s %8s %8s\n' '' offered ran overloaded words/s p50 p95 p99
offer 2000
line 'capacity' 2000
crowd=$((3 * ran))
alone=() crowded=()
for ((pair = 0; pair < pairs; ++pair)); do
  offer "$crowd"
  line 'three times as many' "$crowd"
  crowded+=("$p99")
  as_many=$ran
  offer "$as_many" --admission-max-delay-p95 0
  line 'as many as ran, alone' "$as_many"
  alone+=("$p99")
done
awk -v a="$(median "${alone[@]}")" -v b="$(median "${crowded[@]}")" \
  'BEGIN { printf "p99: %.1f ms alone, %.1f ms at three times the load: %.2f times\n", a, b, b / a }'
