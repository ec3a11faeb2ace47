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
for wrong in attention=foo output=foo schedule=foo tokenizer=foo watch=foo foo=3; do
    expect 2 attend compare "${settings[@]}" --presets "luong,luong+$wrong"
    says err "luong+$wrong: "
    check "before anything is read" "[ ! -e all ]"
done
says err "there is no setting 'foo'"
expect 2 attend compare "${settings[@]}" --presets luong,bahdanau,luong
says err "--presets has luong twice"

expect 0 attend compare "${settings[@]}" --figure all.svg
for word in rnn-encdec bahdanau "luong+attention=dot" BLEU perplexity parameters words/s lines; do
    says out "$word"
done
narrow out 80
check "no column of nothing" "! grep -q AER out all/compared.md"
says err "bahdanau: epoch"
check "a figure" "grep -q '<svg' all.svg"
check "and one beside the models" "grep -q '<svg' all/compared.svg"
says all/compared.md '| `bahdanau` |'
check "no test pair is trained on" "[ -z \"\$(sort all/data/*.tsv | uniq -d)\" ]"
cp out first
expect 0 attend compare "${settings[@]}"
says err "20 pairs to compare on are few"
check "nothing else is said but where it is" \
    "[ $(wc -l < err) -eq 2 ] && grep -q ' has this as compared.md' err"
check "nothing is trained twice" "cmp -s out first"
expect 2 attend compare "${settings[@]}" --out all/bahdanau
says err "--out all/bahdanau: it is the folder of a model"
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

# what is there is used for the same settings and data alone
refused() # CHANGE...: is refused
{
    expect 2 attend compare "${settings[@]}" "$@"
    says err "--overwrite trains anew"
}
cp -r all before
for change in "--hidden 12" "--steps 21" "--seed 9" "--lr 0.1" "--lower"; do
    refused $change
    says err "${change%% *} is"
done
says err "and was no"
settings_less=("${settings[@]:0:2}" "${settings[@]:4}")
expect 2 attend compare "${settings_less[@]}"
says err "--hidden is 256, and was 16"
head -n 70 pairs.tsv > fewer.tsv
refused --data fewer.tsv
says err "all: --data is fewer.tsv, and was pairs.tsv"
refused --test 30%
says err "--test is 30%, and was 20%"
refused --valid 5%
says err "--valid is 5%, and was 2%"
cp pairs.tsv kept.tsv
cp fewer.tsv pairs.tsv
refused
says err "--data pairs.tsv has changed since"
cp kept.tsv pairs.tsv
expect 66 attend compare "${settings[@]}" --data nothere.tsv --overwrite
check "nothing was touched" "diff -r all before"
expect 0 attend compare "${settings[@]}" --data kept.tsv --beam 2
check "the same data under another name" "! grep -q epoch err"
expect 0 attend compare "${settings[@]}" --tokenize char --presets bahdanau --json
says out '"measured": "char"'
mv all moved
expect 0 attend compare "${settings[@]}" --out moved --presets bahdanau --threads 1
check "nothing is trained again elsewhere" "! grep -q epoch err"
mv moved all
sed 's/1-1/1-2/' gold > gold2
expect 0 attend compare "${settings[@]}" --presets bahdanau --out some --test test.tsv --gold gold
cp some/bahdanau/result.json first
expect 0 attend compare "${settings[@]}" --presets bahdanau --out some --test test.tsv --gold gold2
check "other links are compared anew" "! cmp -s some/bahdanau/result.json first &&
    ! grep -q epoch err"
expect 0 attend compare "${settings[@]}" --presets bahdanau --overwrite --hidden 12 --data fewer.tsv
says err "bahdanau: epoch"
says all/bahdanau/training/settings.yaml "hidden: 12"
check "the data, too" "[ \$(cat all/data/*.tsv | wc -l) -eq 70 ]"
expect 2 attend compare "${settings[@]}" --presets rnn-encdec --data fewer.tsv
says err "all/rnn-encdec: --data is fewer.tsv, and was"

# data that could not be split is nothing to keep to
printf 'a\tb\n' > one.tsv
expect 65 attend compare "${settings[@]}" --out try --data one.tsv --presets bahdanau
expect 0 attend compare "${settings[@]}" --out try --presets bahdanau -q
rm try/data.json
refused --out try --presets bahdanau
says err "not known"

# stopped before the first checkpoint, and later: it goes on
expect 0 attend compare "${settings[@]}" --presets bahdanau --hidden 12 --data fewer.tsv --json
grep -o '"bleu": [0-9.]*' out | head -n 1 > first
rm all/bahdanau/result.json
expect 0 attend compare "${settings[@]}" --presets bahdanau --hidden 12 --data fewer.tsv --json
rm -f all/bahdanau/result.json all/bahdanau/*.safetensors all/bahdanau/training/last.safetensors
expect 0 attend compare "${settings[@]}" --presets bahdanau --hidden 12 --data fewer.tsv --json
says err "bahdanau: epoch"
says out "$(cat first)"

# Chinese is cut into characters without being told
attend data make en-zh --count 60 --out zh.tsv 2> err
expect 0 attend compare --data zh.tsv --hidden 8 --embedding 8 --batch 8 --steps 2 --min-count 1 \
    --presets bahdanau --out chinese --json
says out "tok:zh"

# nobody reads the table: it is kept
expect 0 attend compare "${settings[@]}" --presets rnn-encdec --out unread -q
rm unread/compared.md
attend compare "${settings[@]}" --presets rnn-encdec --out unread 2> err | true
check "the table is kept" "[ -s unread/compared.md ]"

# what a model could not read of a test is told
printf 'the cat sees the dog the cat sees the dog .\tle chat .\n' >> test.tsv
expect 0 attend compare "${settings[@]}" --presets luong+attention=location:8 --out short \
    --test test.tsv
says err "1 line has more than 8 pieces; luong+attention=location:8 has not read what follows"
