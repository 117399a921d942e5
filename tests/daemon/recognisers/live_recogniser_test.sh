#!/usr/bin/env bash
# A voice, a recogniser and the translation: espeak-ng speaks English, pocketsphinx recognises it, and `surtitle pipe`
# translates it to German with the shipped model. The output must be the translation of the spoken text.
# Usage: live_recogniser_test.sh BUILD_FOLDER [PACKAGE]. Exits with 77 if a program is missing.
set -euo pipefail

build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../../.." && pwd -P)
model=${2-$root/model/pretrained/en-de-multipath}
sentences=('where is the house' 'she has a new car' 'we have to go home now' 'i am very happy to see you today')

for program in espeak-ng sox pocketsphinx_continuous; do
  command -v "$program" >/dev/null || { echo "$program is not installed" && exit 77; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"; [[ ! ${daemon-} ]] || kill "$daemon" 2>/dev/null || true' EXIT

coproc ready { exec "$build/surtitled" --models "$model" --port 0 --log-level warning --journal-path none; }
# shellcheck disable=SC2154  # coproc sets it
daemon=$ready_PID
read -r line <&"${ready[0]}"
url=${line##* on }
url=ws://${url#*//}

pipe() {
  "$build/surtitle" pipe --url "$url" --source en --target de --source-form spoken --policy gma:delta=2 "$@"
}

for i in "${!sentences[@]}"; do
  espeak-ng -v en-us+f3 -s 130 -g 2 --stdout "${sentences[i]}" |
    sox -q -t wav - -r 16000 -c 1 -b 16 "$work/$i.wav" pad 0.3 1.2
done
sox -q "$work"/*.wav "$work/speech.wav"

pocketsphinx_continuous -infile "$work/speech.wav" -jsgf "$here/live_recogniser.jsgf" -time yes -logfn /dev/null |
  tee "$work/heard" | pipe --format pocketsphinx >"$work/translation"
printf '%s\n\n' "${sentences[@]}" | pipe --format text >"$work/expected"

printf 'recognised and translated:\n' && cat "$work/heard" "$work/translation"
diff <(printf '%s\n' "${sentences[@]}") <(grep -v '[0-9]\.[0-9]' "$work/heard")
diff "$work/expected" "$work/translation"
[[ $(wc -l <"$work/translation") == "${#sentences[@]}" ]]
! grep -qx '' "$work/translation"
