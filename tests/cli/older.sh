# Models that version 0.1 wrote: they open, and answer as they did. Compilers and instruction sets
# differ in the last digits of a number, so numbers may differ by 1e-5.

models=$root/tests/fixtures/models-0.1
source "$models/answers.sh"
near() # FILE FILE: the same words and numbers
{
    awk 'NR == FNR { line[NR] = $0; n = NR; next }
         { count = split(line[FNR], word); if (count != NF) exit 1
           for (i = 1; i <= NF; i++) {
               if ($i == word[i]) continue
               number = $i ~ /^-?[0-9.]+$/ && word[i] ~ /^-?[0-9.]+$/
               d = $i - word[i]; if (!number || d > 1e-5 || d < -1e-5) exit 1 }
           seen = FNR }
         END { if (seen != n) exit 1 }' "$1" "$2"
}

for model in "$models"/*/; do
    name=$(basename "$model")
    answer "$models" "$name" > out 2> err
    check "$name answers as before" '[ -s out ] && near out "$model/expected.txt"'
    [ "$name" != pooling ] || continue
    expect 0 attend inspect "$model"
    says out "$(sed -n 's/.*"preset": *"\([^"]*\)".*/\1/p' "$model/config.json")"
done

# training starts from their weights, vocabulary and settings
more() # NAME OPTIONS...
{
    local name=$1
    shift
    expect 0 attend train --init-from "$models/$name" "$@" --valid 2 --batch 4 --epochs 1 \
        --lr 1e-9 --curves none --quiet --out "more-$name"
    expect 0 attend inspect "more-$name"
    # settings that came since have their defaults beside them
    check "$name keeps its settings" '! grep -vxFf <(sed "s/,\$//" "more-$name/config.json") \
        <(sed "s/,\$//" "$models/$name/config.json")'
}
for name in two-tokenizers shared-tokenizer copy; do
    more "$name" --data "$models/pairs.tsv"
done
more features --src "$models/features.safetensors" --tgt "$models/features.txt"
for name in rnn-classifier cnn-classifier; do
    more "$name" --data "$models/classes.tsv"
done
more language --data "$models/text.txt"
more pointer --data "$models/items.tsv"
for name in two-tokenizers copy; do
    cmp -s "$models/$name/source/tokenizer.json" "more-$name/source/tokenizer.json" && good ||
        bad "$name: another vocabulary"
done
