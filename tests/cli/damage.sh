# Files of a model or a run that are damaged, replaced or hostile: refused by name, and at once.

awk 'BEGIN { n = split("one two three four five six seven eight", a)
        split("un deux trois quatre cinq six sept huit", b)
        for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
            print a[i] " " a[j] "\t" b[i] " " b[j] }' > pairs.tsv
awk -F'\t' '{ print $1 "\t" (NR % 2 ? "odd" : "even") }' pairs.tsv > labels.tsv
small=(--hidden 8 --embedding 8 --steps 2 --batch 8 --valid 4 --threads 1 --curves none -q)
expect 0 attend train --data pairs.tsv "${small[@]}" --out good
expect 0 attend train --preset rnn-classifier --data labels.tsv "${small[@]}" --out labels
last=training/last.safetensors
find good labels -name attend-checksums.txt -delete # they would notice everything (checksums.sh)
damage() # NAME: a copy of the good model
{
    rm -rf "$1"
    cp -r good "$1"
}

# ---- config.json: unknown and missing keys ----

damage config
sed -i 's/"reversed"/"reverced"/' config/config.json
expect 65 attend score config pairs.tsv
says err "config/config.json: unknown key 'reverced'; did you mean 'reversed'?"
for key in reversed hidden preset; do
    damage config
    sed -i "/\"$key\"/d" config/config.json
    expect 65 attend score config pairs.tsv
    says err "config/config.json: key '$key' is missing"
done
damage config
sed -i 's/"preset"/"id2label": {"0": "a"},\n  "preset"/' config/config.json
expect 65 attend score config pairs.tsv
says err "unknown key 'id2label'"
expect 65 attend train --data pairs.tsv --init-from config --out elsewhere
says err "unknown key 'id2label'"
sed -i '/"cell"/d' labels/config.json
echo one > line
expect 65 attend classify labels
says err "labels/config.json: key 'cell' is missing"

# ---- settings.yaml: every setting, to the end of the last line ----

lines=$(wc -l < good/training/settings.yaml)
for n in 0 1 2 $((lines / 3)) $((lines / 2)) $((lines - 3)); do
    damage cut
    head -n "$n" good/training/settings.yaml > cut/training/settings.yaml
    expect 65 attend train --resume --steps 4 --out cut
    says err "cut/training/settings.yaml"
    says err "is missing"
    check "nothing has changed" "cmp -s good/$last cut/$last"
done
damage cut
grep -v '^lr:' good/training/settings.yaml > cut/training/settings.yaml
expect 65 attend train --resume --steps 4 --out cut
says err "cut/training/settings.yaml: the setting 'lr' is missing"
damage cut
head -c -1 good/training/settings.yaml > cut/training/settings.yaml
expect 65 attend train --resume --steps 4 --out cut
says err "the last line has no end"
damage cut
echo "lrr: 3" >> cut/training/settings.yaml
expect 2 attend train --resume --steps 4 --out cut
says err "there is no option 'lrr'; did you mean 'lr'?"

# ---- what a terminal would obey is shown as text ----

steers='[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' # control characters but the ends of lines
tame() { check "nothing that a terminal obeys" "! LC_ALL=C grep -qP '$steers' err"; }
esc=$'\x1b'
damage escapes
sed -i 's/"attend-translator"/"\\u001b]0;x\\u0007"/' escapes/config.json
expect 65 attend translate escapes
tame
damage escapes
sed -i 's/"cell": "[a-z]*"/"cell": "\\u001b[31mX\\u009b"/' escapes/config.json
expect 65 attend translate escapes
tame
says err "X"
damage escapes
sed -i "s/^optimizer: .*/optimizer: \"\\\\e[31mX\"/" escapes/training/settings.yaml
expect 2 attend train --resume --steps 4 --out escapes
tame
expect 2 attend train --data pairs.tsv --out nowhere --preset "$esc[31mX"
tame
expect 2 attend train "--$esc[31mX"
tame
awk -v e="$esc" '{ gsub("one", e "[31mone"); print }' pairs.tsv > colored.tsv
expect 0 attend train --data colored.tsv --hidden 8 --embedding 8 --steps 2 --valid 8 --threads 1 \
    --curves none --out colored
says err '\x1b[31mone'
tame

# ---- pipes, devices and folders in the place of files ----

special() # KIND COMMAND...: for every file of the folder m
{
    local kind=$1 file
    shift
    for file in config.json source/tokenizer.json target/tokenizer.json model.safetensors; do
        damage m
        replace "$kind" m/$file
        timeout 20 "$@" > out 2> err < line
        local code=$?
        check "$kind as $file: $* says so ($code)" "[ $code -ne 0 ] && [ $code -lt 124 ]"
        says err "${file##*/}"
    done
}
replace() # KIND FILE
{
    rm -f "$2"
    case $1 in
    fifo) mkfifo "$2" ;;
    device) ln -s /dev/zero "$2" ;;
    folder) mkdir "$2" ;;
    esac
}
for kind in fifo device folder; do
    special $kind attend translate m
    special $kind attend inspect m
    for file in settings.yaml metrics.jsonl last.safetensors; do
        damage m
        replace $kind m/training/$file
        timeout 20 attend train --resume --steps 4 --out m > out 2> err
        code=$?
        check "$kind as $file: --resume says so ($code)" "[ $code -ne 0 ] && [ $code -lt 124 ]"
        says err "$file"
    done
done
damage m
replace fifo m/training/metrics.jsonl
timeout 20 attend inspect m > out 2> err
check "inspect does not wait for metrics" "[ $? -lt 124 ]"

# data may come from pipes
expect 0 attend train --data <(cat pairs.tsv) --config <(echo "batch: 8") --hidden 8 --embedding 8 \
    --steps 1 --valid 4 --curves none --out piped
cut -f1 pairs.tsv | attend translate good > out 2> err
check "lines from a pipe" "[ \$(wc -l < out) -eq 64 ]"

# ---- inspect says what is damaged ----

damage m
head -c 300 good/target/tokenizer.json > m/target/tokenizer.json
expect 65 attend inspect m
says err "m/target/tokenizer.json"
expect 65 attend inspect --json m
silent out

# ---- exit codes and bytes that are not UTF-8 ----

expect 2 attend train --data pairs.tsv --out nowhere --from $'\xff'
says err "--from: not valid UTF-8"
expect 2 attend train --data pairs.tsv --out nowhere --to $'a\xffb'
says err "--to: not valid UTF-8"
cp pairs.tsv moved.tsv
expect 0 attend train --data moved.tsv "${small[@]}" --out gone
rm moved.tsv
expect 66 attend train --resume --steps 4 --out gone
says err "moved.tsv"
