#!/usr/bin/env bash
# What builds without LibTorch, under the sanitizers and before the fuzz targets: builds it in build/asan and
# build/tsan, runs its tests there, and lets each target of tests/fuzz look for crashes. memcheck is one short run of the
# native engine of build/ under valgrind.
set -euo pipefail

usage='usage: tests/sanitize.sh [asan] [tsan] [fuzz] [memcheck], without arguments all of them
SURTITLE_FUZZ_SECONDS: how long each fuzz target runs (60)'
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=${SURTITLE_BUILD:-$root/build}
seconds=${SURTITLE_FUZZ_SECONDS:-60}
asan_programs=(daemon_test simulation_test failing_allocations_test client_test recognisers_test metrics_test policies_test)
tsan_programs=(daemon_test)
export UBSAN_OPTIONS=print_stacktrace=1
# The thread sanitizer goes on by default, and a daemon that a test kills would take its report along.
export TSAN_OPTIONS=halt_on_error=1

# Builds a preset's targets and the daemon.
build() {
  local preset=$1
  shift
  (cd "$root" && cmake --preset "$preset" -B "$build/$preset" --log-level=WARNING) &&
    cmake --build "$build/$preset" --parallel "$(nproc)" --target surtitled_scripted "$@"
}

# Builds these in build/ itself, as tests/run.sh does.
build_plain() {
  if [[ ! -f $build/CMakeCache.txt ]]; then
    cmake --log-level=WARNING -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release || return
  fi
  cmake --build "$build" --parallel "$(nproc)" --target "$@"
}

# Runs the tests of these programs, and those that start a daemon on this preset's daemon, but for two kinds. The
# sanitizers keep what is freed, so that memory grows; and UndefinedBehaviorSanitizer makes a pipe to look at a vtable, and
# calls it invalid where no file is left.
run_tests() {
  local preset=$1 labels unfit='^BadLoad\.(AFloodOf|OutOfFiles)'
  shift
  labels=$(printf '|%s' "$@")
  ctest --test-dir "$build/$preset" --parallel "$(nproc)" --output-on-failure -L "^(${labels:1})\$" \
    -E "$unfit" || return
  build_plain daemon_process_test surtitled_scripted || return
  SURTITLE_DAEMON_FOLDER=$build/$preset ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure \
    -L '^daemon_process_test$' -E "$unfit"
}

asan() { build asan "${asan_programs[@]}" fuzz && run_tests asan "${asan_programs[@]}" fuzz; }
tsan() { build tsan "${tsan_programs[@]}" && run_tests tsan "${tsan_programs[@]}"; }

# Lets one target run, which begins with its corpus and with what it has found here before. Says what it found.
fuzz_one() {
  local target=$1 name log
  name=$(basename "$target" _fuzz)
  log=$build/asan/fuzz/$name.log
  mkdir -p "$build/asan/fuzz/$name"
  if "$target" -max_total_time="$seconds" -print_funcs=0 -timeout=20 -rss_limit_mb=2048 \
    -artifact_prefix="$build/asan/fuzz/$name-" "$build/asan/fuzz/$name" "$root/tests/fuzz/corpus/$name" >"$log" 2>&1; then
    echo "fuzz $name: $(sed -n 's/^Done \([0-9]* runs\).*/\1/p' "$log")"
  else
    tail -n 60 "$log"
    return 1
  fi
}

fuzz() {
  build asan fuzz || return
  export -f fuzz_one
  export build root seconds
  # shellcheck disable=SC2016  # $1 is that shell's own
  find "$build/asan" -maxdepth 1 -name '*_fuzz' -print0 | sort -z |
    xargs -0 --max-args=1 --max-procs="$(nproc)" bash -c 'fuzz_one "$1"' fuzz_one
}

# No suppressions: valgrind finds nothing in the libraries either. It knows AVX2, not AVX-512, so it sees the float32
# kernels of that generation.
memcheck() {
  local folder status=0
  build_plain surtitle surtitle_sentencepiece || return
  folder=$(mktemp -d)
  head -n 3 "$root/tests/data/de-en/tatoeba.test.de" >"$folder/source"
  head -n 3 "$root/tests/data/de-en/tatoeba.test.en" >"$folder/reference"
  valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,possible \
    "$build/surtitle" evaluate --model "$root/model/pretrained/de-en-gma" --policy gma:delta=1 \
    --source "$folder/source" --reference "$folder/reference" --instances "$folder/instances.log" ||
    status=$?
  rm -r "$folder"
  return "$status"
}

(($# > 0)) || set -- asan tsan fuzz memcheck
failed=()
for part in "$@"; do
  case $part in
    asan | tsan | fuzz | memcheck) "$part" || failed+=("$part") ;;
    *) echo "$usage" >&2 && exit 2 ;;
  esac
done
if ((${#failed[@]})); then
  echo "Failed: ${failed[*]}" >&2
  exit 1
fi
