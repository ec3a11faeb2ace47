# Tags of words: trained from CoNLL columns, stopped and resumed, and found in lines.

sentences() # SEED COUNT: persons of one or two words, and places
{
    awk -v s="$1" -v count="$2" 'function u(n) {
            s = s * 16807 % 2147483647; return 1 + int(s / 2147483647 * n) }
        BEGIN { n = split("Ann Bob Eve Tom", who); m = split("Rome Oslo Bonn Lima", at)
            k = split("sees likes visits leaves", verb)
            for (i = 1; i <= count; i++) {
                printf "%s NN B-PER\n", who[u(n)]
                if (u(2) > 1) printf "Smith NN I-PER\n"
                printf "%s VB O\n", verb[u(k)]
                if (u(2) > 1) printf "New NN B-LOC\nYork NN I-LOC\n"
                else printf "%s NN B-LOC\n", at[u(m)]
                printf ". . O\n\n" } }'
}
sentences 7 200 > tags.conll
expect 0 attend data show tags.conll -n 1
says out "tags.conll:1: conll"
settings=(--preset bert-tiny --task tag --data tags.conll --valid 30 --hidden 32 --ffn 64 --layers 1
          --tokenizer wordpiece --vocabulary 60 --batch 16 --lr 0.003 --schedule constant
          --threads 2 --seed 3 --watch loss)
expect 0 attend train "${settings[@]}" --epochs 8 --out model
says err "5 tags"
says err "entity-F1"
says model/training/metrics.jsonl '"entity_f1": '

echo 'Tom Smith visits New York .' > in
attend tag model < in > out 2> err
check "a line for each word, and an empty one" "[ \$(wc -l < out) -eq 7 ]"
learned "it learns words" "grep -qx 'York.I-LOC' out"
attend tag model --show < in > out 2> err
learned "it marks entities" "grep -qxF '[Tom Smith PER] visits [New York LOC] .' out"
attend tag model --json < in > out 2> err
check "an object" "jq -e '(.words | length) == 6 and (.tags | length) == 6' out"
learned "entities" "jq -e '.entities[1].text == \"New York\"' out"

# the same in any batch, and in parts
sentences 9 50 | awk 'NF { printf "%s ", $1; next } { print "" }' > lines
attend tag model --json < lines > out 2> err
attend tag model --json --batch 3 < lines > three 2> err
check "does not depend on the batch" "cmp -s out three"
tr '\n' ' ' < lines > long
attend tag model --max-length 40 --json < long > out 2> err
check "a long line is read in parts" "jq -e '.words | length > 200' out"
printf '\n' > empty
attend tag model --json < empty > out 2> err
check "an empty line has no words" "jq -e '.words == []' out"

# measured, and drawn
sentences 11 20 | awk 'NF { t = t (t ? " " : "") $3; next } { print t; t = "" }' > gold
sentences 11 20 | awk 'NF { printf "%s ", $1; next } { print "" }' | attend tag model --json |
    jq -r '.tags | join(" ")' > found
expect 0 attend measure -m entity-f1 found --ref gold
learned "it tags others" "grep -q 'entity-F1 = [91]' out"
expect 0 attend measure -m entity-f1 gold --ref gold --json
check "all right" "jq -e '.. | .precision? // empty | . == 100' out"
attend tag model --attention-out heads.svg --figure heads --hide-special < in > out 2> err
check "a figure" "[ -s heads.svg ]"

# stopped and resumed: the same weights
expect 0 attend train "${settings[@]}" --steps 20 --out whole
expect 0 attend train "${settings[@]}" --steps 9 --checkpoint-every 4 --out parts
expect 0 attend train --out parts --resume --steps 20
check "the same weights" "cmp -s whole/model.safetensors parts/model.safetensors"

# what is refused
printf 'Ann B-PER\nsleeps\n\n' > few.conll
expect 65 attend train --preset bert-tiny --task tag --data few.conll --format conll --valid 1 \
    --tokenizer wordpiece --out refused
says err "few.conll:2: one column"
printf 'Ann B-DOG\n. O\n\nBob B-PER\n. O\n\n' > other.conll
expect 65 attend train "${settings[@]}" --valid other.conll --out refused
says err 'other.conll:1: the tag "B-DOG" is not known'
printf 'a\tb\nc\td\n' > pairs.tsv
expect 65 attend train --preset bert-tiny --task tag --data pairs.tsv --valid 1 \
    --tokenizer wordpiece --out refused
says err "no tags"
printf 'O O\n' > short
printf 'O\n' > shorter
expect 65 attend measure -m entity-f1 short --ref shorter
says err "2 tags, and the reference has 1"
