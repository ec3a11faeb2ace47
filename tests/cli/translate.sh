# Translating: searching, drawing, forcing, ensembles, alignments, weights, and long or slow input.

pairs() # sentences of a small language and their mirror in another, the same everywhere
{
    awk 'BEGIN { n = split("cat dog house tree bird", a); split("chat chien maison arbre oiseau", b)
            m = split("sees likes wants", v); split("voit aime veut", w)
            for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) for (k = 1; k <= n; k++)
                printf "the %s %s the %s .\tle %s %s le %s .\n",
                    a[i], v[j], a[k], b[i], w[j], b[k] }'
}
pairs > pairs.tsv
settings=(--data pairs.tsv --valid 5 --hidden 32 --embedding 16 --batch 8 --steps 60 --min-count 1
          --lr 0.01 --dropout 0 --lower --threads 2)
attend train "${settings[@]}" --seed 3 --out one > out 2> err || bad "train" err
attend train "${settings[@]}" --seed 4 --preset luong --out two > out 2> err || bad "train" err
attend train "${settings[@]}" --preset d2l --attention additive/window:2 --steps 20 --out near \
    > out 2> err || bad "train" err
cut -f 1 pairs.tsv > in
cut -f 2 pairs.tsv > ref
t() { attend translate "$@"; }
# lines of one to three sentences, and shorter ones
awk -F '\t' '{ s = s $1 " "; t = t $2 " "; split(s, word, " ")
               if (NR % 3 == 0 || NR % 7 == 0) { print s > "lines"; print t > "given"; s = t = "" }
               if (NR % 10 == 0) { print word[2], word[3] > "lines"; print "le" > "given" } }' \
    pairs.tsv
same() # NAME OPTIONS...: the same bytes from every batch and number of threads
{
    local name=$1 batch threads
    shift
    t "$@" --overwrite --attention-out all.jsonl < lines > all 2> err || bad "$name" err
    for batch in 1 7 64; do
        for threads in 1 2; do
            t "$@" --batch $batch --threads $threads --overwrite \
                --attention-out w.jsonl < lines > some 2> err
            check "$name: batch $batch, $threads threads" \
                "cmp -s all some && cmp -s all.jsonl w.jsonl"
        done
    done
}
same greedy one --beam 1 --score
same "n-best" one --beam 4 --nbest 3 --alignment word
same coverage one --beam 3 --coverage 0.2 --length-rule wu
same "coverage of several" one two near --beam 3 --nbest 2 --coverage 0.2
same window near --beam 2 --score
same ensemble one two --beam 3 --nbest 2
same samples one --sample --nbest 2 --top-k 5 --score
same forced one two --forced given --score --alignment token
check "weights are written for every line" "[ \$(wc -l < all.jsonl) -eq \$(wc -l < lines) ]"

# n-best: best first, weights of each
echo 'the cat sees the dog .' | t one -n 3 -a word --overwrite \
    --attention-out w.jsonl > out 2> err
check "three hypotheses" "[ \$(wc -l < out) -eq 3 ] && [ \$(wc -l < w.jsonl) -eq 3 ]"
check "best first" "awk -F ' \\\\|\\\\|\\\\| ' '{ print \$4 }' out | sort -gr -C"
check "fields" "grep -qE '^0 \|\|\| .* \|\|\| LogP= -[0-9.]+ \|\|\| -[0-9.]+ \|\|\| [0-9]+-0' out"

echo 'the cat sees the dog .' | t one -n 3 > plain 2> err
echo 'the cat sees the dog .' | t one -n 3 --score > out 2> err
check "Moses' four fields, always" \
    "cmp -s plain out && grep -qE '^0 \|\|\| .* \|\|\| LogP= -[0-9.]+ \|\|\| -[0-9.]+$' out"

# an ensemble of one model twice is that model; others are refused
t one < in > single 2> err
t one one < in > double 2> err
check "twice the same is the same" "cmp -s single double"
head -n 20 pairs.tsv > fewer.tsv
attend train "${settings[@]}" --data fewer.tsv --steps 2 --out three > out 2> err || bad "train" err
expect 2 attend translate one three
says err "vocabulary"

# drawing
t one --sample --seed 1 < in > drawn1 2> err
t one --sample --seed 1 < in > drawn2 2> err
t one --sample --seed 2 --temperature 3 < in > drawn3 2> err
check "a seed gives its draws" "cmp -s drawn1 drawn2 && ! cmp -s drawn1 drawn3"
t one --sample --top-k 1 < in > drawn 2> err
t one --beam 1 < in > greedy 2> err
check "the likeliest word alone is greedy" "cmp -s drawn greedy"
expect 2 attend translate one --top-p 0.5
expect 2 attend translate one --min-p 0.5
says err "--sample"
expect 2 attend translate one --seed 2
says err "--sample"
expect 2 attend translate one --sample --coverage 0.2
says err "--coverage"
expect 2 attend translate one --sample --beam 5
says err "--beam searches"

# what is given
sed 's/.*/le oiseau/' in > begin
t one --prefix begin < in > out 2> err
check "a prefix is kept" "[ \$(grep -c '^le oiseau' out) -eq \$(wc -l < in) ]"
sed 's/.*//' in > begin
t one --prefix begin < in > out 2> err
check "an empty prefix changes nothing" "cmp -s single out"
sed 's/.*/Zebra/' in > begin
t one --prefix begin < in > out 2> err
check "an unknown prefix stays as it is written" "[ \$(grep -c '^Zebra' out) -eq \$(wc -l < in) ]"
sed 's/.*/le oiseau le oiseau le oiseau/' in > begin
t one --prefix begin --no-repeat-ngram 2 --score < in > out 2> err
check "a prefix may repeat itself" \
    "[ \$(grep -c 'le oiseau le oiseau le oiseau' out) -eq \$(wc -l < in) ] && ! grep -q inf out"
head -n 3 begin > few
t one --prefix few < in > out 2> err
check "a prefix too few" "[ $? -eq 65 ]"
says err "belong together"
t one --score < in > scored 2> err
t one --beam 1 --score < in > scored 2> err
cut -f 2 scored > forced
t one --forced forced --score < in > out 2> err
check "forcing a translation gives its score" "cmp -s scored out"
expect 2 attend translate one --forced forced --nbest 2
for option in "--no-repeat-ngram 2" "--max-tokens 5" --replace-unknown "--beam 5"; do
    expect 2 attend translate one --forced forced $option
    says err "${option% *}"
done

# alignments
t one -a word --forced ref < in > out 2> err
check "all words are linked" \
    "awk -F '\t' '{ if (split(\$2, x, \" \") != split(\$1, y, \" \")) exit 1 }' out"
t one -a word --threshold 0.01 --forced ref < in > many 2> err
check "a low threshold links more" "[ \$(cut -f 2 many | wc -w) -gt \$(cut -f 2 out | wc -w) ]"
expect 2 attend translate one --threshold 0.5
says err "--alignment"

# unknown words
attend train "${settings[@]}" --min-count 30 --steps 40 --seed 3 --out rare > out 2> err ||
    bad "train" err
t rare < in > plain 2> err
t rare --replace-unknown < in > out 2> err
check "some words are unknown" "grep -q unk plain"
check "none stays unknown" "! grep -q unk out && grep -qE 'cat|dog|house|tree|bird|sees' out"
printf 'cat\tchat\ndog\tchien\nhouse\tmaison\ntree\tarbre\nbird\toiseau\nsees\tvoit\n' > words
t rare --replace-unknown --dictionary words < in > out 2> err
check "the dictionary translates them" "! grep -qE 'cat |dog|house|tree|bird|sees' out"
expect 2 attend translate rare --dictionary words
printf 'cat chat\n' > words
t rare --replace-unknown --dictionary words < in > out 2> err
check "a dictionary without a tab" "[ $? -eq 65 ]"
says err "words:1:"
expect 66 attend translate rare --replace-unknown --dictionary nowhere
# names that pieces cannot spell: they begin with a blank, which is no part of the word
names() { pairs | awk -F '\t' '{ n = split("Ω Ψ Ξ Φ Σ", name, " "); x = name[NR % n + 1]
                                 print $1 " " x "\t" $2 " " x }'; }
names > names.tsv
tr '\t' '\n' < pairs.tsv | attend vocab learn --kind sentencepiece --vocabulary 41 --out letters \
    > out 2> err || bad "learn" err
attend train --data names.tsv --valid 5 --hidden 32 --embedding 16 --batch 8 --steps 100 --lr 0.01 \
    --dropout 0 --threads 2 --seed 3 --tokenizer letters --out spelled > out 2> err ||
    bad "train" err
cut -f 1 names.tsv | sed 's/.$/Ж/' > named
printf 'Ж\tZHE\n' > words
t spelled --replace-unknown --dictionary words --attention-out named.jsonl < named > out 2> err
check "the dictionary knows words of pieces" "grep -q ZHE out"
says err "words: a dictionary of 1 word"
: > no-words
t rare --replace-unknown --dictionary no-words < in > out 2> err
says err "warning: no-words: a dictionary without words"
check "one blank is before each" "! grep -qE '  |Ж' out"
check "labels have no blanks" "grep -q '\"Ж\"' named.jsonl && ! grep -q '\" ' named.jsonl"
# what stands behind a cut was not read
t rare --replace-unknown --max-length 2 < in > out 2> err
check "a word that was not read does not come" "! grep -qE ' (cat|dog|house|tree|bird) ' out"

# a model that looks at nothing
attend train "${settings[@]}" --preset sutskever --steps 2 --out blind > out 2> err ||
    bad "train" err
for option in "--coverage 0.2" --replace-unknown "--alignment word"; do
    t blind $option < in > out 2> err
    check "$option needs attention" "[ $? -eq 2 ] && [ ! -s out ]"
    says err "without attention"
done
for file in w.jsonl w.png; do
    t blind --attention-out blind-$file < in > out 2> err
    check "$file needs attention" "[ $? -eq 2 ] && [ ! -s out ] && [ ! -e blind-$file ]"
    says err "--attention-out: a model without attention"
done
expect 2 attend evaluate blind pairs.tsv --gold in
says err "--gold: a model without attention"
t blind --show < in > out 2> err
says err "the model has no attention to draw"
printf '\n\n' | t one --show > out 2> err
check "empty lines do not make a model blind" "! grep -q 'no attention' err"
t blind one --coverage 0.2 --replace-unknown < in > out 2> err && good || bad "one looks" err

# long lines
yes 'the cat sees the dog .' | head -n 40 | tr '\n' ' ' > long
echo >> long
head -n 2 in >> long
t one --max-length 50 < long > out 2> err
says err "left out"
check "the others are translated" "[ \$(wc -l < out) -eq 3 ]"
t one --max-length 50 --when-long skip < long > out 2> err
says err "skipped"
check "a long line stays empty" "[ -z \"\$(head -n 1 out)\" ] && [ -n \"\$(sed -n 2p out)\" ]"
t one --max-length 50 --when-long skip --score < long > out 2> err
check "no translation has no probability" "[ \"\$(head -n 1 out)\" = \"\$(printf -- '-inf\t')\" ]"
sed 's/.*/le chat/' long > given
t one --max-length 50 --when-long skip --score --forced given < long > out 2> err
check "nor a given one of a line that was skipped" \
    "[ \"\$(head -n 1 out)\" = \"\$(printf -- '-inf\t')\" ] && grep -q 'le chat' out"

# scores of places: the model itself sets a limit
expect 0 attend train "${settings[@]}" --preset luong --attention location:6 --max-length 200 \
    --steps 5 --when-long cut --out places
says err "longer than 200 pieces, or 6 of a source: cut"
expect 65 attend train "${settings[@]}" --preset luong --attention location:6 --out none
says err "or 6 of a source: left out"
printf 'cat\n' > short
t places < short > alone 2> err
cat long short > all
t places < all > out 2> err && good || bad "location" err
says err "3 lines have more than 6 pieces; what follows was left out"
check "the others are translated" "[ \"\$(tail -n 1 out)\" = \"\$(cat alone)\" ]"
t places one < all > out 2> err && good || bad "location, in an ensemble" err
says err "more than 6 pieces"
t places --when-long skip < all > out 2> err && good || bad "location, skipping" err
says err "3 lines are too long"
t places --when-long error < all > out 2> err
check "a long line is refused" "[ $? -eq 65 ]"
says err "line 1 has 241 pieces, and at most 6 are read; the model knows no more positions"
cut -f 1,2 pairs.tsv | head -n 3 > three.tsv
for command in score align; do
    expect 0 attend $command places three.tsv
    says err "have more than 6 pieces"
done
expect 0 attend evaluate places three.tsv
tail -n 1 long > after
cat after long > refused
t one --max-length 50 --when-long error < refused > out 2> err
check "a long line is refused" "[ $? -eq 65 ]"
says err "line 2 has"

# paragraphs
printf 'The cat sees the dog. The dog sees the cat.\n\nThe bird wants the tree.\n' > paragraphs
t one --split < paragraphs > out 2> err
check "a line for each paragraph" "[ \$(wc -l < out) -eq 3 ] && [ -z \"\$(sed -n 2p out)\" ]"
check "all sentences of it" "[ \$(head -n 1 out | tr -cd . | wc -c) -eq 2 ]"
expect 2 attend translate one --split --nbest 2
{ cat paragraphs; sed 's/^/The dog likes the tree. /' paragraphs; } > many
t one --split --sample --seed 5 < many > out 2> err
t one --split --sample --seed 5 --batch 1 < many > some 2> err
check "sentences are drawn alike in any batch" "cmp -s out some"
printf 'The cat. The dog.\nThe cat sees the dog.\n' > mixed
t one --split --max-length 5 --when-long error < mixed > out 2> err
check "a long sentence is refused" "[ $? -eq 65 ] && [ ! -s out ]"
says err "line 2 has a sentence that is too long, more than 5 pieces"
printf 'The cat sees the dog and the cat. The cat.\n' > mixed
t one --split --max-length 6 --when-long skip < mixed > out 2> err
check "no blank for a sentence that was skipped" "grep -q '^[^ ]' out"
says err "1 sentence is too long, more than 6 pieces"

# a line is answered before the next is there
mkfifo asked
t one < asked > answered 2> err &
run=$!
exec 7> asked
head -n 1 in >&7
for _ in $(seq 600); do
    [ ! -s answered ] || break
    sleep 0.05
done
check "answered while standard input is open" "[ \$(wc -l < answered) -eq 1 ]"
head -n 2 in >&7
exec 7>&-
wait $run
head -n 1 in | t one > first 2> err
check "and then the others" \
    "[ \$(wc -l < answered) -eq 3 ] && cmp -s first <(head -n 1 answered)"

# what a search did
head -n 2 in | t one --beam 2 --trace trace.jsonl --alternatives 3 > out 2> err && good ||
    bad trace err
check "a record for each line" "[ \$(wc -l < trace.jsonl) -eq 2 ]"
for part in '"parent": 0' '"fate": "kept", "row": 0' '"fate": "pruned"' '"fate": "ended"' \
    '"alternatives": [[{"token": '; do
    says trace.jsonl "$part"
done
cat > follow.py << 'END'
import json
for line in open("trace.jsonl"):
    t = json.loads(line)
    steps, words = t["steps"], []
    s, c = max(((s, c) for s, step in enumerate(steps) for c in step if c["fate"] == "ended"),
               key=lambda end: end[1]["score"])
    while s > 0:
        s, c = s - 1, [d for d in steps[s - 1] if d.get("row") == c["parent"]][0]
        words.insert(0, c["token"])
    assert words == t["target"][:-1], (words, t["target"])
    assert all(len(a) == 3 for a in t["alternatives"])
END
if command -v python3 > /dev/null; then
    check "a trace leads to the translation" "python3 follow.py"
fi
head -n 2 in | t one --beam 2 > plain 2> err
check "a trace changes no translation" "cmp -s plain out"
expect 2 attend translate one --trace trace.jsonl
says err "--overwrite replaces it"
expect 2 attend translate one --alternatives 3
says err "--alternatives is for --trace"

# weights in other forms
head -n 2 in > two-lines
t one --attention-out w.txt < two-lines > out 2> err
says w.txt "cat"
check "every line is drawn" "[ \$(grep -cE '^[01] 0 -' w.txt) -eq 2 ]"
t one --attention-out w.svg --nbest 2 < two-lines > out 2> err && good || bad "svg" err
says err "w.svg shows 2 of 4 heat maps"
head -n 1 in | t one --attention-out many.svg --beam 8 --nbest 8 > out 2> err
says err "many.svg shows 6 of 8 heat maps"
t one --split --attention-out split.svg < paragraphs > out 2> err && good || bad "svg" err
t one --split --attention-out split.jsonl < paragraphs > out 2> err && good || bad "jsonl" err
for record in '"line": 0, "sentence": 0, "rank": 0' '"line": 0, "sentence": 1, "rank": 0' \
    '"line": 2, "sentence": 0, "rank": 0'; do
    says split.jsonl "$record"
done
check "an empty line has no record" "[ \$(wc -l < split.jsonl) -eq 3 ]"
expect 2 attend translate one/model.safetensors
says err "one/model.safetensors is a file; a model is the whole folder that attend train made"
t one --attention-out none.png < /dev/null > out 2> err
check "nothing to draw" "[ $? -eq 65 ]"
says err "no line of the input"
check "a figure" "grep -q '<svg' w.svg"
expect 2 attend translate one --attention-out w.gif
says err ".jsonl"
for end in png svg jsonl; do
    t one --attention-out nowhere/w.$end < two-lines > out 2> err
    check "no folder for $end: said before the first line" "[ $? -eq 74 ] && [ ! -s out ]"
    says err "cannot open its folder"
done
t nowhere --attention-out made.png < two-lines > out 2> err
check "looking whether it can be made leaves nothing" "[ -z \"\$(ls -A | grep -E 'made|tmp')\" ]"

# zero bytes: every line has its own, and the others are as they were
printf 'the cat sees the dog .\nthe cat\0 sees the dog .\nthe cat sees the dog .\n' > zero
t one < zero > out 2> err
check "zero bytes do not end it" "[ $? -eq 0 ] && [ \$(wc -l < out) -eq 3 ]"
check "a zero byte is read as a blank" "[ \$(sort -u out | wc -l) -eq 1 ]"
says err "1 line with zero bytes, the first at standard input:2; they were read as blanks"

# words that the model does not know are shown as they stand in the line
printf 'the cat sees Zapupele , the Blork .\n' > strange
t one --attention-out strange.jsonl < strange > out 2> err
says strange.jsonl '"source": ["the", "cat", "sees", "Zapupele", ",", "the", "Blork", "."'
t one --show < strange > out 2> err
check "in a drawing too" "grep -q Zapupele out && grep -q Blork out"

# a signal leaves no part of a file
mkdir stopped && mkfifo stopped/lines
(cd stopped && exec attend translate ../one --attention-out w.jsonl < lines > /dev/null 2>&1) &
exec 9> stopped/lines # the command waits for lines, with its file begun
for _ in {1..100}; do compgen -G 'stopped/.attend-*.tmp' > /dev/null && break; sleep 0.1; done
check "a file is on its way" "compgen -G 'stopped/.attend-*.tmp' > /dev/null"
kill -TERM $!
wait $! 2> /dev/null
check "SIGTERM ends it" "[ $? -eq 143 ]"
exec 9>&-
check "and leaves nothing" "[ \"\$(ls -A stopped)\" = lines ]"
