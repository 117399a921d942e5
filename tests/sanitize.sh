#!/usr/bin/env bash
# Runs tests under sanitizers, and the fuzz targets. Everything that builds without LibTorch is built in build/asan and
# build/tsan and tested there (asan, tsan); tests of build/ start the daemon and the commands of these builds
# (asan_processes, tsan_processes); and each target of tests/fuzz searches for crashes. memcheck is a short run under
# valgrind of the native engine of build/, and one of some tests with LibTorch.
set -euo pipefail
# shellcheck source=tests/limits.sh
. "$(dirname "${BASH_SOURCE[0]}")/limits.sh"

all_parts=(asan asan_processes tsan tsan_processes fuzz memcheck)
usage='usage: tests/sanitize.sh [build] [PART...]
PART: '"${all_parts[*]}"'; default: all
build: only builds the programs of these parts
SURTITLE_FUZZ_SECONDS: time of each fuzz target (60)
SURTITLE_FUZZ_SEED: random seed of fuzz targets (1, so that a passed run passes again); 0: another one each time
SURTITLE_CHAOS: number of kills, stops and disconnections of daemons, relative to build/ (0.2)'
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=${SURTITLE_BUILD:-$root/build}
seconds=${SURTITLE_FUZZ_SECONDS:-60}
seed=${SURTITLE_FUZZ_SEED:-1}
# A daemon under a sanitizer takes several times as long to restart.
export SURTITLE_CHAOS=${SURTITLE_CHAOS:-0.2}
asan_programs=(daemon_test simulation_test failing_allocations_test failing_sockets_test client_test recognisers_test
  metrics_test metrics_commands_test bench_report_test model_test model_failing_allocations_test policies_test)
# Without programs that use only one thread: simulation_test, *failing_allocations_test.
tsan_programs=(daemon_test client_test failing_sockets_test recognisers_test metrics_test metrics_commands_test
  bench_report_test model_test policies_test)
# Test programs of build/ itself, which start daemons and commands under a sanitizer.
process_programs=(daemon_process_test service_process_test backplane_process_test pipe_resume_test
  commands_process_test)
# Tests of these programs that let whole models, or 24 talks that outlast failures of Redis, work for minutes under a
# sanitizer. Others run the same code for seconds.
long_tests='Cluster\.NoWordIsLostWhileRedis|Usage\.Bench|SegmentCommand\.TrainsAModel|Align\.(HasThe|SeesNoMore|ForcesUnder|Writes)|CalibratedPackage\.HasTheHeads'

# build_preset PRESET TARGET...: builds these targets and the programs that tests start.
build_preset() {
  local preset=$1
  shift
  (cd "$root" && cmake --preset "$preset" -B "$build/$preset" --log-level=WARNING) &&
    until_the_end cmake --build "$build/$preset" --parallel "$(nproc)" \
      --target surtitle surtitled surtitled_scripted "$@"
}

# build_plain TARGET...: builds these targets in build/ itself, as tests/run.sh does.
build_plain() {
  if [[ ! -f $build/CMakeCache.txt ]]; then
    cmake --log-level=WARNING -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release || return
  fi
  until_the_end cmake --build "$build" --parallel "$(nproc)" --target "$@"
}

# watch FOLDER COMMAND...: runs a command whose sanitizers write their findings to FOLDER, and fails if there are any. Files
# are needed because tests neither wait for the end of every daemon that they start, nor read its output.
watch() {
  local folder=$1 status=0
  shift
  rm -rf "$folder"
  mkdir -p "$folder"
  # By default, ThreadSanitizer does not end a program at its first finding.
  ASAN_OPTIONS=log_path=$folder/report UBSAN_OPTIONS=print_stacktrace=1:log_path=$folder/report \
    TSAN_OPTIONS=halt_on_error=1:log_path=$folder/report "$@" || status=$?
  if [[ -n $(ls -A "$folder") ]]; then
    echo "Findings in $folder, of which the first lines are:" >&2
    cat "$folder"/* | head -n 200 >&2
    return 1
  fi
  return "$status"
}

# run_tests PRESET PROGRAM...: runs the tests of a preset's programs.
run_tests() {
  local preset=$1
  shift
  watch "$build/$preset/reports" limited_ctest --test-dir "$build/$preset" -L "$(any_of "$@")"
}

# run_process_tests PRESET UNFIT PROGRAM...: runs the tests of programs of build/ with the daemon and commands of a preset,
# except tests that match UNFIT.
run_process_tests() {
  local preset=$1 unfit=$2
  shift 2
  SURTITLE_PROGRAMS=$build/$preset watch "$build/$preset/reports" limited_ctest --test-dir "$build" \
    -L "$(any_of "$@")" -E "$unfit"
}

# Prints a pattern that matches exactly these words.
any_of() {
  local words
  words=$(printf '|%s' "$@")
  echo "^(${words:1})\$"
}

build_asan() { build_preset asan "${asan_programs[@]}" fuzz; }
build_asan_processes() { build_preset asan && build_plain "${process_programs[@]}"; }
build_tsan() { build_preset tsan "${tsan_programs[@]}"; }
build_tsan_processes() { build_preset tsan && build_plain "${process_programs[@]}"; }
build_fuzz() { build_preset asan fuzz; }
build_memcheck() { build_plain surtitle surtitle_sentencepiece torch_test; }

asan() { run_tests asan "${asan_programs[@]}" fuzz; }
tsan() { run_tests tsan "${tsan_programs[@]}"; }

# The unfit tests of BadLoad measure memory, which grows because AddressSanitizer keeps freed memory, or exhaust file
# descriptors. In the latter, UndefinedBehaviorSanitizer cannot open the pipe with which it checks a vtable, and reports the
# vtable as invalid.
asan_processes() { run_process_tests asan "^(BadLoad\.(AFloodOf|OutOfFiles)|$long_tests)" "${process_programs[@]}"; }
tsan_processes() { run_process_tests tsan "^($long_tests)" "${process_programs[@]}"; }

# fuzz_one TARGET: runs a fuzz target, from its corpus and its earlier findings. Prints the number of runs, or the finding.
fuzz_one() {
  local target=$1 name log
  name=$(basename "$target" _fuzz)
  log=$build/asan/fuzz/$name.log
  mkdir -p "$build/asan/fuzz/$name"
  if "$target" -seed="$seed" -max_total_time="$seconds" -print_funcs=0 -timeout=20 -rss_limit_mb=2048 \
    -artifact_prefix="$build/asan/fuzz/$name-" "$build/asan/fuzz/$name" "$root/tests/fuzz/corpus/$name" >"$log" 2>&1; then
    echo "fuzz $name: $(sed -n 's/^Done \([0-9]* runs\).*/\1/p' "$log")"
  else
    tail -n 60 "$log"
    return 1
  fi
}

fuzz() {
  export -f fuzz_one
  export build root seconds seed
  find "$build/asan" -maxdepth 1 -name '*_fuzz' -print0 | sort -z >"$build/asan/fuzz_targets"
  # shellcheck disable=SC2016  # $1 is that shell's own
  until_the_end xargs -0 --arg-file="$build/asan/fuzz_targets" --max-args=1 --max-procs="$(nproc)" \
    bash -c 'fuzz_one "$1"' fuzz_one
}

# Runs a program under valgrind. valgrind supports AVX2 but not AVX-512, and therefore checks the float32 kernels for AVX2.
valgrind_on() {
  limited 600 valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,possible "$@"
}

memcheck() {
  local folder status=0
  folder=$(mktemp -d)
  head -n 3 "$root/tests/data/de-en/tatoeba.test.de" >"$folder/source"
  head -n 3 "$root/tests/data/de-en/tatoeba.test.en" >"$folder/reference"
  valgrind_on "$build/surtitle" evaluate --model "$root/model/pretrained/de-en-gma-small" --policy gma:delta=1 \
    --source "$folder/source" --reference "$folder/reference" --instances "$folder/instances.log" || status=$?
  rm -r "$folder"
  valgrind_on --suppressions="$root/tests/libtorch.supp" "$build/torch_test" \
    --gtest_filter='golden_gma.*:LatencyLoss.*:Training.WritesACheckpointWhenStopped' || status=$?
  return "$status"
}

only_build=
if [[ ${1-} == build ]]; then
  only_build=1
  shift
fi
(($# > 0)) || set -- "${all_parts[@]}"
for part in "$@"; do
  if [[ ! $part =~ $(any_of "${all_parts[@]}") ]]; then
    echo "$usage" >&2
    exit 2
  fi
done
failed=()
for part in "$@"; do
  if ! "build_$part" || { [[ ! $only_build ]] && ! "$part"; }; then
    failed+=("$part")
  fi
done
if ((${#failed[@]})); then
  echo "Failed: ${failed[*]}" >&2
  exit 1
fi
