#!/usr/bin/env bash
# Every test: installs what they take, builds everything in build/, runs CTest, then those of the pages, in headless
# Chromium, and of the client modules; with SURTITLE_SANITIZERS=1 also tests/sanitize.sh. Ends with 0 only where all
# passed; a test that failed does not keep the others from running.
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

# The reports that programs write hold the plotting library.
for folder in "$root/web" "$root/examples" "$web" "$root/tests/deploy"; do
  if [[ ! $folder/node_modules/.package-lock.json -nt $folder/package-lock.json ]]; then
    npm ci --prefix "$folder" --no-audit --no-fund --ignore-scripts
  fi
done

failed=()
ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure || failed+=(CTest)

export SURTITLE_BUILD=$build
node --test "$web"/*.test.mjs "$root"/tests/examples/*.test.mjs || failed+=('the pages')
# Debian's Python has Debian's packages.
/usr/bin/python3 -m unittest discover -s "$root/tests/clients/python" -p '*_test.py' || failed+=('the Python client')

# As long again as all else.
if [[ ${SURTITLE_SANITIZERS-} ]]; then
  "$root/tests/sanitize.sh" || failed+=('the sanitizers')
fi

if ((${#failed[@]})); then
  echo "Tests failed: ${failed[*]}" >&2
  exit 1
fi
echo 'All tests passed'
