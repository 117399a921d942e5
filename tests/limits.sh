# Time limits of tests, for run.sh and sanitize.sh. To be sourced.
# shellcheck shell=bash

# end_all_after MINUTES: sets a deadline for all following commands, less than a day from now. A command that still runs then
# is ended and fails; a command that would start later fails too.
end_all_after() {
  export SURTITLE_DEADLINE=${SURTITLE_DEADLINE:-$(($(date +%s) + 60 * $1))}
}

# limited SECONDS COMMAND...: runs a command for at most SECONDS, and kills processes that it leaves running.
limited() {
  local limit=$1 left status=0
  shift
  left=$((${SURTITLE_DEADLINE:-$(date +%s) + limit} - $(date +%s)))
  if ((left <= 0)); then
    echo "No time left for: $*" >&2
    return 1
  fi
  # timeout makes a process group, to which the trap passes Ctrl-C.
  timeout --kill-after=30 "$((limit < left ? limit : left))" "$@" &
  limited=$!
  trap 'kill -- "-$limited" 2>/dev/null; exit 130' INT TERM
  wait "$limited" || status=$?
  trap - INT TERM
  kill -KILL -- "-$limited" 2>/dev/null || true
  if ((status == 124 || status == 137)); then
    echo "Ended after its time limit: $*" >&2
  fi
  return "$status"
}

# until_the_end COMMAND...: runs a command up to the deadline.
until_the_end() {
  limited 86400 "$@"
}

# Runs CTest, two tests for each processor, because many tests wait. Tests have their own limits. CTest ends a minute before the deadline, to report the tests that still ran.
limited_ctest() {
  local stop=()
  if [[ ${SURTITLE_DEADLINE-} ]]; then
    stop=(--stop-time "$(date --date="@$((SURTITLE_DEADLINE - 60))" +%T)")
  fi
  until_the_end ctest --parallel "$((2 * $(nproc)))" --output-on-failure "${stop[@]}" "$@"
}
