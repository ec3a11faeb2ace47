#!/bin/bash
# What attention can learn, as much of it as every test run can bear: the cells of
# tests/learn/table that are marked *. And docs/learning.md is what the table and its results say.
# usage: tests/learn_test.sh BUILD
set -uo pipefail
build=$(cd "$1" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
passed=0 failed=0

good() { passed=$((passed + 1)); }
bad()
{
    failed=$((failed + 1))
    echo "FAILED: $1"
    sed 's/^/    /' "$place/out" "$place/err" | tail -n 20
}
expect() # EXIT-CODE COMMAND...
{
    local code=$1 got
    shift
    "$@" > "$place/out" 2> "$place/err" < /dev/null
    got=$?
    [ $got -eq "$code" ] && good || bad "$* ended with $got, not $code"
}
says() { grep -qE -- "$2" "$place/$1" && good || bad "$1 lacks: $2"; } # out|err PATTERN

learn=(script/learn --build "$build" --jobs 2)
if grep -q '^ATTEND_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt"; then
    expect 0 "${learn[@]}" --steps 3 # slow, but it sees every path
else
    expect 0 "${learn[@]}" --test
    cat "$place/err"
fi
expect 0 "${learn[@]}" --page
diff "$place/out" docs/learning.md > "$place/err" && good ||
    bad "docs/learning.md is not what the results say: run script/learn"

# every mechanism of the library is in the table
"$build/attend" list attention --markdown | sed -n '3,$ s/^| \([a-z-]*\) |.*/\1/p' > "$place/out"
[ "$(wc -l < "$place/out")" -gt 20 ] && good || bad "attend list attention is short"
for name in $(cat "$place/out"); do
    grep -qE "^(output .*|[^#]*/)?$name([ :/,].*)?$" tests/learn/table && good ||
        bad "tests/learn/table has no row or output $name"
done

expect 64 "$build/learn-check" --task nonsense
says err "there is no task 'nonsense'"
expect 64 "$build/learn-check" --task copy --attention dot/window:2 --output pointer
says err "use the global scope"
expect 1 "$build/learn-check" --task copy --steps 2
says out '^copy scaled-dot words seed 1: [0-9.]+ % after 2 steps$'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
