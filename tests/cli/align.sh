# Alignments: of two directions, without a model, with gold links by construction, and a lexicon.

attend data make en-fr --count $(sized 4100 300) --out pairs.tsv --gold gold 2> err
tail -n 100 pairs.tsv > test.tsv
tail -n 100 gold > test.gold
head -n -100 pairs.tsv > train.tsv
settings=(--data train.tsv --valid 50 --hidden 48 --embedding 32 --batch 16 --lr 0.01 --dropout 0
          --epochs 4 --steps $(sized 0 4) --threads 2 --curves none -q)
expect 0 attend train "${settings[@]}" --out there
expect 0 attend train "${settings[@]}" --swap --out back

aer() { attend measure -m aer "$1" --ref test.gold | sed -n 's/AER = \([0-9]*\).*/\1/p'; }
expect 0 attend align there test.tsv
cp out forward
expect 0 attend align back test.tsv --swap
cp out backward
learned "attention finds the true links: AER $(aer forward)" '[ $(aer forward) -le 35 ]'
expect 0 attend evaluate there test.tsv --gold test.gold --beam 1 --json
says out '"aer"'

# two directions in one
for how in intersection union grow-diag-final-and; do
    expect 0 attend align there test.tsv --with back --symmetrise $how
    cp out $how
    check "a line for a pair" '[ $(wc -l < $how) -eq 100 ]'
done
links() { awk '{ for (i = 1; i <= NF; i++) print NR ":" $i }' "$1" | sort; }
turned() { awk '{ for (i = 1; i <= NF; i++) { split($i, a, "-"); print NR ":" a[2] "-" a[1] } }' \
    "$1" | sort; }
links forward > a
turned backward > b
check "the intersection" 'cmp <(comm -12 a b) <(links intersection)'
check "the union" 'cmp <(sort -u a b) <(links union)'
check "between the two" '[ -z "$(comm -23 <(links intersection) <(links grow-diag-final-and))" ] &&
    [ -z "$(comm -13 <(links union) <(links grow-diag-final-and))" ]'
learned "two directions: AER $(aer intersection)" '[ $(aer intersection) -le 35 ]'

# a lexicon
expect 0 attend align there test.tsv --with back --symmetrise intersection --lexicon words.tsv
check "the same links" 'cmp -s out intersection'
learned "a word and its translation" 'grep -qP "^red\trouges?\t[01]\.[0-9]{6}\t" words.tsv'
check "probabilities of a word sum to 1" "awk -F '\t' '{ p[\$1] += \$3 }
    END { for (w in p) if (p[w] < 0.999 || p[w] > 1.001) exit 1 }' words.tsv"
expect 2 attend align there test.tsv --lexicon words.tsv
says err "--lexicon: words.tsv exists; --overwrite replaces it"
expect 0 attend align there test.tsv --lexicon words.tsv --overwrite
check "one direction" 'cmp -s out forward'
echo "The zebra is red." > line
attend translate there --replace-unknown --dictionary words.tsv < line > out 2> err
check "a lexicon is a dictionary" '[ -s out ]'

# without a model
expect 0 attend align --lexical pairs.tsv
tail -n 100 out > lexical
learned "a lexical model: AER $(aer lexical)" '[ $(aer lexical) -le 30 ]'
expect 0 attend align --lexical pairs.tsv --symmetrise intersection --lexicon words.tsv --overwrite
tail -n 100 out > both
learned "better in both directions: AER $(aer both)" '[ $(aer both) -le $(aer lexical) ]'
cut -f 1 test.tsv > src
cut -f 2 test.tsv > tgt
expect 0 attend align --lexical --src src --tgt tgt --iterations 2
check "two files" '[ $(wc -l < out) -eq 100 ]'

# what is refused, and how
expect 2 attend align
says err "MODEL is missing"
expect 2 attend align --lexical there test.tsv
says err "--lexical takes no MODEL: PAIRS alone"
expect 2 attend align --lexical test.tsv --with back --symmetrise union
says err "--with is for a model, not for --lexical"
expect 2 attend align there test.tsv --iterations 3
says err "--iterations is for --lexical, not for a model"
expect 2 attend align there test.tsv --with back
says err "--with needs --symmetrise: intersection, union or grow-diag-final-and"
expect 2 attend align there test.tsv --symmetrise union
says err "--symmetrise combines two directions: --with MODEL is the other one"
expect 2 attend align there test.tsv --with back --symmetrise union --level token
says err "--level token: --with and --lexicon are for words"
attend data make digits --count 5 --out digits 2> err
expect 2 attend align --lexical --src digits.safetensors --tgt digits.txt
says err "not for feature vectors"
expect 66 attend align there test.tsv --with nowhere --symmetrise union
