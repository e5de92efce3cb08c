#!/usr/bin/env bash
# usage: tools/test_busy.sh [RUNS]
# Builds the test programs once and runs all of them RUNS times while two busy loops load
# two cores. Goes on after a failure; the output of each run is kept. Succeeds if every
# run does.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-10}
cargo=${CARGO:-cargo}
logs=target/test-busy

case $runs in
    "" | *[!0-9]* | 0*)
        echo "error: RUNS must be a number from 1, not \`$runs\`" >&2
        exit 2
        ;;
esac

rm -rf "$logs"
mkdir -p "$logs"
"$cargo" test --workspace --locked --tests --no-run

jobs=()
# However this ends.
end_jobs() {
    [ ${#jobs[@]} = 0 ] || kill "${jobs[@]}" 2> /dev/null || true
}
trap end_jobs EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
for _ in 1 2; do
    # Each ends by itself if this script is gone.
    (trap - INT TERM EXIT; while kill -0 $$ 2> /dev/null; do :; done) &
    jobs+=($!)
done

passed=0
row='%-5s %-7s %8s  %s\n'
# shellcheck disable=SC2059 # the row is a format
printf "$row" run result seconds "failed tests"
for ((run = 1; run <= runs; run++)); do
    log=$logs/$run.log
    begun=$SECONDS
    # Waited for, so that a signal is heard meanwhile.
    "$cargo" test --workspace --locked --tests --no-fail-fast < /dev/null > "$log" 2>&1 &
    jobs[2]=$!
    if wait "${jobs[2]}"; then
        result=passed
        passed=$((passed + 1))
    else
        result=FAILED
    fi
    unset "jobs[2]"
    failed=$(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log" | paste -s -d ' ')
    if [ $result = FAILED ] && [ -z "$failed" ]; then
        failed="see $log"
    fi
    # shellcheck disable=SC2059 # the row is a format
    printf "$row" "$run" "$result" $((SECONDS - begun)) "$failed"
done
echo "$passed of $runs runs passed; their output is in $logs/"
[ "$passed" = "$runs" ]
