# English to French and to Chinese, default options (but for the number of epochs of the larger one),
# and sentences written for this page.
group tongues

entry tongue-fr "English to French, Tatoeba" tongue anki/fra-eng.zip 13a --epochs 3
entry tongue-zh "English to Chinese, Tatoeba" tongue anki/cmn.txt zh

sentences()
{
    cat <<'END'
Where is the station?
I have lost my key.
She is reading an old book in the garden.
He did not want to eat with us yesterday.
How much does this red hat cost?
My brother works in a small town near the sea.
I don't know what you are talking about.
If it rains tomorrow, we will stay at home.
They told me that the train would be late.
The children are playing under the big tree.
END
}

about_files_tongues() { echo "the sides of the pairs that were kept back.
\`attend measure test.out --ref test.ref\` scores them, with \`--tokenize zh\` for Chinese."; }
files_tongues()
{
    cat <<'END'
cut -f 1 parts/test.tsv > test.in
cut -f 2 parts/test.tsv > test.ref
END
}

tongue() # FILE TOKENIZATION OPTION...
{
    [ -d parts ] || call attend data split "$data/$1" --valid 1000 --test 1000 --out parts
    learn model --data parts/train.tsv --valid parts/valid.tsv "${@:3}"
    rm -f scores
    weigh model
    make_files "$(files_tongues)"
    filter test.in test.out attend translate model
    score test "$(bleu test.out test.ref --tokenize "$2")"
    sentences | attend translate model > text
}

report_tongues()
{
    local name
    cat <<'END'
## English to French and to Chinese

`fra-eng.zip` and `cmn.txt` from manythings.org, default options, but three epochs of the former; BLEU (13a
and zh, case counts) is that of a thousand pairs that were kept back. The sentences below were written for this page.

| run | parameters | BLEU | minutes |
|---|---|---|---|
END
    for name in tongue-fr tongue-zh; do
        echo "| \`$name\` | $(millions $name) | $(value $name test) | $(minutes $name) |"
    done
    [ "$(state tongue-fr)$(state tongue-zh)" = donedone ] || return 0
    printf '\n| English | French | Chinese |\n|---|---|---|\n'
    paste <(sentences) <(field tongue-fr text) <(field tongue-zh text) |
        sed 's/\t/ | /g; s/^/| /; s/$/ |/'
}
