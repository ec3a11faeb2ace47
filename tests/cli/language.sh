# Language models: the likelihood of lines and of running text, in windows of any stride.

awk 'BEGIN { n = split("one two three four five", w)
        for (i = 0; i < 80; i++) { k = i % n + 1
            printf "count %s , %s and %s .\n", w[k], w[k % n + 1], w[(k + 1) % n + 1] } }' \
    > text.txt
head -n 12 text.txt > test.txt
head -n 20 text.txt > valid.txt
echo 'count zebras and one .' >> test.txt
expect 0 attend train --preset rnn-lm --data text.txt --valid valid.txt --window 8 --hidden 16 \
    --embedding 8 --batch 8 --steps 20 --lr 0.02 --min-count 1 --seed 3 --out rnn
expect 0 attend train --preset gpt2-char --data text.txt --valid valid.txt --layers 2 --hidden 16 \
    --heads 2 --context 24 --lr 0.01 --steps 20 --seed 3 --out gpt2
expect 0 attend train --preset xlnet-tiny --task language --data text.txt --valid valid.txt \
    --hidden 16 --layers 2 --heads 2 --ffn 32 --window 24 --steps 5 --seed 3 --out xlnet

number() { sed "s/.*\"$1\": \([-0-9.e]*\).*/\1/" out; } # KEY of a JSON line

for model in rnn gpt2 xlnet; do
    expect 0 attend evaluate $model test.txt
    narrow out 80
    for word in perplexity "bits per byte" tokens unknown bytes; do says out "$word"; done
    expect 0 attend evaluate $model test.txt --json --threads 1
    cp out one
    check "perplexity and bits per byte are those of log p" \
        "awk -v l=$(number log_p) -v n=$(number tokens) -v b=$(number bytes) \
            -v p=$(number perplexity) -v h=$(number bits_per_byte) \
            'BEGIN { p = p / exp(-l / n) - 1; h += l / log(2) / b
                exit !(p * p < 1e-12 && h * h < 1e-12) }'"
    check "all bytes count" "[ $(number bytes) -eq $(wc -c < test.txt) ]"
    expect 0 attend evaluate $model test.txt --json --threads 2
    check "the same on two threads" "cmp -s out one"
    attend evaluate $model --json < test.txt > out 2> err
    check "the same from standard input" "cmp -s out one"

    expect 0 attend score $model test.txt
    cp out scores
    says err "13 lines, "
    check "a score for each line" "[ \$(grep -c '^-[0-9.]*\$' scores) -eq 13 ]"
    expect 0 attend score $model test.txt --tokens
    check "tokens add up" "awk -F '\t' '{ s = 0
        for (i = 2; i <= NF; i++) { n = split(\$i, x, \" \"); s += x[n] }
        if ((s - \$1) ^ 2 > 1e-6) exit 1 }' out"
    sed -n 5p test.txt > line.txt
    expect 0 attend evaluate $model line.txt --json
    log_p=$(number log_p)
    [ $model = rnn ] && learned "a line alone has its score" \
        "awk -v l=$log_p 'NR == 5 { exit (l - \$1) ^ 2 > 1e-10 }' scores"
done

# unknown words, of a model of words
expect 0 attend evaluate rnn test.txt
says out "1 token"

# windows: more context for each token as the stride shrinks
expect 0 attend evaluate gpt2 test.txt --json
check "half of the context by default" "[ $(number context) -eq 24 ] && [ $(number stride) -eq 12 ]"
expect 0 attend evaluate gpt2 test.txt --stride 1
says out "in windows of 24, stride 1"
expect 0 attend evaluate gpt2 test.txt --context 8 --stride 8 --json
check "the context asked for" "[ $(number context) -eq 8 ]"
expect 0 attend evaluate rnn test.txt --context 8
says out "in windows of 8, stride 4"

# bad input
expect 2 attend evaluate gpt2 test.txt --stride 25
says err "a stride of 25 is more than the context of 24"
expect 2 attend evaluate gpt2 test.txt --context 25
says err "a context of 25: the model has 24 positions"
expect 2 attend evaluate rnn test.txt --stride 5
says err "set a context, or leave the stride out"
expect 2 attend evaluate gpt2 test.txt --beam 2
says err "--beam is for a translator, not for a language model"
expect 2 attend score gpt2 test.txt --src test.txt
says err "--src is for a translator, not for a language model"
expect 66 attend evaluate gpt2 nowhere
expect 66 attend score gpt2 nowhere
: > empty
expect 65 attend evaluate gpt2 empty
says err "there is no text to evaluate with"
expect 0 attend score gpt2 empty
silent out
printf 'a\0b\n\377\n\n' > odd
expect 0 attend score gpt2 odd
check "a line for each line" "[ \$(wc -l < out) -eq 3 ]"
expect 0 attend evaluate gpt2 odd
