# Pointer networks: whole sequences that are right, of ten thousand fresh ones.
group pointing

entry sort-5 "sorting 5 numbers" pointing sort 5 --epochs 4
entry sort-10 "sorting 10 numbers" pointing sort 10 --epochs 6
entry hull-10 "the convex hull of up to 10 points" pointing hull 10 --epochs 6

about_files_pointing() { echo "the columns of \`fresh.tsv\`. *exact* is the share of lines of
\`pointed\` that are those of \`gold\`."; }
files_pointing()
{
    cat <<'END'
cut -f 1 fresh.tsv > items
cut -f 2 fresh.tsv > gold
END
}

pointing() # TASK SIZE OPTION...
{
    call attend data make "$1" --size "$2" --count 200000 --seed 1234 --out pairs.tsv --overwrite
    call attend data make "$1" --size "$2" --count 10000 --seed 99 --out fresh.tsv --overwrite
    make_files "$(files_pointing)"
    learn model --preset pointer-net --data pairs.tsv --valid 2000 --lr 0.002 --schedule cosine \
        "${@:3}"
    filter items pointed attend point model
    rm -f scores
    weigh model
    score exact "$(paste pointed gold |
        awk -F '\t' '$1 == $2 { n++ } END { printf "%.2f", 100 * n / NR }')"
}

report_pointing()
{
    local name bar
    cat <<'END'
## Pointing

Sequences of 10,000 fresh ones that are right from the first place to the last, in per cent; a pointer
network that learned from 200,000 others. Numbers are distinct, below 100.

| run | what | parameters | exact | bar | minutes |
|---|---|---|---|---|---|
END
    for name in sort-5 sort-10 hull-10; do
        bar=
        [ $name != sort-5 ] || bar=98.6
        [ $name != sort-10 ] || bar=92.4
        echo "| \`$name\` | ${what[$name]} | $(millions $name) | $(value $name exact) | $bar |" \
            "$(minutes $name) |"
    done
}
