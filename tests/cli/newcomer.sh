# What a newcomer tries: settings that contradict each other, files that are not there, names that
# are none; every one is answered with a sentence, before data is read.

awk 'BEGIN { n = split("one two three four five six seven eight", a)
        split("un deux trois quatre cinq six sept huit", b)
        for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
            print a[i] " " a[j] "\t" b[i] " " b[j] }' > pairs.tsv
small=(--data pairs.tsv --valid 8 --batch 8 --steps 3 --threads 1 --curves none)
sizes=(--hidden 8 --embedding 8 --min-count 1)
expect 0 attend train "${small[@]}" "${sizes[@]}" --out m1
says err "attend train: done: m1 has the model of update 3, the best: bleu"
says err "try it: attend translate m1 < FILE"
expect 0 attend train --resume --out m1
says err "the run is done: 3 updates"
expect 0 attend train "${small[@]}" "${sizes[@]}" --steps 1 --out once -q
expect 0 attend train --resume --out once
says err "the run is done: 1 update;"

unread() { check "before data is read" "! grep -q 'to learn from, ' err"; }

# a model that is taken keeps its settings, but for those that are given and leave its weights as
# they are
expect 65 attend train "${small[@]}" --init-from m1 --hidden 99 --out m2
says err "hidden is 99, was 8"
says err "m1/model.safetensors: "
says err "the settings are those of another model"
check "nothing is begun" "[ ! -e m2 ]"
expect 0 attend train "${small[@]}" --init-from m1 --attention additive/global/hard --dropout 0.25 \
    --out picked
says err "attention is additive/global/hard, was additive; dropout is 0.25, was 0.3"
says picked/config.json '"attention": "additive/global/hard"'
expect 0 attend train --resume --out picked --steps 4
says picked/config.json '"attention": "additive/global/hard"'
expect 2 attend train "${small[@]}" --init-from m1 --preset luong --out m2
says err "--preset luong: the model of --init-from is one of bahdanau"
expect 0 attend train "${small[@]}" --init-from m1 --hidden 8 --out m2 -q
says m2/training/settings.yaml "hidden: 8"
says m2/training/settings.yaml "as in --init-from"
expect 0 attend train "${small[@]}" --init-from m1 --lower --overwrite --out m2
says err "the vocabulary is that of --init-from"
expect 66 attend train "${small[@]}" --init-from nosuch --out m3
unread

# a preset beside a file of all settings: that preset, and what was changed
attend train --preset luong --hidden 12 --dump-config > luong.yaml
attend train --preset bahdanau --hidden 12 --dump-config | grep -v '^ *#' | sed 's/ *#.*//' > wanted
expect 0 attend train --config luong.yaml --preset bahdanau --dump-config
grep -v '^ *#' out | sed 's/ *#.*//' > found
check "the other preset, whole" "cmp -s wanted found && grep -q '^hidden: 12' found"
expect 0 attend train --config luong.yaml --preset rnn-classifier --dump-config
says out "encoder: rnn"

# values that are none
for value in "--optimizer foo" "--schedule linear:warmup=x" "--tokenizer foo" "--valid nosuch" \
    "--test many"; do
    expect 2 attend train "${small[@]}" $value --out m3
    says err "${value##*[ =]}"
    unread
done
expect 2 attend train "${small[@]}" --valid nosuch.tsv --out m3
says err "there is no such file"
expect 2 attend train --data pairs.tsv --src a --tgt b --out m3
says err "--data has both sides"
expect 2 attend train --src pairs.tsv --out m3
says err "the second is missing"
echo > file
expect 74 attend train "${small[@]}" --out file
says err "is a file, not a folder"
expect 2 attend train --preset cnn-classifier --query ends "${small[@]}" --out m3
says err "--query ends"
printf 'label\ttext\ngood\ta fine film\nbad\ta poor film\n' > labelled.tsv
expect 65 attend train --data labelled.tsv --format tsv --out m3
says err "rnn-classifier"

# a tokenizer that was learned before
cut -f 1 pairs.tsv > text
for kind in words gpt2 sentencepiece; do
    case $kind in
    words) more="--min-count 1" ;;
    gpt2) more="--vocabulary 300" ;;
    *) more="--vocabulary 40" ;;
    esac
    expect 0 attend vocab learn --kind $kind $more --out "$kind.folder" text
    expect 0 attend train "${small[@]}" --hidden 8 --embedding 8 --tokenizer $kind.folder \
        --out "with-$kind" -q
    echo "one two" | attend translate with-$kind > out 2> err && good || bad "translate" err
done
says with-words/training/settings.yaml "tokenizer: $(pwd -P)/words.folder"
expect 2 attend train "${small[@]}" --tokenizer words.folder --lower --out m3
says err "has its vocabulary already"

# sources of many lengths, with a tokenizer that has no piece to fill them up
awk 'BEGIN { for (i = 0; i < 60; i++) {
        s = t = "x"; for (k = 0; k < i % 7; k++) { s = s " ab" k; t = "cd" k " " t }
        print s i "\t" t } }' > uneven.tsv
expect 0 attend train "${small[@]}" --data uneven.tsv --hidden 8 --embedding 8 --tokenizer gpt2 \
    --vocabulary 300 --out uneven
check "some of it is padding" "! grep -q ' 0.0 % of their places padding' err"
cut -f 1 uneven.tsv > sources
attend translate uneven < sources > out 2> err && good || bad "translate" err

# what is left out for a test can be found again
expect 0 attend train "${small[@]}" "${sizes[@]}" --test 6 --out tested
says err "what was left out is in tested/training/test.tsv"
check "as many as were asked for" "[ \$(wc -l < tested/training/test.tsv) -ge 6 ]"
check "and they are pairs of the file" "! grep -vxFf pairs.tsv tested/training/test.tsv"

# hard attention: the loss is that of the words
expect 0 attend train "${small[@]}" "${sizes[@]}" --steps 20 --attention additive/global/hard \
    --out hard -q
number() { sed -n "1s/.*\"$1\": \([-0-9.]*\).*/\1/p" hard/training/metrics.jsonl; } # NAME
check "the training loss is about that of the validation" \
    "awk 'BEGIN { exit !($(number training_loss) > 0.95 * $(number loss)) }'"

# help tells no default that another preset contradicts
expect 0 attend help train
tr '\n' ' ' < out | tr -s ' ' > flat
for option in --place --readout --start "--.no-.bidirectional"; do
    check "$option is the preset's" "grep -q -- '$option[^(]*(by preset)' flat"
done
says flat "Width of the recurrent states (256, or by preset)"
says flat "else bleu (of the first 1000 pairs) of translators"

# translating: what is searched is not drawn; files are not replaced unasked; models are folders
cut -f 1 pairs.tsv > in.txt
expect 2 attend translate m1 --sample --beam 4
says err "--sample draws, --beam searches"
expect 2 attend classify m1 in.txt
says err "attend classify m1 < in.txt"
expect 2 attend translate m1 in.txt
says err "attend translate m1 < in.txt"
attend translate m1 --attention-out w.png < in.txt > out 2> err
says err "attend translate: w.png shows 1 of "
for file in w.png w.jsonl; do
    echo kept > $file
    expect 2 attend translate m1 --attention-out $file
    says err "$file exists; --overwrite replaces it"
    check "it is as it was" "[ \"\$(cat $file)\" = kept ]"
    attend translate m1 --attention-out $file --overwrite < in.txt > out 2> err
    check "--overwrite replaces it" "! grep -qx kept $file"
done
expect 0 attend train "${small[@]}" "${sizes[@]}" --preset cho --out plain -q
attend translate plain --show < in.txt > out 2> err
check "said once" "[ \$(grep -c 'has no attention to draw' err) -eq 1 ]"

# an option that would change nothing is refused, with the way out, and the way is one
idle() # WAY OPTIONS...: what the options lack
{
    local way=$1
    shift
    expect 2 attend train "${small[@]}" "${sizes[@]}" "$@" --out idle --overwrite
    says err "$way"
    unread
    expect 0 attend train "${small[@]}" "${sizes[@]}" "$@" ${way/ and / } --out idle --overwrite -q
}
idle "--place before" --preset rnn-encdec --attention additive
idle "--place before" --preset sutskever --attention dot
idle "--place before" --preset rnn-encdec --attention-size 4
idle "--place before and --no-context-each-step" --preset cho --attention additive
idle "--no-context-each-step" --preset cho --place before
idle "--no-input-feeding" --preset luong --place before
expect 2 attend train --data pairs.tsv --preset luong --place none --attention dot --out idle
says err "--place before"
expect 2 attend train --data pairs.tsv --preset cnn-classifier --attention dot --out idle
says err "--pool attention"
attend train --preset cho --dump-config > cho.yaml
expect 0 attend train "${small[@]}" --config cho.yaml "${sizes[@]}" --out idle2 -q
expect 2 attend compare --data pairs.tsv --presets bahdanau,rnn-encdec+attention=dot --out idle3
says err "--place before"
expect 2 attend train "${small[@]}" "${sizes[@]}" --guided-weight 2 --out idle
says err "--guided-alignment FILE"
expect 2 attend translate m1 --length-rule none --length-penalty 0.5
says err "--length-penalty is for --length-rule average and wu"
expect 2 attend translate m1 --forced in.txt --beam 3
says err "--forced leaves no choice"
expect 2 attend compare --data pairs.tsv --presets luong+attenton=dot --out idle3
says err "did you mean attention?"

# what a split left is data like any other
expect 0 attend data make en-fr --count 3000 --out made.tsv
expect 0 attend data split made.tsv --out parts
expect 0 attend train --data parts/train.tsv "${sizes[@]}" --steps 1 --test 3% --out again -q
check "3 % are left out again" '[ $(wc -l < again/training/test.tsv) -ge 40 ]'
expect 0 attend data split parts/train.tsv --out parts2
check "a second split has a test" '[ $(wc -l < parts2/test.tsv) -ge 20 ]'
expect 2 attend train "${small[@]}" "${sizes[@]}" --test 0.0001% --out again2
says err "--test 0.0001% of 64 pairs is none"

# weights that are no numbers are refused by everybody who reads them
cp -r m1 spoilt
LC_ALL=C sed -i 's/attend\.xxh3\./another.sum./g' spoilt/model.safetensors # has no checksums then
size=$(wc -c < spoilt/model.safetensors)
printf '\0\0\300\177' | dd of=spoilt/model.safetensors bs=1 seek=$((size - 4)) conv=notrunc 2> err
for command in "score spoilt pairs.tsv" "evaluate spoilt pairs.tsv" \
    "average m1 spoilt --out mean"; do
    expect 65 attend $command
    says err "spoilt/model.safetensors: tensor '"
    says err "is not finite"
done
echo "one two" > line
check "translating with them is refused" '! attend translate spoilt < line > out 2> err'
says err "is not finite"

# what is there stays
cp pairs.tsv kept.tsv
expect 2 attend evaluate m1 pairs.tsv --out kept.tsv
says err "--out: kept.tsv exists; --overwrite replaces it"
check "it is as it was" "cmp -s pairs.tsv kept.tsv"
expect 0 attend evaluate m1 pairs.tsv --out kept.tsv --overwrite
check "it has the translations" '[ $(wc -l < kept.tsv) -eq 64 ]'

# what is compared translates, and that is known before anything is trained
expect 2 attend compare --data pairs.tsv --valid 8 --presets luong,rnn-lm --steps 1 --out idle4
says err "--presets rnn-lm: it is no translator"
check "nothing is trained" "[ ! -e idle4/luong ]"

# a run that lost what it was told
cp -r m1 lost
rm lost/training/settings.yaml
expect 74 attend train --resume --out lost --steps 4
says err "lost/training/settings.yaml is missing"

# a sentence ends its line where a picture follows
printf 'One two. Three four.\n' | attend translate m1 --split --show > out 2> err
check "sentences have lines of their own" '! grep -q "[a-z.].*[┌|]" out'

# a table in place of texts, a file without its option, a line that is no pair, a folder of no model
head -n 3 pairs.tsv > table.tsv
expect 0 attend translate m1 --src table.tsv --beam 1
says err "3 lines with a tab, the first at table.tsv:1, read as a blank; of a table, cut -f 1 takes"
expect 2 attend train pairs.tsv --out m9
says err '"pairs.tsv" is one operand too many; files are given with --data'
sed '5s/\t/ /' pairs.tsv > gap.tsv
expect 65 attend train "${small[@]/pairs.tsv/gap.tsv}" --out m9
says err "gap.tsv:5: no tab: a pair is SOURCE, a tab, TARGET; attend data check gap.tsv --fix CLEAN"
mkdir hollow
expect 66 attend translate hollow
says err "hollow: there is no config.json in it; a model is the folder that attend train made"
