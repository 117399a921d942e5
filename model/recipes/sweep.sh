#!/usr/bin/env bash
# Prints the model card's table: quality and latency of a package under each policy, on both test sets.
#   model/recipes/sweep.sh BUILD_FOLDER PACKAGE POLICY...
set -euo pipefail

if [[ $# -lt 3 ]]; then
  echo "usage: $0 BUILD_FOLDER PACKAGE POLICY..." >&2
  exit 2
fi
build=$1
package=$2
shift 2
data=$(cd "$(dirname "$0")/../../tests/data/de-en" && pwd)

# The first number under a key of one line of JSON: the word unit stands before the tokens'.
number() {
  grep -oE "\"$1\":[^,}]+" <<<"$2" | head -n 1 | cut -d: -f2
}

echo "| test set | policy | BLEU | chrF2 | AL | LAAL | AP | DAL | CW |"
echo "|---|---|---|---|---|---|---|---|---|"
for set in tatoeba.test europarl.test; do
  for policy in "$@"; do
    score=$("$build/surtitle" evaluate --model "$package" --source "$data/$set.de" \
      --reference "$data/$set.en" --policy "$policy" --precision float32 --json)
    row="| $set | $policy |"
    for key in bleu chrf al laal ap dal cw; do
      row+=$(printf ' %.2f |' "$(number "$key" "$score")")
    done
    echo "$row"
  done
done
