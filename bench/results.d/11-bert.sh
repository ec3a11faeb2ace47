# BERT: fine-tuned from weights of the hub, and pre-trained here.
group bert

minilm=$data/../oracle/real/bert_minilm_l6_v2
from_minilm=(--task classify --init-from "$minilm" --optimizer bert_adamw --schedule linear:warmup=0.1
    --clip 1 --batch 32)
entry minilm-sst2 "SST-2 from MiniLM" classes sst2 "${from_minilm[@]}" --lr 5e-5 --epochs 3
entry minilm-trec "TREC from MiniLM" classes trec "${from_minilm[@]}" --lr 1e-4 --epochs 5

# The text to pre-train on, and the labelled text to fine-tune with.
about_files_bert() { echo "the text that \`bert-pretrain\` learns from: Penn Treebank, SubjQA's reviews and the texts
of SST-2's training part, a sentence a line. SST-2 and TREC are scored as above."; }
files_bert() # [SET]
{
    [ -n "${1-}" ] && [ "$1" != pretrain ] || cat <<'FILES'
sed 's/^ *//; s/ *$//; s/<unk>/[UNK]/g' $DATA/lm/ptb.train.txt > corpus
attend data convert $DATA/reading/subjqa-electronics/train.csv --format csv --text review --to text --overwrite --out reviews
sed 's/ *ANSWERNOTFOUND$//' reviews | awk '!seen[$0]++' | attend split >> corpus
for i in 1 2 3; do sed 's/^[^ ]* //' $DATA/classification/stsa.binary.train; done >> corpus
FILES
}

pretrain_bert() # OPTION...
{
    [ -e corpus ] || make_files "$(files_bert pretrain)"
    learn model --data corpus "$@"
    rm -f scores
    weigh model
    score perplexity "$(sed -n 's/.*"perplexity": \([0-9.]*\).*"best": true.*/\1/p' model/training/metrics.jsonl | tail -n 1)"
}

entry bert-pretrain "a bert-tiny of our own: masked tokens of unlabelled text" pretrain_bert \
    --preset bert-tiny --task masked --lower --vocabulary 8000 --max-length 128 --when-long cut \
    --batch 0 --batch-tokens 4096 --lr 0.002 --epochs 5
for seed in 1234 1235 1236; do
    entry "bert-fine-$seed" "SST-2 from bert-pretrain, seed $seed" classes sst2 --task classify \
        --init-from ../bert-pretrain/model --seed "$seed" --optimizer bert_adamw \
        --schedule linear:warmup=0.1 --clip 1 --batch 32 --lr 0.0005 --epochs 5
    entry "bert-random-$seed" "SST-2, the same network from random weights, seed $seed" classes sst2 \
        --preset bert-tiny --task classify --tokenizer ../bert-pretrain/model/tokenizer \
        --seed "$seed" --lr 0.0005 --epochs 5
done

report_bert()
{
    local name bar kind
    cat <<'END'
## BERT

Test accuracy in per cent; the epoch was chosen on the validation part (SST-2's own; a tenth of TREC's
training), and the test was scored once. First from the weights of all-MiniLM-L6-v2, one seed:

| run | accuracy | bar | minutes |
|---|---|---|---|
END
    while read -r name bar; do
        echo "| \`$name\`: ${what[$name]} | $(value $name accuracy) | $bar | $(minutes $name) |"
    done <<'END'
minilm-sst2 87
minilm-trec 94
END
    cat <<END

Then a \`bert-tiny\` of our own ($(millions bert-pretrain) parameters), pre-trained on 2.1 million tokens, five
times, in $(minutes bert-pretrain) minutes beside much other work: masked perplexity $(value bert-pretrain perplexity '%.0f').
Fine-tuned on SST-2 it is not better than the same network from random weights; the bar, one point more, is
not reached. On the validation part a rate of 0.0002 with four epochs did not help either (77.5).

| SST-2 | seed 1234 | 1235 | 1236 | mean |
|---|---|---|---|---|
END
    for kind in fine random; do
        echo "| \`bert-$kind\` |$(for seed in 1234 1235 1236; do
            printf ' %s |' "$(value bert-$kind-$seed accuracy)"; done) $(mean bert-$kind) |"
    done
}
