# What can be said of a model: links and scores of given pairs, an evaluation, its folder, a mean.

pairs() # sentences of a small language and their mirror in another, with some of other lengths
{
    awk 'BEGIN { n = split("cat dog house tree bird", a); split("chat chien maison arbre oiseau", b)
            m = split("sees likes wants", v); split("voit aime veut", w)
            for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) for (k = 1; k <= n; k++) {
                printf "the %s %s the %s .\tle %s %s le %s .\n",
                    a[i], v[j], a[k], b[i], w[j], b[k]
                if (j == 1)
                    printf "the %s %s .\tle %s %s .\n", a[i], v[k % 3 + 1], b[i], w[k % 3 + 1]
            } }' | sort -u
}
pairs > pairs.tsv
cut -f 1 pairs.tsv > in
cut -f 2 pairs.tsv > ref
attend train --data pairs.tsv --valid 5 --hidden 32 --embedding 16 --batch 8 --steps 80 --lr 0.01 \
    --min-count 1 --dropout 0 --keep 3 --validate-every 20 --threads 2 --seed 3 --out model \
    > out 2> err || bad "train" err
lines=$(wc -l < in)

# links
expect 0 attend align model --src in --tgt ref
cp out links
check "a line of links for each pair" "[ \$(wc -l < links) -eq $lines ]"
expect 0 attend align model pairs.tsv --batch 1 --threads 1
check "the same from a file of pairs, one by one" "cmp -s out links"
attend translate model --forced ref --alignment word < in > forced 2> err
check "the same as translate's" "cmp -s links <(cut -f 2 forced)"
expect 0 attend align model pairs.tsv --threshold 0.01 --attention-out w.jsonl
check "a low threshold links more" "[ \$(wc -w < out) -gt \$(wc -w < links) ]"
check "weights of all pairs" "[ \$(wc -l < w.jsonl) -eq $lines ]"
expect 0 attend align model pairs.tsv --attention-out w.svg --level token
check "a figure" "grep -q '<svg' w.svg"
head -n 3 ref > few
expect 65 attend align model --src in --tgt few
says err "belong together"
expect 2 attend align model --src in
expect 66 attend align model --src in --tgt nowhere

# scores
expect 0 attend score model --src in --tgt ref
cp out scores
cp err summary
check "a score for each pair" "[ \$(grep -c '^-[0-9.]*\$' scores) -eq $lines ]"
says summary "perplexity"
expect 0 attend score model pairs.tsv --batch 7 --threads 1
check "the same in other batches" "cmp -s out scores && cmp -s err summary"
expect 0 attend score model pairs.tsv --ensemble model
check "twice the same model is near it" \
    "paste out scores | awk '{ if ((\$1 - \$2) ^ 2 > 1e-8) exit 1 }'"
expect 0 attend score model pairs.tsv --tokens
check "pieces add up" "awk -F '\t' '{ s = 0
    for (i = 2; i <= NF; i++) { split(\$i, x, \" \"); s += x[2] }
    if ((s - \$1) ^ 2 > 1e-6 || \$NF !~ /^<eos> /) exit 1 }' out"

# an evaluation
expect 0 attend evaluate model pairs.tsv --beam 2 --out translations
narrow out 80
for word in BLEU chrF perplexity lines/s "0-5" "6-10"; do says out "$word"; done
check "no AER without gold" "! grep -q AER out"
attend translate model --beam 2 < in > expected 2> err
check "translations are translate's" "cmp -s translations expected"
expect 0 attend evaluate model --src in --tgt ref --beam 2 --json
bleu=$(attend measure --ref ref expected --json 2> err | grep -o '"score": [0-9.]*' | head -n 1)
check "BLEU is measure's" \
    "awk -v a='${bleu#*: }' -v b=\$(grep -o '\"bleu\": [0-9.]*' out | head -n 1 | cut -d ' ' -f 2) \
        'BEGIN { exit (a - b) ^ 2 > 1e-3 }'"
check "perplexity is score's" \
    "[ \$(grep -o 'perplexity\": [0-9.]*' out | cut -d ' ' -f 2 | cut -c 1-5) = \
       \$(grep -o 'perplexity [0-9.]*' summary | cut -d ' ' -f 2 | cut -c 1-5) ]"
sed 's/\([0-9]*\)-\([0-9]*\)/\1 \2/g' links | awk '{ out = ""
    for (i = 1; i < NF; i += 2) out = out (i > 1 ? " " : "") $i + 1 "-" $(i + 1) + 1
    print out }' > gold
expect 0 attend evaluate model pairs.tsv --beam 1 --gold gold
check "its own links have no error" "grep -q '^AER  *0.00' out"
check "nor a warning" "! grep -q 'are they the same' err"
sed '2s/.*/1-999/' gold > far
expect 0 attend evaluate model pairs.tsv --beam 1 --gold far
says err "far:2: link 1-999, but the sentences have"
expect 0 attend evaluate model pairs.tsv --beam 1 --gold links --gold-base 0
check "counted from 0" "grep -q '^AER  *0.00' out"
expect 0 attend evaluate model pairs.tsv --beam 1
check "nothing is cut" "! grep -q 'more than' err"
expect 0 attend evaluate model pairs.tsv --beam 1 --max-length 3
says err "$lines lines have more than 3 pieces; what follows of the source was not read"
expect 0 attend score model pairs.tsv --max-length 3
says err "sentences have more than 3 pieces; what follows of the source was not read"
expect 0 attend align model pairs.tsv --max-length 3
says err "lines have more than 3 pieces; what follows of the source has no links"
expect 2 attend evaluate model pairs.tsv --threshold 0.2
says err "--gold"
expect 2 attend evaluate model pairs.tsv --length-rule none --length-penalty 3
says err "--length-rule"
expect 65 attend evaluate model pairs.tsv --gold few
says err "3 lines"
expect 65 attend evaluate model pairs.tsv --beam 1 --gold links
says err "links:1: link"
says err "--gold-base 0"
says err "attend align"

# Chinese: words are characters, in BLEU and in links
attend data make en-zh --count 300 --out zh.tsv 2> err
attend train --data zh.tsv --valid 20 --hidden 32 --embedding 16 --batch 8 --steps 60 --lr 0.01 \
    --min-count 1 --threads 2 --curves none --out chinese > out 2> err || bad "train" err
head -n 20 zh.tsv > zh20.tsv
expect 0 attend evaluate chinese zh20.tsv --beam 1
says out "tok:zh"
cp out chosen
expect 0 attend evaluate chinese zh20.tsv --beam 1 --tokenize zh
check "as --tokenize zh" "diff <(grep BLEU out) <(grep BLEU chosen) > /dev/null"
sed 's/ \././g' pairs.tsv > whole.tsv
expect 0 attend evaluate model whole.tsv --beam 1
says out "tok:13a"
expect 0 attend evaluate model pairs.tsv --beam 1
says out "tok:none" # its words were cut before
expect 0 attend align chinese zh20.tsv
characters() { sed 's/./x /g' | awk '{ print NF }'; }
check "a link for each character" \
    "cmp -s <(cut -f 2 zh20.tsv | characters) <(awk '{ print NF }' out)"
cut -f 1 zh20.tsv | attend translate chinese --alignment word > out 2> err
check "of a translation too" \
    "cmp -s <(cut -f 1 out | characters) <(cut -f 2 out | awk '{ print NF }')"
: > none
expect 65 attend evaluate model --src none --tgt none
says err "no sentences"

# its folder
expect 0 attend inspect model
narrow out 80
for word in bahdanau hidden "words, " parameters "validations" encoder.embedding.weight; do
    says out "$word"
done
check "how training went, in words" "grep -qE '4 validations, the best at step [0-9]+, epoch' out &&
    grep -q 'training loss' out && ! grep -q '{' out"
expect 0 attend inspect --json model
if command -v python3 > /dev/null; then
    check "valid JSON" "python3 -m json.tool < out > /dev/null 2>&1"
fi
says out '"parts": {"encoder": '

# a folder whose files do not belong together
damaged() # CHANGE TEXT: of config.json, and what is said
{
    rm -rf damaged
    cp -r model damaged
    sed -i "$1" damaged/config.json
    attend inspect --update-checksums damaged
    expect 65 attend translate damaged
    says err "$2"
    check "it names the file" "grep -qE 'damaged/(config.json|model.safetensors)' err"
    check "no help with options" "! grep -q -- --help err"
}
damaged 's/"hidden": 32/"hidden": 33/' "the settings are those of another model"
damaged 's/"hidden": 32/"hidden": -1/' "damaged/config.json: hidden"
damaged 's/"attention": "[^"]*"/"attention": "nothing"/' \
    "damaged/config.json: attention has no score"
damaged 's/"layers": 1/"layers": 2/' "the settings are those of another model"
damaged 's/"tied": false/"tied": true/; s/"embedding": 16/"embedding": 32/' "another model"
attend train --data pairs.tsv --hidden 16 --embedding 16 --steps 1 --min-count 1 --out square \
    > out 2> err || bad "train" err
sed -i 's/"tied": false/"tied": true/' square/config.json
attend inspect --update-checksums square
expect 65 attend translate square
says err "square/model.safetensors: tensor '"
says err "has no place in the model"

# means, and copies without the state of training
expect 0 attend average model --out lean
says err "without the state"
check "weights are the same" "cmp -s model/model.safetensors lean/model.safetensors"
check "nothing of training is left" "[ ! -e lean/training ]"
attend translate lean --beam 2 < in > out 2> err
check "it translates alike" "cmp -s out expected"
expect 0 attend average model/training/step-*.safetensors --out mean
says err "mean is the mean of 3"
check "of one training" "! grep -q warning err"
attend train --data pairs.tsv --valid 5 --hidden 32 --embedding 16 --batch 8 --steps 1 \
    --min-count 1 --seed 4 --out sown > out 2> err || bad "train" err
expect 0 attend average model sown --out mixed
says err "warning: model and sown are of different trainings, with seed 3 and 4"
expect 0 attend average model/training/last.safetensors model/training/last.safetensors --out twice
expect 0 attend average model/training/last.safetensors --out once
check "the mean of twice the same" "cmp -s once/model.safetensors twice/model.safetensors"
expect 0 attend translate mean
expect 2 attend average model --out lean
says err "a model already"
echo private > model/private.txt
echo private > model/source/private.txt
expect 0 attend average model --out given
check "a copy has the model's files alone" \
    "[ ! -e given/private.txt ] && [ ! -e given/source/private.txt ] && [ -d given/source ]"
rm model/private.txt model/source/private.txt
mkdir beside
cp model/model.safetensors beside
echo private > beside/private.txt
expect 65 attend average beside/model.safetensors --out copied
says err "beside: there is no config.json"
check "nothing is copied" "[ ! -e copied/private.txt ] && [ ! -e copied/model.safetensors ]"
expect 2 attend average model
attend train --data pairs.tsv --hidden 16 --embedding 16 --steps 1 --min-count 1 --out other \
    > out 2> err || bad "train" err
expect 1 attend average model other --out new
says err "another shape"
check "nothing is left behind" "[ ! -e new/model.safetensors ]"
expect 66 attend average nowhere --out new
