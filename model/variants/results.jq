# Prints model/variants/RESULTS.md from the rows of table.sh. Input: the array of all rows; $variants: variants.json.
def digits($n): . as $x | pow(10; $n) as $unit | ($x * $unit | round | fabs | tostring) as $whole
  | ("0" * ([0, $n + 1 - ($whole | length)] | max)) // "" | . + $whole
  | (if $x < 0 and ($whole | test("[1-9]")) then "-" else "" end) + .[:length - $n] + "." + .[length - $n:];
def shown($n): if . == null then "" else digits($n) end;
def signed($n): if . == null then "" elif . >= 0 then "+" + digits($n) else digits($n) end;
def cells: "| " + join(" | ") + " |";
def header: cells, (map("---") | cells);

# For rows of several models, which differ in their seeds. Scores are an array with one element for each seed.
def mean: map(values) | if . == [] then null else add / length end;
def mean_and_range: if length == 0 then "" else "\(mean | digits(1)) (\(min | digits(1)) to \(max | digits(1)))" end;
# The mean over the seeds of each resampled test set.
def resampled: map(.bleu_resampled | split(" ") | map(tonumber)) | transpose | map(mean);
# The middle 95 %, as `surtitle evaluate` has it.
def interval: sort | (length / 40 | floor) as $n | "\(.[$n] | signed(1)) to \(.[length - 1 - $n] | signed(1))";
# The difference between the means. The resampled test sets are the same, so that of each is one of a paired bootstrap.
def difference($base): if $base == [] or . == $base then "" else
    "\((map(.bleu) | mean) - ($base | map(.bleu) | mean) | signed(1))"
    + " (\([resampled, ($base | resampled)] | transpose | map(.[0] - .[1]) | interval))" end;

(map({key: .model, value: .}) | from_entries) as $rows
| def score($model; $policy): $rows[$model].scores[$policy];
  def seeds($models; $policy): [$models[] | score(.; $policy) | values];

  def table_of_models:
    . as $table
    | (["", "model", "policy", "BLEU", "difference", "paper", "AL", "AP", "DAL", "CW", "AER", "entropy", "parameters", "tokens/s", "seed"]
       | header),
      ($table.rows[] as $row
       | $row.policies[] as $policy
       | $rows[$row.model] as $model
       | score($row.model; $policy) as $s
       | select($s)
       | score($table.baseline.model; $table.baseline.policy // $policy) as $base
       | [$row.label, "`\($row.model)`", "`\($policy)`", ($s.bleu | shown(1)),
          (if $base then $s.bleu - $base.bleu else null end | signed(1)), $row.paper // "",
          ($s.al | shown(2)), ($s.ap | shown(2)), ($s.dal | shown(2)), ($s.cw | shown(2)), ($s.aer | shown(3)),
          ($s.entropy | shown(2)), $model.parameters, ($model.tokens_per_cpu_second | shown(0) | rtrimstr(".")), $model.seed]
       | map(tostring) | cells);

  def table_of_seeds:
    seeds(.baseline.models; .baseline.policy) as $base
    | [.rows[] as $row | $row.policies[] as $policy
       | {label: $row.label, policy: "`\($policy)`", seeds: seeds($row.models; $policy)} | select(.seeds != [])] as $measured
    | (["", "policy", "seeds", "BLEU", "difference", "AL", "DAL", "AER", "entropy", "long: BLEU", "difference", "AL"] | header),
      ($measured[] | .seeds as $s
       | [.label, .policy, ($s | length | tostring), ($s | map(.bleu) | mean_and_range), ($s | difference($base)),
          ($s | map(.al) | mean | shown(2)), ($s | map(.dal) | mean | shown(2)),
          ($s | map(.aer) | mean | shown(3)), ($s | map(.entropy) | mean | shown(2)),
          ($s | map(.europarl.bleu) | mean_and_range), ($s | map(.europarl) | difference($base | map(.europarl))),
          ($s | map(.europarl.al) | mean | shown(2))]
       | cells),
      "\nBLEU of the long sentences by the number of their source's words:\n",
      ([$measured[].seeds[].europarl.bleu_by_length | keys[]] | unique) as $lengths
      | (["", "policy"] + $lengths | header),
        ($measured[] | .seeds as $s
         | [.label, .policy, ($lengths[] as $words | $s | map(.europarl.bleu_by_length[$words]) | mean | shown(1))] | cells);

  $variants[0].text[],
  ($variants[0].tables[] as $table
   | $table.rows
   | select(any(.[] | .models[]?, .model // empty | select(. != $table.baseline.model); $rows[.]))
   | "\n## \($table.title)\n",
     ($table.text // empty | .[], ""),
     ($table | if .baseline.models then table_of_seeds else table_of_models end),
     (.[] | select(.note) | "\n\(.label): \(.note)"))
