#!/bin/bash
# The command from outside: what it prints, where, in how many columns, and its exit codes.
# Cases are tests/cli/*.sh, each sourced in a folder of its own.
# usage: tests/cli_test.sh BUILD [CASE...]
set -uo pipefail
build=$(cd "$1" && pwd) || exit 2
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

export LC_ALL=C.UTF-8 PATH=$build:$PATH
unset COLUMNS NO_COLOR ATTEND_ISA
passed=0 failed=0 skipped=0

good() { passed=$((passed + 1)); }
bad() # WHAT [FILE...]: says what failed, shows the files
{
    failed=$((failed + 1))
    echo "FAILED $case: $1"
    shift
    for file in "$@"; do sed "s/^/    /" "$file" | head -n 20; done
}
skip() { skipped=$((skipped + 1)); echo "skipped $case: $1"; }

# Under a sanitizer every path is seen after a few updates and lines; what a model has learned is
# judged by the other builds.
sanitized=
! grep -q '^ATTEND_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt" || sanitized=1
sized() { [ -n "$sanitized" ] && echo "$2" || echo "$1"; } # USUAL UNDER-A-SANITIZER
learned() { [ -n "$sanitized" ] || check "$@"; }           # NAME CONDITION

check() { if eval "$2"; then good; else bad "$1: $2" out err; fi; } # NAME CONDITION

# Runs a command line; its output is in the files out and err.
expect() # EXIT-CODE COMMAND...
{
    local code=$1 got
    shift
    "$@" > out 2> err < /dev/null
    got=$?
    [ $got -eq "$code" ] && good || bad "$* ended with $got, not $code" out err
}
says() { grep -qF -- "$2" "$1" && good || bad "$1 lacks: $2" "$1"; }         # FILE TEXT
silent() { [ ! -s "$1" ] && good || bad "$1 should be empty" "$1"; }          # FILE
narrow() # FILE COLUMNS: no line is wider
{
    local line wide=
    while IFS= read -r line; do [ ${#line} -le "$2" ] || wide=$line; done < "$1"
    [ -z "$wide" ] && good || bad "$1 has a line of more than $2 columns: $wide"
}

points() # N: points around a curve, the same everywhere
{
    awk -v n="$1" 'function u() { s = s * 16807 % 2147483647; return s / 2147483647 }
        BEGIN { s = 2017; print "x,y"
            for (i = 0; i < n; i++) {
                x = 5 * u(); z = sqrt(-2 * log(u())) * cos(6.2831853 * u())
                printf "%.3f,%.3f\n", x, 2 * sin(x) + x ^ 0.8 + 0.5 * z } }'
}

cases=("${@:-}")
[ -n "${cases[0]}" ] || mapfile -t cases < <(cd "$here/cli" && ls -- *.sh | sed 's/\.sh$//')
for case in "${cases[@]}"; do
    mkdir "$place/$case"
    cd "$place/$case" || exit 2
    source "$here/cli/$case.sh"
done
if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
