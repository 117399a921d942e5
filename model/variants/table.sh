#!/usr/bin/env bash
# Trains the models of variants.json, measures them, and writes model/variants/RESULTS.md from the measurements.
#
# Every model has the same budget: the weights of start.yaml's model, then the updates of variant.yaml with its
# own cross-attention and policies. The models of a series S have S-start.yaml and S.yaml instead. A measured model has
# a file in rows/. Only models without one are trained, and a training continues from its last checkpoint, so an
# interrupted run can be repeated. Remove a file to repeat its measurement.
set -euo pipefail

usage='usage: model/variants/table.sh [--data FOLDER] [--runs runs/variants] [--build build] [--threads 1]
                                [--rows FOLDER] [--results FILE] [--variants FILE]
                                [--no-training | --packages] [MODEL...]

  --data         the recipes'"'"' text, see model/recipes/README.md; needed for training
  --rows, --results, --variants
                 replace model/variants/rows, model/variants/RESULTS.md and model/variants/variants.json
  --no-training  write the table from the files in rows/
  --packages     only train the models of which --runs has no package of a whole training, with or without a file in rows/
  MODEL          a model or a series of variants.json; default: all models without a series, which read other text'
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
data='' runs=runs/variants build=$root/build threads=1 training=yes packages=''
results=$here/RESULTS.md rows=$here/rows variants=$here/variants.json
names=()
while (($#)); do
  case $1 in
    --data | --runs | --build | --threads | --rows | --results | --variants)
      (($# > 1)) || { echo "table.sh: $1 needs a value; $usage" >&2 && exit 2; }
      declare "${1#--}=$2" && shift 2 ;;
    --no-training) training='' && shift ;;
    --packages) packages=yes && shift ;;
    -h | --help) echo "$usage" && exit ;;
    -*) echo "table.sh: unknown argument $1; $usage" >&2 && exit 2 ;;
    *) names+=("$1") && shift ;;
  esac
done
[[ $training || ! $packages ]] || { echo "table.sh: --no-training contradicts --packages; $usage" >&2 && exit 2; }
command -v jq >/dev/null || { echo 'table.sh: jq is missing; deploy/install.sh --tests installs it' >&2 && exit 1; }

surtitle=$build/surtitle
tests=$root/tests/data

field() {  # arguments: model, field, default
  jq --raw-output --arg model "$1" --arg default "${3-}" ".models[\$model].$2 // \$default" "$variants"
}

# Prints the models of a series, or the model of this name, one a line. Models without a series are of the series ''.
models_of() {
  jq --raw-output --arg name "$1" '.models | to_entries[] | select(.key == $name or (.value.series // "") == $name).key' \
    "$variants"
}

# Prints the policies under which a table shows the model, one a line.
shown_policies() {
  jq --raw-output --arg model "$1" \
    '[.tables[].rows[] | select(.model == $model or (.models // [] | index($model))).policies[]] | unique[]' "$variants"
}

# Succeeds if the run made all updates of its recipe and has its package.
trained() {
  local name=$1 recipe=$2 wanted
  wanted=$(sed -n 's/^  max_updates: //p' "$recipe")
  [[ -e $runs/$name/package/model.yaml && -s $runs/$name/log.jsonl ]] &&
    tail -1 "$runs/$name/log.jsonl" | jq --exit-status ".update >= $wanted" >/dev/null
}

# Refuses a package without a log and checkpoints: it is not of a run here, and a new run would remove it.
needs_log() {
  local run=$runs/$1
  [[ ! -e $run/package || -s $run/log.jsonl || $(compgen -G "$run/checkpoint-*") ]] || {
    echo "table.sh: $run/package has no $run/log.jsonl, which says whether it is trained; copy it, or remove the package" >&2
    exit 1
  }
}

# Arguments: run, recipe, further arguments of `surtitle train` for a run that begins.
train() {
  local name=$1 recipe=$2 and=("${@:3}") run=$runs/$1 last
  trained "$name" "$recipe" && return
  mkdir -p "$run"
  last=$(printf '%s\n' "$run"/checkpoint-*.safetensors | sort --version-sort | tail -1)
  if [[ -e $last && -e $run/package/model.yaml ]]; then
    and=(--resume "$last")
  else
    # The first checkpoint of a run is complete with its package.
    rm -rf "$run/log.jsonl" "$run/package" "$run"/checkpoint-*
  fi
  "$surtitle" train "$recipe" --data "$data" --output "$runs/$name" --threads "$threads" "${and[@]}"
  trained "$name" "$recipe" || { echo "table.sh: training $name stopped before its last update" >&2 && exit 1; }
}

write_recipe() {
  local name=$1 recipe policies series updates
  series=$(field "$name" series)
  policies=$(jq --compact-output --arg model "$name" '.models[$model].policies' "$variants")
  recipe=$(<"$here/${series:-variant}.yaml")
  recipe=${recipe//@name@/$name}
  recipe=${recipe//@cross_attention@/$(field "$name" cross_attention)}
  recipe=${recipe//@latency@/$(field "$name" latency)}
  recipe=${recipe//@policy@/$(shown_policies "$name" | head -1)}
  recipe=${recipe//@policies@/$policies}
  updates=$(field "$name" updates 500)
  recipe=${recipe//@updates@/$updates}
  recipe=${recipe//@cooldown@/$((updates * 2 / 5))}
  echo "${recipe//@seed@/$(field "$name" seed 1)}"
}

needs_data() {
  [[ $data ]] || { echo "table.sh: $1 is not trained, and training needs --data" >&2 && exit 2; }
}

make_package() {
  local name=$1 series start
  trained "$name" <(write_recipe "$name") && return
  series=$(field "$name" series)
  start=${series:+$series-}start
  needs_log "$name"
  needs_log "$start"
  needs_data "$name"
  train "$start" "$here/$start.yaml"
  write_recipe "$name" >"$runs/$name.yaml"
  train "$name" "$runs/$name.yaml" --init-from "$runs/$start/package"
}

# Trains a classifier of meaning units for a model, which is trained if necessary, on one sentence in forty.
segment() {
  local name=$1 taught=$2 run=$runs/$1
  needs_log "$name"
  [[ ! -e $run/package/model.yaml ]] || return 0
  make_package "$taught"
  needs_data "$name"
  mkdir -p "$run"
  awk 'NR % 40 == 0' "$data/tatoeba.train.de" >"$run/text.de"
  cp "$runs/$taught/log.jsonl" "$run"
  "$surtitle" segment --model "$runs/$taught/package" --source "$run/text.de" --threads "$threads" --output "$run/package"
}

# Prints the model's scores on a test set as JSON. The resampled test sets are the same for all models.
quality() {
  local package=$1 policy=$2 test_set=$tests/de-en/$3
  "$surtitle" evaluate --model "$package" --policy "$policy" --precision float32 --threads "$threads" --json \
    --source "$test_set.de" --reference "$test_set.en" --resamples 200 "${@:4}"
}

# Prints a name for each line of a test set: the class of its source's length in words.
lengths() {
  awk '{ ten = int((NF - 1) / 10); print ten < 4 ? ten * 10 + 1 "-" ten * 10 + 10 : "41-60" }' "$tests/de-en/$1.de"
}

# Prints the model's scores under one policy as JSON.
scores() {
  local package=$1 policy=$2 short long alignment=null
  short=$(quality "$package" "$policy" tatoeba.test)
  long=$(quality "$package" "$policy" europarl.test --groups <(lengths europarl.test))
  # Policies with drafts cannot be forced to a reference.
  [[ $policy == @(local-agreement|mu)* ]] ||
    alignment=$("$surtitle" align --model "$package" --policy "$policy" --threads "$threads" --json \
      --source "$tests/alignment/europarl100.de" --reference "$tests/alignment/europarl100.en" \
      --gold "$tests/alignment/europarl100.de-en.ref.wa")
  jq --null-input --compact-output --arg policy "$policy" --argjson short "$short" --argjson long "$long" \
    --argjson alignment "$alignment" '
    # A line of text, because jq prints an array with a line for each number.
    def kept: {bleu, chrf, al, laal, ap, dal, cw, bleu_resampled: (.bleu_resampled | map(tostring) | join(" "))};
    {($policy): ($short | kept + if $alignment then {
      aer: $alignment.aer,
      entropy: ($alignment.entropy | (map(.entropy * .sentences) | add) / (map(.sentences) | add))
    } else {} end + {europarl: ($long | kept + {
      bleu_by_length: (.groups | map({key: .group, value: .bleu}) | from_entries)})})}'
}

measure() {
  local name=$1 package=$runs/$1/package policy one
  local found=()
  while IFS= read -r policy; do
    one=$(scores "$package" "$policy")
    found+=("$one")
  done < <(shown_policies "$name")
  jq --null-input --sort-keys --argjson scores "$(jq --slurp add <<<"${found[*]}")" \
    --argjson model "$(jq --compact-output --arg model "$name" '.models[$model]' "$variants")" \
    --argjson package "$("$surtitle" inspect "$package" --json)" \
    --argjson log "$(tail -1 "$runs/$name/log.jsonl")" '
    $model + {seed: ($model.seed // 1), parameters: $package.parameters, updates: $log.update,
      tokens_per_cpu_second: $log.tokens_per_cpu_second, dev_perplexity: $log.dev_perplexity, scores: $scores}' \
    >"$rows/$name.json.new"
  mv "$rows/$name.json.new" "$rows/$name.json"
}

# Succeeds if the row has all policies of the tables.
measured() {
  local name=$1 row=$rows/$1.json
  [[ -e $row ]] || return
  [[ -z $(comm -23 <(shown_policies "$name" | sort) <(jq --raw-output '.scores | keys[]' "$row" | sort)) ]]
}

# A function, so that editing the file does not affect a running script.
main() {
  local name model models taught
  ((${#names[@]})) || names=('')
  models=()
  for name in "${names[@]}"; do
    mapfile -t -O "${#models[@]}" models < <(models_of "$name")
    [[ -z $name || $(models_of "$name") ]] || { echo "table.sh: unknown model $name, see $variants" >&2 && exit 2; }
  done

  mkdir -p "$rows"
  if [[ $training ]]; then
    for model in "${models[@]}"; do
      [[ ! $packages ]] && measured "$model" && continue
      echo "== $model" >&2
      taught=$(field "$model" segmented)
      if [[ $taught ]]; then segment "$model" "$taught"; else make_package "$model"; fi
      [[ $packages ]] || measure "$model"
    done
  fi
  [[ ! $packages ]] || return 0

  jq --slurp --raw-output --from-file "$here/results.jq" --slurpfile variants "$variants" \
    <(for row in "$rows"/*.json; do jq --compact-output --arg model "$(basename "$row" .json)" '{model: $model} + .' "$row"; done) \
    >"$results.new"
  mv "$results.new" "$results"
}

main; exit
