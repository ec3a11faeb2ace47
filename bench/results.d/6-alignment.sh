# Do attention weights align words? AER on 447 pairs with gold alignments.
group alignment

aligned=(--hidden 256 --embedding 256 --dropout 0.3 --batch 64 --epochs 5 --lower)
entry align-bahdanau "Bahdanau" alignment --preset bahdanau "${aligned[@]}"
entry align-luong "Luong, global" alignment --preset luong "${aligned[@]}"
entry align-local-m "Luong, local-m" alignment --preset luong --attention bilinear/window:5 "${aligned[@]}"
entry align-local-p "Luong, local-p" \
    alignment --preset luong --attention bilinear/predicted:5 "${aligned[@]}"
entry align-diagonal "always the diagonal, nothing learned" diagonal

gold_sides() # src and tgt of the gold pairs
{
    sed 's/ *||| .*//' "$data/alignment/enfr.src-tgt" > src
    sed 's/.*||| *//; s/ *$//' "$data/alignment/enfr.src-tgt" > tgt
}

aer() # LINKS
{
    attend measure -m aer "$1" --ref "$data/alignment/enfr.gold" |
        sed -n 's/^AER = \([0-9.]*\).*/\1/p'
}

alignment() # OPTION...
{
    local threshold
    if [ ! -s pairs.tsv ]; then
        call attend data convert "$data/anki/fra-eng.zip" --to pairs --out all.tsv --overwrite
        cut -f 1,2 all.tsv | shuf -n 50000 --random-source=<(yes 1234) > pairs.tsv
        rm all.tsv
    fi
    learn model --data pairs.tsv "$@"
    gold_sides
    rm -f scores
    weigh model
    for threshold in 0 0.1 0.2 0.3; do
        filter src forced attend translate model --forced tgt --alignment word \
            --threshold "$threshold"
        sed 's/.*\t//' forced > "links.$threshold"
        score "aer$threshold" "$(aer "links.$threshold")"
    done
}

diagonal()
{
    gold_sides
    rm -f scores
    paste src tgt | awk -F '\t' '{ n = split($1, a, " "); m = split($2, b, " "); line = ""
        for (j = 0; j < m; j++)
            line = line (j ? " " : "") int((j + 0.5) * n / m) "-" j
        print line }' > links
    score aer0 "$(aer links)"
}

report_alignment()
{
    cat <<'END'
## Do attention weights align words?

Alignment error rate (lower is better) on 447 English and French sentence pairs with gold alignments.
The models learned from 50,000 pairs of Tatoeba, short sentences of daily life; the gold pairs are
from a parliament, and many of their words are unknown to the models. The French side is forced, and each
of its words is linked to the English word with the largest weight, or to all of at least a threshold.

| run | model | largest weight | ≥ 0.1 | ≥ 0.2 | ≥ 0.3 | minutes |
|---|---|---|---|---|---|---|
END
    local name t
    for name in $(runs align-); do
        echo "| \`$name\` | ${what[$name]} |$(for t in 0 0.1 0.2 0.3; do
            printf ' %s |' "$(value "$name" aer$t)"; done) $(minutes "$name") |"
    done
}
