# bench/results: what is run, what is kept, what is reported
results() { "$root/bench/results" --attend "$build" --work work --data data --to results.md "$@"; }
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

# commands as they run from the beginning, with the files that they need
mkdir work/align-luong
echo 'attend train --out model --data ../shared/data/anki --resume' > work/align-luong/commands
echo 'aer0 1' > work/align-luong/scores
touch work/align-luong/done
expect 0 results --report
says results.md '    attend train --out model --data $DATA/anki'
says results.md '> pairs.tsv'
check "and without what a fresh folder refuses" '! grep -q "anki --resume" results.md'
