# The best recurrent models: subwords, label smoothing, a falling learning rate, the mean of the last
# weights, and a beam.
group best

best=(--preset bahdanau --hidden 320 --embedding 256 --dropout 0.4 --label-smoothing 0.1 --batch 64
    --lr 0.001 --schedule linear:end=0.00005 --epochs 20 --average 5)
unigram=(--tokenizer sentencepiece --vocabulary 5000)
entry best-de-en "German to English" multi30k de en 8 "${best[@]}" "${unigram[@]}"
entry best-en-de "English to German" multi30k en de 8 "${best[@]}" "${unigram[@]}"
entry best-en-de-bpe "English to German, byte pairs of both" byte_pairs en de 8 "${best[@]}"

# One vocabulary and one embedding for both languages and the output.
byte_pairs() # FROM TO BEAM OPTION...
{
    call attend vocab learn --kind sentencepiece --model bpe --vocabulary 8000 --overwrite --out pieces \
        "$data/multi30k/train.tok.$1" "$data/multi30k/train.tok.$2"
    multi30k "$@" --tokenizer pieces --shared --tied
}

report_best()
{
    cat <<'END'
## The best recurrent models

Multi30k with subwords, a beam of 8 and the mean of the last weights; at most an hour of training each.

| run | parameters | val | test2016 | bar | minutes |
|---|---|---|---|---|---|
END
    local name bar
    while read -r name bar; do
        echo "| \`$name\`: ${what[$name]} | $(millions $name) | $(value $name val) |" \
            "$(value $name test_2016) | $bar | $(minutes $name) |"
    done <<'END'
best-de-en 38
best-en-de 36.5
best-en-de-bpe 36.5
END
    cat <<'END'

Pieces of `best-en-de` are a unigram model's, which cuts *einem* into *ein* and *em*; byte pairs of both
languages keep the forms of frequent words whole, and one matrix embeds both sides and is the output layer.
`best-en-de-bpe` was trained after the other had been scored on test2016.
END
}
