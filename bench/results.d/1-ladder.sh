# The published ladder: one fixed context, a context at each step, attention.
group ladder

# As published, dropout spares what words are predicted from; two runs that came first have it there.
ladder=(--batch 128 --embedding 256 --hidden 512 --dropout 0.5 --teacher-forcing 0.5 --lr 0.001
    --clip 1 --epochs 10)
entry ladder-fixed "a fixed context: LSTM, two layers of 512" \
    multi30k de en 1 --preset rnn-encdec --cell lstm --layers 2 "${ladder[@]}" --spare-readout
entry ladder-cho "a fixed context at each step: GRU of 512 (Cho et al.)" \
    multi30k de en 1 --preset cho "${ladder[@]}" --spare-readout
entry ladder-cho-deep "the same, with a deep readout and dropout of it" \
    multi30k de en 1 --preset cho --readout deep "${ladder[@]}"
entry ladder-bahdanau "attention: GRU of 512 in both directions (Bahdanau et al.), dropout of its deep readout" \
    multi30k de en 1 --preset bahdanau "${ladder[@]}"

# The table and the figure of BLEU by the length of the source.
by_length() # OPTION...
{
    local m=$data/multi30k
    mkdir -p "$work/by-length"
    (cd "$work/by-length"
        cp ../ladder-fixed/test_2016.out 'fixed context'
        cp ../ladder-cho/test_2016.out 'fixed, at each step'
        cp ../ladder-bahdanau/test_2016.out attention
        attend measure 'fixed context' 'fixed, at each step' attention --ref "$m/test_2016.tok.en" \
            --tokenize none --by-length --source "$m/test_2016.tok.de" --lengths 8,11,14,17,20 "$@")
}

report_ladder()
{
    local name published bar
    cat <<'END'
## Why attention? A ladder from one vector to many

Multi30k, German to English, words seen twice, ten epochs, greedy output; the settings of the published
ladder (bentrevett/pytorch-seq2seq, 1 to 3), whose own BLEU is the column *published*.

| run | model | parameters | val | test2016 | published | bar | minutes |
|---|---|---|---|---|---|---|---|
END
    while read -r name published bar; do
        echo "| \`$name\` | ${what[$name]} | $(millions $name) | $(value $name val) |" \
            "$(value $name test_2016) | $published | $bar | $(minutes $name) |"
    done <<'END'
ladder-fixed 13.76 13.1
ladder-cho 20.61 19.9
ladder-cho-deep 20.61 19.9
ladder-bahdanau 28.30 27.6
END
    [ "$(state ladder-fixed)$(state ladder-cho)$(state ladder-bahdanau)" = donedonedone ] || return 0
    printf '\nBLEU by the number of words of the source (test2016), as in figure 2 of Bahdanau et al.:\n\n'
    by_length --figure by-length.png | sed -n '/^words/,$ s/^/    /p'
    mkdir -p "$(dirname "$to")/figures"
    cp "$work/by-length/by-length.png" "$(dirname "$to")/figures/"
    cat <<'END'

![BLEU by length of the source: with attention it holds up to 20 words, with a fixed context it falls from 11 on](figures/by-length.png)

With attention BLEU holds up to 20 words, where a fixed context has lost a third of it and more. The 41
sentences beyond are hard for every model of this page, the best ones too; one of twenty in training is as
long.
END
}
