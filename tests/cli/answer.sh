# Answers of questions: trained from contexts with spans, stopped and resumed, and found in files,
# lines and one context.

stories() # in bAbI's form: who went where with what
{
    awk 'function u(n) { s = s * 16807 % 2147483647; return 1 + int(s / 2147483647 * n) }
        BEGIN { s = 7; n = split("Ann Bob Eve Tom", who)
            m = split("garden office kitchen hall", at)
            k = split("ball book cup", what)
            for (i = 1; i <= 100; i++) {
                a = who[u(n)]; b = at[u(m)]; c = what[u(k)]
                format = "1 %s was in the %s and saw the %s.\n"
                if (u(2) > 1) format = "1 %s went to the %s with the %s.\n"
                printf format, a, b, c
                printf "2 Who was it?\t%s\t1\n3 Where was it?\t%s\t1\n", a, b
                printf "4 What was it?\t%s\t1\n", c } }'
}
stories > stories.txt
expect 0 attend data show stories.txt -n 1
settings=(--preset bert-tiny --task answer --data stories.txt --valid 30 --hidden 32 --ffn 64
          --layers 2 --tokenizer wordpiece --vocabulary 100 --batch 16 --lr 0.003
          --schedule constant --dropout 0 --attention-dropout 0 --threads 2 --seed 3 --window 32
          --watch loss)

expect 0 attend train "${settings[@]}" --epochs "$(sized 30 1)" --out model
says err "267 questions to train on"
says err "EM"
says model/training/metrics.jsonl '"f1": '
ask() { attend answer model --question "$1" --context "$2" "${@:3}"; }
ask "Where was it?" "Eve went to the office with the cup." --always > out 2> err
learned "it finds what it is asked about" "[ \"\$(cat out)\" = office ]"
ask "Who was it?" "Tom was in the hall and saw the cup." --always --show > out 2> err
learned "it marks the span" "grep -qF '[Tom] was' out"

# one question, lines, and a file: the same answer
ask "Who was it?" "Tom was in the hall and saw the cup." --always --json > one 2> err
check "an object" "jq -e '.best[0].answer_start >= 0 and .none.score != null' one"
printf 'Who was it?\tTom was in the hall and saw the cup.\nWho?\tAnn went.\n' > lines
attend answer model --always --json < lines > two 2> err
check "does not depend on the batch" "cmp -s one <(head -n 1 two)"
check "a line for each line" "[ \$(wc -l < two) -eq 2 ]"
expect 0 attend answer model stories.txt --format babi --always --batch 7
cp out seven
expect 0 attend answer model stories.txt --format babi --always --batch 64
check "the same in all batches" "cmp -s out seven"
check "an answer for each question" "[ \$(jq length out) -eq 300 ]"
cat > squad.json <<'END'
{"version": "v2.0", "data": [{"title": "t", "paragraphs": [
 {"context": "Eve went to the office. Tom went to the hall.", "qas": [
  {"id": "a1", "question": "Where is Eve?", "answers": [{"text": "office", "answer_start": 16}]},
  {"id": "a2", "question": "Where is Bob?", "is_impossible": true, "answers": []}]}]}]}
END
expect 0 attend answer model squad.json
cp out predictions.json
check "predictions by id" "jq -e 'has(\"a1\") and has(\"a2\")' out"
expect 0 attend measure -m exact-match predictions.json --ref squad.json
expect 0 attend answer model squad.json --threshold -1000000
check "a low threshold gives no answer" "[ \"\$(jq -r .a1 out)\" = '' ]"

# windows: a context that is longer than one
many=$(seq 30)
long="$(printf "it was late and %.0s" $many)Tom saw the cup."
ask "Where was it?" "$long" --always --window 32 --stride 8 --json > out 2> err
check "several windows" "jq -e '.windows > 3' out"

# attention
ask "Where is Tom?" "Tom went to the hall." --attention-out a.jsonl > out 2> err
each='[.attention[] | [.layer, .head]]'
check "every layer and head" "jq -e '$each | unique | length == 4' a.jsonl"
expect 0 attend answer model --question "Where is Tom?" --context "Tom went to the hall." \
    --attention-out grid.svg --figure grid --between a-b --hide-special
check "a figure" "[ -s grid.svg ]"
expect 2 attend answer model --question a --context b --between a-b
says err "--between and --hide-special choose what is drawn"
expect 2 attend answer model --question a --context b --attention-out b.jsonl --layer 7
says err "no layer 7"

# stopped and resumed: the same weights
expect 0 attend train "${settings[@]}" --steps 20 --out whole
expect 0 attend train "${settings[@]}" --steps 9 --checkpoint-every 4 --out parts
expect 0 attend train --out parts --resume --steps 20
check "the same weights" "cmp -s whole/model.safetensors parts/model.safetensors"

# what is refused
expect 65 attend answer model --question "Where?" --context ""
says err "the context is empty"
expect 2 attend answer model --question "Where?"
says err "--question and --context belong together"
printf 'no tab\n' > none
check "a line without a tab" "! attend answer model < none 2> err"
says err "line 1: no tab"
printf '1 Ann went to the hall.\n2 Is Ann in the hall?\tyes\t1\n' > yes.txt
cat yes.txt stories.txt > both.txt
expect 65 attend train --preset bert-tiny --task answer --data both.txt --format babi --valid 10 \
    --tokenizer wordpiece --out refused
says err 'both.txt:2: the answer "yes" is not in its context'
sed 's/"answer_start": 16/"answer_start": 3/' squad.json > moved.json
expect 65 attend train --preset bert-tiny --task answer --data moved.json --valid 1 \
    --tokenizer wordpiece --out refused
says err 'the answer "office" does not stand at character 3'
printf 'a\tb\nc\td\n' > pairs.tsv
expect 65 attend train --preset bert-tiny --task answer --data pairs.tsv --valid 1 \
    --tokenizer wordpiece --out refused
says err "no questions"
