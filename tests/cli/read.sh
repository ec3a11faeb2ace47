# the built-in example
expect 0 attend read --example
silent err
narrow out 80
says out "scaled-dot: 6 queries of width 4, 6 keys"
for word in scores weights context Katze mat; do says out "$word"; done
check "each word finds its own" 'awk "/^weights/ { t = 1 } t && /^Katze/ { exit !(\$3 > 0.8) }" out'
check "block characters" 'grep -q "██" out'
cp out example
expect 0 attend read --example --no-plot
check "no heat map" '! grep -q "██" out'
LC_ALL=C attend read --example > out
check "ASCII where the terminal knows no more" '! LC_ALL=C grep -q "[^ -~]" out'
for columns in 40 60; do
    COLUMNS=$columns attend read --example > out
    narrow out $columns
done
expect 0 attend read --example --causal
says out "–"
check "nothing after the own position" 'grep -q "^Auf .*–  *–$" out'

# every attention there is can be tried, and shown
attend list attention --json > list.json
sed -n 's/.*"part": "score".*"example": "\([^"]*\)".*/\1/p' list.json > scores
check "the scores are known" '[ $(wc -l < scores) -ge 10 ]'
while read -r score; do
    expect 0 attend read --example --attention "$score" --quiet
    narrow out 80
done < scores
for attention in dot/window:1 dot/predicted:2 dot/expanded:1,2 dot/hybrid:window,1 \
    dot/global/hard dot/global/sparse additive/predicted:2/sparse/2; do
    expect 0 attend read --example --attention $attention --quiet
    narrow out 80
    says out "$attention: 6 queries"
done
expect 0 attend read --example --attention bilinear
says err "bilinear: not given, so random from seed 1234"
says out "parameters score.weight (4,4)"
expect 0 attend read --example --attention additive
cp out seed0
expect 0 attend read --example --attention additive --seed 1
check "another seed, other numbers" '! cmp -s out seed0'
expect 0 attend read --example --attention dot/predicted:2 --quiet
says out "centre"

# JSON in, JSON out, safetensors out: the same numbers
expect 0 attend read --example --json
cp out example.json
if command -v python3 > /dev/null; then
    check "valid JSON" 'python3 -m json.tool < out > /dev/null 2>&1'
fi
expect 0 attend read example.json
check "the file reads the same" 'cmp -s out example'
attend read - < example.json > out
check "so does standard input" 'cmp -s out example'
expect 0 attend read example.json --out again.json
check "and what is saved is what was read" 'cmp -s again.json example.json'
expect 0 attend read example.json --out again.safetensors
expect 0 attend read again.safetensors
check "safetensors, too" 'cmp -s out example'
expect 0 attend inspect again.safetensors
says out "weights"
expect 2 attend read example.json --out again.json
says err "again.json exists; --overwrite replaces it"
expect 2 attend read example.json --out example.json --overwrite
says err "example.json is what is read"
expect 0 attend read example.json --out again.json --overwrite
expect 74 attend read example.json --out /nonexistent/here.json

# by hand
echo '{"queries": [[1, 0]], "keys": [[1, 0], [0, 1]], "values": [[10], [20]]}' > hand.json
expect 0 attend read hand.json --attention dot --json
check "softmax(1, 0) and its mean" \
    'tr -d " \n\"" < out | grep -q "weights:\[\[0.7310586,0.26894143\]\],context:\[\[12.689415\]\]"'
expect 0 attend read hand.json
says out "13.302"
awk 'function rows(n) { for (i = 0; i < n; i++) printf "%s[%g, 1]", i ? "," : "", i / n }
     BEGIN { printf "{\"queries\": ["; rows(50); printf "], \"keys\": ["; rows(90)
             print "]}" }' > large.json
expect 0 attend read large.json
narrow out 80
says out "This is a part; --json and --out have all of it."

# a figure
for kind in png svg pdf; do
    expect 0 attend read example.json --figure weights.$kind --no-plot
    check "$kind has content" '[ $(wc -c < weights.$kind) -gt 1000 ]'
done
expect 2 attend read example.json --figure weights.svg
says err "weights.svg exists; --overwrite replaces it"
expect 2 attend read example.json --figure weights.bmp
says err "ends in .png, .svg or .pdf"

# refusals
expect 2 attend read
says err "which file? attend read FILE, - for standard input, or --example"
expect 2 attend read example.json --example
says err "--example has its own numbers"
expect 2 attend read --example --attention dott
says err "(did you mean 'dot'?)"
expect 1 attend read --example --attention dot/global/soft/3
says err "cannot be cut into 3 heads"
expect 66 attend read missing.json
echo '{"queries": [[1, 0], [1]], "keys": [[1, 0]]}' > ragged.json
expect 65 attend read ragged.json
says err "ragged.json: queries[1] has 1 entries, others 2; make them all equally long"
echo '{"queries": [[1, 0]], "keys": [[1, 0, 2]]}' > widths.json
expect 1 attend read widths.json
says err "queries (1, 1, 2) and keys (1, 1, 3): scaled-dot needs equal widths"
says err "additive, bilinear and heads take any"
echo '{"queries": [[1, 0]],' > broken.json
expect 65 attend read broken.json
says err "broken.json:2:"
