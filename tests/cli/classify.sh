# Classifiers: trained from texts with labels, stopped and gone on, and what they say of lines.

texts() # label<TAB>text: one word of each text tells its class, and stands anywhere
{
    awk 'BEGIN { n = split("good fine great superb", good); split("bad poor awful dull", bad)
            m = split("film story actor scene music", what)
            for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) for (k = 1; k <= m; k++) {
                printf "pos\tthe %s and the %s : %s\n", what[j], what[k], good[i]
                printf "neg\t%s was the %s of the %s\n", bad[i], what[j], what[k] } }'
}
texts > texts.tsv
head -n 50 texts.tsv > some.tsv
settings=(--data texts.tsv --format tsv --valid some.tsv --hidden 8 --embedding 8 --batch 16
          --epochs 8 --lr 0.01 --min-count 1 --threads 2 --seed 3)

for preset in rnn-classifier cnn-classifier; do
    expect 0 attend train --preset $preset "${settings[@]}" --out $preset
    says err "2 classes"
    says err "accuracy"
    says err "macro-F1"
    says $preset/training/metrics.jsonl '"macro_f1": '
    cut -f 2 some.tsv | attend classify $preset > labels 2> err && good || bad "$preset" err
    cut -f 1 some.tsv > right
    check "$preset learns it" "paste labels right | awk '\$1 == \$2 { n++ } END { exit n < 48 }'"
done

# text that is tokenised already
for i in $(seq 20); do
    printf "1\tit 's fine , they say ... and it wo n't end ...\n"
    printf "0\tit 's dull , they say ... and it wo n't end ...\n"
done > cut.tsv
cut=(--preset rnn-classifier --data cut.tsv --hidden 4 --embedding 4 --steps 1 --min-count 1)
expect 0 attend train "${cut[@]}" --out cut
says err "source text is tokenised already: spaces separate its words"
expect 0 attend train "${cut[@]}" --pretokenized no --out uncut
says err "source text is not tokenised yet: punctuation is split from words"
says uncut/training/settings.yaml "pretokenised: no"
printf "it wo n't end ...\n" > in
expect 0 attend tokenize -t cut/tokenizer in
says out "it wo n't end ..."
expect 0 attend tokenize -t uncut/tokenizer in
says out "it wo n 't end ..."
expect 2 attend train "${cut[@]}" --tokenizer chars --pretokenised yes --out other
says err "has no option pretokenised"
expect 2 attend train --preset pointer-net --data cut.tsv --pretokenised yes --out other
says err "the task point has no such option; the task translate has it; leave it out"

# stopped and gone on: the same weights
expect 0 attend train --preset rnn-classifier "${settings[@]}" --steps 40 --out whole
expect 0 attend train --preset rnn-classifier "${settings[@]}" --steps 17 --checkpoint-every 5 \
    --out parts
expect 0 attend train --out parts --resume --steps 40
check "the same weights" "cmp -s whole/model.safetensors parts/model.safetensors"

# what it says
printf 'the story : great\n\nawful was the film of the music\n' > in
expect 0 attend train --preset cnn-classifier "${settings[@]}" --pool attention --out seen
attend classify seen --probabilities < in > out 2> err
check "a line for each line" "[ \$(wc -l < out) -eq 3 ]"
check "probabilities sum to 1" "awk -F '[=\t]' '{ s = \$3 + \$5; if (s < 0.99 || s > 1.01) bad = 1 }
    END { exit bad }' out"
says out "neg="
cut -f 2 texts.tsv > all
attend classify seen -p < all > many 2> err
for batch in 1 7; do
    attend classify seen -p --batch $batch --threads 1 < all > one 2> err
    check "batch $batch gives the same" "cmp -s many one"
done
attend classify seen --attention-out w.jsonl < in > out 2> err
says w.jsonl '"weights": [['
says w.jsonl '"great"'
attend classify seen --attention-out w.txt < in > out 2> err
says w.txt "great"
attend classify seen --attention-out w.svg < in > out 2> err && good || bad "w.svg" err
check "a figure" "[ -s w.svg ]"
attend classify seen --show < in > out 2> err
says out "great"
narrow out 80
expect 0 attend train --preset rnn-classifier "${settings[@]}" --steps 1 --out flat
yes story | head -n 25 | paste -sd ' ' | attend classify flat --show > out 2> err
check "weights on many words are seen" "grep -qE '^ *(pos|neg) .*██' out"
printf 'the story : great great great\n' | attend classify seen --max-length 3 > out 2> err
says err "more than 3 pieces"

# scores of places: the model itself sets a limit
expect 0 attend train --preset rnn-classifier "${settings[@]}" --epochs 1 --attention location:3 \
    --when-long cut --out places
says err "longer than 3 pieces: cut"
attend classify places < in > out 2> err && good || bad "location" err
says err "more than 3 pieces"

# word vectors
printf 'great 1 1 1 1 1 1 1 1\nawful -1 -1 -1 -1 -1 -1 -1 -1\nzebra 0 0 0 0 0 0 0 0\n' > v.txt
expect 0 attend train --preset rnn-classifier "${settings[@]}" --epochs 1 --init-embeddings v.txt \
    --frozen --out vectors
says err "2 of "
says err "of 3 there"
expect 65 attend train --preset rnn-classifier "${settings[@]}" --embedding 7 \
    --init-embeddings v.txt --out new
says err "--embedding 8"
expect 2 attend train --preset cnn-classifier "${settings[@]}" --init-from seen \
    --init-embeddings v.txt --out new
says err "leave one of the two out"

# what does not go
expect 66 attend classify nowhere
expect 2 attend train --preset rnn-classifier --data texts.tsv --attention additive/window:2 \
    --out new
says err "global, predicted or hybrid:predicted"
expect 2 attend train --preset rnn-classifier --data texts.tsv --place before --out new
says err "rnn-classifier has no setting 'place'"
cut -f 2 texts.tsv > plain.txt
expect 65 attend train --preset rnn-classifier --data plain.txt --out new
says err "no labels"
awk -F '\t' '{ print "pos\t" $2 }' texts.tsv > one.tsv
expect 65 attend train --preset rnn-classifier --data one.tsv --format tsv --out new
says err "nothing to learn"
expect 65 attend translate seen
says err "attend classify takes this model"
expect 65 attend evaluate seen texts.tsv
says err "attend classify takes this model"
expect 65 attend score seen texts.tsv
says err "attend classify takes this model"
expect 2 attend train --preset rnn-classifier --attention scaled-dot/global/soft/7 \
    --hidden 20 --data texts.tsv --out new
says err "cannot be cut into 7 heads"
sed -i 's/"1": "pos"/"1": "neg"/' vectors/config.json
attend inspect --update-checksums vectors
expect 65 attend classify vectors
says err "no name of its own"
sed -i 's/"hidden": [0-9]*/"hidden": 7/' seen/config.json
attend inspect --update-checksums seen
expect 65 attend classify seen
says err "seen/model.safetensors: "
says err "the settings are those of another model"

# folders of the hub whose model does not choose one label
model=$root/tests/fixtures/hub/regression
echo 'a fine film' > in
attend classify "$model" < in > out 2> err
check "numbers are refused" "[ $? -eq 65 ]"
silent out
says err "gives a number (regression), not one label for a text"
cp -r "$model" folder
chmod -R u+w folder
sed 's/"regression"/"multi_label_classification"/' "$model/config.json" > folder/config.json
attend classify folder < in > out 2> err
check "several labels are refused" "[ $? -eq 65 ]"
silent out
says err "gives several labels for a text, not one label for a text"
expect 2 attend train --preset bert-tiny --data texts.tsv --format tsv --labels several --out new
says err "--labels several: training learns one label for each text; choose --labels one"

# pairs of texts: the second one tells the class, and the first one misleads
awk 'BEGIN { n = split("good fine great bad poor awful", word)
    print "label\tsentence1\tsentence2"
    for (i = 1; i <= n; i++) for (j = 1; j <= n; j++) for (k = 1; k <= 3; k++) {
        of = (k == 1) ? "film" : (k == 2) ? "story" : "actor"
        printf "%s\t", j < 4 ? "pos" : "neg"
        printf "the %s was %s\tthe %s was %s\n", of, word[i], of, word[j] } }' \
    > two.tsv
pairs=(--preset bert-tiny --data two.tsv --format tsv --valid two.tsv --hidden 32 --ffn 64
       --layers 1 --tokenizer wordpiece --vocabulary 80 --lr 0.002 --schedule constant
       --batch 16 --threads 2)
expect 0 attend train "${pairs[@]}" --epochs "$(sized 30 1)" --out two
tail -n +2 two.tsv | cut -f 2,3 > in
tail -n +2 two.tsv | cut -f 1 > right
attend classify two < in > labels 2> err
check "no warning of the tab" "[ ! -s err ]"
learned "it learns the second text" "cmp -s labels right"
attend classify two --batch 5 < in > five 2> err
check "pairs are the same in any batch" "cmp -s labels five"
awk -F '\t' -v OFS='\t' '{ print $2, $1 }' in | attend classify two > turned 2> err
learned "the order counts" "! cmp -s labels turned"
