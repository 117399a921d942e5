#!/usr/bin/env bash
# Measures a real voice from the mouth to the screen: espeak-ng speaks a German text of three minutes at speaking pace, a real
# recogniser writes its words, and the daemon translates them. For each word, the report has the time at which it was spoken,
# recognised, committed and shown to a viewer. The speed depends on the machine, which should have no other load.
set -euo pipefail

usage='usage: tests/bench/voice.sh --python PYTHON --model FOLDER [--whisper-streaming FOLDER] [--text FILE]
                            [--out FOLDER] [--build build] [FLAG OF surtitled...]
  --python PYTHON            a Python with whisperlivekit, faster-whisper and websockets
  --model FOLDER             a Whisper model of faster-whisper
  --whisper-streaming FOLDER a checkout of whisper_streaming, to be measured as well
  --text FILE                the German text (default tests/bench/voice.de.txt)
  --out FOLDER               receives the pages, the logs and the subtitles (default /tmp/surtitle-voice)
It also needs espeak-ng and ffmpeg.'
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
python='' model='' whisper_streaming='' text=$root/tests/bench/voice.de.txt
out=/tmp/surtitle-voice build=$root/build
flags=()
while (($#)); do
  case $1 in
    --python) python=$2 && shift 2 ;;
    --model) model=$2 && shift 2 ;;
    --whisper-streaming) whisper_streaming=$2 && shift 2 ;;
    --text) text=$2 && shift 2 ;;
    --out) out=$2 && shift 2 ;;
    --build) build=$2 && shift 2 ;;
    -h | --help) echo "$usage" && exit ;;
    *) flags+=("$1") && shift ;;
  esac
done
if [[ ! $python || ! $model ]]; then
  echo "$usage" >&2
  exit 2
fi

voice=("$python" "$root/tests/bench/voice.py")

started=()
# shellcheck disable=SC2317  # the trap calls it
end_all() { kill "${started[@]}" 2>/dev/null || true; }
trap end_all EXIT

# Starts a program, whose process is in `process`, and waits for the first line of its standard output, which is in `line`.
start() {
  local ready=$out/ready
  : >"$ready"
  "$@" >"$ready" &
  process=$!
  started+=("$process")
  until read -r line <"$ready"; do
    kill -0 "$process"
    sleep 0.1
  done
}

free_port() { "$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

answers() { "$python" -c "import urllib.request; urllib.request.urlopen('$1')" 2>/dev/null; }

# Logs what a viewer of the channel receives, while the rest of the arguments runs as a command.
watched() {
  local name=$1 viewer
  shift
  start "${voice[@]}" view "$daemon/v1/channels/$name" "$out/$name.viewed.jsonl"
  viewer=$process
  "$@"
  sleep 1  # until the viewer has the last message as well
  kill "$viewer"
}

measure_whisperlivekit() {
  local port tap_port server
  port=$(free_port)
  "$python" -m whisperlivekit.basic_server --host 127.0.0.1 --port "$port" --pcm-input --lan de --model_dir "$model" \
    --backend faster-whisper --backend-policy localagreement --warmup-file '' >"$out/whisperlivekit.log" 2>&1 &
  server=$!
  started+=("$server")
  until answers "http://127.0.0.1:$port/health"; do
    kill -0 "$server" || return
    sleep 1
  done
  tap_port=$(free_port)
  start "${voice[@]}" tap "$tap_port" "ws://127.0.0.1:$port" "$out/whisperlivekit.recognised.jsonl"
  watched whisperlivekit "$build/surtitle" listen "$out/voice.wav" --recogniser "ws://127.0.0.1:$tap_port/asr" --url "$daemon" \
    --channel whisperlivekit --vtt "$out/whisperlivekit.vtt"
  kill "$server"
}

run_whisper_streaming() {
  "${voice[@]}" run-on-cpu "$whisper_streaming/whisper_online.py" "$out/voice.wav" --lan de --model_dir "$model" \
    2>"$out/whisper-streaming.log" |
    "${voice[@]}" stamp "$out/whisper-streaming.recognised.jsonl" |
    "$build/surtitle" pipe --format whisper-streaming --url "$daemon" --channel whisper-streaming
}

report() {
  "${voice[@]}" report "$1" "$out/words.jsonl" "$out/$1.recognised.jsonl" "$out/$1.viewed.jsonl" "$out/$1.html"
  echo "The words: $out/$1.html"
}

mkdir -p "$out"
"${voice[@]}" speak "$text" "$out/spoken.wav" "$out/words.jsonl"
ffmpeg -nostdin -v error -y -i "$out/spoken.wav" -ac 1 -ar 16000 "$out/voice.wav"
start "$build/surtitled" --port 0 --log-level warning --journal-path "$out/journal.sqlite" ${flags[@]+"${flags[@]}"}
daemon=${line#surtitled ready on }
daemon=ws${daemon#http}
daemon=${daemon%/}
measure_whisperlivekit
report whisperlivekit
if [[ $whisper_streaming ]]; then
  watched whisper-streaming run_whisper_streaming
  report whisper-streaming
fi
