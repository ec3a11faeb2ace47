# The attention of every kind, layer and head: records, alignments and figures of all translators.
attend data make en-fr --count 300 --out made.tsv 2> err
settings=(--tokenizer words --data made.tsv --valid 20 --test 10 --steps 2 --threads 1
          --curves none -q)
expect 0 attend train "${settings[@]}" --preset transformer-tiny --layers 3 --decoder-layers 2 \
    --hidden 16 --heads 2 --ffn 16 --out transformer
expect 0 attend train "${settings[@]}" --preset bahdanau --hidden 8 --embedding 8 --out recurrent
expect 0 attend train "${settings[@]}" --preset rnn-encdec --hidden 8 --embedding 8 --out blind
head -n 3 made.tsv > pairs.tsv
cut -f 1 pairs.tsv > in
cut -f 2 pairs.tsv > ref

# records: every kind, layer and head, the same in every command
rows() # FILE KIND LAYER HEAD: how many rows of the first line are of them; . is any
{
    head -n 1 "$1" | grep -o "{\"kind\": \"$2\", \"layer\": $3, \"head\": $4," | wc -l
}
expect 0 attend align transformer pairs.tsv --attention-out all.jsonl
check "a record for each pair" '[ $(wc -l < all.jsonl) -eq 3 ]'
n=$(rows all.jsonl cross 0 0) s=$(rows all.jsonl encoder 0 0)
check "all layers and heads of the encoder" '[ $(rows all.jsonl encoder . .) -eq $((3 * 2 * s)) ]'
check "of cross-attention" '[ $(rows all.jsonl cross . .) -eq $((2 * 2 * n)) ]'
check "of the decoder" '[ $(rows all.jsonl decoder . .) -eq $((2 * 2 * n)) ]'
says all.jsonl '"decoder_input": ["<bos>"'
expect 0 attend score transformer pairs.tsv --attention-out scored.jsonl -q
check "scoring has the same" "cmp -s all.jsonl scored.jsonl"
expect 0 eval "attend translate transformer --forced ref --attention-out forced.jsonl < in"
check "and forced translation" "cmp -s all.jsonl forced.jsonl"
expect 0 attend align transformer pairs.tsv --attention-out one.jsonl --kind cross --layer 0 \
    --head 1
check "one layer and head" \
    '[ $(rows one.jsonl "[a-z]*" . .) -eq $n ] && [ $(rows one.jsonl cross 0 1) -eq $n ]'
check "the matrix is theirs" 'head -n 1 one.jsonl | awk "{
    i = index(\$0, \"\\\"weights\\\": [[\"); rest = substr(\$0, i + 13)
    first = substr(rest, 1, index(rest, \"]\"))
    j = index(\$0, \"\\\"query\\\": 0, \\\"weights\\\": [\"); row = substr(\$0, j + 24)
    exit first != substr(row, 1, index(row, \"]\")) }"'
expect 0 attend align recurrent pairs.tsv --attention-out r.jsonl
n=$(rows r.jsonl cross 0 0)
check "a recurrent model has one layer and head" \
    '[ $n -gt 0 ] && [ $n -eq $(rows r.jsonl "[a-z]*" . .) ]'

# alignments follow the choice
expect 0 attend align transformer pairs.tsv
cp out last
expect 0 attend align transformer pairs.tsv --layer 1
check "the last layer is the default" "cmp -s out last"
expect 0 attend align transformer pairs.tsv --layer 0 --head 0
cp out first
expect 0 eval "attend translate transformer --forced ref --alignment word --layer 0 --head 0 < in"
check "in translate as in align" 'cut -f 2 out | cmp -s - first'

# figures of all kinds, as all files
for figure in heat heads grid steps; do
    for end in svg png pdf; do
        expect 0 attend align transformer pairs.tsv --figure $figure --attention-out $figure.$end -q
        check "a $end of $figure" "[ \$(wc -c < $figure.$end) -gt 2000 ]"
    done
    expect 0 attend align recurrent pairs.tsv --figure $figure --attention-out r-$figure.svg -q
    for kind in encoder decoder; do
        expect 0 attend align transformer pairs.tsv --figure $figure --kind $kind \
            --attention-out $kind-$figure.svg -q
    done
done
check "views differ" '[ $(cat heat.svg heads.svg grid.svg steps.svg | wc -c) -gt \
    $((3 * $(wc -c < heat.svg))) ] && ! cmp -s heads.svg encoder-heads.svg'
expect 0 attend align transformer pairs.tsv --figure animation --attention-out film.svg -q
says film.svg "@keyframes"
says film.svg "&lt;eos&gt;</text>"
expect 0 eval "attend translate recurrent --figure steps --nbest 2 --attention-out two.png < in"
says err "two.png shows 2 of 6 translations"
expect 0 attend align transformer pairs.tsv --kind encoder --attention-out encoder.txt
check "a heat map of text has the source on both sides" \
    '[ $(grep -c "<eos>" encoder.txt) -eq 6 ]'

# several models have the mean of their weights, and no layers in common
expect 0 eval "attend translate transformer transformer --attention-out both.jsonl < in"
check "weights alone" '! grep -q "\"attention\"" both.jsonl && grep -q "\"weights\"" both.jsonl'
expect 2 eval "attend translate transformer transformer --figure grid --attention-out no.svg < in"
says err "leave out the other models"

# the alignment error rate of every layer and head
attend align transformer pairs.tsv --layer 0 --head 1 | sed 's/$/ /' |
    awk -F '[- ]' '{ out = ""
        for (i = 1; i < NF; i += 2) out = out $i + 1 "-" $(i + 1) + 1 " "; print out }' > gold
expect 0 attend evaluate transformer pairs.tsv --beam 1 --gold gold
check "a table of layers and heads" 'grep -q "^AER  *mean  *head 0  *head 1" out'
check "its own links have no error" 'grep -q "^layer 0 .* 0.00\*$" out'
says out "* the lowest: --layer 0 --head 1"
aer=$(sed -n 's/^AER  *\([0-9.]*\)  .*/\1/p' out)
check "the last layer counts" 'grep -q "^layer 1  *$aer" out'
expect 0 attend evaluate transformer pairs.tsv --beam 1 --gold gold --layer 0 --head 1 --json
check "the chosen head's" 'grep -q "\"aer\": 0[,.]" out && grep -q "\"aer_by_layer\": \[" out'
expect 0 attend evaluate recurrent pairs.tsv --beam 1 --gold gold
check "one layer of one head has no table" '! grep -q "^layer" out'
expect 2 attend evaluate transformer pairs.tsv --gold gold --layer 7
says err "choose 0 to 1"
expect 2 attend evaluate transformer pairs.tsv --layer 0
says err "for --gold FILE, which is missing"

# what does not fit is refused, with the remedy
refused() # MESSAGE OPTION...
{
    local message=$1
    shift
    expect 2 attend align transformer pairs.tsv "$@"
    says err "$message"
}
refused "layer 2: cross attention has 2 layers, counted from 0; choose 0 to 1" --layer 2
refused "head 2: cross attention has 2 heads, counted from 0; choose 0 to 1" --head 2
refused "layer 3: encoder attention has 3 layers" --layer 3 --kind encoder --attention-out no.svg
refused "--figure is for --attention-out FILE" --figure grid
refused "--kind is for --attention-out FILE" --kind encoder
refused "ends in .svg, .png or .pdf, not no.jsonl" --figure heads --attention-out no.jsonl
refused "--figure steps draws the frames" --figure animation --attention-out no.png
expect 2 attend align recurrent pairs.tsv --kind encoder --attention-out no.svg
says err "the model has no encoder attention; kinds that it has: cross"
expect 2 attend score transformer pairs.tsv --layer 1
says err "none are asked for: add --attention-out FILE"
expect 2 eval "attend translate transformer --head 1 < in"
says err "none are asked for"
expect 2 attend score blind pairs.tsv --attention-out no.svg
says err "a model without attention"
check "nothing was left" '! ls no.* 2> /dev/null'
