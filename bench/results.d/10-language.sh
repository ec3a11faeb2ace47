# Language models: characters of tinyshakespeare with GPT-2, words of the Penn Treebank with GPT-2 and an
# LSTM. One thread each. Recipes were chosen on the end of the training part; the last tenth was scored once.
group language

for seed in 1234 1235 1236; do
    entry "char-published-$seed" "nanoGPT's setting for a CPU, seed $seed" \
        characters 64 --steps 2000 --validate-every 2000 --seed $seed
done
entry char-own "the same size and steps, own learning rate" \
    characters 64 --steps 2000 --validate-every 2000 --lr 0.006 --schedule cosine:warmup=0.1,end=0
entry char-larger "6 layers of 192, 128 positions" \
    characters 128 --layers 6 --hidden 192 --heads 6 --context 128 --batch 16 --steps 3600 \
    --validate-every 3600 --dropout 0.05 --lr 0.004 --schedule cosine:warmup=0.1,end=0

words=(--tokenizer words --newline end --min-count 1 --pretokenised yes)
entry ptb-gpt2 "GPT-2, 4 layers of 192, 64 positions" \
    treebank --preset gpt2-small-cpu "${words[@]}" --layers 4 --hidden 192 --heads 4 --context 64 \
    --batch 16 --epochs 2 --dropout 0.1 --lr 0.002 --schedule cosine:warmup=0.1,end=0
entry ptb-lstm "LSTM of 256" \
    treebank --preset rnn-lm "${words[@]}" --hidden 256 --embedding 256 --layers 1 --tied \
    --batch 16 --epochs 2 --lr 0.003 --schedule cosine:warmup=0.1,end=0

about_files_language() { echo "the first nine tenths of the plays, and the last."; }
files_language()
{
    cat <<'END'
head -c 1003854 $DATA/lm/tinyshakespeare.txt > train.txt
tail -c +1003855 $DATA/lm/tinyshakespeare.txt > last.txt
END
}

perplexity() # MODEL TEXT OPTION...
{
    keep "attend evaluate $*"
    attend evaluate "$@" --json | sed 's/.*"perplexity": \([0-9.]*\).*/\1/'
}

characters() # CONTEXT OPTION...
{
    make_files "$(files_language)"
    learn model --preset gpt2-char --data train.txt --valid last.txt --threads 1 "${@:2}"
    rm -f scores
    weigh model
    score loss "$(perplexity model last.txt --stride "$1" | awk '{ printf "%.4f", log($1) }')"
}

treebank() # OPTION...
{
    local set
    learn model --data "$data/lm/ptb.train.txt" --valid "$data/lm/ptb.valid.txt" --threads 1 "$@"
    rm -f scores
    weigh model
    for set in valid test; do
        score $set "$(perplexity model "$data/lm/ptb.$set.txt" | awk '{ printf "%.2f", $1 }')"
    done
}

mean_loss() # of the three seeds of the published setting
{
    local seed
    for seed in 1234 1235 1236; do value char-published-$seed loss; done | paste -sd ' ' |
        awk 'NF == 3 && $0 !~ /[a-z]/ { printf "%.4f", ($1 + $2 + $3) / 3; next } { print "not all run" }'
}

report_language()
{
    local name bar
    cat <<'END'
## Language models

GPT-2 of characters on tinyshakespeare: cross-entropy (nats per character) of the whole last tenth, in windows that
do not overlap. nanoGPT's published figures are 1.88 for its setting for a CPU (4 layers of 128, 64 positions, batches
of 12, 2,000 steps), of samples, and 1.4697 for its larger one on a GPU. One thread each. The learning rate of
`char-own` lies between the best two of 0.002, 0.004 and 0.008, tried for 900 steps and validated on the end of the
training part.

| run | parameters | loss | bar | minutes |
|---|---|---|---|---|
END
    while read -r name bar; do
        echo "| \`$name\`: ${what[$name]} | $(millions $name) | $(value $name loss) | $bar | $(minutes $name) |"
    done <<'END'
char-published-1234 1.90
char-published-1235 1.90
char-published-1236 1.90
char-own 1.80
char-larger 1.55
END
    printf '\nThe mean of the three seeds: %s.\n' "$(mean_loss)"
    cat <<'END'

Words of the Penn Treebank, perplexity with the end of each line as a token: as many tokens to train on for both.

| run | parameters | valid | test | minutes |
|---|---|---|---|---|
END
    for name in ptb-gpt2 ptb-lstm; do
        echo "| \`$name\`: ${what[$name]} | $(millions $name) | $(value $name valid) | $(value $name test) |" \
            "$(minutes $name) |"
    done
}
