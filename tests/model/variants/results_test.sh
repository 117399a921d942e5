#!/usr/bin/env bash
# Checks that model/variants/RESULTS.md equals the output of model/variants/table.sh and names only known models, the
# figures of rows with several seeds, and that an interrupted series continues. A stub stands in for the trainer.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd -P)
table=$root/model/variants/table.sh
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}

"$table" --no-training --results "$made/RESULTS.md"
diff --unified "$root/model/variants/RESULTS.md" "$made/RESULTS.md" ||
  fail 'model/variants/RESULTS.md differs from model/variants/rows; run model/variants/table.sh --no-training'

# table.sh skips a row without a model in variants.json, and a table of an unknown model, without an error.
jq --exit-status '(.models | keys) as $known
    | [.tables[] | .rows[], .baseline | .model // empty, .models[]?] | length > 0 and all(IN($known[]))' \
  "$root/model/variants/variants.json" >"$made/known" || fail 'a table of variants.json names an unknown model'
for row in "$root"/model/variants/rows/*.json; do
  jq --exit-status --arg model "$(basename "$row" .json)" '.models | has($model)' "$root/model/variants/variants.json" \
    >"$made/known" || fail "$row has no model in variants.json"
done

refused() {
  local reason=$1 said status=0
  said=$("$table" "${@:2}" 2>&1) || status=$?
  [[ $status == 2 && $said == *"$reason"* ]] || fail "table.sh ${*:2}: $status, $said"
}
refused 'unknown model no-such' --no-training --results "$made/RESULTS.md" no-such
refused 'training needs --data' --rows "$made/rows" --results "$made/RESULTS.md" gma
refused 'training needs --data' --rows "$made/rows" --results "$made/RESULTS.md" systems
refused 'unknown argument --no-such' --no-such
refused '--no-training contradicts --packages' --no-training --packages gma

# Rows of several models. Of 80 resampled test sets, the interval leaves out two at each end.
variants=$made/variants.json rows=$made/made-rows
cat >"$variants" <<'JSON'
{
  "text": ["# Made up"],
  "models": {
    "base-1": {"series": "systems", "updates": 700, "cross_attention": "dot-product", "policies": ["full-sentence"]},
    "base-2": {"series": "systems", "cross_attention": "dot-product", "policies": ["full-sentence"], "seed": 2},
    "new-1": {"series": "systems", "cross_attention": "sact", "policies": ["full-sentence"]},
    "new-2": {"series": "systems", "cross_attention": "sact", "policies": ["full-sentence"], "seed": 2},
    "other-1": {"series": "systems", "cross_attention": "luong", "policies": ["full-sentence"]},
    "units": {"series": "systems", "cross_attention": "dot-product", "policies": ["full-sentence"], "segmented": "base-1"}
  },
  "tables": [
    {"title": "Systems", "text": ["About it."], "baseline": {"models": ["base-1", "base-2"], "policy": "full-sentence"}, "rows": [
      {"label": "base", "models": ["base-1", "base-2"], "policies": ["full-sentence"]},
      {"label": "new", "models": ["new-1", "new-2"], "policies": ["full-sentence"]},
      {"label": "other", "models": ["other-1", "other-2"], "policies": ["full-sentence"]}]},
    {"title": "Empty", "baseline": {"models": ["other-1"], "policy": "full-sentence"}, "rows": [
      {"label": "other", "models": ["other-1"], "policies": ["full-sentence"]}]}
  ]
}
JSON
mkdir "$rows"
# Arguments: model, BLEU, what the resampled test sets add to 20 for test set $i, AL.
make_row() {
  jq --null-input --argjson bleu "$2" --argjson al "$4" '
    ([range(80) as $i | 20 + ('"$3"')] | map(tostring) | join(" ")) as $resampled
    | {bleu: $bleu, bleu_resampled: $resampled, al: $al, dal: ($al + 1)} as $scores
    | {scores: {"full-sentence": ($scores + {aer: 0.5, entropy: ($al / 2)} + {europarl:
        ($scores + {bleu: ($bleu / 2), bleu_by_length: {"1-10": $bleu, "11-20": ($bleu / 4)}})})}}' >"$rows/$1.json"
}
results() {
  "$table" --no-training --variants "$variants" --rows "$rows" --results "$made/RESULTS.md"
}
# Sentences are easier in some test sets than in others, for both systems alike: only the difference is narrow.
# shellcheck disable=SC2016  # the variables are those of jq
{
  make_row base-1 30 '$i % 7' 6
  make_row base-2 31 '$i % 7 + 1' 7
  make_row new-1 31.2 '$i % 7 + $i / 10' 4
  make_row new-2 33.2 '$i % 7 + $i / 10 + 3' 4.5
}
results
cat >"$made/expected" <<'MARKDOWN'
# Made up

## Systems

About it.

|  | policy | seeds | BLEU | difference | AL | DAL | AER | entropy | long: BLEU | difference | AL |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| base | `full-sentence` | 2 | 30.5 (30.0 to 31.0) |  | 6.50 | 7.50 | 0.500 | 3.25 | 15.3 (15.0 to 15.5) |  | 6.50 |
| new | `full-sentence` | 2 | 32.2 (31.2 to 33.2) | +1.7 (+1.2 to +8.7) | 4.25 | 5.25 | 0.500 | 2.13 | 16.1 (15.6 to 16.6) | +0.9 (+1.2 to +8.7) | 4.25 |

BLEU of the long sentences by the number of their source's words:

|  | policy | 1-10 | 11-20 |
| --- | --- | --- | --- |
| base | `full-sentence` | 30.5 | 7.6 |
| new | `full-sentence` | 32.2 | 8.1 |
MARKDOWN
diff --unified "$made/expected" "$made/RESULTS.md" || fail 'the table of several seeds is wrong'
rm "$rows"/*
echo '{}' >"$rows/unknown.json"
results
[[ $(<"$made/RESULTS.md") == '# Made up' ]] || fail "a table without rows is shown: $(<"$made/RESULTS.md")"
rm "$rows"/*

# The stub makes half of the updates of a run of its own, and the rest when it is resumed.
mkdir "$made/build"
cat >"$made/build/surtitle" <<'SH'
#!/usr/bin/env bash
set -euo pipefail
all=("$@")
echo "$@" >>"${0%/*}/calls"
value() {
  for i in "${!all[@]}"; do [[ ${all[i]} != "$1" ]] || echo "${all[i + 1]}"; done
}
case $1 in
  train)
    run=$(value --output) wanted=$(sed -n 's/^  max_updates: //p' "$2")
    [[ $* == *--resume* || ! -e $run/log.jsonl ]] || { echo "$run has a run" >&2 && exit 1; }
    mkdir -p "$run/package"
    touch "$run/package/model.yaml"
    [[ $* == *--resume* ]] && done=$wanted || done=$((wanted / 2))
    touch "$run/checkpoint-9.safetensors" "$run/checkpoint-$done.safetensors"
    echo "{\"update\": $done, \"tokens_per_cpu_second\": 1, \"dev_perplexity\": 2}" >>"$run/log.jsonl" ;;
  segment) mkdir "$(value --output)" && touch "$(value --output)/model.yaml" ;;
  evaluate)
    groups=$(value --groups)
    [[ ! $groups ]] || groups=$(sort "$groups" | uniq -c | awk '{ print "{\"group\": \"" $2 "\", \"bleu\": " $1 "}" }' | jq --slurp .)
    echo "{\"bleu\": 30.5, \"al\": 3, \"bleu_resampled\": [30.25, 31], \"groups\": ${groups:-null}}" ;;
  align) echo '{"aer": 0.5, "entropy": [{"entropy": 1, "sentences": 1}, {"entropy": 2, "sentences": 3}]}' ;;
  inspect) echo '{"parameters": 7}' ;;
esac
SH
chmod +x "$made/build/surtitle"
series() {
  "$table" --data "$made" --build "$made/build" --runs "$made/runs" --variants "$variants" --rows "$rows" \
    --results "$made/RESULTS.md" "$@" 2>"$made/said"
}
# Arguments: the run, and what the call of `surtitle train` for it has.
stops() {
  ! series base-1 || fail "base-1 was measured before its training ended"
  grep -qF "training $1 stopped before its last update" "$made/said" || fail "not stopped in $1: $(<"$made/said")"
  [[ $(grep '^train' "$made/build/calls" | tail -1) == *"--output $made/runs/$1 "*"$2" ]] || fail "wrong: $(tail -1 "$made/build/calls")"
}
stops systems-start '--threads 1'
half=$(($(sed -n 's/^  max_updates: //p' "$root/model/variants/systems-start.yaml") / 2))
# The start continues to its end, then the model begins.
stops base-1 "--init-from $made/runs/systems-start/package"
grep -qF -- "--resume $made/runs/systems-start/checkpoint-$half.safetensors" "$made/build/calls" || fail 'the start did not continue'
# A run that stopped before its first checkpoint, or between that and its package, begins again.
rm "$made/runs/base-1"/checkpoint-*
stops base-1 "--init-from $made/runs/systems-start/package"
rm "$made/runs/base-1/package/model.yaml"
stops base-1 "--init-from $made/runs/systems-start/package"
series base-1 || fail "base-1: $(<"$made/said")"
grep -qF -- "--resume $made/runs/base-1/checkpoint-350.safetensors" "$made/build/calls" || fail 'base-1 did not continue'
grep -qF 'cooldown_updates: 280' "$made/runs/base-1.yaml" || fail 'the cooldown is not two fifths of the updates'
jq --compact-output '[.series, .seed, .updates, (.scores["full-sentence"]
    | .bleu_resampled, .entropy, .europarl.bleu, .europarl.bleu_resampled, .europarl.bleu_by_length)]' \
  "$rows/base-1.json" >"$made/row"
[[ $(<"$made/row") == '["systems",1,700,"30.25 31",1.75,30.5,"30.25 31",{"1-10":55,"11-20":167,"21-30":149,"31-40":62,"41-60":55}]' ]] ||
  fail "the row of base-1: $(<"$made/row")"
# A measured model is not trained again.
rm "$made/build/calls"
series base-1
[[ ! -e $made/build/calls ]] || fail "trained again: $(<"$made/build/calls")"

# Arguments: the calls of `surtitle` that --packages makes, or else its error; then its arguments.
packages() {
  local wanted=$1 calls=''
  rm -f "$made/build/calls"
  series --packages "${@:2}" || true
  [[ ! -e $made/build/calls ]] || calls=$(cut -d ' ' -f 1 "$made/build/calls" | xargs)
  [[ ${calls:-$(grep -v '^==' "$made/said")} == "$wanted" ]] ||
    fail "--packages ${*:2}: $calls, $(<"$made/said")"
}
run=$made/runs/base-1
packages '' base-1
# A run may have more updates than its recipe asks for.
echo '{"update": 1000000, "tokens_per_cpu_second": 1, "dev_perplexity": 2}' >>"$run/log.jsonl"
packages '' base-1
# Meaning units are added once, also when the model that they were added to is gone.
seq 80 >"$made/tatoeba.train.de"
packages segment units
packages '' units
mv "$run" "$made/base-1"
packages '' units
mv "$made/base-1" "$run"
# A log whose package was removed is no training.
rm -r "$run/package"
packages "table.sh: base-1 is not trained, and training needs --data" --data '' base-1
packages train base-1
packages train base-1
packages '' base-1
# A package without a log is kept.
for name in base-1 systems-start units; do
  run=$made/runs/$name
  mv "$run" "$made/whole"
  mkdir "$run"
  cp -r "$made/whole/package" "$run"
  model=${name/systems-start/new-1}
  said="table.sh: $run/package has no $run/log.jsonl, which says whether it is trained; copy it, or remove the package"
  packages "$said" "$model"
  packages "$said" --data '' "$model"
  [[ -e $run/package/model.yaml ]] || fail "$run/package was removed"
  rm -r "$run"
  mv "$made/whole" "$run"
done
# A run that stopped between its first package and its log continues.
rm "$made/runs/base-1/log.jsonl"
packages train base-1
grep -q -- --resume "$made/build/calls" || fail 'base-1 did not continue'
