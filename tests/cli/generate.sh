# Language models: trained from running text, stopped and gone on, and what they write.

awk 'BEGIN { n = split("one two three four five", w)
        for (i = 0; i < 120; i++) { k = i % n + 1
            printf "count %s , %s and %s .\n", w[k], w[k % n + 1], w[(k + 1) % n + 1] } }' \
    > text.txt
head -n 30 text.txt > valid.txt
settings=(--preset rnn-lm --data text.txt --valid valid.txt --window 12 --hidden 24 --embedding 12
          --dropout 0 --batch 8 --lr 0.02 --min-count 1 --threads 2 --seed 3)

expect 0 attend train "${settings[@]}" --epochs 8 --out model
says err "; a vocabulary of "
says err "perplexity"
says model/training/metrics.jsonl '"perplexity": '
check "it learns the order of words" "tail -n 1 model/training/metrics.jsonl |
    sed 's/.*\"perplexity\": \([0-9.]*\).*/\1/' | awk '{ exit !(\$1 > 1 && \$1 < 2) }'"

head -n 3 text.txt > few.txt
expect 65 attend train --preset rnn-lm --data text.txt --valid few.txt --steps 1 --out short
says err "what is to validate with: 24 tokens of text give no windows of 64 tokens; choose another"
says err "--window, or give more with --valid"
expect 65 attend train --preset rnn-lm --data few.txt --valid valid.txt --steps 1 --out short
says err "what is to learn from: 24 tokens of text give no windows of 64 tokens"
says err "or give more --data"

awk '{ print "count " NR " and more .\tcompte " NR " , encore ." }' text.txt > pairs.tsv
one=(--preset rnn-lm --data pairs.tsv --valid 20% --window 12 --hidden 8 --embedding 4 --steps 1)
expect 0 attend train "${one[@]}" --out side1
says err "of these pairs the first side alone is learned; --text names another column"
check "no note on the side that is not used" '! grep -q "target pieces" err'
expect 0 attend train "${one[@]}" --text 2 --out side2
check "a named column needs no note" "! grep -q 'first side' err"
check "the second side is learned" "grep -rq compte side2 && ! grep -rq count side2/*.json"
awk '{ print NR % 2 " count " NR " and more ." }' text.txt > labels.txt
expect 0 attend train "${one[@]}" --data labels.txt --out labels
says err "the labels are left out"

expect 0 attend train "${settings[@]}" --steps 30 --out whole
expect 0 attend train "${settings[@]}" --steps 13 --checkpoint-every 5 --out parts
expect 0 attend train --out parts --resume --steps 30
check "the same weights" "cmp -s whole/model.safetensors parts/model.safetensors"

for option in "--temperature 2" "--top-k 5" "--top-p 0.5" "--min-p 0.1"; do
    expect 2 attend generate model --greedy $option
    says err "--greedy draws nothing"
done
expect 0 attend generate model --prompt 'count two , three' --greedy --lines 1
says out "count two , three and four ."
check "one line" "[ \$(wc -l < out) -eq 1 ]"
expect 0 attend generate model --prompt 'count zebras ,' --lines 1
says out "count zebras ,"
expect 0 attend generate model --max-tokens 40 --seed 5
cp out first
check "lines as in the text" "[ \$(grep -c '^count' out) -ge 3 ]"
expect 0 attend generate model --max-tokens 40 --seed 5
check "the same seed, the same text" "cmp -s out first"
expect 0 attend generate model --max-tokens 40 --seed 6 --temperature 3
check "another seed, another text" "! cmp -s out first"
expect 0 attend generate model --lines 1 --count 5 --top-k 3 --top-p 0.9 --repetition 1.2
check "a line for each text" "[ \$(wc -l < out) -eq 5 ]"
expect 0 attend generate model --max-tokens 40 --greedy
cp out greedy
expect 0 attend generate model --max-tokens 40 --min-p 1
check "only the likeliest word is as likely as the likeliest" "cmp -s out greedy"

expect 2 attend generate model --show
says err "the model has no attention"
printf 'count two ,\ncount\n' > prompts
expect 0 attend generate model --prompts prompts --greedy --lines 1
cp out each
expect 0 attend generate model --prompts prompts --greedy --lines 1 --batch 2
check "prompts in a batch" "cmp -s out each"

expect 66 attend generate nowhere
expect 2 attend generate model --temperature 0
expect 65 attend train "${settings[@]}" --window 5000 --out new
says err "windows of 5000"
expect 2 attend train "${settings[@]}" --tied --out new
says err "--embedding and --hidden"
expect 65 attend translate model
sed -i 's/"layers": [0-9]*/"layers": 3/' model/config.json
attend inspect --update-checksums model
expect 65 attend generate model
says err "the settings are those of another model"
