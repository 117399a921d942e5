# Prints model/variants/RESULTS.md from the rows of table.sh. Input: the array of all rows; $variants: variants.json.
def digits($n): . as $x | pow(10; $n) as $unit | ($x * $unit | round | fabs | tostring) as $whole
  | ("0" * ([0, $n + 1 - ($whole | length)] | max)) // "" | . + $whole
  | (if $x < 0 and ($whole | test("[1-9]")) then "-" else "" end) + .[:length - $n] + "." + .[length - $n:];
def shown($n): if . == null then "" else digits($n) end;
def signed($n): if . == null then "" elif . >= 0 then "+" + digits($n) else digits($n) end;
def cells: "| " + join(" | ") + " |";

(map({key: .model, value: .}) | from_entries) as $rows
| def score($model; $policy): $rows[$model].scores[$policy];
  $variants[0].text[],
  ($variants[0].tables[] as $table
| select(any($table.rows[].model | select(. != $table.baseline.model); $rows[.]))
| "\n## \($table.title)\n",
  ($table.text // empty | . + "\n"),
  (["", "model", "policy", "BLEU", "difference", "paper", "AL", "AP", "DAL", "CW", "AER", "entropy", "parameters", "tokens/s", "seed"]
   | cells, (map("---") | cells)),
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
   | map(tostring) | cells),
  ($table.rows[] | select(.note) | "\n\(.label): \(.note)"))
