# Limits that keep tests from hanging, for run.sh and sanitize.sh. To be sourced.
# shellcheck shell=bash

# From now on, what still runs after so many minutes (below a day) is ended and fails, and what would begin then fails, too.
end_all_after() {
  export SURTITLE_DEADLINE=${SURTITLE_DEADLINE:-$(($(date +%s) + 60 * $1))}
}

# limited SECONDS COMMAND...: runs a command for so long at most. Whatever it leaves running is killed.
limited() {
  local most=$1 left status=0
  shift
  left=$((${SURTITLE_DEADLINE:-$(date +%s) + most} - $(date +%s)))
  if ((left <= 0)); then
    echo "No time is left for: $*" >&2
    return 1
  fi
  # timeout makes a process group, which Ctrl-C reaches by the trap.
  timeout --kill-after=30 "$((most < left ? most : left))" "$@" &
  limited=$!
  trap 'kill -- "-$limited" 2>/dev/null; exit 130' INT TERM
  wait "$limited" || status=$?
  trap - INT TERM
  kill -KILL -- "-$limited" 2>/dev/null || true
  if ((status == 124 || status == 137)); then
    echo "Took too long and was ended: $*" >&2
  fi
  return "$status"
}

# A command that needs no limit of its own.
until_the_end() {
  limited 86400 "$@"
}

# CTest, whose tests have limits of their own. Shortly before the end of all it ends itself, and says what ran then.
limited_ctest() {
  local stop=()
  if [[ ${SURTITLE_DEADLINE-} ]]; then
    stop=(--stop-time "$(date --date="@$((SURTITLE_DEADLINE - 60))" +%T)")
  fi
  until_the_end ctest --parallel "$(nproc)" --output-on-failure "${stop[@]}" "$@"
}
