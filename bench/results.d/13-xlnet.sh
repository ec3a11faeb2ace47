# XLNet: permutation language models beside one of one direction, fine-tuned, and of two languages.
group xlnet

about_files_xlnet() { echo "the text to pre-train on: Penn Treebank and the texts of SST-2's training part, a
sentence a line; pairs of Multi30k, English and German; and the German beside a dot alone."; }
files_xlnet() # [SET]
{
    [ -n "${1-}" ] && [ "$1" != text ] || cat <<'FILES'
sed 's/^ *//; s/ *$//' $DATA/lm/ptb.train.txt > corpus
for i in 1 2 3; do sed 's/^[^ ]* //' $DATA/classification/stsa.binary.train; done >> corpus
sed 's/^ *//; s/ *$//' $DATA/lm/ptb.valid.txt > valid
FILES
    [ -n "${1-}" ] && [ "$1" != given ] || cat <<'FILES'
paste $DATA/multi30k/train.en $DATA/multi30k/train.de > given.tsv
paste $DATA/multi30k/val.en $DATA/multi30k/val.de > given-valid.tsv
FILES
    [ -n "${1-}" ] && [ "$1" != alone ] || cat <<'FILES'
sed 's/^/.\t/' $DATA/multi30k/train.de > alone.tsv
sed 's/^/.\t/' $DATA/multi30k/val.de > alone-valid.tsv
FILES
}

best_perplexity()
{
    sed -n 's/.*"perplexity": \([0-9.]*\).*"best": true.*/\1/p' model/training/metrics.jsonl | tail -n 1
}

# The perplexity of the tokens of a text by how often each is in another: those that are not there count
# as if they were there half a time.
unigram() # TEXT VALID
{
    attend tokenize -t model/tokenizer < "$1" > text.tokens
    attend tokenize -t model/tokenizer < "$2" > valid.tokens
    awk 'NR == FNR { for (i = 1; i <= NF; i++) { n[$i]++; all++ } next }
         { for (i = 1; i <= NF; i++) { sum -= log(($i in n ? n[$i] : 0.5) / all); count++ } }
         END { printf "%.1f", exp(sum / count) }' text.tokens valid.tokens
    rm text.tokens valid.tokens
}

permuted() # SET OPTION...
{
    local valid=valid from=corpus
    [ "$1" = text ] || { from=$1.tsv valid=$1-valid.tsv; }
    [ -e "$from" ] || make_files "$(files_xlnet "$1")"
    learn model --data "$from" --valid "$valid" --task permutation "${@:2}"
    rm -f scores
    weigh model
    score perplexity "$(best_perplexity)"
    [ "$1" != text ] || score unigram "$(unigram corpus valid)"
}

tiny=(--preset xlnet-tiny --lr 0.001 --threads 1)
of_text=("${tiny[@]}" --vocabulary 4000 --window 128 --batch 16 --epochs 1)
of_pairs=("${tiny[@]}" --vocabulary 4000 --window 64 --predict second --one-in 2 --lr 0.002 --epochs 2)
entry xlnet-ptb "any order, one token in six predicted" permuted text "${of_text[@]}"
entry xlnet-ptb-uni "one direction, all tokens predicted" permuted text "${of_text[@]}" --attn-type uni --format document
entry xlnet-given "German, and the English beside it" permuted given "${of_pairs[@]}"
entry xlnet-alone "German alone" permuted alone "${of_pairs[@]}"
for seed in 1234 1235 1236; do
    of_classes=(--task classify --seed "$seed" --threads 1 --lr 0.0005 --epochs 3)
    entry "xlnet-fine-$seed" "SST-2 from xlnet-ptb, seed $seed" classes sst2 \
        --init-from ../xlnet-ptb/model --optimizer adamw --schedule linear:warmup=0.1 --clip 1 \
        --batch 32 "${of_classes[@]}"
    entry "xlnet-random-$seed" "SST-2, the same network from random weights, seed $seed" classes sst2 \
        --preset xlnet-tiny --tokenizer ../xlnet-ptb/model/tokenizer "${of_classes[@]}"
done

report_xlnet()
{
    cat <<'END'
## XLNet

`xlnet-tiny` (2 layers of 128) on the text of Penn Treebank and SST-2. Perplexities are those of SentencePiece
tokens of Penn Treebank's validation part; that of the unigram knows how often each token is. A permutation
model predicts a sixth of the tokens from the others, on both sides, and one of one direction all of them from
those before: the two are not the same task.

| run | parameters | perplexity | unigram | minutes |
|---|---|---|---|---|
END
    local name
    for name in xlnet-ptb xlnet-ptb-uni; do
        echo "| \`$name\`: ${what[$name]} | $(millions $name) | $(value $name perplexity %.1f) |" \
            "$(value $name unigram) | $(minutes $name) |"
    done
    cat <<'END'

The bidirectional cross-lingual model on Multi30k, `English <sep> German <sep> <cls>`: half of the German tokens
are predicted from the others.

| run | perplexity of the German | minutes |
|---|---|---|
END
    for name in xlnet-given xlnet-alone; do
        echo "| \`$name\`: ${what[$name]} | $(value $name perplexity %.1f) | $(minutes $name) |"
    done
    cat <<'END'

Test accuracy on SST-2 in per cent; the epoch was chosen on the validation part.

| weights | seed 1234 | 1235 | 1236 | mean |
|---|---|---|---|---|
END
    for name in xlnet-fine xlnet-random; do
        echo "| \`$name\` |$(for seed in 1234 1235 1236; do
            printf ' %s |' "$(value $name-$seed accuracy)"; done) $(mean $name) |"
    done
}
