#!/usr/bin/env bash
# Runs every test once. It installs the packages for tests, builds everything in build/, and runs CTest, then the tests of
# the pages (in headless Chromium) and of the client modules. With --all, tests that repeat one check run at full size, and
# tests/sanitize.sh follows. The exit code is 0 only if all tests passed. A failing or hanging test does not stop the others.
set -euo pipefail
# shellcheck source=tests/limits.sh
. "$(dirname "${BASH_SOURCE[0]}")/limits.sh"

all=
if (($# == 1)) && [[ $1 == --all ]]; then
  all=1
elif (($# > 0)); then
  echo 'usage: tests/run.sh [--all]
--all: also the sanitizers, fuzzing and memcheck, and repeated checks at full size
SURTITLE_SANITIZERS: the parts of tests/sanitize.sh to run (default: none, with --all: all)
SURTITLE_MINUTES: time after which tests that still run are ended and fail (86)' >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$root/build
web=$root/tests/web
end_all_after "${SURTITLE_MINUTES:-86}"

"$root/deploy/install.sh" --tests
# From nothing, several sources are compiled at a time. The own build of a developer stays as it is: after a change, it
# compiles single sources.
unity=ON
if [[ -f $build/CMakeCache.txt ]] && ! grep -q '^CMAKE_UNITY_BUILD:.*=ON' "$build/CMakeCache.txt"; then
  unity=OFF
fi
cmake --fresh --log-level=WARNING -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=$unity
cmake --build "$build" --parallel "$(nproc)"

# Reports contain the plotting library of web/.
for folder in "$root/web" "$root/examples" "$web" "$root/tests/deploy"; do
  if [[ ! $folder/node_modules/.package-lock.json -nt $folder/package-lock.json ]]; then
    npm ci --prefix "$folder" --no-audit --no-fund --ignore-scripts
  fi
done

# Number of kills and disconnections of daemons, relative to full size.
chaos=0.3
if [[ $all ]]; then
  export SURTITLE_TEST_SIZE=full SURTITLE_SANITIZERS=${SURTITLE_SANITIZERS-asan asan_processes tsan tsan_processes fuzz memcheck}
  chaos=1
fi
# Builds the programs for the sanitizers meanwhile, on idle processors. A failure of this build recurs below and is reported
# there.
read -ra parts <<<"${SURTITLE_SANITIZERS-}"
building=
if ((${#parts[@]})); then
  setsid nice -n 19 "$root/tests/sanitize.sh" build "${parts[@]}" >"$build/sanitizers.log" 2>&1 &
  building=$!
fi
# Tests sync thousands of journals, which takes minutes on a slow disk. Their files are in memory if there is room for 2 GiB.
memory=
free=$(df --output=avail --block-size=1M /dev/shm 2>/dev/null | tail -n 1) || true
if [[ ! ${TMPDIR-} ]] && ((${free:-0} > 2048)) && memory=$(mktemp -d /dev/shm/surtitle-XXXXXX); then
  chmod 1777 "$memory"  # as /tmp: tests also open files as another user
  export TMPDIR=$memory
fi
clean_up() {
  [[ ! $building ]] || kill -- "-$building" 2>/dev/null || true
  [[ ! $memory ]] || rm -rf "$memory"
}
trap clean_up EXIT

failed=()
SURTITLE_CHAOS=${SURTITLE_CHAOS:-$chaos} limited_ctest --test-dir "$build" || failed+=(CTest)

export SURTITLE_BUILD=$build
limited 3600 node "$root/tests/test_files.mjs" "$web"/*.test.mjs "$root"/tests/examples/*.test.mjs || failed+=('the pages')
# Debian's Python has Debian's packages. With -v, the name of a hanging test is printed.
limited 600 /usr/bin/python3 -m unittest discover -v -s "$root/tests/clients/python" -p '*_test.py' ||
  failed+=('the Python client')

if [[ $building ]]; then
  wait "$building" || true
  building=
  "$root/tests/sanitize.sh" "${parts[@]}" || failed+=('the sanitizers')
fi

if ((${#failed[@]})); then
  echo "Tests failed: ${failed[*]}" >&2
  exit 1
fi
echo 'All tests passed'
