# Several mechanisms on the same data: one table, and what was done is not done again.

awk 'BEGIN { n = split("cat dog house tree bird", a); split("chat chien maison arbre oiseau", b)
    m = split("sees likes wants", v); split("voit aime veut", w)
    for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) for (k = 1; k <= n; k++)
        printf "the %s %s the %s .\tle %s %s le %s .\n", a[i], v[j], a[k], b[i], w[j], b[k] }' \
    > pairs.tsv
settings=(--data pairs.tsv --hidden 16 --embedding 8 --batch 8 --steps 20 --min-count 1 --seed 3
          --presets rnn-encdec,bahdanau,luong+attention=dot --out all --test 20%)
expect 2 attend compare --data pairs.tsv
says err "--out"
expect 2 attend compare "${settings[@]}" --presets bahdanau,luog
says err "luong"
check "nothing is trained before all are understood" "[ ! -e all/bahdanau ]"
expect 2 attend compare "${settings[@]}" --presets bahdanau+hidden
says err "NAME=VALUE"

expect 0 attend compare "${settings[@]}" --figure all.svg
for word in rnn-encdec bahdanau "luong+attention=dot" BLEU perplexity parameters words/s lines; do
    says out "$word"
done
narrow out 80
says err "bahdanau: epoch"
check "a figure" "grep -q '<svg' all.svg"
check "no test pair is trained on" "[ -z \"\$(sort all/data/*.tsv | uniq -d)\" ]"
cp out first
expect 0 attend compare "${settings[@]}"
silent err
check "nothing is trained twice" "cmp -s out first"
expect 0 attend evaluate all/bahdanau all/data/test.tsv --beam 1 --json
bleu=$(grep -o '"bleu": [0-9.]*' out | head -n 1)
expect 0 attend compare "${settings[@]}" --json
says out "$bleu"
if command -v python3 > /dev/null; then
    check "valid JSON" "python3 -m json.tool < out > /dev/null 2>&1"
fi
expect 0 attend compare "${settings[@]}" --markdown
says out '| `bahdanau` |'
expect 0 attend compare "${settings[@]}" --beam 2 --json
says out '"beam": 2'
check "the speed of training is kept" "! grep -q '\"words_per_second\": 0,' out"

# with a test of its own and links of its words
tail -n 9 pairs.tsv > test.tsv
sed 's/.*/1-1 2-2 3-3 4-4 5-5 6-6/' test.tsv > gold
expect 0 attend compare "${settings[@]}" --presets bahdanau,cho --out some --test test.tsv \
    --gold gold
check "a fixed context has no AER" "grep -qE '^cho( +[0-9.]+){6}\$' out"
check "attention has" "grep -qE '^bahdanau( +[0-9.]+){7}\$' out"
expect 2 attend compare "${settings[@]}" --out none --gold gold
says err "--test FILE"
