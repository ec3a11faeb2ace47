# A corpus that is made, a model that learns it, and translations of sentences it has never seen:
# what script/demo does, much smaller.
attend data make en-zh --count 30000 --out made.tsv 2> err
grep -v 'Tom.* chase.* Jerry' made.tsv | awk -F '\t' 'split($1, word, " ") <= 4' > short.tsv
expect 0 attend data split short.tsv --valid 50 --test 150 --out small
expect 0 attend train --data small/train.tsv --valid small/valid.tsv --out model --hidden 64 \
    --embedding 32 --lr 0.01 --batch 32 --epochs 5 --steps $(sized 0 10)
head -n $(sized 150 20) small/test.tsv > kept
cut -f 1 kept > in
cut -f 2 kept > ref
attend translate model < in > made 2> err
expect 0 attend measure made --ref ref --tokenize zh --json
learned "BLEU of at least 80 on what was kept back" \
    '[ "$(sed -n "s/.*\"score\": *\([0-9]*\).*/\1/p" out | head -n 1)" -ge 80 ]'
echo 'Tom chases Jerry.' | attend translate model > out 2> err
learned "a combination that was never learned from" '[ "$(cat out)" = 汤姆追逐杰瑞。 ]'

# BLEU of a validation sees Chinese words, not lines
learned "validations see it" \
    'grep -o "\"bleu\": *[0-9]*" model/training/metrics.jsonl | tail -n 1 | grep -q "[0-9][0-9]$"'
