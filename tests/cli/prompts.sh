# attend generate with bad input: prompts of any kind, output that is closed, and Ctrl-C.

for i in $(seq 100); do echo 'täglich größere Häuser für müde Bären'; done > text.txt
head -n 20 text.txt > valid.txt
small=(--data text.txt --valid valid.txt --layers 1 --hidden 16 --heads 2 --context 24 --seed 3)
expect 0 attend train --preset gpt2-char "${small[@]}" --steps 40 --lr 0.02 --out chars
expect 0 attend train --preset gpt2-small-cpu "${small[@]}" --vocabulary 300 --steps 60 --lr 0.02 \
    --batch 8 --out subwords
whole() { iconv -f UTF-8 -t UTF-8 "$1" > /dev/null 2>&1; } # FILE: are all characters whole?

# an empty prompt begins a text
expect 0 attend generate chars --max-tokens 20 --seed 5
cp out none
expect 0 attend generate chars --max-tokens 20 --seed 5 --prompt ''
check "an empty prompt is none" "cmp -s out none"
: > empty
expect 0 attend generate chars --max-tokens 20 --seed 5 --prompt-file empty
check "an empty file is none" "cmp -s out none"

# a prompt beyond the context
prompt=$(head -n 5 text.txt)
expect 0 attend generate chars --prompt "$prompt" --max-tokens 10 --greedy
cp out long
check "the prompt is whole" '[[ $(cat out) = "$prompt"* ]]'
expect 0 attend generate chars --prompt "$(tail -n 1 text.txt)" --max-tokens 10 --greedy
check "only the end of the prompt counts" "cmp -s <(tail -n 1 long) <(tail -n 1 out)"
for rule in stop error; do
    expect 2 attend generate chars --prompt "$prompt" --max-tokens 10 --when-long $rule
    says err "the model 24 positions; shorten it, or let the context slide"
    silent out
done

# unknown characters, and bytes that are not text
expect 0 attend generate chars --prompt '雪☃𝄞' --max-tokens 10
says out "雪☃𝄞"
check "the unknown token is not written" "! grep -q unk out && whole out"
printf 'a\0b' > zero
expect 65 attend generate chars --prompt-file zero
says err "a zero byte; a prompt is text"
expect 66 attend generate chars --prompt-file nowhere

# a stop string that begins and ends inside tokens
expect 0 attend generate subwords --prompt 'täglich' --greedy --max-tokens 40
cp out free
text=$(cat free)
stop=${text:9:2} # two characters of the continuation, wherever its tokens begin
expect 0 attend generate subwords --prompt 'täglich' --greedy --max-tokens 40 --stop "$stop"
rest=${text:7}
check "the stop is text" '[ ${#stop} -eq 2 ]'
check "the text ends before '$stop'" '[ "$(cat out)" = "täglich${rest%%"$stop"*}" ]'

# output that nobody reads any more: it ends quietly, and soon
attend generate chars --count 1000000 2> err | head -c 1 > out
check "one byte" "[ \$(wc -c < out) -eq 1 ]"
check "no complaint" "[ ! -s err ]"

# Ctrl-C: whole characters, and a line that ends
attend generate chars --count 1000000 --max-tokens 1000 > out 2> err &
process=$!
for i in $(seq 200); do [ -s out ] && break; sleep 0.05; done
kill -INT $process
wait $process
code=$?
check "it ends as asked: code $code" "[ $code -eq 130 ]"
check "text was written" "[ -s out ]"
check "characters are whole" "whole out"
check "the line ends" "[ -z \"\$(tail -c 1 out | tr -d '\\n')\" ]"
