# GPT-2: trained from documents, stopped and resumed bit for bit, started from other models.

awk 'BEGIN { n = split("one two three four five", w)
        for (i = 0; i < 150; i++) { k = i % n + 1
            printf "%s: count %s,\n  and %s.\n\n", w[k], w[k % n + 1], w[(k + 1) % n + 1] } }' \
    > text.txt
small=(--preset gpt2-char --data text.txt --valid 10% --layers 2 --hidden 16 --heads 2 --context 24
       --threads 2 --seed 3 --lr 0.01)

expect 0 attend train "${small[@]}" --steps 60 --dropout 0.1 --out whole
says err " tokens to train on, "
says err "perplexity"
expect 0 attend train "${small[@]}" --steps 60 --dropout 0.1 --out again
check "the same seed, the same weights" "cmp -s whole/model.safetensors again/model.safetensors"
expect 0 attend train "${small[@]}" --schedule constant --steps 40 --out long
expect 0 attend train "${small[@]}" --schedule constant --steps 17 --checkpoint-every 5 --out parts
expect 0 attend train --out parts --resume --steps 40
check "resumed: the same weights" "cmp -s long/model.safetensors parts/model.safetensors"

# many files of a folder are one corpus; each is a document
mkdir -p folder
head -n 200 text.txt > folder/a.txt
tail -n +201 text.txt > folder/b.txt
expect 0 attend train "${small[@]}" --data folder --steps 1 --out folders
mkdir -p empty
expect 74 attend train "${small[@]}" --data empty --steps 1 --out none
says err "there is no file in it"

# updates that were asked for are done, however many epochs they take
expect 0 attend train "${small[@]}" --windows shuffled --epochs 1 --steps 80 --batch 64 \
    --validate-every 80 -q --out many
says many/training/metrics.jsonl '"step": 80'

# a text of one line is split, too
tr '\n' ' ' < text.txt > line.txt
expect 0 attend train "${small[@]}" --data line.txt --valid 20% --steps 1 --out line
check "all characters are there, and an end" \
    "[ \$(awk '/tokens to train on/ { print \$3 + \$8 - 1 }' err) -eq \$(wc -c < line.txt) ]"
head -c 300 line.txt > short.txt
expect 2 attend train "${small[@]}" --data short.txt --valid 20% --steps 1 --out short
says err "another text with --valid FILE"

# the last tenth validates; what is left for a test is text as it was
expect 0 attend train "${small[@]}" --test 10% --steps 1 --out tested
check "the end of the text is the test" \
    "tail -c \$(wc -c < tested/training/test.txt) text.txt | cmp -s - tested/training/test.txt"

# settings that do not go together
expect 2 attend train "${small[@]}" --tokenizer words --out none
says err "the tokenizer words loses newlines; choose --newline end"
expect 0 attend train "${small[@]}" --tokenizer words --newline end --valid 50% --steps 1 \
    --out words
expect 2 attend train "${small[@]}" --window 25 --out none
says err "--window 25: the model has 24 positions"
expect 2 attend train "${small[@]}" --attention scaled-dot/global/hard --out none
says err "hard:straight-through"
expect 2 attend train "${small[@]}" --attention location:8 --out none
says err "knows 8 positions, and a text has up to 24; choose location:24"
expect 2 attend train "${small[@]}" --attention cosine --scale-by-layer --out none
says err "--scale-by-layer divides dot products"
expect 2 attend train "${small[@]}" --activation softplus --out none
says err "unknown activation 'softplus'"
for attention in dot/window:5 additive relative location:24 scaled-dot/global/sparse; do
    expect 0 attend train "${small[@]}" --attention $attention --steps 2 \
        --out "a-${attention//[:\/]/-}"
done

# from the weights of another model
expect 0 attend train --init-from whole --data text.txt --valid 10% --steps 1 --out begun
expect 0 attend generate whole --prompt 'one: count' --greedy --max-tokens 10
says out "one: count"

# generating: the context slides, ends the text, or is refused; stop strings; beams
expect 0 attend generate whole --prompt 'one: count' --greedy --max-tokens 60
cp out slid
check "longer than the context" "[ \$(wc -c < slid) -ge 70 ]"
expect 0 attend generate whole --prompt 'one: count' --greedy --max-tokens 60 --when-long stop
check "it ends there" "[ \$(wc -c < out) -lt \$(wc -c < slid) ]"
expect 2 attend generate whole --prompt 'one: count' --max-tokens 60 --when-long error
says err "are more than the model's 24 positions; ask for at most 15"
expect 2 attend generate whole --prompt 'one: count' --max-tokens 60 --beam 2
says err "a beam search cannot slide"
expect 0 attend generate whole --prompt 'one: count' --max-tokens 12 --beam 2
expect 0 attend generate whole --prompt 'one: count' --max-tokens 12 --greedy --stop c
check "the stop is not written" "[ \$(tail -c +11 out | grep -c c) -eq 0 ]"
expect 0 attend generate whole --prompt '' --max-tokens 5
expect 0 attend generate whole --prompt 'ünknown ☃' --max-tokens 5
says out "ünknown ☃"
printf 'one: count\n' > prompt.txt
expect 0 attend generate whole --prompt-file prompt.txt --greedy --max-tokens 60
check "a prompt from a file" "cmp -s out slid"
expect 2 attend generate whole --prompt-file prompt.txt --prompt x
says err "leave one of them out"
expect 2 attend generate whole --beam 2 --top-k 3
says err "--beam draws nothing"
expect 0 attend generate whole --prompt 'one: count' --max-tokens 40 --greedy --no-repeat-ngram 2

# prompts of any length, each a text as it is alone, in any batch
printf 'one: count two,\n\nt\nfour: count five,  and one. five: count\nzwei\n' > prompts
for how in --greedy "--seed 7 --top-p 0.9 --repetition 1.2" "--beam 2 --max-tokens 9" \
    "--stop ou --stop ' an' --stop ,"; do
    eval "how=($how)"
    while IFS= read -r prompt; do
        attend generate whole --prompt "$prompt" --max-tokens 40 "${how[@]}"
    done < <(grep -v five prompts) > alone
    grep -v five prompts > some
    for batch in 1 3 16; do
        expect 0 attend generate whole --prompts some --max-tokens 40 "${how[@]}" --batch $batch
        check "a batch of $batch, ${how[*]}" "cmp -s out alone"
    done
done
expect 0 attend generate whole --prompts prompts --count 3 --max-tokens 40
cp out each
expect 0 attend generate whole --prompts prompts --count 3 --max-tokens 40 --batch 4 --threads 1
check "several samples in batches" "cmp -s out each"
attend generate whole --prompts - --count 3 --max-tokens 40 --batch 4 < prompts > out 2> err
check "prompts from standard input" "cmp -s out each"
expect 2 attend generate whole --prompts prompts --prompt x
says err "leave one of them out"

# what each new token was predicted from: every layer and head
expect 0 attend generate whole --prompts prompts --max-tokens 3 --greedy --batch 4 \
    --attention-out w.jsonl
check "a line for each prompt" "[ \$(wc -l < w.jsonl) -eq 5 ]"
for head in 0 1; do
    says w.jsonl "\"layer\": 1, \"head\": $head, \"query\": 2"
done
expect 0 attend generate whole --prompt 'one: count' --max-tokens 2 --greedy
cp out plain
expect 0 attend generate whole --prompt 'one: count' --max-tokens 2 --greedy --show --layer 0 \
    --head 1
check "the same text" "head -n \$(wc -l < plain) out | cmp -s - plain"
check "its attention is drawn" "[ \$(wc -l < out) -gt 10 ]"
expect 0 attend generate whole --prompt 'one: count' --max-tokens 2 --attention-out w.txt
check "drawn as text" "[ -s w.txt ]"
for figure in heat heads grid steps; do
    expect 0 attend generate whole --prompt 'one: count' --max-tokens 4 --figure $figure \
        --attention-out $figure.svg
    check "a figure: $figure" "[ -s $figure.svg ]"
done
expect 2 attend generate whole --attention-out w.txt
says err "--overwrite replaces it"
expect 2 attend generate whole --show --layer 2
says err "choose 0 to 1"
expect 2 attend generate whole --head 1
says err "--layer and --head choose attention weights"
