# Weights that are finite but too large: an error, never a perfect score.

command -v python3 > /dev/null || { skip "no python3 to write weights with"; return; }
awk 'BEGIN { n = split("one two three four five six seven eight", a)
        split("un deux trois quatre cinq six sept huit", b)
        for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
            print a[i] " " a[j] "\t" b[i] " " b[j] }' > pairs.tsv
cut -f1 pairs.tsv > lines.txt
awk -F'\t' '{ print $1 "\t" (NR % 2 ? "odd" : "even") }' pairs.tsv > labels.tsv
for _ in $(seq 20); do cat lines.txt; done > text.txt
expect 0 attend data make sort --count 100 --out sort.tsv
small=(--hidden 8 --embedding 8 --steps 2 --batch 8 --threads 1 --curves none -q)
for preset in bahdanau luong sutskever; do
    expect 0 attend train --preset $preset --data pairs.tsv "${small[@]}" --out $preset
done
expect 0 attend train --output copy --data pairs.tsv "${small[@]}" --out copy
expect 0 attend train --preset rnn-classifier --data labels.tsv "${small[@]}" --out classifier
expect 0 attend train --preset rnn-lm --data text.txt "${small[@]}" --out language
expect 0 attend train --preset pointer-net --data sort.tsv "${small[@]}" --out pointer

fill() # FOLDER VALUE: every weight becomes the value
{
    python3 - "$1/model.safetensors" "$2" << 'END'
import json, struct, sys
path, value = sys.argv[1], float(sys.argv[2])
data = open(path, "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + size])
header.pop("__metadata__", None)
text = json.dumps(header).encode()
text += b" " * (-len(text) % 64)
count = (len(data) - 8 - size) // 4
open(path, "wb").write(struct.pack("<Q", len(text)) + text + struct.pack("<f", value) * count)
END
}
overflows() # COMMAND...
{
    "$@" > out 2> err < lines.txt
    check "$* refuses" "[ $? -eq 1 ]"
    says err "the model's numbers overflow"
}
copy=copy # with negative weights it copies alone, and nothing overflows
for value in 3.4e38 -3.4e38; do
    for model in bahdanau luong sutskever copy classifier language pointer; do
        fill $model $value
    done
    for model in bahdanau luong sutskever $copy; do
        overflows attend score $model pairs.tsv
        overflows attend evaluate $model pairs.tsv
        overflows attend translate $model
        overflows attend translate $model --beam 3
        overflows attend translate $model --sample
    done
    overflows attend translate luong luong
    overflows attend classify classifier
    overflows attend generate language
    cut -f1 sort.tsv > lines.txt
    overflows attend point pointer
    cut -f1 pairs.tsv > lines.txt
    copy=
done
expect 0 attend score copy pairs.tsv
check "words that cannot be copied are unlikely" "awk '\$1 > -100 { exit 1 }' out && [ -s out ]"
