# The Transformer does what recurrent translators do: trains, resumes, translates, aligns, scores,
# and the rest, on the same options.
translated() # MODEL.. OPTIONS: the lines of `in`
{
    expect 0 eval "attend translate $* < in"
    check "a line for each line" '[ $(wc -l < out) -ge $(wc -l < in) ]'
}
attend data make en-fr --count 12000 --out made.tsv 2> err
awk -F '\t' 'split($1, word, " ") <= 5' made.tsv > short.tsv
expect 0 attend data split short.tsv --valid 40 --test 60 --out small
cut -f 1,2 small/train.tsv | tr '\t' '\n' > both
expect 0 attend vocab learn --kind words --out words both
settings=(--preset transformer-tiny --data small/train.tsv --valid small/valid.tsv --layers 2
          --hidden 64 --heads 2 --ffn 128 --dropout 0.1 --tokenizer words --batch 32 --lr 0.002
          --schedule inverse_sqrt:warmup=100 --threads 1 --curves none)
expect 0 attend train "${settings[@]}" --epochs $(sized 12 1) --steps $(sized 0 8) --out model -q
cut -f 1 small/test.tsv > in
cut -f 2 small/test.tsv > ref
translated model --beam 1
cp out greedy
expect 0 attend measure greedy --ref ref --json
learned "BLEU of at least 60 on what was kept back" \
    '[ "$(sed -n "s/.*\"score\": *\([0-9]*\).*/\1/p" out | head -n 1)" -ge 60 ]'

# ---- searching ----

# the same in any batch and order, and on any number of threads
tac in > turned
for search in "--beam 1" "--beam 4" "--sample --seed 3 --top-p 0.9" "--beam 3 --nbest 3"; do
    rm -f sums
    for way in "--batch 1" "--batch 7" "--batch 64 --threads 1" "--batch 5 --threads 2"; do
        translated model $search $way --score
        cksum < out >> sums
    done
    check "$search: one result for all" '[ $(sort -u sums | wc -l) -eq 1 ]'
done
check "three of each" '[ $(wc -l < out) -eq $((3 * $(wc -l < in))) ]'
translated model --beam 4
cp out beam
expect 0 eval "attend translate model --beam 4 < turned"
check "in any order" 'tac out | cmp -s - beam'
translated model --forced ref --alignment word
check "words that are given are given back" 'cut -f 1 out | cmp -s - ref'
cut -d ' ' -f 1 ref > begin
translated model --prefix begin
check "translations begin with the prefix" 'cut -d " " -f 1 out | cmp -s - begin'
translated model --sample --nbest 2 --seed 5
check "two draws of each" '[ $(wc -l < out) -eq $((2 * $(wc -l < in))) ]'
head -n 2 in > two
expect 0 eval "attend translate model --show < two"
check "the attention is drawn" '[ $(wc -l < out) -gt 8 ]'
translated model --attention-out weights.jsonl
check "weights of every line" '[ $(wc -l < weights.jsonl) -eq $(wc -l < in) ]'

# ---- pairs ----

expect 0 attend score model small/test.tsv
check "a score for each pair" '[ $(wc -l < out) -ge $(wc -l < ref) ]'
expect 0 attend align model small/test.tsv
check "an alignment of each pair" '[ $(grep -c "[0-9]-[0-9]" out) -eq $(wc -l < ref) ]'
expect 0 attend evaluate model small/test.tsv --json
says out '"bleu"'
expect 0 attend inspect model
says out "attend-transformer"

# ---- runs ----

# it resumes bit for bit
expect 0 attend train "${settings[@]}" --steps 24 --out whole -q
expect 0 attend train "${settings[@]}" --steps 10 --out part -q
expect 0 attend train --resume --steps 24 --out part -q
check "the same weights" "cmp -s whole/training/last.safetensors part/training/last.safetensors &&
    cmp -s whole/model.safetensors part/model.safetensors"
expect 0 attend train --data small/train.tsv --init-from model --steps 3 --out tuned -q \
    --curves none
translated tuned

# an average, and an ensemble with a recurrent model of the same vocabulary
expect 0 attend average whole part --out mean
check "the mean of the same is the same" "cmp -s whole/model.safetensors mean/model.safetensors"
translated mean
expect 0 attend train --preset bahdanau --tokenizer words --shared --data small/train.tsv \
    --valid small/valid.tsv --hidden 16 --embedding 16 --steps 5 --threads 1 --curves none \
    --out recurrent -q
translated model recurrent --beam 2 --batch 1
cp out mixed
translated recurrent model --beam 2
translated model recurrent --beam 2
check "an ensemble in any batch" "cmp -s out mixed"
translated model model --beam 4
check "an ensemble of one model twice is that model" "cmp -s out beam"

# by default: one vocabulary of subwords, batches by tokens, warm-up, label smoothing, averaging
expect 0 attend train --preset transformer-tiny --data small/train.tsv --dump-config
for line in "tokenizer: sentencepiece" "shared: yes" "schedule: inverse_sqrt:warmup=0.1" \
    "batch-tokens: 1000" "label-smoothing: 0.1" "average: 5" "[preset transformer-tiny]"; do
    says out "$line"
done
expect 0 attend train --preset transformer-tiny --data small/train.tsv --steps 4 --layers 1 \
    --hidden 16 --ffn 16 --validate-every 2 --out plain --curves none
says err "mean of the last 2 weights"
translated plain
expect 0 attend compare --presets rnn-encdec,transformer-tiny --data small/train.tsv --steps 3 \
    --hidden 16 --out compared -q
says out "transformer-tiny"
says out "rnn-encdec"
says out "The tokenizers differ"
says compared/compared.md "The tokenizers differ"
narrow out 80

# ---- other models ----

few=("${settings[@]}" --steps 3 -q)
expect 0 attend train "${few[@]}" --out other --attention additive/window:3 \
    --encoder-attention relative --decoder-attention scaled-dot/expanded:2,2 --norm post \
    --positions learned --max-positions 64 --decoder-layers 1 --activation gelu
translated other
expect 0 attend train "${few[@]}" --out copying --output copy
translated copying --batch 1
cp out one
translated copying
check "copies in any batch" "cmp -s out one"
expect 0 attend train "${few[@]}" --out hard --attention scaled-dot/global/hard
translated hard
expect 0 attend train "${few[@]}" --out own --teacher-forcing 0.5
translated own
expect 0 attend train --preset d2l-transformer --data small/train.tsv --steps 2 --out d2l -q \
    --curves none
translated d2l --beam 1

# as many tokens as there are positions, and no more
expect 0 attend train --preset transformer-tiny --data small/train.tsv --positions learned \
    --max-positions 9 --layers 1 --hidden 16 --ffn 16 --steps 2 --curves none --out bounded
says err "longer than 10 pieces, or 9 of a source: left out"
translated bounded
translated bounded --beam 1 --max-tokens 50
yes un | head -n 60 | tr '\n' ' ' > long
expect 65 attend translate bounded --src long --forced long
says err "the model has 9 positions, one of them for the end; shorten it"

# feature vectors
attend data make digits --count 200 --seed 1 --out sound 2> err
expect 0 attend train --preset transformer-tiny --no-shared --no-tied --tokenizer words \
    --src sound.safetensors --tgt sound.txt --layers 1 --hidden 16 --ffn 16 --steps 3 --threads 1 \
    --curves none --out heard -q
expect 0 attend translate heard --src sound.safetensors --batch 1
cp out one
expect 0 attend translate heard --src sound.safetensors
check "sound in any batch" "cmp -s out one"
expect 0 attend align heard --src sound.safetensors --tgt sound.txt

# ---- what makes no sense is refused, with the reason ----

refused() # TEXT OPTION...
{
    local text=$1
    shift
    expect 2 attend train "${settings[@]}" --out no "$@"
    says err "$text"
}
refused "straight-through" --decoder-attention scaled-dot/global/hard
refused "straight-through" --encoder-attention scaled-dot/global/hard
refused "grows past any" --decoder-attention location:20
refused "5 heads" --heads 5
refused "positions learned" --max-positions 9
refused "unknown activation 'soft'" --activation soft
refused "words or copy" --output pointer
check "nothing is left of them" "[ ! -e no ]"

# ---- real sentences ----

real=$root/../shared/data/multi30k
if [ -r "$real/train.tok.de" ]; then
    for side in de en; do head -n 1000 "$real/train.tok.$side" > real.$side; done
    head -n 300 "$real/test_2016.tok.de" > in
    expect 0 attend train --preset transformer-tiny --src real.de --tgt real.en --layers 2 \
        --hidden 32 --ffn 32 --vocabulary 1000 --steps $(sized 60 4) --out real -q --curves none
    for search in "--beam 1" "--beam 4"; do
        translated real $search --score --batch 1 --threads 1
        cp out one
        for way in "--batch 64 --threads 2" "--batch 7 --threads 1"; do
            translated real $search --score $way
            check "$search $way: 300 real sentences keep every bit" "cmp -s out one"
        done
        expect 0 eval "tac in | attend translate real $search --score --batch 13"
        check "$search: and in another order" "tac out | cmp -s - one"
    done
else
    skip "no $real"
fi
