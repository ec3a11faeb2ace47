# attend pretrain with XLNet: any order, memory, one direction, pairs; examples, resuming, heads.
awk 'BEGIN { n = split("one two three four five six", w)
        for (i = 0; i < 160; i++) { k = i % n + 1
            if (i % 40 == 0 && i) print ""
            printf "we count %s , then %s and %s .\n", w[k], w[k % n + 1], w[(k + 1) % n + 1] } }' \
    > text.txt
small=(--preset xlnet-tiny --hidden 16 --heads 2 --ffn 32 --layers 2 --vocabulary 60 --batch 4
       --threads 1 --curves none --seed 3)
perplexity() { tail -n 1 "$1/training/metrics.jsonl" | sed 's/.*"perplexity": \([0-9.]*\).*/\1/'; }
below() # FOLDER BOUND
{
    check "the perplexity of $1 is below $2" "awk 'BEGIN { exit !($(perplexity $1) < $2) }'"
}

# ---- any order ----
expect 0 attend pretrain "${small[@]}" --data text.txt --window 24 --lr 0.02 --epochs 16 --out any
says err "predicted tokens"
below any 14
expect 0 attend train --task permutation "${small[@]}" --data text.txt --window 24 --lr 0.02 \
    --epochs 16 --out same
check "attend train --task permutation is the same" \
    "cmp -s any/model.safetensors same/model.safetensors"

# ---- examples as the network sees them ----
expect 0 attend pretrain "${small[@]}" --data text.txt --window 24 --steps 1 --show 20 --out shown
check "as many as asked for" "[ \$(wc -l < out) -eq 20 ]"
check "all have an order, and what sees what" \
    "[ \$(grep -c '  predicted in order: [0-9 ]*  also seen by: ' out) -eq 20 ]"
check "the first of an order is predicted from none of them, and each from all before it" \
    "awk -F '  ' '{ n = split(\$2, o, \" \"); split(\$3, s, \" \")
        for (i in s) if (split(s[i], two, \"<-\") == 2) from[two[1]] = two[2]
        want = \"\"
        for (i = 4; i <= n; i++) {
            m = split(from[o[i]], seen, \",\")
            if (m != (i == 4 ? 1 : i - 4) || (i == 4) != (from[o[i]] == \"none\")) exit 1 } }' out"
expect 0 attend pretrain "${small[@]}" --data text.txt --window 24 --steps 1 --out without
check "showing them changes nothing" "cmp -s shown/model.safetensors without/model.safetensors"
expect 0 attend pretrain "${small[@]}" --data text.txt --window 24 --steps 1 --show 4 --bi-data \
    --mem-len 8 --out both
check "half of the rows run backwards" "[ \$(grep -c '  backwards' out) -eq 2 ]"
check "nothing is remembered at first" "[ \$(grep -c 'remembered: 0' out) -eq 4 ]"
expect 0 attend pretrain "${small[@]}" --data text.txt --window 24 --steps 1 --show 9 --one-in 1 \
    --max-span 1 --out all
check "all but one token, or all that are not special, are predicted" \
    "[ \$(head -n 1 out | sed 's/.*order: //; s/  also.*//' | wc -w) -ge 20 ]"

# ---- memory, and a run that goes on with it ----
memory=("${small[@]}" --data text.txt --window 16 --mem-len 24 --reuse-len 12 --bi-data --lr 0.01
        --schedule constant --checkpoint-every 4)
expect 0 attend pretrain "${memory[@]}" --steps 23 --validate-every 9 --out whole
expect 0 attend pretrain "${memory[@]}" --steps 9 --validate-every 9 --out parts
expect 0 attend pretrain --resume --steps 23 --out parts
check "the same model" "cmp -s whole/model.safetensors parts/model.safetensors"
check "the same memory" "cmp -s whole/training/last.safetensors parts/training/last.safetensors"
attend pretrain "${memory[@]}" --steps 23 --validate-every 9 --out killed > out 2> err &
run=$!
for _ in $(seq 2000); do
    [ ! -e killed/training/last.safetensors ] || break
    sleep 0.005
done
kill -KILL $run
wait $run
expect 0 attend pretrain --resume --out killed
check "killed, it goes on to the same model" \
    "cmp -s whole/model.safetensors killed/model.safetensors"
check "and the same memory" \
    "cmp -s whole/training/last.safetensors killed/training/last.safetensors"
cp -r parts damaged
sed -i 's/task\.memory/task.melory/' damaged/training/last.safetensors
rm -f damaged/attend-checksums.txt damaged/training/attend-checksums.txt
expect_not 0 attend pretrain --resume --steps 30 --out damaged
for bad in "--reuse-len 8" "--same-length" "--same-length --mem-len 8" "--head pretraining"; do
    expect 2 attend pretrain "${small[@]}" --data text.txt $bad --steps 1 --out none
done
expect 65 attend pretrain "${small[@]}" --data text.txt --window 900 --mem-len 8 --steps 1 \
    --out none
says err "choose another --window or --batch"

# ---- one direction ----
for option in one-in max-span; do
    expect 2 attend pretrain "${small[@]}" --data text.txt --attn-type uni --$option 4 --out none
    says err "--$option 4: xlnet-tiny predicts every token with --attn-type uni; leave it out"
done
expect 0 attend pretrain "${small[@]}" --data text.txt --window 24 --attn-type uni --mem-len 24 \
    --same-length --lr 0.01 --epochs 8 --out uni
below uni 12
expect 0 attend generate uni --prompt "we count" --max-tokens 4
expect 0 attend train --task language "${small[@]}" --data text.txt --window 24 --steps 2 \
    --out language

# ---- pairs of texts ----
awk '{ print $0 "\t" $0 }' text.txt | grep -v '^.$' > pairs.tsv
expect 0 attend pretrain "${small[@]}" --data pairs.tsv --window 60 --predict second --show 3 \
    --steps 2 --out pairs
check "two texts and their frame" "[ \$(grep -c '<sep> .*<sep> [0-9]*:<cls>' out) -eq 3 ]"
expect 2 attend pretrain "${small[@]}" --data pairs.tsv --mem-len 8 --steps 1 --out none
says err "pairs of texts follow no earlier text"
expect 2 attend pretrain "${small[@]}" --data text.txt --predict second --steps 1 --out none
says err "not pairs of texts"

# ---- another head ----
awk 'NF { print NR % 2 ? "odd" : "even", "\t", $0 }' text.txt > labelled.tsv
expect 0 attend train --task classify --init-from any --data labelled.tsv --steps 2 --out classes
says err "started fresh: sequence_summary.summary.weight"
expect 0 attend classify classes < text.txt
