#!/usr/bin/env bash
# Checks that model/variants/figure.sh measures only the points that are missing or cut off, has the missing models trained,
# draws every point, and names what it lacks. A stub stands in for the trainer and the evaluation.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd -P)
variants_folder=$root/model/variants
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}

jq --exit-status '(.models | keys) as $known | [.figure | .rows[], .baseline | .models[][]] | length > 0 and all(IN($known[]))' \
  "$variants_folder/variants.json" >"$made/known" || fail 'the figure of variants.json names an unknown model'
# The committed points are those of the figure: nothing is left to measure.
[[ ! -e $variants_folder/figure.tsv ]] || "$variants_folder/figure.sh" --output "$made/gma.svg"

cat >"$made/variants.json" <<'JSON'
{
  "models": {
    "fast-1": {"series": "systems", "cross_attention": "gma", "policies": ["gma"]},
    "fast-2": {"series": "systems", "cross_attention": "gma", "policies": ["gma"], "seed": 2},
    "base": {"series": "systems", "cross_attention": "dot-product", "policies": ["full-sentence"]}
  },
  "tables": [],
  "figure": {
    "tests": {"a.test": "Set A", "b.test": "Set B"},
    "rows": [
      {"label": "fast", "models": [["fast-1", "fast-2"]], "policies": ["gma:delta=1", "gma:delta=2"]},
      {"label": "each", "models": [["fast-1"], ["fast-2"]], "policies": ["wait-k:k=3"]}],
    "baseline": {"label": "full sentence", "models": [["base"]], "policies": ["full-sentence"]}
  }
}
JSON

mkdir "$made/build" "$made/tests"
cat >"$made/build/surtitle" <<'SH'
#!/usr/bin/env bash
set -euo pipefail
echo "$@" >>"${0%/*}/calls"
all=("$@")
value() {
  for i in "${!all[@]}"; do [[ ${all[i]} != "$1" ]] || echo "${all[i + 1]}"; done
}
case $1 in
  train)
    run=$(value --output)
    mkdir -p "$run/package"
    touch "$run/package/model.yaml"
    echo "{\"update\": $(sed -n 's/^  max_updates: //p' "$2")}" >"$run/log.jsonl" ;;
  evaluate)
    [[ -e ${0%/*}/broken && $* == *full-sentence* ]] && exit 3
    [[ -e ${0%/*}/lagless && $* == *base* ]] && echo '{"bleu": 20, "al": null, "laal": 4.5, "dal": 6}' && exit
    # The seeds differ by 2 BLEU and 1 word.
    [[ $* == *fast-2* ]] && seed=1 || seed=0
    echo "{\"bleu\": $((20 + 2 * seed)).004, \"al\": $((4 + seed)), \"laal\": 4.5, \"dal\": 6}" ;;
esac
SH
chmod +x "$made/build/surtitle"

figure() {
  "$variants_folder/figure.sh" --variants "$made/variants.json" --points "$made/points.tsv" --runs "$made/runs" \
    --build "$made/build" --output "$made/out/figure.svg" "$@" >"$made/said" 2>&1
}
# Arguments: exit status, a part of the message, further arguments of figure.sh.
refused() {
  local status=0
  figure "${@:3}" || status=$?
  [[ $status == "$1" && $(<"$made/said") == *"$2"* ]] || fail "figure.sh ${*:3}: $status, $(<"$made/said")"
}
calls() {
  grep --count "^$1" "$made/build/calls" || true
}

refused 2 'unknown argument --no-such' --no-such
refused 2 '14 points are not in' --data "$made"
for variants in "$made/none.json" /dev/null "$made" "$variants_folder/figure.sh"; do
  refused 2 "--variants $variants cannot be read or has no figure" --variants "$variants"
  [[ $(wc -l <"$made/said") == 1 ]] || fail "more than a sentence: $(<"$made/said")"
done
for file in '' "$made" "$made/new/" "$made/variants.json/figure.svg"; do
  refused 2 "--output $file cannot be written" --output "$file"
  refused 2 "--points $file cannot be written" --points "$file"
done
refused 2 "$made/variants.json is not a file of points" --points "$made/variants.json"
refused 1 'a.test.de is missing' --tests "$made/tests"
touch "$made/tests"/{a,b}.test.{de,en}
refused 1 "$made/none/surtitle is missing" --tests "$made/tests" --build "$made/none"
refused 2 'table.sh: base is not trained, and training needs --data' --tests "$made/tests"
[[ ! -e $made/build/calls ]] || fail "unexpected: $(<"$made/build/calls")"

# A measurement that fails loses only itself.
touch "$made/build/broken"
refused 3 '== a.test base full-sentence' --tests "$made/tests" --data "$made"
[[ $(calls train) == 4 && $(calls evaluate) == 7 && ! -e $made/out/figure.svg ]] || fail "wrong: $(<"$made/build/calls")"
mv "$made/build/broken" "$made/build/lagless"
refused 1 'evaluate prints no BLEU, AL, LAAL or DAL for a.test, base, full-sentence' --tests "$made/tests"
[[ $(calls evaluate) == 8 ]] || fail "wrong: $(<"$made/build/calls")"
rm "$made/build/lagless"
figure --tests "$made/tests" || fail "not measured: $(<"$made/said")"
[[ $(calls train) == 4 && $(calls evaluate) == 16 ]] || fail "measured or trained again: $(<"$made/build/calls")"
cp "$made/points.tsv" "$made/all.tsv"
[[ $(head -2 "$made/points.tsv") == $'set\tmodel\tpolicy\tBLEU\tAL\tLAAL\tDAL\na.test\tfast-1\tgma:delta=1\t20\t4\t4.5\t6' ]] ||
  fail "wrong points: $(<"$made/points.tsv")"

# A line without its end is removed, and its point is measured again. cut: the number of bytes removed from the end.
last=$(tail -1 "$made/all.tsv")
for cut in 1 2 $((${#last} - 6)) $((${#last} + 1 - $(cut -f 1-3 <<<"$last" | wc -c))) $((${#last} + 1)); do
  head -c "-$cut" "$made/all.tsv" >"$made/points.tsv"
  refused 2 '1 point is not in'
  ((cut > ${#last})) || [[ $(grep --count 'not complete; their points are measured again' "$made/said") == 1 ]] ||
    fail "$cut: $(<"$made/said")"
  figure --tests "$made/tests" || fail "not mended without $cut bytes: $(<"$made/said")"
  cmp "$made/all.tsv" "$made/points.tsv" || fail "wrong points after $cut bytes were cut off: $(<"$made/points.tsv")"
done
# A line of two points, one without scores, and one with a word for a number do not count either.
sed '3s/^/a.test\tfast-1\tgma:delta=1\t2/; 4s/\t[^\t]*$//; 5s/[^\t]*$/nan/' "$made/all.tsv" >"$made/points.tsv"
refused 2 '3 points are not in'
for bytes in 0 3 $(($(head -1 "$made/all.tsv" | wc -c) - 1)); do
  head -c "$bytes" "$made/all.tsv" >"$made/points.tsv"
  refused 2 '14 points are not in'
  [[ $(<"$made/points.tsv") == "$(head -1 "$made/all.tsv")" ]] || fail "no header after $bytes bytes: $(<"$made/points.tsv")"
done
# Complete points are not written again.
cp "$made/all.tsv" "$made/points.tsv"
inode=$(stat --format %i "$made/points.tsv")

# Without a missing point, neither a program nor text is needed. A point is the mean over its seeds, and each curve's mark
# is once more in the legend.
rm "$made/build/surtitle" "$made/build/calls"
figure
[[ ! -s $made/said && $(stat --format %i "$made/points.tsv") == "$inode" ]] || fail "written again: $(<"$made/said")"
for text in 'fast' 'each' 'full sentence' 'Set A' 'Set B' 'BLEU' 'average lagging, words'; do
  grep -qF "<text>$text</text>" "$made/out/figure.svg" || fail "not in the figure: $text"
done
marks() {
  grep -o "<use xlink:href='#$1' transform" "$made/out/figure.svg" | wc -l
}
[[ $(marks gpPt6) == 5 && $(marks gpPt4) == 5 && $(marks gpPt10) == 3 ]] || fail "wrong marks: $(grep -o '<use.*' "$made/out/figure.svg")"
# Both points of "fast" are at the mean of those of "each".
place() {
  sed -n "s/.*<use xlink:href='#$1' transform='translate(\([0-9.,]*\)).*/\1/p" "$made/out/figure.svg" | sed -n "$2p"
}
[[ $(place gpPt6 1) == "$(place gpPt6 2)" ]] || fail 'equal points are apart'
awk -F '[, ]' '{ x = $1 + $3 - 2 * $5; y = $2 + $4 - 2 * $6; exit x * x + y * y > 1 }' \
  <<<"$(place gpPt4 1) $(place gpPt4 2) $(place gpPt6 1)" || fail 'a point is not the mean over its seeds'

# A removed line is measured again.
grep -v $'b.test\tfast-2\tgma:delta=2' "$made/points.tsv" >"$made/fewer" && mv "$made/fewer" "$made/points.tsv"
refused 2 '1 point is not in'

mkdir "$made/programs"
ln -s /usr/bin/* /bin/* "$made/programs" 2>"$made/said" || true
rm -f "$made/programs/gnuplot"
PATH=$made/programs refused 1 'gnuplot is missing; deploy/install.sh --tests installs it'
