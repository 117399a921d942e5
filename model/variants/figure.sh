#!/usr/bin/env bash
# Draws BLEU over average lagging for the systems of `figure` in variants.json, from the points in figure.tsv.
#
# Points that are not in figure.tsv are measured first, so an interrupted run can be repeated: lines that it cut off do not
# count. Remove a line to repeat its measurement. table.sh trains the models that have no package.
set -euo pipefail

usage='usage: model/variants/figure.sh [--tests FOLDER] [--data FOLDER] [--runs runs/variants] [--build build]
                                 [--threads 1] [--points FILE] [--variants FILE] [--output docs/gma.svg]

  --tests   the test sets news.test.{de,en} and talk.test.{de,en}, see model/recipes/README.md; needed for measurements
  --data    the text of prepare_text.py, see there; needed for training
  --points, --variants
            replace model/variants/figure.tsv and model/variants/variants.json'
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
tests='' data='' runs=runs/variants build=$root/build threads=1
points=$here/figure.tsv variants=$here/variants.json output=$root/docs/gma.svg
header=$'set\tmodel\tpolicy\tBLEU\tAL\tLAAL\tDAL'
complete=$'^[^\t]+\t[^\t]+\t[^\t]+(\t-?[0-9]+(\\.[0-9]+)?){4}$'  # a line of a point

fail() {
  echo "figure.sh: $2" >&2
  exit "$1"
}

while (($#)); do
  case $1 in
    --tests | --data | --runs | --build | --threads | --points | --variants | --output)
      (($# > 1)) || fail 2 "$1 needs a value; $usage"
      declare "${1#--}=$2" && shift 2 ;;
    -h | --help) echo "$usage" && exit ;;
    *) fail 2 "unknown argument $1; $usage" ;;
  esac
done
for program in jq gnuplot; do
  command -v "$program" >/dev/null || fail 1 "$program is missing; deploy/install.sh --tests installs it"
done

# Fails unless a file can be written here: before hours of measurements, not after them.
check_writable() {
  local option=$1 file=$2 folder
  folder=$(dirname "$file")
  mkdir -p "$folder" 2>/dev/null || true
  [[ $file && $file != */ && ! -d $file && -d $folder && -w $folder ]] ||
    fail 2 "$option $file cannot be written; allowed: the name of a file in a folder that exists or can be made"
}

# Removes all but the header and the complete lines from the points.
keep_complete_points() {
  local first='' line kept=("$header")
  if [[ -e $points ]]; then
    # Of the last line, `read` fails if no newline ends it.
    {
      read -r first || true
      [[ $header == "$first"* ]] || fail 2 "$points is not a file of points; its first line must be: $header"
      while IFS= read -r line; do
        [[ ! $line =~ $complete ]] || kept+=("$line")
      done
    } <"$points"
    ! printf '%s\n' "${kept[@]}" | cmp --quiet - "$points" || return 0
    echo "figure.sh: $points has lines that are not complete; their points are measured again" >&2
  fi
  printf '%s\n' "${kept[@]}" >"$points.new"
  mv "$points.new" "$points"
}

# Prints test set, model and policy of each point of the figure that is not measured, one a line.
missing_points() {
  jq --raw-output '.figure | (.tests | keys_unsorted[]) as $set | (.rows[], .baseline)
      | .policies[] as $policy | .models[][] | [$set, ., $policy] | @tsv' "$variants" |
    awk -F '\t' 'NR == FNR { measured[$1, $2, $3] = 1; next } !(($1, $2, $3) in measured)' "$points" -
}

measure() {
  local missing models set model policy file point scores are='points are'
  mapfile -t missing
  ((${#missing[@]})) || return 0
  ((${#missing[@]} > 1)) || are='point is'
  [[ $tests ]] || fail 2 "${#missing[@]} $are not in $points, and measurements need --tests"
  [[ -x $build/surtitle ]] || fail 1 "$build/surtitle is missing; build it, or name its folder with --build"
  while read -r set; do
    for file in "$tests/$set".{de,en}; do
      [[ -e $file ]] || fail 1 "$file is missing; model/recipes/README.md has its origin"
    done
  done < <(printf '%s\n' "${missing[@]}" | cut -f 1 | sort -u)
  mapfile -t models < <(printf '%s\n' "${missing[@]}" | cut -f 2 | sort -u)
  "$here/table.sh" --packages --data "$data" --runs "$runs" --build "$build" --threads "$threads" --variants "$variants" \
    "${models[@]}"

  for point in "${missing[@]}"; do
    IFS=$'\t' read -r set model policy <<<"$point"
    echo "== $set $model $policy" >&2
    scores=$("$build/surtitle" evaluate --model "$runs/$model/package" --policy "$policy" --precision float32 \
      --threads "$threads" --json --source "$tests/$set.de" --reference "$tests/$set.en" |
      jq --raw-output '[.bleu, .al, .laal, .dal | numbers * 100 | round / 100] | @tsv')
    [[ $point$'\t'$scores =~ $complete ]] ||
      fail 1 "$build/surtitle evaluate prints no BLEU, AL, LAAL or DAL for $set, $model, $policy"
    printf '%s\t%s\n' "$point" "$scores" >>"$points"
  done
}

# Prints the points of a test set for gnuplot: a block for each system, the baseline's last. Each point is the mean over
# the models that differ in their seeds.
curves() {
  jq --raw-input --null-input --raw-output --arg set "$1" --slurpfile variants "$variants" '
    reduce (inputs / "\t" | select(.[0] == $set)) as $point ({}; .[$point[1]][$point[2]] = ($point[3:] | map(tonumber)))
    | . as $measured
    | $variants[0].figure | .rows[], .baseline
    | (.label | @json),
      (.models[] as $seeds | .policies[] as $policy
       | [$seeds[] | $measured[.][$policy]] | transpose | map(add / length) | @tsv),
      "", ""' "$points"
}

# A function, so that editing the file does not affect a running script.
main() {
  local drawing set
  jq --slurp --exit-status '.[0].figure' "$variants" &>/dev/null ||
    fail 2 "--variants $variants cannot be read or has no figure; allowed: a file like model/variants/variants.json"
  check_writable --points "$points"
  check_writable --output "$output"
  keep_complete_points
  measure < <(missing_points)

  drawing=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -r '$drawing'" EXIT
  jq --raw-output '.figure | (.tests | "array sets[\(length)] = \(keys_unsorted)", "array titles[\(length)] = \([.[]])"),
      "rows = \(.rows | length)"' "$variants" >"$drawing/names"
  for set in $(jq --raw-output '.figure.tests | keys_unsorted[]' "$variants"); do
    curves "$set" >"$drawing/$set"
  done
  (cd "$drawing" && gnuplot "$here/figure.gnuplot" >figure.svg)
  mv "$drawing/figure.svg" "$output"
}

main; exit
