# tokenize, detokenize and vocab as filters
printf 'The cat sat on the mat, and/or the dog.\n\nThe dog sat on the cat!\n我用电脑。\n' > text.txt

# ---- without a vocabulary
expect 0 attend tokenize --kind words text.txt
silent err
says out "The cat sat on the mat , and @/@ or the dog ."
says out "我 用 电 脑 。"
check "a line for a line" '[ $(wc -l < out) -eq 4 ]'
cp out words.txt
expect 0 attend detokenize --kind words words.txt
check "and back" 'cmp -s out text.txt'
expect 0 attend tokenize --kind words --lower text.txt
says out "the cat sat"
for kind in chars bytes; do
    expect 0 attend tokenize --kind $kind text.txt
    cp out $kind.txt
    expect 0 attend detokenize --kind $kind $kind.txt
    check "$kind come back exactly" 'cmp -s out text.txt'
done
expect 0 sh -c 'head -c 300000 /dev/urandom | tr -d "\r\n" > bytes; attend tokenize -k bytes bytes |
    attend detokenize -k bytes > again; printf "\n" >> bytes; cmp bytes again'
says err "1 line with bytes that are no UTF-8, the first at bytes:1"
expect 0 sh -c 'printf "no end of line" | attend tokenize -k words'
check "the last line may lack its end" '[ "$(cat out)" = "no end of line" ]'
expect 0 sh -c 'printf "" | attend tokenize -k words'
silent out

for kind in words chars; do
    expect 2 attend tokenize --kind $kind --ids text.txt
    says err "--ids needs the vocabulary of a --tokenizer"
done

printf 'see a @ b\nmail @home now\nme@here.org @\n' > at.txt
expect 0 sh -c 'attend tokenize -k words at.txt | attend detokenize -k words'
check "an @ comes back" 'cmp -s out at.txt'
# text that is tokenised already, and what overrides the guess
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    printf "it 's number %d , they say ... and it wo n't stop ...\n" $i
done > reviews.txt
expect 0 attend vocab learn --kind words --min-count 1 --out reviews reviews.txt
says err "the text is tokenised already: spaces separate its words"
expect 0 attend tokenize -t reviews reviews.txt
check "its words stay" 'cmp -s out reviews.txt'
for name in pretokenised pretokenized; do
    expect 0 attend vocab learn --kind words --min-count 1 --$name no --overwrite --out reviews \
        reviews.txt
    says err "the text is not tokenised yet: punctuation is split from words"
    expect 0 attend tokenize -t reviews reviews.txt
    says out "n 't"
done
expect 0 attend vocab learn --kind words --pretokenised yes --overwrite --out reviews text.txt
says err "the text is tokenised already"
expect 2 attend vocab learn --kind chars --pretokenised yes --overwrite --out reviews text.txt
says err "has no option pretokenised; leave it out"

printf 'caf\351 cr\350me\nok\n' > latin.txt
expect 0 attend vocab learn --kind words --min-count 1 --out latin latin.txt
says err "1 line with bytes that are no UTF-8, the first at latin.txt:1"
printf '\xef\xbb\xbfok\r\nx\0y ok\r\n' > odd.txt
for kind in words chars bytes; do
    expect 0 attend tokenize --kind $kind odd.txt
    check "$kind: a zero byte stays in its piece" '
        attend detokenize -k '$kind' out 2> /dev/null | cmp -s - <(printf "ok\nx\0y ok\n")'
    says err "1 line with zero bytes, the first at odd.txt:2"
    says err "odd.txt:1: a byte-order mark was skipped"
    says err 'odd.txt:1: \r\n ends 2 lines; the \r was skipped'
done
expect 0 attend vocab coverage -t latin odd.txt
says out 'x\x00y'
mkdir folder
expect 66 attend tokenize --kind words folder
says err "folder: cannot read: Is a directory; name a file inside it"
expect 2 attend vocab show -t latin --unknown 3
says err "--unknown is for coverage, not for show"
expect 2 attend vocab learn --kind words --out x --coverage 0.5 text.txt
says err "0.98 to 1"
attend vocab show -t latin > /dev/full 2> err
code=$?
check "a full disk" '[ $code -eq 74 ]'

# ---- answers come line by line
check "an answer before the next question" '
    coproc attend tokenize -k words; echo "Hello, you" >&${COPROC[1]}
    read -t 20 -r answer <&${COPROC[0]}; eval "exec ${COPROC[1]}>&-"; wait
    [ "$answer" = "Hello , you" ]'

# ---- with one that is learned
for kind in words chars bytes wordpiece gpt2; do
    rm -rf learned
    expect 0 attend vocab learn --kind $kind --out learned text.txt
    silent out
    says err "pieces from 4 lines, in learned"
    expect 0 attend tokenize -t learned --ids text.txt
    check "$kind: numbers alone" '! grep -q "[^0-9 ]" out'
    cp out ids.txt
    expect 0 attend detokenize -t learned --ids ids.txt
    check "$kind: a line for a line" '[ $(wc -l < out) -eq 4 ]'
    expect 0 attend tokenize -t learned --offsets text.txt
    check "$kind: as many as ids" '[ "$(wc -w < out)" = "$(wc -w < ids.txt)" ]'
    expect 0 attend tokenize -t learned --json --special text.txt
    if command -v python3 > /dev/null; then
        check "$kind: JSON that agrees with itself and the text" 'python3 -c "
import json
for line, text in zip(open(\"out\"), open(\"text.txt\")):
    j = json.loads(line)
    n = len(j[\"ids\"])
    assert n == len(j[\"pieces\"]) == len(j[\"offsets\"]) == len(j[\"words\"])
    for (begin, end), word in zip(j[\"offsets\"], j[\"words\"]):
        assert 0 <= begin <= end <= len(text)
        assert (word is None) == (begin == end)
        if word is not None and len(text[begin:end].split()) == 1:
            assert text[begin:end].strip() in text.split()[word]
"'
    fi
    expect 0 attend vocab show -t learned
    check "$kind: numbered from 0" '[ "$(cut -f 1 out)" = "$(seq 0 $(($(wc -l < out) - 1)))" ]'
    expect 0 attend vocab show -t learned --json
    expect 0 attend vocab coverage -t learned text.txt
    says out "known words"
    narrow out 80
done
rm -rf learned
attend vocab learn --kind wordpiece --vocabulary 120 --lower yes --out learned text.txt 2> err
expect 0 attend tokenize -t learned --special text.txt
says out "[CLS] the cat sat"
says out "[CLS] [SEP]"
expect 0 attend tokenize -t learned/vocab.txt --ids text.txt
cp out ids.txt
expect 0 attend tokenize -t learned/tokenizer.json --ids text.txt
check "both files are the same tokenizer" 'cmp -s out ids.txt'
printf 'A zebra, a zebra and a yak\n' > more.txt
expect 0 attend tokenize -t learned more.txt
says out "[UNK]"
expect 0 attend tokenize -t learned --keep-unknown more.txt
says out "zebra"
expect 0 attend vocab coverage -t learned --unknown 1 more.txt
says out "zebra"
check "one alone" '! grep -q yak out'
expect 0 attend vocab coverage -t learned --json more.txt
says out '"most_unknown": [["zebra", 2]'
expect 0 sh -c 'attend vocab coverage -t learned < more.txt'

# ---- what is wrong is said
expect 2 attend tokenize text.txt
says err "give --tokenizer"
expect 2 attend tokenize --kind words -t learned text.txt
expect 2 attend tokenize -t learned --lower text.txt
expect 2 attend tokenize --kind wordpiece text.txt
says err "which need no vocabulary"
expect 2 attend tokenize --kind words --ids --json text.txt
says err "choose one"
expect 66 attend tokenize -t nowhere text.txt
says err "nowhere"
expect 66 attend tokenize --kind words nowhere.txt
says err "nowhere.txt: cannot open: No such file"
expect 66 attend tokenize -t . text.txt
says err "has no tokenizer"
mkdir broken
printf '[UNK]\nb\377\n' > broken/vocab.txt
expect 65 attend tokenize -t broken text.txt
says err "broken/vocab.txt:2: bytes that are no UTF-8"
expect 2 attend detokenize --kind words --ids ids.txt
expect 2 attend detokenize -t learned --special words.txt
printf '5 6\n5 x 6\n' > wrong.txt
expect 65 attend detokenize -t learned --ids wrong.txt
says err 'wrong.txt:2: "x" is not the number of a piece'
printf '5\n99999\n' > wrong.txt
expect 65 attend detokenize -t learned --ids wrong.txt
says err "wrong.txt:2: id 99999 is not in the vocabulary"
printf 'caf\351 \377\n' > latin1.txt
expect 0 attend tokenize --kind words latin1.txt
says err "1 line with bytes that are no UTF-8, the first at latin1.txt:1"
expect 2 attend vocab learn --kind words text.txt
says err "learn needs --kind and --out"
expect 2 attend vocab learn --kind wordpiece --out learned text.txt
says err "--overwrite replaces it"
expect 0 attend vocab learn --kind wordpiece --vocabulary 120 --overwrite --out learned text.txt
expect 2 attend vocab learn --kind wrods --out new text.txt
says err 'there is no tokenizer "wrods"; did you mean words'
expect 2 attend vocab learn --kind chars --alphabet 5 --out new text.txt
says err "has no option alphabet"
expect 65 sh -c 'printf "" | attend vocab learn --kind words --out new'
says err "there is no line to learn from"
check "nothing was written" '[ ! -e new ]'
expect 2 attend vocab show
expect 2 attend vocab show -t learned text.txt
expect 2 attend vocab show -t learned --vocabulary 5
expect 2 attend vocab grow -t learned
says err '"grow" is not one of learn, show, coverage'
expect 66 attend vocab learn --kind words --out new text.txt nowhere.txt
expect 74 sh -c 'attend tokenize --kind words text.txt > /dev/full'
says err "standard output: cannot write"

# lost entries of a vocabulary and lost merges are noticed
expect 0 attend vocab learn --kind words --min-count 1 --out damaged text.txt
sed -i 's/"cat": *[0-9]*, *//' damaged/tokenizer.json
rm damaged/attend-checksums.txt
expect 65 attend tokenize -t damaged text.txt
says err "damaged/tokenizer.json: no piece has the id"
expect 0 attend vocab learn --kind gpt2 --vocabulary 280 --min-count 1 --overwrite --out damaged \
    text.txt
head -n 4 damaged/merges.txt > cut && cp cut damaged/merges.txt
rm damaged/attend-checksums.txt
expect 65 attend tokenize -t damaged text.txt
says err "damaged/merges.txt: has 3 merges, and tokenizer_config.json says"

# SentencePiece learns in a process of its own: too little memory is a status, never a signal
if (ulimit -v 240000; attend --version > /dev/null 2>&1); then
    for limit in $(seq 30000 3000 66000); do
        (ulimit -c 0; ulimit -v $limit; exec timeout 60 attend vocab learn --kind sentencepiece \
            --size 60 --overwrite --out starved text.txt) > out 2> err
        code=$?
        check "learning with $limit KB ends with 0 or 1, not $code" "[ $code -le 1 ]"
        check "one line is said with $limit KB" "[ \$(wc -l < err) -le 2 ]"
    done
else
    skip "this build needs more address space, as with a sanitizer"
fi
