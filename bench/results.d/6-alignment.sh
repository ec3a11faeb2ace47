# Do attention weights align words? AER on 447 pairs with gold alignments.
group alignment

aligned=(--hidden 256 --embedding 256 --dropout 0.3 --batch 64 --epochs 5 --lower)
entry align-bahdanau "Bahdanau" alignment --preset bahdanau "${aligned[@]}"
entry align-luong "Luong, global" alignment --preset luong "${aligned[@]}"
entry align-local-m "Luong, local-m" alignment --preset luong --attention bilinear/window:5 "${aligned[@]}"
entry align-local-p "Luong, local-p" \
    alignment --preset luong --attention bilinear/predicted:5 "${aligned[@]}"
entry align-diagonal "always the diagonal, nothing learned" diagonal

files_pairs() # 50,000 to learn from
{
    cat <<'END'
attend data convert $DATA/anki/fra-eng.zip --to pairs --out all.tsv --overwrite
cut -f 1,2 all.tsv | shuf -n 50000 --random-source=<(yes 1234) > pairs.tsv
END
}

files_gold() # the sides of the gold pairs
{
    cat <<'END'
sed 's/ *||| .*//' $DATA/alignment/enfr.src-tgt > src
sed 's/.*||| *//; s/ *$//' $DATA/alignment/enfr.src-tgt > tgt
END
}

about_files_alignment() { echo "the pairs to learn from, and the sides of the gold pairs. Links are the last
column of \`forced\`; \`attend measure -m aer LINKS --ref \$DATA/alignment/enfr.gold\` scores them."; }
files_alignment() { files_pairs && files_gold; }

aer() # LINKS
{
    attend measure -m aer "$1" --ref "$data/alignment/enfr.gold" |
        sed -n 's/^AER = \([0-9.]*\).*/\1/p'
}

alignment() # OPTION...
{
    local threshold
    if [ ! -s pairs.tsv ]; then
        make_files "$(files_pairs)"
        rm all.tsv
    fi
    learn model --data pairs.tsv "$@"
    make_files "$(files_gold)"
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
    make_files "$(files_gold)"
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
    cat <<'END'

The diagonal suits these two languages better than what was learned from so different sentences; local-m,
which looks around it, comes nearest. `align-local-p` looks at the end of the source alone, as it does
[above](#every-attention-the-same-settings).
END
}
