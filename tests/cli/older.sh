# Models that version 0.1 wrote: they open, and answer byte for byte as they did.

models=$root/tests/fixtures/models-0.1
source "$models/answers.sh"
for model in "$models"/*/; do
    name=$(basename "$model")
    answer "$models" "$name" > out 2> err
    check "$name answers as before" '[ -s out ] && cmp -s out "$model/expected.txt"'
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
    check "$name keeps its settings" 'cmp -s "$models/$name/config.json" "more-$name/config.json"'
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
