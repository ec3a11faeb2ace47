# The best recurrent models: subwords, label smoothing, a falling learning rate, the mean of the last
# weights, and a beam.
group best

best=(--preset bahdanau --tokenizer sentencepiece --vocabulary 5000 --hidden 320 --embedding 256
    --dropout 0.4 --smoothing 0.1 --batch 64 --lr 0.001 --schedule linear:end=0.00005
    --epochs 20 --average 5)
entry best-de-en "German to English" multi30k de en 8 "${best[@]}"
entry best-en-de "English to German" multi30k en de 8 "${best[@]}"

report_best()
{
    cat <<'END'
## The best recurrent models

Multi30k with subwords, a beam of 8 and the mean of the last weights; at most an hour of training each.

| run | parameters | val | test2016 | bar | minutes |
|---|---|---|---|---|---|
END
    echo "| \`best-de-en\` | $(millions best-de-en) | $(value best-de-en val) |" \
        "$(value best-de-en test_2016) | 38 | $(minutes best-de-en) |"
    echo "| \`best-en-de\` | $(millions best-en-de) | $(value best-en-de val) |" \
        "$(value best-en-de test_2016) | 36.5 | $(minutes best-en-de) |"
}
