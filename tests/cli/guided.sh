# Attention that is taught to follow word alignments.

# the target is the source from its end; every word is linked to its own
awk 'function u() { s = s * 16807 % 2147483647; return s / 2147483647 }
    BEGIN { s = 7
        for (i = 0; i < 400; i++) {
            n = 3 + int(4 * u()); src = tgt = links = ""
            for (k = 0; k < n; k++) {
                w = int(12 * u())
                src = src (k ? " " : "") "a" w
                tgt = "b" w (k ? " " : "") tgt
                links = links (k ? " " : "") k "-" n - 1 - k
            }
            print src "\t" tgt > "pairs.tsv"
            print links > "links"
        } }'
settings=(--data pairs.tsv --valid 40 --hidden 32 --embedding 16 --batch 16 --epochs 2 --lr 0.01
          --min-count 1 --threads 1 --dropout 0 --curves none)
right() # MODEL: of the links of the first pairs, those that its attention finds, in per cent
{
    head -n 50 pairs.tsv | cut -f 2 > tgt
    head -n 50 pairs.tsv | cut -f 1 | attend translate "$1" --forced tgt --alignment word 2> err |
        cut -f 2 |
        awk 'NR == FNR { for (i = 1; i <= NF; i++) found[FNR, $i] = 1; next }
            FNR <= 50 { for (i = 1; i <= NF; i++) { all++; good += (FNR, $i) in found } }
            END { print int(100 * good / all) }' - links
}
expect 0 attend train "${settings[@]}" --out free -q
expect 0 attend train "${settings[@]}" --guided-alignment links --guided-weight 2 --out led -q
free=$(right free) led=$(right led)
check "what is taught is learned: $free % without, $led % with" \
    "[ $led -gt 80 ] && [ $led -gt $free ]"

# it goes on, bit for bit, and its file may not be another one
expect 0 attend train "${settings[@]}" --guided-alignment links --guided-weight 2 --out part -q \
    --steps 30
cp links kept
sed -i '1,20s/ .*//' links
expect 2 attend train --resume --steps 0 --out part -q
says err "its links"
mv kept links
expect 0 attend train --resume --steps 0 --out part -q
check "the same weights" "cmp -s led/training/last.safetensors part/training/last.safetensors ||
    cmp -s led/model.safetensors part/model.safetensors"

echo 0-77 > wrong
expect 65 attend train "${settings[@]}" --guided-alignment wrong --out new
says err "wrong:"
expect 2 attend train "${settings[@]}" --guided-alignment links --preset cho --out new
says err "this model has none"
expect 2 attend train "${settings[@]}" --guided-alignment links --attention additive/global/hard \
    --out new
says err "hard attention draws a place"

# Transformers: of a chosen layer and head, or of the mean of the last layer
many=(--preset transformer-tiny --data pairs.tsv --valid 40 --hidden 32 --ffn 32 --heads 2
      --layers 2 --tokenizer words --min-count 1 --threads 1 --dropout 0 --curves none
      --batch-tokens 0 --batch 16 --lr 0.005 --epochs $(sized 10 1) --guided-alignment links
      --guided-weight 2)
found() # MODEL OPTION...: of the links of the first pairs, those that are found, in per cent
{
    head -n 50 pairs.tsv > some
    attend align "$1" some "${@:2}" 2> err |
        awk 'NR == FNR { for (i = 1; i <= NF; i++) found[FNR, $i] = 1; next }
            FNR <= 50 { for (i = 1; i <= NF; i++) { all++; good += (FNR, $i) in found } }
            END { print int(100 * good / all) }' - links
}
expect 0 attend train "${many[@]}" --guided-layer 0 --guided-head 1 --out one -q
one=$(found one --layer 0 --head 1) other=$(found one --layer 0 --head 0)
learned "a chosen head learns: $one %, the other head: $other %" \
    "[ ${one:-0} -gt 80 ] && [ ${one:-0} -gt ${other:-100} ]"
expect 0 attend train "${many[@]}" --out last -q
last=$(found last)
learned "the last layer learns by default: $last %" "[ ${last:-0} -gt 80 ]"
expect 2 attend train "${many[@]}" --guided-layer 2 --out new
says err "--guided-layer 2: the model's cross-attention has 2 layers; choose 0 to 1"
expect 2 attend train "${many[@]}" --guided-head 2 --out new
says err "--guided-head 2: the model's cross-attention has 2 heads; choose 0 to 1"
expect 2 attend train "${settings[@]}" --guided-layer 0 --out new
says err "--guided-alignment FILE has them"
