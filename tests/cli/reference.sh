# docs/reference is what the lists say, and its pictures show what the mechanisms compute. Pictures
# are not compared byte by byte, since cairo draws differently from version to version; the weights
# that they were made of are.
reference=$root/docs/reference
remedy="(attend list attention --reference docs/reference)"
expect 0 attend list attention --reference made
silent err
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
attend list attention --json | sed -n 's/.*"name": "\([^"]*\)".*/\1/p' > names
while read -r name; do says made/attention.md "### $name"; done < names

expect 2 attend list ops --reference made
says err "--reference writes the page of attention alone"
expect 74 attend list attention --reference /dev/null/here
