#!/bin/bash
# docs/reference is what the lists say, and its pictures show what the mechanisms compute. Pictures
# are not compared byte by byte, since cairo draws differently from version to version; the weights
# that they were made of are.
# usage: tests/reference_test.sh BUILD
set -uo pipefail
build=$(cd "$1" && pwd) || exit 2
reference=$(cd "$(dirname "$0")/../docs/reference" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 2
passed=0 failed=0

check() # WHAT CONDITION
{
    if eval "$2"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: $1"
    fi
}

remedy="(build/release/reference-page docs/reference)"
check "the page is made" '"$build/reference-page" made > said 2>&1 && [ ! -s said ]'
check "docs/reference/attention.md is what the lists say $remedy" \
    'diff made/attention.md "$reference/attention.md" > difference || { head difference; false; }'

pieces() { tr -s ' ,:{}[]' '\n' < "$1"; } # FILE: one word or number on a line
paste <(pieces made/attention/weights.json) <(pieces "$reference/attention/weights.json") |
    awk '$1 != $2 && !($1 + 0 == $1 && $2 + 0 == $2 && ($1 - $2) ^ 2 < 4.1e-6) { print }' \
    > difference
check "the pictures show today's weights $remedy" \
    '[ ! -s difference ] || { head difference; false; }'

pictures() { (cd "$1/attention" && ls -- *.png); }
check "the same pictures $remedy" '[ "$(pictures made)" = "$(pictures "$reference")" ]'
check "as many as the page shows" \
    '[ "$(grep -o "attention/[a-z-]*\.png" made/attention.md | sort)" = \
       "$(cd made && ls attention/*.png | sort)" ]'
for picture in made/attention/*.png "$reference"/attention/*.png; do
    check "$picture is a picture" 'head -c 8 "$picture" | grep -q PNG'
done
while read -r name; do
    check "$name has its part" 'grep -qxF "### $name" made/attention.md'
done < <("$build/attend" list attention --json | sed -n 's/.*"name": "\([^"]*\)".*/\1/p')
check "a folder that cannot be made is an error" '! "$build/reference-page" /dev/null/here 2> said'
check "which is said" 'grep -q "^reference-page: /dev/null" said'
check "without a folder it ends with 2" '"$build/reference-page" 2> said; [ $? -eq 2 ]'
check "and says how it is used" 'grep -q "^usage: reference-page FOLDER" said'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
