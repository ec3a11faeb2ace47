# Feature vectors in place of source words: made, learned from, read, aligned, and what is refused.

expect 0 attend data make digits --count 2000 --seed 1 --out train
says err "train: .safetensors and .txt"
expect 0 attend data make digits --count 100 --seed 2 --out valid.safetensors
lines=$(sized 200 20)
attend data make digits --count $lines --seed 3 --out test 2> err
check "names" '[ -e valid.txt ] && [ -e valid.safetensors ]'
expect 2 attend data make digits --count 5 --out test
says err "test.safetensors exists; --overwrite replaces it"
expect 0 attend data make digits --count 2
check "as text, a tab before the words" 'grep -qP "^[-0-9., ]+\t[a-z ]+$" out'

data=(--src train.safetensors --tgt train.txt --valid valid.safetensors --valid-tgt valid.txt)
settings=("${data[@]}" --preset bahdanau --hidden 32 --embedding 16 --batch 16 --lr 0.01
          --dropout 0 --watch loss --threads 2 --seed 4)
expect 0 attend train "${settings[@]}" --epochs 6 --steps $(sized 0 10) --schedule linear \
    --out model
says err "try it: attend translate model --src FILE.safetensors"
expect 0 attend translate model --src test.safetensors
cp out made
check "a line for a sequence" '[ $(wc -l < made) -eq $lines ]'
learned "nearly all of it is right" \
    '[ $(paste made test.txt | awk -F "\t" "\$1 == \$2" | wc -l) -ge 190 ]'

# the same text, scores and weights in any batch and on any number of threads
for batch in 1 7 64; do
    for threads in 1 2; do
        expect 0 attend translate model --src test.safetensors --batch $batch --threads $threads \
            --score --attention-out weights.jsonl --overwrite
        cat out weights.jsonl | cksum >> sums
    done
done
check "one result for all" '[ $(sort -u sums | wc -l) -eq 1 ]'
check "frames are numbered" 'head -n 1 weights.jsonl | grep -qF "\"source\": [\"0\", \"1\", "'

for option in "--max-length 5" "--when-long skip"; do
    expect 2 attend translate model --src test.safetensors $option
    says err "read whole"
done
expect 0 attend translate model --src test.safetensors --alignment word
learned "a frame for every word" 'head -n 1 out | grep -Pq "\t[0-9]+-0( [0-9]+-[0-9]+)*$"'
expect 0 attend translate model --src test.safetensors --show --beam 1
says out "frame"
expect 0 attend align model --src test.safetensors --tgt test.txt --attention-out map.svg
check "a line for a line" '[ $(wc -l < out) -eq $lines ]'
learned "words follow the sound" "awk '{ for (i = 2; i <= NF; i++) {
    split(\$(i - 1), a, \"-\"); split(\$i, b, \"-\"); n++; bad += b[1] + 0 < a[1] + 0 } }
    END { exit !(n > 100 && bad < n / 10) }' out"
says map.svg "<svg"
expect 0 attend score model --src test.safetensors --tgt test.txt
says err "$lines pairs"
expect 0 attend evaluate model --src test.safetensors --tgt test.txt --json
learned "BLEU" '[ "$(sed -n "s/.*\"bleu\": \([0-9]*\).*/\1/p" out)" -ge 90 ]'
expect 0 attend inspect model
says out "source_features         12"
says out "feature_mean            12 numbers"
expect 0 attend average model --out mean
expect 0 attend translate model mean --src test.safetensors
check "an ensemble of one model twice" 'cmp -s out made'

# stopped and gone on, bit for bit
expect 0 attend train "${settings[@]}" --steps 20 --out whole
expect 0 attend train "${settings[@]}" --steps 9 --checkpoint-every 4 --out parts
expect 0 attend train --out parts --resume --steps 20
check "the same weights" 'cmp -s whole/model.safetensors parts/model.safetensors'
check "the same scaling" 'cmp -s whole/config.json parts/config.json'
cp train.safetensors kept
attend data make digits --count 2000 --seed 9 --out other 2> err
cp other.safetensors train.safetensors
expect 2 attend train --out parts --resume --steps 25
says err "is not what the run has learned from so far"
mv kept train.safetensors

# a file that is cut short while a model learns from it
cp train.safetensors short.safetensors
attend train --src short.safetensors --tgt train.txt --hidden 32 --steps 1000000 --out cut \
    --watch loss --checkpoint-every 1 2> err &
for _ in {1..600}; do [ -e cut/training/last.safetensors ] && break; sleep 0.1; done
truncate -s 100000 short.safetensors
wait $!
check "it ends as other trouble with files does" "[ $? -eq 74 ]"
says err "was cut short while it was read"
check "and keeps what it has learned" '[ -s cut/training/last.safetensors ]'

# other parts, other models
small=("${data[@]}" --hidden 8 --embedding 8 --steps 2 --overwrite)
for preset in luong sutskever cho; do
    expect 0 attend train "${small[@]}" --preset $preset --out small
    expect 0 attend translate small --src test.safetensors --beam 1 --max-tokens 3
done
expect 0 attend train "${small[@]}" --feature-scaling none --out small
check "no scaling" '! grep -q feature_mean small/config.json'
expect 0 attend train "${small[@]}" --teacher-forcing 0.5 --attention additive/global/hard \
    --out small
expect 0 attend train "${small[@]}" --max-frames 20 --when-long skip --out small
says err "pieces or 20 frames: left out"
expect 0 attend train "${small[@]}" --preset luong --attention location:10 --when-long cut \
    --out small
says err "pieces or 10 frames: cut"
expect 0 attend translate small --src test.safetensors --beam 1 --max-tokens 3
says err "more than 10 frames"
expect 0 attend train "${data[@]}" --init-from model --steps 2 --out small --overwrite
expect 0 attend train --src train.safetensors --tgt train.txt --valid 30 --test 40 --hidden 8 \
    --embedding 8 --steps 2 --out split
check "what was left out" '[ $(wc -l < split/training/test.txt) -ge 40 ]'
expect 0 attend evaluate split --src split/training/test.safetensors --tgt split/training/test.txt
expect 0 attend compare --src train.safetensors --tgt train.txt --valid valid.safetensors \
    --valid-tgt valid.txt --test test.safetensors --test-tgt test.txt --presets cho,bahdanau \
    --hidden 8 --embedding 8 --steps 2 --out compared
says out "bahdanau"

# what is refused, and how
refuses() # CODE TEXT ARGUMENTS...: training ends so
{
    local code=$1 text=$2
    shift 2
    expect "$code" attend train "$@" --out new
    says err "$text"
}
refuses 2 "--swap: feature vectors are read, never written" "${data[@]}" --swap
refuses 2 "--format is for sentence pairs" "${data[@]}" --format aligned
refuses 2 "--init-embeddings is for words" "${data[@]}" --init-embeddings test.txt
refuses 2 "--guided-alignment links words" "${data[@]}" --guided-alignment test.txt
refuses 2 "a shared embedding needs words" "${data[@]}" --shared
refuses 2 "output copy needs words" "${data[@]}" --output copy
refuses 2 "has feature vectors alone" --data train.safetensors
refuses 2 "are for translators" --preset rnn-classifier --src train.safetensors --tgt train.txt
refuses 2 "--valid-tgt FILE has what belongs to them" --src train.safetensors --tgt train.txt \
    --valid valid.safetensors
refuses 2 "so must what it is judged by" --src train.safetensors --tgt train.txt \
    --valid valid.txt --valid-tgt valid.txt
refuses 65 "train.safetensors has 2000 sequences, and valid.txt 100 lines" \
    --src train.safetensors --tgt valid.txt
refuses 65 "valid.safetensors has 100 sequences, and train.txt 2000 lines" \
    --src valid.safetensors --tgt train.txt
refuses 65 "the model reads feature vectors of 12 numbers, and --src has text" \
    --src train.txt --tgt train.txt --init-from model
printf 'no tensors here' > bad.safetensors
refuses 65 "bad.safetensors" --src bad.safetensors --tgt train.txt
check "nothing was made" '[ ! -e new ]'

expect 65 attend score model --src test.safetensors --tgt valid.txt
says err "test.safetensors has $lines sequences and valid.txt 100 lines"
expect 65 attend score model --src test.txt --tgt test.txt
says err "the model reads feature vectors: --src FILE.safetensors"
expect 2 attend align model --src test.safetensors --tgt test.txt --swap
says err "never written"
expect 2 attend translate model
says err "--src FILE.safetensors has them"
expect 2 attend translate model --src test.safetensors --replace-unknown
says err "--replace-unknown is for sources of words"
expect 2 attend translate model --src test.safetensors --split
expect 66 attend translate model --src nowhere.safetensors
