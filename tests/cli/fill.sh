# attend fill: what masks stand for, of models of our own and of the hub; bad input.
awk 'BEGIN { n = split("one two three four five six", w)
        for (i = 0; i < 150; i++) { k = i % n + 1
            printf "we count %s , then %s and %s .\n", w[k], w[k % n + 1], w[(k + 1) % n + 1] } }' \
    > text.txt
expect 0 attend pretrain --preset bert-tiny --hidden 32 --heads 2 --ffn 64 --layers 2 \
    --vocabulary 100 --batch 16 --lr 0.005 --epochs $(sized 60 2) --data text.txt --threads 1 \
    --max-positions 24 --curves none --seed 3 --out model

# ---- what comes out ----
expect 0 attend fill model 'we count one , then [MASK] and three .'
learned "the word that is missing" "[ \"\$(cat out)\" = 'we count one , then two and three .' ]"
expect 0 attend fill model --top 3 'we count one , then [MASK] and [MASK] .'
check "two masks, three candidates each" "awk -F '\t' '{ exit !(NF == 3 &&
    split(\$2, a, \", \") == 3 && split(\$3, b, \", \") == 3) }' out"
expect 0 attend fill model --json 'we [MASK] one'
check "an object with five candidates" "[ \$(grep -o '\"probability\"' out | wc -l) -eq 5 ]"
says out '{"line": 1, "text": "we '
awk 'NR <= 90 { $(NR % 6 + 1) = "[MASK]"; print; if (NR % 7 == 0) print "we [MASK]" }' text.txt \
    > masked.txt
attend fill model --json --batch 64 --threads 1 < masked.txt > all 2> err
check "a result for each line" "[ \$(wc -l < all) -eq \$(wc -l < masked.txt) ]"
for batch in 1 7; do
    attend fill model --json --batch $batch --threads 2 < masked.txt > out 2> err
    check "the same in batches of $batch" "cmp -s all out"
done

# ---- attention ----
expect 0 attend fill model --show 'we count [MASK] , then two'
says out 'count'
expect 0 attend fill model --attention-out w.jsonl 'we count [MASK] , then [MASK]'
check "rows of two masks" "grep -q '\"weights\": \[\[[^]]*\], \[[^]]*\]\]' w.jsonl"
expect 0 attend fill model --attention-out w.svg 'we count [MASK] , then two'
check "a figure" "grep -q '<svg' w.svg"

# ---- bad input ----
expect 65 attend fill model 'we count one'
says err "line 1 has no mask; write [MASK] where a token is missing"
printf 'we [MASK]\n\n' | attend fill model > out 2> err
check "an empty line has none, either" "grep -q 'line 2 has no mask' err"
long=$(printf 'one %.0s' $(seq 40))
expect 0 attend fill model "we [MASK] $long"
says err "has more than 24 tokens"
expect 65 attend fill model --when-long error "we [MASK] $long"
says err "--when-long cut"
expect 65 attend fill model "$long [MASK]"
says err "among the tokens that are read"
expect 2 attend fill model --top 0 'we [MASK]'
expect 66 attend fill nowhere 'we [MASK]'
awk '{ print NR % 2 ? "odd" : "even", "\t", $0 }' text.txt > labelled.tsv
expect 0 attend train --task classify --init-from model --data labelled.tsv --steps 1 --out classes
expect 65 attend fill classes 'we [MASK]'
says err "not fill"

# ---- folders of the hub ----
for family in bert roberta distilbert; do
    folder=$(find "$root/tests/fixtures/oracle/$family" -maxdepth 1 -name '*mlm*' 2> /dev/null |
        head -n 1)
    [ -n "$folder" ] && [ -e "$folder/vocab.txt" ] || continue
    expect 0 attend fill "$folder" --top 2 'the [MASK] .'
done
