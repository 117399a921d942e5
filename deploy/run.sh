#!/usr/bin/env bash
# Installs the missing packages, builds, starts surtitled with the shipped models and prints the address of the page.
# Ctrl-C ends the daemon after its running sentences, with exit code 0. A second Ctrl-C ends it at once.
set -euo pipefail

usage='usage: deploy/run.sh [--demo | --microphone] [--build-only] [FLAG OF surtitled...]
  --demo            also stream a German talk at speaking pace, to the page and to this terminal
  --microphone      also translate a microphone, to the page and to this terminal
  --recogniser URL  recogniser of the microphone (default ws://127.0.0.1:8000/asr, WhisperLiveKit)
  --build-only      stop when build/surtitled and build/surtitle are built
  --port N          listen on port N (default 8765); 0: any free port
build/surtitled --help lists the other flags.'
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$root/build
demo='' microphone='' recogniser=ws://127.0.0.1:8000/asr build_only='' page=''
daemon='' talk='' stopping='' signalled=''

# A shell that was started in the background ignores Ctrl-C and cannot change that itself.
if [[ ! ${SURTITLE_RUN_SIGNALS-} ]]; then
  SURTITLE_RUN_SIGNALS=default exec env --default-signal=INT,QUIT "$BASH" "${BASH_SOURCE[0]}" "$@"
fi
unset SURTITLE_RUN_SIGNALS

flags=()
while (($#)); do
  case $1 in
    --demo) demo=1 ;;
    --microphone) microphone=1 ;;
    --recogniser) recogniser=${2-} && shift $(($# > 1)) ;;
    --recogniser=*) recogniser=${1#*=} ;;
    --build-only) build_only=1 ;;
    -h | --help) echo "$usage" && exit ;;
    *) flags+=("$1") ;;
  esac
  shift
done
if [[ ($demo && $microphone) || ! $recogniser ]]; then
  echo "$usage" >&2
  exit 2
fi

configured() {
  local line
  for line in "CMAKE_HOME_DIRECTORY:INTERNAL=$root" CMAKE_BUILD_TYPE:STRING=Release SURTITLE_TORCH:BOOL=ON; do
    grep -qsFx -e "$line" "$build/CMakeCache.txt" || return 1
  done
  [[ -f $build/build.ninja ]]
}

build_programs() {
  if ! configured; then
    echo 'Building Surtitle; the first time takes some minutes'
    cmake --fresh --log-level=WARNING -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release \
      -DSURTITLE_TESTS=OFF -DCMAKE_UNITY_BUILD=ON
  fi
  cmake --build "$build" --parallel "$(nproc)" --target surtitled surtitle surtitle_sentencepiece
}

# Fetches the library of the curves on /inside and in reports. Without npm or a network everything else works, and the page
# reports that the library is missing.
fetch_plotting_library() {
  local web=$root/web
  if command -v npm >/dev/null && [[ ! $web/node_modules/.package-lock.json -nt $web/package-lock.json ]]; then
    npm ci --prefix "$web" --no-audit --no-fund --ignore-scripts --fetch-retries 0 >/dev/null 2>&1 ||
      echo 'The plotting library could not be fetched; the page /inside has no curves' >&2
  fi
}

# The first signal ends the talk or, without one, the daemon, in order. Further signals end both.
# shellcheck disable=SC2317  # the trap calls it
stop() {
  signalled=1
  if [[ $talk ]]; then
    kill -TERM "$talk" 2>/dev/null || true
  fi
  if [[ $daemon && (! $talk || $stopping) ]]; then
    kill -TERM "$daemon" 2>/dev/null || true
  fi
  stopping=1
}

# Waits until the process has ended, through all signals; its exit code is in `status`.
wait_for() {
  signalled=1
  while [[ $signalled ]]; do
    signalled='' status=0
    wait "$1" || status=$?
  done
}

# Both programs run in sessions of their own. The terminal's Ctrl-C therefore reaches only this script, which sends each of
# them one signal.
start_daemon() {
  local line ready='surtitled ready on '
  exec {lines}< <(exec setsid "$build/surtitled" "${flags[@]}")
  daemon=$!
  while [[ ! $page ]] && IFS= read -r line <&"$lines"; do
    if [[ $line == "$ready"* ]]; then
      page=${line#"$ready"}
    else
      echo "$line"
    fi
  done
}

# Runs `surtitle` with these arguments, as the sender of channel main.
run_talk() {
  local socket=${page/#http/ws}
  setsid "$build/surtitle" "$@" --url "${socket%/}" --channel main &
  talk=$!
  wait_for "$talk"
  talk=''
  if [[ $stopping ]]; then
    kill -TERM "$daemon" 2>/dev/null || true
  elif kill -0 "$daemon" 2>/dev/null; then
    echo 'The talk has ended and the daemon continues; Ctrl-C ends it.'
  fi
}

"$root/deploy/install.sh"
build_programs >&2
fetch_plotting_library
if [[ $build_only ]]; then
  exit
fi
if [[ ($demo || $microphone) && " ${flags[*]-} " != *" --log-level"* ]]; then
  flags+=(--log-level warning)  # a line between subtitles would tear them
fi

trap stop INT TERM HUP
start_daemon
if [[ $page ]]; then
  subtitles=$page
  if [[ $demo ]]; then
    subtitles=${page}c/main?metrics=1
  elif [[ $microphone ]]; then
    subtitles=${page}c/main
  fi
  echo "Subtitles: $subtitles, console: ${page}console (Ctrl-C ends)"
  if [[ $demo ]]; then
    run_talk replay "$root/tests/data/demo/opening.jsonl" --print
  elif [[ $microphone ]]; then
    run_talk listen --microphone --recogniser "$recogniser"
  fi
fi
wait_for "$daemon"
if [[ $stopping && $status == 143 ]]; then  # stopped before it was ready
  status=0
fi
exit "$status"
