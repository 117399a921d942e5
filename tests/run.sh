#!/usr/bin/env bash
# Every test: installs what they take, builds everything in build/, runs CTest, then the page's tests in headless
# Chromium. Ends with 0 only where all passed; a test that failed does not keep the others from running.
set -euo pipefail

if (($# > 0)); then
  echo "usage: tests/run.sh, without arguments" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$root/build
web=$root/tests/web

"$root/deploy/install.sh" --tests
cmake --fresh --log-level=WARNING -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release
cmake --build "$build" --parallel "$(nproc)"

failed=()
ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure || failed+=(CTest)

for folder in "$root/web" "$web"; do
  if [[ ! $folder/node_modules/.package-lock.json -nt $folder/package-lock.json ]]; then
    npm ci --prefix "$folder" --no-audit --no-fund --ignore-scripts
  fi
done
SURTITLE_BUILD=$build node --test "$web"/*.test.mjs || failed+=('the page')

if ((${#failed[@]})); then
  echo "Tests failed: ${failed[*]}" >&2
  exit 1
fi
echo 'All tests passed'
