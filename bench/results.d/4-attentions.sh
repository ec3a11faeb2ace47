# Every attention with the same settings: nobody diverges, each beats the fixed context.
group attentions

same=(--hidden 256 --embedding 256 --dropout 0.3 --batch 64 --lr 0.001 --epochs 5)
luong=(multi30k de en 1 --preset luong "${same[@]}")
entry attention-none "fixed context (LSTM)" \
    multi30k de en 1 --preset rnn-encdec --cell lstm "${same[@]}"
entry attention-dot "Luong, dot" "${luong[@]}" --attention dot
entry attention-bilinear "Luong, bilinear (general)" "${luong[@]}" --attention bilinear
entry attention-concat "Luong, concat (additive)" "${luong[@]}" --attention additive
entry attention-location "Luong, location" "${luong[@]}" --attention location
entry attention-no-feeding "Luong, bilinear, without input feeding" \
    "${luong[@]}" --attention bilinear --no-input-feeding
entry attention-local-m "Luong, local-m: a window at the same place" \
    "${luong[@]}" --attention bilinear/window:5
entry attention-local-p "Luong, local-p: a window at a predicted place" \
    "${luong[@]}" --attention bilinear/predicted:5
entry attention-expanded "near in detail, far in outline" "${luong[@]}" --attention bilinear/expanded:3,4
entry attention-hybrid "global and a window, mixed" "${luong[@]}" --attention bilinear/hybrid:window,5
entry attention-sparse "sparsemax" "${luong[@]}" --attention bilinear/global/sparse
entry attention-hard-st "one position, straight-through" \
    "${luong[@]}" --attention bilinear/global/hard:straight-through
entry attention-hard "one position, sampled, after two soft epochs" warm_hard 2 3
entry attention-hard-late "one position, sampled, after four soft epochs" warm_hard 4 1

# Epochs of soft attention, and of hard attention from there.
warm_hard() # SOFT HARD
{
    learn soft --src "$data/multi30k/train.tok.de" --tgt "$data/multi30k/train.tok.en" \
        --valid "$data/multi30k/val.tok.de" --valid-tgt "$data/multi30k/val.tok.en" \
        --preset luong "${same[@]}" --attention bilinear --epochs "$1"
    multi30k de en 1 --preset luong "${same[@]}" --attention bilinear/global/hard --epochs "$2" \
        --init-from soft
}

report_attentions()
{
    cat <<'END'
## Every attention, the same settings

Multi30k, German to English, words, LSTM of 256, five epochs, greedy output.

| run | attention | val | test2016 | beats the fixed context by | minutes |
|---|---|---|---|---|---|
END
    local name base
    base=$(value attention-none test_2016)
    for name in $(runs attention-); do
        echo "| \`$name\` | ${what[$name]} | $(value "$name" val) | $(value "$name" test_2016) |" \
            "$(echo "$(value "$name" test_2016) $base" |
                awk '$1 ~ /^[0-9.]+$/ && $2 ~ /^[0-9.]+$/ && NF == 2 { printf "%+.1f", $1 - $2 }') |" \
            "$(minutes "$name") |"
    done
    cat <<'END'

W of a bilinear score begins as the identity. A first run of `attention-bilinear` began with random
numbers, and had not found out by the end what attention is for: 14.65 on val, 15.25 on test2016.

The place that `attention-local-p` predicts runs to the end of the source, where the encoder's last state
stands for all of the sentence, and stays there: all of the weight is on `<eos>`.
END
}
