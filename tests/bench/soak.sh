#!/usr/bin/env bash
# Runs surtitled under a steady load for a long time. Each minute it prints memory, threads, open files and the write delay of
# that minute. A leak or a slowdown is visible as a trend.
set -euo pipefail

usage='usage: tests/bench/soak.sh [--streams 500] [--minutes 30] [--build build] [FLAG OF surtitled...]'
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
streams=500 minutes=30 build=$root/build
flags=()
while (($#)); do
  case $1 in
    --streams) streams=$2 && shift 2 ;;
    --minutes) minutes=$2 && shift 2 ;;
    --build) build=$2 && shift 2 ;;
    -h | --help) echo "$usage" && exit ;;
    *) flags+=("$1") && shift ;;
  esac
done

metrics() {
  local line
  exec {socket}<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&"$socket"
  while IFS= read -r line <&"$socket"; do
    echo "${line%$'\r'}"
  done
  exec {socket}>&-
}

# Reads two states of the write delay's histogram. Prints the number of writes between them and their p50, p95 and p99 in ms,
# interpolated linearly within a bucket.
percentiles() {
  awk '
    /^surtitle_write_delay_seconds_bucket/ {
      split($0, parts, "\"")
      bound = parts[2]
      if (!(bound in first)) { first[bound] = $2; order[++buckets] = bound } else { last[bound] = $2 }
    }
    function at(share,   i, bound, count, below, edge) {
      for (i = 1; i <= buckets; ++i) {
        bound = order[i]
        count = last[bound] - first[bound]
        if (count >= share * total) {
          if (bound == "+Inf") return 1000 * edge
          return 1000 * (edge + (bound - edge) * (share * total - below) / (count - below))
        }
        below = count
        edge = bound
      }
    }
    END {
      total = last["+Inf"] - first["+Inf"]
      if (total > 0) printf "%9d %7.1f %7.1f %7.1f\n", total, at(0.5), at(0.95), at(0.99)
      else print "no write"
    }'
}

state=$(mktemp --directory)
exec {lines}< <(exec "$build/surtitled" --port 0 --log-level warning --journal-path "$state/journal.sqlite" ${flags[@]+"${flags[@]}"})
daemon=$!
trap 'kill "$daemon" 2>/dev/null || true; rm -rf "$state"' EXIT
while IFS= read -r line <&"$lines"; do
  if [[ $line == 'surtitled ready on '* ]]; then
    port=${line##*:}
    port=${port%/}
    break
  fi
done
"$build/surtitle" loadtest "$root/tests/data/demo/europarl.jsonl" --url "ws://127.0.0.1:$port" --speed 1.087 \
  --streams "$streams" --duration $((minutes * 60)) &
load=$!

printf '%6s %7s %8s %7s %6s %9s %7s %7s %7s\n' minute streams MiB threads files writes 'p50 ms' p95 p99
before=$(metrics)
for ((minute = 1; minute <= minutes; ++minute)); do
  sleep 60
  after=$(metrics)
  printf '%6d %7d %8.1f %7d %6d ' "$minute" \
    "$(awk '/^surtitle_streams /{print $2}' <<<"$after")" \
    "$(awk '/^VmRSS/{print $2 / 1024}' "/proc/$daemon/status")" \
    "$(awk '/^Threads/{print $2}' "/proc/$daemon/status")" "$(find "/proc/$daemon/fd" | wc -l)"
  percentiles <<<"$before"$'\n'"$after"
  before=$after
done
wait "$load"
