# bench/results: what is run, what is kept, what is reported
results()
{
    "$root/bench/results" --attend "$build" --work work --scores scores --data data \
        --to results.md "$@"
}
expect 0 results --list
silent err
says out "ladder-bahdanau"
check "nothing is run yet" '! grep -q " done " out'
expect 0 results --report
says results.md '- `ladder-fixed` (not yet run)'
says results.md "not yet run"
expect 1 results no-such-run
says err "no corpora there"

mkdir -p data/alignment
printf 'a b c ||| x y z\na b ||| y x\n' > data/alignment/enfr.src-tgt
printf '1-1 2-2 3-3\n1-2 2-1\n' > data/alignment/enfr.gold
expect 1 results no-such-run
says err "no run is called 'no-such-run'"
expect 0 results align-diagonal
says err "align-diagonal: done, aer0 40.00"
says scores/align-diagonal "what always the diagonal, nothing learned"
says scores/align-diagonal "score aer0 40.00"
check "the revision" 'grep -q "^revision [0-9a-z]" scores/align-diagonal'
says results.md '| `align-diagonal` | always the diagonal, nothing learned | 40.00 |'
expect 0 results align-diagonal
says err "align-diagonal is done"
printf '1-1 2-2 3-3\n1-1 2-2\n' > data/alignment/enfr.gold
expect 0 results --again align-diagonal
says results.md "nothing learned | 0.00 |"
rm data/alignment/enfr.gold
expect 0 results --again align-diagonal
says err "align-diagonal: failed"
says results.md '- `align-diagonal` (failed): always the diagonal, nothing learned'

check "and has no record" '[ ! -e scores/align-diagonal ]'

# a run that was done without a record gets one, with the first of two equal commands
mkdir work/align-luong
{
    echo 'attend train --out model --data $DATA/anki --seed 7'
    echo again
    echo again
} > work/align-luong/commands
echo 'aer0 12.5' > work/align-luong/scores
echo 90 > work/align-luong/seconds
touch work/align-luong/done
expect 0 results align-luong
says err "align-luong is done"
cat > wanted << 'END'
what Luong, global
seed 7
seconds 90
score aer0 12.5
command attend train --out model --data $DATA/anki --seed 7
command again
END
check "its record" 'grep -v "^revision " scores/align-luong | diff - wanted'

# the page is made of records alone, and a run changes only its own
rm -r work
expect 0 results --report
says results.md '    attend train --out model --data $DATA/anki'
says results.md '> pairs.tsv'
says results.md '| `align-luong` | Luong, global | 12.5 | – | – | – | 1.5 |'
cp scores/align-luong before
printf '1-1 2-2 3-3\n1-2 2-1\n' > data/alignment/enfr.gold
expect 0 results align-diagonal
says results.md '| `align-diagonal` | always the diagonal, nothing learned | 40.00 |'
check "the other record is as it was" 'cmp -s before scores/align-luong &&
    [ "$(ls scores)" = "$(printf "align-diagonal\nalign-luong")" ]'
mkdir work/align-bahdanau
echo 'attend train --out model' > work/align-bahdanau/commands
touch work/align-bahdanau/done
expect 0 results align-bahdanau
says scores/align-bahdanau "seed 1234"

# docs/results.md is what the records say
expect 0 "$root/bench/results" --report --work work --to page/results.md
check "docs/results.md is up to date (bench/results --report)" \
    'diff page/results.md "$root/docs/results.md" > difference || { head difference; false; }'

