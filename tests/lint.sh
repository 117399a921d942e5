#!/usr/bin/env bash
# Checks sources: formatting, clang-tidy, the direction of includes (layers.py, always for all files), and plain technical
# English in comments, strings and Markdown (prose.py).
# Without names it checks all files that git knows, which takes an hour on two cores.
set -euo pipefail

if [[ ${1-} == -* ]]; then
  echo 'usage: tests/lint.sh [FILE...]
for a change: tests/lint.sh $(git diff --name-only --diff-filter=d main)' >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$root/build/lint

if (($#)); then
  files=()
  for file in "$@"; do
    files+=("$(realpath --relative-to="$root" "$file")")
  done
else
  mapfile -t files < <(git -C "$root" ls-files)
fi
cd "$root"
mapfile -t formatted < <(printf '%s\n' "${files[@]}" | grep -E '\.(cpp|h|cu|cuh)$')
mapfile -t compiled < <(printf '%s\n' "${formatted[@]}" | grep -E '\.cpp$')

status=0
tests/layers.py || status=1
((${#files[@]} == 0)) || tests/prose.py "${files[@]}" || status=1
((${#formatted[@]} == 0)) || clang-format --dry-run -Werror "${formatted[@]}" || status=1

# Configures a build with Clang, without precompiled headers, which clang-tidy cannot read.
CXX=clang++ cmake --log-level=WARNING -G Ninja -S "$root" -B "$build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DSURTITLE_FUZZ=ON >/dev/null

tidy() {
  # Files that are not built here have no compile command.
  grep -qF "\"file\": \"$PWD/$1\"" "$2/compile_commands.json" || exit 0
  # clang-tidy prints the number of warnings in system headers to stderr.
  found=$(clang-tidy -p "$2" --quiet "$1" 2>/dev/null) && exit
  echo "${found:-$1: clang-tidy failed}"
  exit 1
}
export -f tidy
((${#compiled[@]} == 0)) ||
  printf '%s\0' "${compiled[@]}" | xargs -0 -P "$(nproc)" -I{} bash -c 'tidy "$@"' tidy {} "$build" || status=1
exit "$status"
