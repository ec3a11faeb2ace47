# Damage to files that attend wrote is noticed by every command that uses them.

awk 'BEGIN { n = split("one two three four five six seven eight", a)
        split("un deux trois quatre cinq six sept huit", b)
        for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
            print a[i] " " a[j] "\t" b[i] " " b[j] }' > pairs.tsv
settings=(--data pairs.tsv --valid 4 --hidden 8 --embedding 8 --batch 16 --threads 1 --curves none)
expect 0 attend train "${settings[@]}" --tokenizer gpt2 --vocabulary 270 --steps 6 --keep 2 --out m
for name in . source target training; do
    check "a list in $name" "[ -s m/$name/attend-checksums.txt ]"
done
check "it lists what was written" \
    "[ \"\$(cut -c19- m/source/attend-checksums.txt | sed '1d;\$d' | xargs)\" = \
        'tokenizer.json tokenizer_config.json vocab.json merges.txt' ]"
expect 0 attend inspect --verify m
check "all is intact" 'grep -q "^[0-9]* files intact$" out && [ $(wc -l < out) -eq 1 ]'
expect 0 attend inspect --verify m/model.safetensors
says out "1 file intact"

# ---- bits, one at a time ---------------------------------------------------------------------

seed=2024
random() { seed=$(((seed * 16807) % 2147483647)); found=$((seed % $1)); } # BELOW

flip() # FILE BYTE BIT
{
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf "\\x$(printf %02x $((byte ^ (1 << $3))))" |
        dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}

noticed() # FLIPS FILE COMMAND...: each ends with 65 and names the folder
{
    local flips=$1 file=$2 size unnoticed=0 at bit
    shift 2
    size=$(wc -c < "$file")
    for ((i = 0; i < flips; i++)); do
        random "$size"; at=$found
        random 8; bit=$found
        flip "$file" "$at" "$bit"
        "$@" > out 2> err < line
        [ $? -eq 65 ] && grep -q "${file%%/*}" err || unnoticed=$((unnoticed + 1))
        flip "$file" "$at" "$bit"
    done
    check "$flips flips of $file" "[ $unnoticed -eq 0 ]"
}

head -n 1 pairs.tsv | cut -f 1 > line # weights are verified when they are used
resume=(attend train --resume --steps 9 --out)
noticed 20 m/model.safetensors attend translate m
noticed 6 m/model.safetensors attend inspect --verify m
noticed 6 m/model.safetensors attend average m --out mean
noticed 20 m/config.json attend translate m
noticed 4 m/config.json attend inspect m
noticed 4 m/config.json attend average m --out mean
noticed 10 m/attend-checksums.txt attend translate m
for file in vocab.json merges.txt tokenizer.json attend-checksums.txt; do
    noticed 8 m/target/$file attend score m pairs.tsv
done
noticed 4 m/source/merges.txt attend tokenize -t m/source
noticed 4 m/source/merges.txt attend tokenize -t m/source/vocab.json
noticed 4 m/source/merges.txt attend inspect m
noticed 4 m/source/vocab.json attend average m --out mean
noticed 10 m/training/last.safetensors "${resume[@]}" m
noticed 10 m/training/settings.yaml "${resume[@]}" m
noticed 4 m/training/last.safetensors attend inspect --verify m
noticed 4 m/training/step-000006.safetensors attend inspect --verify m
noticed 4 m/config.json attend train "${settings[@]}" --init-from m --steps 1 --out other
check "nothing was made of damaged files" "[ ! -e other ] && [ ! -e mean/model.safetensors ]"
expect 0 attend inspect --verify m
rm -rf mean

# ---- every fault has its line ------------------------------------------------------------------

cp -r m broken
flip broken/model.safetensors $(($(wc -c < broken/model.safetensors) - 1)) 0
flip broken/training/last.safetensors 100 0
flip broken/source/merges.txt 10 0
echo "{}" > broken/config.json
rm broken/target/vocab.json
expect 65 attend inspect --verify broken
says err "broken: 5 faults"
check "a line for each fault" '[ $(grep -c ";" out) -eq 5 ]'
says out "broken/model.safetensors: tensor '"
says out "broken/target/vocab.json: is missing, but listed"
says out "broken/source/merges.txt: does not match its checksum"
expect 66 attend inspect --verify nothing
mkdir empty
expect 65 attend inspect --verify empty
expect 2 attend inspect --verify --json m
expect 2 attend inspect --verify --build

# ---- files that were edited --------------------------------------------------------------------

cp -r m edited
sed -i 's/$/ /' edited/config.json
expect 65 attend translate edited
says err "edited/config.json: does not match its checksum"
says err "attend inspect --update-checksums edited accepts it"
expect 0 attend inspect --update-checksums edited
silent err
expect 0 attend translate edited
expect 0 attend inspect --verify edited
sed -i 's/$/ /' edited/target/vocab.json
expect 65 attend translate edited
says err "attend inspect --update-checksums edited/target accepts it"
expect 0 attend inspect --update-checksums edited/target
expect 0 attend translate edited
expect 2 attend inspect --update-checksums m/model.safetensors

# ---- files without checksums, as older versions and other programs write them --------------------

cp -r m old
find old -name attend-checksums.txt -delete
find old -name '*.safetensors' -exec env LC_ALL=C sed -i 's/attend\.xxh3\./another.sum./g' {} +
expect 0 attend inspect --verify old
says out "old/model.safetensors: no checksums, not verified"
says out "old/source: no checksums, not verified"
says out "0 files intact"
expect 0 attend translate old
expect 0 "${resume[@]}" old
cp -r m copy
expect 0 "${resume[@]}" copy
check "the run is the same" "cmp -s old/training/last.safetensors copy/training/last.safetensors"
expect 0 attend inspect --verify copy
expect 0 attend average old m --out mean
expect 0 attend inspect --verify mean
check "what is written has checksums" '! grep -q "no checksums" out'
expect 0 attend train "${settings[@]}" --init-from mean --steps 1 --out begun
expect 0 attend translate begun
expect 0 attend vocab learn --kind words --out voc pairs.tsv
expect 0 attend inspect --verify voc
noticed 4 voc/tokenizer.json attend tokenize -t voc

# ---- a run that is killed leaves a folder that opens, and resumes --------------------------------

for ((i = 1; i <= 8; i++)); do
    attend train "${settings[@]}" --steps 400 --validate-every 2 --checkpoint-every 2 --overwrite \
        --out killed > /dev/null 2>&1 &
    sleep 0.0$((i * 11 % 10))
    [ $i -lt 5 ] || sleep 0.1
    kill -9 $! 2> /dev/null
    wait $! 2> /dev/null
    [ ! -d killed ] || { attend inspect --verify killed > out 2> err; code=$?
        check "kill $i: no fault" "[ $code -eq 0 ] || grep -q 'neither weights nor' err"; }
    [ ! -e killed/model.safetensors ] || expect 0 attend translate killed
done
[ ! -e killed/training/settings.yaml ] || expect 0 "${resume[@]}" killed

# ---- files that are missing, or written to while they are in use ----

cp -r m whole
rm whole/model.safetensors
fails() { check "$1 fails" "! attend $1 > out 2> err"; }
fails "inspect --verify whole"
cp m/model.safetensors whole/
rm whole/target/tokenizer.json
fails "inspect --verify whole"
fails "inspect --update-checksums whole"
says err "tokenizer.json: is missing"
mkdir nothing
expect 65 attend inspect --update-checksums nothing
says err "nothing: has no checksums to update"
cp -r m used
mkfifo lines
attend translate used < lines > out 2> err &
{
    cat line
    for ((i = 0; i < 100; i++)); do [ -s out ] && break; sleep 0.1; done
    cat m/model.safetensors > used/model.safetensors
    cat line
} > lines
wait $!
check "weights that change in use end the work with 74" "[ $? -eq 74 ]"
says err "used/model.safetensors: was written to while it is in use"
