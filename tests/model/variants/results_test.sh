#!/usr/bin/env bash
# Checks that model/variants/RESULTS.md equals the output of model/variants/table.sh and names only known models.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd -P)
table=$root/model/variants/table.sh
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT

"$table" --no-training --results "$made/RESULTS.md"
diff --unified "$root/model/variants/RESULTS.md" "$made/RESULTS.md" ||
  { echo 'model/variants/RESULTS.md differs from model/variants/rows; run model/variants/table.sh --no-training' >&2 && exit 1; }

# table.sh skips a row without a model in variants.json, and a table of an unknown model, without an error.
jq --exit-status '(.models | keys) as $known | [.tables[].rows[].model, .tables[].baseline.model] | all(IN($known[]))' \
  "$root/model/variants/variants.json" >"$made/known" || { echo 'a table of variants.json names an unknown model' >&2 && exit 1; }
for row in "$root"/model/variants/rows/*.json; do
  jq --exit-status --arg model "$(basename "$row" .json)" '.models | has($model)' "$root/model/variants/variants.json" \
    >"$made/known" || { echo "$row has no model in variants.json" >&2 && exit 1; }
done

refused() {
  local reason=$1 said status=0
  said=$("$table" "${@:2}" 2>&1) || status=$?
  [[ $status == 2 && $said == *"$reason"* ]] || { echo "table.sh ${*:2}: $status, $said" >&2 && exit 1; }
}
refused 'unknown model no-such' --no-training --results "$made/RESULTS.md" no-such
refused 'training needs --data' --rows "$made/rows" --results "$made/RESULTS.md" gma
refused 'unknown argument --no-such' --no-such
