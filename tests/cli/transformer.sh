# The Transformer does what recurrent translators do: trains, resumes, translates, aligns, scores.
translated() # MODEL.. OPTIONS: the lines of `in`
{
    expect 0 eval "attend translate $* < in"
    check "a line for each line" '[ $(wc -l < out) -ge $(wc -l < in) ]'
}
attend data make en-fr --count 12000 --out made.tsv 2> err
awk -F '\t' 'split($1, word, " ") <= 5' made.tsv > short.tsv
expect 0 attend data split short.tsv --valid 40 --test 60 --out small
settings=(--preset transformer-tiny --data small/train.tsv --valid small/valid.tsv --layers 2
          --hidden 64 --heads 2 --ffn 128 --dropout 0.1 --batch 32 --lr 0.002 --threads 1
          --curves none)
expect 0 attend train "${settings[@]}" --epochs $(sized 12 1) --steps $(sized 0 8) --out model -q
cut -f 1 small/test.tsv > in
cut -f 2 small/test.tsv > ref
translated model --beam 1
cp out greedy
expect 0 attend measure greedy --ref ref --json
learned "BLEU of at least 60 on what was kept back" \
    '[ "$(sed -n "s/.*\"score\": *\([0-9]*\).*/\1/p" out | head -n 1)" -ge 60 ]'

# searching: of any batch the same; beams, n-best, prefixes, forced words
translated model --beam 1 --batch 1
check "one sentence at a time gives the same" "cmp -s out greedy"
translated model --beam 4 --batch 7
cp out beam
translated model --beam 4 --batch 1
check "and with a beam" "cmp -s out beam"
translated model --beam 3 --nbest 3
check "three of each" '[ $(wc -l < out) -eq $((3 * $(wc -l < in))) ]'
translated model --forced ref --alignment word
check "words that are given are given back" 'cut -f 1 out | cmp -s - ref'
expect 0 attend score model small/test.tsv
check "a score for each pair" '[ $(wc -l < out) -ge $(wc -l < ref) ]'
expect 0 attend align model small/test.tsv
check "links for each pair" 'grep -q "[0-9]-[0-9]" out'
expect 0 attend inspect model
says out "attend-transformer"

# it resumes bit for bit
expect 0 attend train "${settings[@]}" --steps 24 --out whole -q
expect 0 attend train "${settings[@]}" --steps 10 --out part -q
expect 0 attend train --resume --steps 24 --out part -q
check "the same weights" "cmp -s whole/training/last.safetensors part/training/last.safetensors ||
    cmp -s whole/model.safetensors part/model.safetensors"

# an ensemble with a recurrent model of the same vocabulary, and an average
expect 0 attend average whole model --out mean
translated mean
expect 0 attend train --preset bahdanau --shared --data small/train.tsv \
    --valid small/valid.tsv --hidden 16 --embedding 16 \
    --steps 5 --threads 1 --curves none --out recurrent -q
translated model recurrent --beam 2

# other attentions, positions, norms; copying
expect 0 attend train "${settings[@]}" --steps 3 --out other -q --attention additive/window:3 \
    --encoder-attention relative --decoder-attention scaled-dot/expanded:2,2 --norm post \
    --positions learned --max-positions 64 --decoder-layers 1 --activation gelu
translated other
expect 0 attend train "${settings[@]}" --steps 3 --out copying -q --output copy
translated copying
expect 0 attend train "${settings[@]}" --steps 3 --out hard -q --attention scaled-dot/global/hard
translated hard

# what makes no sense is refused, with the reason
expect 2 attend train "${settings[@]}" --out no --decoder-attention scaled-dot/global/hard
says err "straight-through"
expect 2 attend train "${settings[@]}" --out no --decoder-attention location:20
says err "grows past any"
expect 2 attend train "${settings[@]}" --out no --heads 5
says err "5 heads"
expect 2 attend train "${settings[@]}" --out no --max-positions 9
says err "positions learned"
expect 2 attend train "${settings[@]}" --out no --activation soft
says err "unknown activation 'soft'"
