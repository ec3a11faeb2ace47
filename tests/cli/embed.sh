# Vectors of texts. The fixture is a sentence-transformers folder with random weights, which reads
# 16 tokens of a text in lower case; the numbers are those of sentence-transformers.

model=$root/tests/fixtures/hub/sentence
long="This sentence is deliberately much longer than the others, so that it has to be cut at the"
printf '%s\n' "The cat sits on the mat." "" "A cat is sitting on a rug." \
    "Ein Hund läuft über die Wiese." "$long" > in
cat > expected <<'END'
-0.656345 0.802959 -0.157772 0.581344 -0.706477
-1.088133 -0.280758 0.072176 1.575505 1.183038
-1.312423 0.548575 0.175535 1.183569 -0.077504
-1.153499 0.108826 0.229692 1.285118 0.203004
-1.370356 0.332080 0.022438 0.991489 0.059289
END

attend embed "$model" < in > vectors 2> err && good || bad "embed" err
says err "attend embed: 3 lines have more than 16 tokens; what follows was left out"
check "the vectors of sentence-transformers" "tr -d '[],' < vectors | paste -d ' ' - expected |
    awk 'NF != 25 { exit 1 } { for (i = 1; i <= 5; i++) { d = \$i - \$(20 + i)
        if (d > 2e-5 || d < -2e-5) exit 1 } n++ } END { exit n != 5 }'"

# the batch, the other lines and the threads change nothing
for batch in 1 2 7; do
    attend embed "$model" --batch $batch --threads 2 < in > other 2> err
    check "batches of $batch" "cmp -s vectors other"
done
tail -n 1 in | attend embed "$model" > other 2> err
check "a line alone" '[ "$(tail -n 1 vectors)" = "$(cat other)" ]'

# an empty line is [CLS] [SEP]
echo | attend embed "$model" --json > out 2> err
says out '{"line": 1, "tokens": 2, "embedding": [-1.088133'
silent err
attend embed "$model" < /dev/null > out 2> err && good || bad "no lines" err
silent out

# pooling and length
head -n 1 in | attend embed "$model" --pooling cls,mean --normalize yes > out 2> err
check "two parts of length 1" "tr -d '[],' < out |
    awk '{ for (i = 1; i <= NF; i++) s += \$i * \$i; exit NF != 40 || s < 0.9999 || s > 1.0001 }'"
expect 2 attend embed "$model" --pooling middle
says err middle

# texts beyond the limit, and beyond the positions
yes word | head -n 300 | paste -sd ' ' > many
attend embed "$model" --when-long cut --max-length 1000 --json < many > out 2> err
says out '"tokens": 66'
says err "1 line has more than 66 tokens"
attend embed "$model" --when-long error < in > out 2> err
check "refused" "[ $? -eq 65 ]"
says err "line 3 has more than 16 tokens; shorten it, or choose --when-long cut"
head -n 2 in | attend embed "$model" --when-long error > out 2> err && good || bad "short lines" err
check "short lines are not refused" 'head -n 2 vectors | cmp -s - out'

# files in place of standard input, and tables in place of lines
head -n 2 in > first
tail -n +3 in > second
attend embed "$model" first second > out 2> err && good || bad "two files" err
check "files one after the other" "cmp -s vectors out"
for name in v.npy v.safetensors; do
    expect 0 attend embed "$model" in --out $name
    silent out
    tail -c $((5 * 20 * 4)) $name | od -An -v -tf4 -w80 > numbers
    check "$name has the numbers" "tr -d '[],' < vectors | paste -d ' ' - numbers |
        awk '{ for (i = 1; i <= 20; i++) { d = \$i - \$(20 + i); if (d * d > 1e-10) exit 1 } }
            END { exit NR != 5 }'"
    expect 2 attend embed "$model" in --out $name
    says err "--overwrite"
done
check "NumPy's header" "head -c 128 v.npy | grep -aq \"NUMPY.*'descr': '<f4'.*(5, 20)\""
check "a multiple of 64 bytes" "[ \$(head -n 1 v.npy | wc -c) -eq 128 ]"
check "a tensor" "head -c 128 v.safetensors |
    grep -aq '\"embeddings\":{\"dtype\":\"F32\",\"shape\":\[5,20\]'"
expect 2 attend embed "$model" in --out v.txt
expect 2 attend embed "$model" in --out w.npy --json
: > empty
expect 0 attend embed "$model" empty --out empty.npy

# how alike two files are
expect 0 attend embed "$model" --similarity first second
check "a cosine for each pair" "awk -F '\t' 'NF != 3 { exit 1 } END { exit NR != 2 }' out"
expect 0 attend embed "$model" --similarity first first
check "a text is like itself" "[ \"\$(cut -f 1 out | head -n 1)\" = 1.000000 ]"
expect 2 attend embed "$model" --similarity first
says err "1 file is given; give two"
expect 66 attend embed "$model" nowhere

# folders that cannot embed, and damaged ones
expect 65 attend embed "$root/tests/fixtures/hub/marian"
says err "which can translate, not embed; attend translate takes this model"
cp -r "$model" folder
chmod -R u+w folder
sed 's/"pooling_mode_cls_token": true/"pooling_mode_lasttoken": true/' \
    "$model/1_Pooling/config.json" > folder/1_Pooling/config.json
expect 65 attend embed folder
says err "pooling_mode_lasttoken is not supported"
cp "$model/1_Pooling/config.json" folder/1_Pooling
rm folder/vocab.txt
expect 66 attend embed folder
says err "there are no tokenizer files in it"
