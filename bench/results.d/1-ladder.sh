# The published ladder: one fixed context, a context at each step, attention.
group ladder

# As published, dropout spares what words are predicted from; two runs that came first have it there.
ladder=(--batch 128 --embedding 256 --hidden 512 --dropout 0.5 --teacher-forcing 0.5 --lr 0.001
    --clip 1 --epochs 10)
entry ladder-fixed "a fixed context: LSTM, two layers of 512" \
    ladder --preset rnn-encdec --cell lstm --layers 2 "${ladder[@]}" --spare-readout
entry ladder-cho "a fixed context at each step: GRU of 512 (Cho et al.)" \
    ladder --preset cho "${ladder[@]}" --spare-readout
entry ladder-cho-deep "the same, with a deep readout and dropout of it" \
    ladder --preset cho --readout deep "${ladder[@]}"
entry ladder-bahdanau "attention: GRU of 512 in both directions (Bahdanau et al.), dropout of its deep readout" \
    ladder --preset bahdanau "${ladder[@]}"

# BLEU by the length of the source.
by_length() # HYPOTHESIS... OPTION...
{
    local m=$data/multi30k
    attend measure --ref "$m/test_2016.tok.en" --tokenize none --by-length \
        --source "$m/test_2016.tok.de" --lengths 8,11,14,17,20 "$@"
}

ladder() # OPTION...
{
    multi30k de en 1 "$@"
    by_length test_2016.out | sed -n '1,/^words/d; s/^over /over-/; p' > lengths
    awk 'NF == 3 { print "lines." $1, $2; print "bleu." $1, $3 }' lengths >> scores
}

# The figure, where the outputs of all three are there; else the page keeps the one it has.
draw_by_length()
{
    local outputs=("$work"/ladder-{fixed,cho,bahdanau}/test_2016.out)
    [ "$(cat "${outputs[@]}" 2> /dev/null | wc -l)" -eq 3000 ] || return 0
    mkdir -p "$work/by-length" "$(dirname "$to")/figures"
    cp "${outputs[0]}" "$work/by-length/fixed context"
    cp "${outputs[1]}" "$work/by-length/fixed, at each step"
    cp "${outputs[2]}" "$work/by-length/attention"
    (cd "$work/by-length" &&
        by_length 'fixed context' 'fixed, at each step' attention --figure by-length.png > /dev/null)
    cp "$work/by-length/by-length.png" "$(dirname "$to")/figures/"
}

table_by_length()
{
    local range
    printf '    %-7s%7s%15s%21s%11s\n' words lines 'fixed context' 'fixed, at each step' attention
    for range in 0-8 9-11 12-14 15-17 18-20 over-20; do
        printf '    %-7s%7s%15s%21s%11s\n' "${range/over-/over }" "$(value ladder-fixed lines.$range)" \
            "$(value ladder-fixed bleu.$range)" "$(value ladder-cho bleu.$range)" \
            "$(value ladder-bahdanau bleu.$range)"
    done
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
    table_by_length
    draw_by_length
    cat <<'END'

![BLEU by length of the source: with attention it holds up to 20 words, with a fixed context it falls from 11 on](figures/by-length.png)

With attention BLEU holds up to 20 words, where a fixed context has lost a third of it and more. The 41
sentences beyond are hard for every model of this page, the best ones too; one of twenty in training is as
long.
END
}
