# The copy output: names that no vocabulary has come out as they went in.

# names are made up: hardly one of the test has been learned from
attend data make names --count 2000 --out pairs.tsv 2> err
attend data make names --count $(sized 200 20) --seed 99 --out test.tsv 2> err
cut -f 1 test.tsv > in
cut -f 2 test.tsv > right
settings=(--data pairs.tsv --valid $(sized 50 5) --test 0 --hidden 48 --embedding 32
          --batch 32 --epochs 5 --steps $(sized 0 10) --lr 0.01 --min-count 4
          --curves none --output copy)
expect 0 attend train "${settings[@]}" --out model -q
expect 0 attend inspect model
check "inspect shows the output" "grep -q '^output *copy' out"
attend translate model < in > got 2> err
same=$(paste -d '\t' got right | awk -F '\t' '$1 == $2' | wc -l)
unknown=$(echo Xyzzyx | attend tokenize --tokenizer model/target --ids)
new=$(attend tokenize --tokenizer model/target --ids < right 2> err |
    tr ' ' '\n' | grep -cx "$unknown")
learned "of 200 lines with $new unknown words $same are right" \
    "[ $same -ge 190 ] && [ $new -ge 300 ]"
learned "copied words are not replaced" \
    "attend translate model --beam 1 --replace-unknown < in 2> err | cmp -s - got"
expect 0 attend evaluate model test.tsv
learned "an unknown word costs little" \
    "awk '/^perplexity/ && \$2 < 1.5 { ok = 1 } END { exit !ok }' out"

# the same in any batch, on any number of threads; words of one line are no words of another
{
    echo
    echo "Dr Xyzzy-Quux met Qwerty, Xyzzy-Quux and $(seq -s ' ' 900 960)."
    head -n $(sized 60 10) in
} > mixed
cut -f 2 < mixed | sed 's/^$/rien/' > forced
for way in "--beam 1" "--beam 5 --nbest 5 --alignment word" "--sample --nbest 3 --top-p 0.95" \
    "--no-repeat-ngram 2 --coverage 0.2" "--forced forced --beam 1 --alignment token" \
    "model --sample --nbest 2"; do
    options=(model $way)
    attend translate "${options[@]}" --score --batch 64 --threads 1 < mixed > first 2> err
    for more in "1 1" "7 2" "64 2"; do
        attend translate "${options[@]}" --score --batch ${more% *} --threads ${more#* } < mixed \
            > out 2> err
        check "$way: batch and threads $more change nothing" '[ -s first ] && cmp -s first out'
    done
done
expect 0 attend score model test.tsv
cp out scored
paste in right | head -n 20 > few.tsv
expect 0 attend score model few.tsv --batch 3
check "scores are those of any batch" 'head -n 20 scored | cmp -s - out'
expect 0 attend align model --src in --tgt right
echo Xyzzy > prefix
check "a prefix may be a word of the source" \
    "echo 'Does Xyzzy know Qwerty?' | attend translate model --prefix prefix | grep -q '^Xyzzy '"

# a source that is read from its end: the words that were copied are linked to themselves
expect 0 attend train "${settings[@]}" --epochs 3 --reversed --out turned -q
same=$(attend translate turned < in 2> err | paste -d '\t' - right | awk -F '\t' '$1 == $2' | wc -l)
links=$(attend align turned --src in --tgt right 2> err | paste -d '\t' in right - | awk -F '\t' '
    {
        n = split($1, word, " "); m = split($2, said, " ")
        for (i = 1; i <= n; i++)
            for (k = 1; k <= m; k++)
                if (word[i] == said[k] && word[i] ~ /^[A-Z].*[a-z]$/) {
                    all++
                    good += index(" " $3 " ", " " i - 1 "-" k - 1 " ") > 0
                }
    }
    END { print int(100 * good / all) }')
learned "$same of 200 lines are right, $links % of the links" \
    "[ $same -ge 180 ] && [ $links -ge 90 ]"

# it goes on, bit for bit, also when the model is fed words of its own
own=("${settings[@]}" --epochs 1 --teacher-forcing 0.7 --watch loss --threads 1 -q)
expect 0 attend train "${own[@]}" --steps 20 --out whole
expect 0 attend train "${own[@]}" --steps 8 --out part
expect 0 attend train --resume --steps 20 --out part -q
check "the same weights" 'cmp -s whole/model.safetensors part/model.safetensors'

# with other parts
short=("${settings[@]}" --steps 4 -q --overwrite --out short)
for parts in "--preset luong --attention bilinear --label-smoothing 0.1" \
    "--preset luong --attention additive/window:2" "--attention additive/global/hard" \
    "--attention additive/global/sparse --reversed" "--attention scaled-dot/global/soft/2" \
    "--tokenizer chars --min-count 1" "--tokenizer bytes --min-count 0" \
    "--tokenizer sentencepiece --vocabulary 300 --min-count 0 --shared --tied --readout deep"; do
    expect 0 attend train "${short[@]}" $parts
    check "$parts: translates" \
        "[ \$(head -n 5 in | attend translate short --beam 2 --max-tokens 20 2> err | wc -l) = 5 ]"
done
expect 2 attend train "${settings[@]}" --preset cho --out new
says err "output copy needs attention"
expect 2 attend train "${settings[@]}" --attention additive/predicted:2 --out new
says err "its weights do not sum to one"
expect 0 attend train "${short[@]}" --output words
expect 2 attend translate model short
says err "its output is words, that of the first model copy"
