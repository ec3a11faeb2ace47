# attend pretrain: masked tokens, next sentences, examples as they are seen, other heads afterwards.
awk 'BEGIN { n = split("one two three four five six", w)
        for (i = 0; i < 120; i++) { k = i % n + 1
            if (i % 10 == 0 && i) print ""
            printf "we count %s , then %s and %s .\n", w[k], w[k % n + 1], w[(k + 1) % n + 1] } }' \
    > text.txt
grep -v '^$' text.txt > plain.txt
small=(--preset bert-tiny --hidden 16 --heads 2 --ffn 32 --layers 1 --vocabulary 80 --batch 16
       --threads 1 --curves none --seed 3)

# ---- masked tokens ----
expect 0 attend pretrain "${small[@]}" --data text.txt --lr 0.01 --epochs 20 --out masked
for word in "masked perplexity" "masked accuracy" "attend pretrain: " "attend fill masked"; do
    says err "$word"
done
learned "it learns" "tail -n 1 masked/training/metrics.jsonl |
    sed 's/.*\"perplexity\": \([0-9.]*\).*/\1/' | awk '{ exit !(\$1 < 20) }'"
expect 0 attend train --task masked "${small[@]}" --data text.txt --lr 0.01 --epochs 20 --out same
check "attend train --task masked is the same" \
    "cmp -s masked/model.safetensors same/model.safetensors"
expect 0 attend pretrain "${small[@]}" --data text.txt --whole-words --mask-fraction 0.3 --steps 2 \
    --out words

# ---- examples as the network sees them ----
expect 0 attend pretrain "${small[@]}" --data text.txt --steps 1 --show 40 --out shown
check "as many as asked for" "[ \$(wc -l < out) -eq 40 ]"
check "all begin and end" "[ \$(grep -c '^\[CLS\] .* \[SEP\]\$' out) -eq 40 ]"
check "tokens are masked" "grep -q '\[MASK\]([^ ]*)' out"
check "replaced, and kept" \
    "grep -oE '[^ ]+\([^ ]+\)' out | grep -v MASK | awk -F '[()]' '
        \$1 == \$2 { k = 1 } \$1 != \$2 { r = 1 } END { exit !(k && r) }'"
cp out before
expect 0 attend pretrain "${small[@]}" --data text.txt --steps 1 --out without
check "showing them changes nothing" "cmp -s shown/model.safetensors without/model.safetensors"

# ---- next sentences ----
expect 0 attend pretrain "${small[@]}" --data text.txt --valid text.txt --next-sentence \
    --max-length 40 --steps 4 \
    --show 30 --out pairs
says err "next-sentence accuracy"
says out "label: next"
says out "label: another text"
check "two texts" "[ \$(grep -c '\[SEP\] .* \[SEP\]  label' out) -eq 30 ]"
expect 65 attend pretrain "${small[@]}" --data plain.txt --next-sentence --out none
says err "separate them by an empty line"
says err "leave --next-sentence out"
expect 65 attend pretrain "${small[@]}" --data text.txt --valid plain.txt --next-sentence --out none
says err "the text to validate with"
says err "--valid FILE"
expect 0 attend pretrain --init-from masked --data text.txt --valid text.txt --next-sentence \
    --batch 16 --steps 2 --out further
says err "started fresh: pooler.dense.weight, pooler.dense.bias, cls.seq_relationship.weight"

# ---- another head ----
awk '{ print NR % 2 ? "odd" : "even", "\t", $0 }' plain.txt > labelled.tsv
expect 0 attend train --task classify --init-from masked --data labelled.tsv --steps 2 \
    --out classes
says err "started fresh: pooler.dense.weight, pooler.dense.bias, classifier.weight, classifier.bias"
expect 65 attend train --task classify --init-from masked --hidden 32 --data labelled.tsv \
    --steps 2 --out wider
says err "is (65, 16), the model has (65, 32)"
expect 0 attend pretrain --init-from classes --data text.txt --steps 2 --out again
says err "started fresh: cls.predictions.bias, cls.predictions.transform.dense.weight"

# ---- layers that learn more slowly, or not at all ----
tune=(--task classify --init-from masked --data labelled.tsv --steps 3 --lr 0.01 --curves none)
expect 0 attend train "${tune[@]}" --freeze-layers 1 --out frozen
says err "parameters are frozen"
expect 0 attend train "${tune[@]}" --layer-decay 0.5 --out decayed
expect 0 attend train "${tune[@]}" --out alike
check "another model" "! cmp -s decayed/model.safetensors alike/model.safetensors"
expect 2 attend train --data labelled.tsv --preset rnn-classifier --layer-decay 0.5 --out no
says err "the layers of a classifier are trained alike"

# ---- masked perplexity ----
expect 0 attend evaluate masked plain.txt --json
cp out one
learned "it predicts" "awk -F '[:,]' '{ exit !(\$2 < 20) }' one"
expect 0 attend evaluate masked plain.txt --json --threads 2
check "the same on two threads" "cmp -s one out"
expect 0 attend evaluate masked plain.txt
says out "of a masked token"
expect 2 attend evaluate masked plain.txt --stride 3
says err "--stride is for models that predict the next token"
expect 65 attend score masked plain.txt
says err "attend evaluate measures its masked perplexity"
: > empty
expect 65 attend evaluate masked empty

# ---- it resumes bit for bit ----
for pairs in --no-next-sentence --next-sentence; do
    rm -rf whole part
    run=("${small[@]}" --data text.txt --valid text.txt $pairs --max-length 40
         --checkpoint-every 1 --validate-every 3 --schedule constant)
    expect 0 attend pretrain "${run[@]}" --steps 7 --out whole
    cp -r whole part
    expect 0 attend pretrain "${run[@]}" --steps 4 --overwrite --out part
    expect 0 attend pretrain --resume --steps 7 --out part
    check "last is the same, $pairs" \
        "cmp -s whole/training/last.safetensors part/training/last.safetensors"
done

# ---- what is refused ----
expect 2 attend pretrain --preset bahdanau --data text.txt --out no
says err "a translator is not pre-trained on text"
expect 2 attend pretrain --task classify --data text.txt --out no
says err "a BERT is pre-trained by: masked"
expect 2 attend pretrain "${small[@]}" --tokenizer words --vocabulary 0 --data text.txt --out no
says err "--tokenizer wordpiece"
expect 2 attend pretrain "${small[@]}" --data text.txt --mask-fraction 1 --out no
expect 2 attend pretrain --preset rnn-lm --show 3 --data text.txt --out no
says err "the task masked has it"
expect 66 attend pretrain "${small[@]}" --data nowhere --out no
expect 0 attend pretrain --preset rnn-lm --data text.txt --hidden 8 --embedding 8 --window 8 \
    --steps 1 --out language
says err "attend generate language"
