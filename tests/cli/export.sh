# Folders of the Hugging Face hub written again: the same tensors and files, whole or not at all.

fixtures=$root/tests/fixtures/hub
number() { od -An -tu8 -N 8 "$1" | tr -d ' '; }                         # FILE: bytes of its header
header() { head -c $((8 + $(number "$1"))) "$1" | tail -c +9; }          # FILE
numbers() { tail -c +$((9 + $(number "$1"))) "$1"; }                    # FILE: the data
tensors() { header "$1" | grep -o '"[^"]*":{"dtype[^}]*}' | sort; }     # FILE: names, types, places
same() # FOLDER FOLDER: the same tensors, and other files byte for byte
{
    cmp -s <(numbers "$1/model.safetensors") <(numbers "$2/model.safetensors") &&
        cmp -s <(tensors "$1/model.safetensors") <(tensors "$2/model.safetensors") &&
        [ "$(tensors "$2/model.safetensors" | wc -l)" -gt 5 ] &&
        diff -r -x model.safetensors "$1" "$2"
}

for kind in marian xlnet; do
    expect 0 attend export "$fixtures/$kind" $kind
    says err "$kind is written"
    silent out
    check "$kind: tensors and files are the same" "same '$fixtures/$kind' $kind"
    check "$kind: metadata is kept" \
        "header $kind/model.safetensors | grep '\"format\":\"pt\"' > /dev/null"
    expect 0 attend inspect --verify $kind
    expect 0 attend export $kind again -q
    silent err
    check "$kind: again, the same bytes" "diff -r $kind again"
    rm -r again
done
echo '>>fra<< Two dogs run over green grass.' > in
expect 0 attend translate marian --beam 4 --max-tokens 11 --src in
check "it translates" '[ "$(cat out)" = wwwwwwwwww ]'

# weights in two files become one; what is not needed stays behind
cp -r "$fixtures/xlnet" parts
chmod -R u+w parts
whole=parts/model.safetensors
first='"logits_proj.bias":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}'
part() # FILE HEADER: a file of weights, with the data from standard input
{
    local n=${#2} bytes
    bytes=$(printf '\\%03o\\%03o\\000\\000\\000\\000\\000\\000' $((n % 256)) $((n / 256)))
    { printf "$bytes"; printf %s "$2"; cat; } > "$1"
}
rest=$(header $whole | sed 's/ *$//' | awk -v first="$first," '
    {
        at = index($0, first)
        left = substr($0, 1, at - 1) substr($0, at + length(first))
        while (match(left, /"data_offsets":\[[0-9]+,[0-9]+\]/)) {
            split(substr(left, RSTART + 16, RLENGTH - 17), place, ",")
            done = done substr(left, 1, RSTART - 1) \
                sprintf("\"data_offsets\":[%d,%d]", place[1] - 12, place[2] - 12)
            left = substr(left, RSTART + RLENGTH)
        }
        printf "%s%s", done, left
    }')
numbers $whole | head -c 12 |
    part parts/model-1.safetensors "{\"__metadata__\":{\"format\":\"pt\"},$first}"
numbers $whole | tail -c +13 | part parts/model-2.safetensors "$rest"
{
    printf '{"weight_map": {"logits_proj.bias": "model-1.safetensors"'
    printf %s "$rest" | grep -o '"[^"]*":{"dtype' |
        sed 's/:{"dtype/: "model-2.safetensors"/; s/^/, /'
    echo '}}'
} > parts/model.safetensors.index.json
rm $whole
expect 0 attend inspect parts
check "inspect lists the tensors of both files" 'grep -q logits_proj.bias out &&
    grep -q word_embedding.weight out'
mkdir -p parts/1_Pooling parts/.cache
echo '{}' > parts/1_Pooling/config.json
touch parts/.cache/lock parts/pytorch_model.bin
ln -s ../in parts/README.md
expect 0 attend export parts one
check "one file of weights" '[ "$(ls -A one | paste -sd " ")" = \
    "1_Pooling README.md config.json model.safetensors tokenizer_config.json" ]'
check "files in folders, and behind links" 'cmp -s one/README.md in && [ ! -L one/README.md ] &&
    cmp -s one/1_Pooling/config.json parts/1_Pooling/config.json'
check "the tensors of both files" 'cmp -s one/model.safetensors xlnet/model.safetensors'

# where it may go
expect 2 attend export marian one
says err "the folder is not empty; choose another one, or --overwrite replaces it"
check "it is untouched" 'cmp -s one/model.safetensors xlnet/model.safetensors'
expect 0 attend export --overwrite marian one
check "nothing stays of the model that was there" 'diff -r marian one'
mkdir empty mine
touch mine/letter
expect 0 attend export marian empty/
check "an empty folder is filled" 'diff -r marian empty'
expect 2 attend export --overwrite marian mine
says err "the folder has other files and no config.json, and is not replaced"
check "other files stay" '[ -f mine/letter ]'
expect 0 attend export marian new/deep/folder
check "folders above it are made" 'diff -r marian new/deep/folder'
for out in marian marian/copy .; do
    [ $out != . ] || cp marian/config.json .
    expect 2 attend export --overwrite marian $out
    says err "is in the other; choose another one"
done
check "the model is untouched" "same '$fixtures/marian' marian"
expect 66 attend export marian in/side

# a model that is damaged, or of another kind, makes nothing
cp -r marian damaged
printf x | dd of=damaged/model.safetensors bs=1 seek=60000 conv=notrunc 2> dd
expect 65 attend export damaged never
says err "checksum"
expect 2 attend export "$root/tests/fixtures/models-0.1/cnn-classifier" never
says err "the hub has no models of the kind classifier"
expect 66 attend export missing never
check "nothing is left behind" '[ ! -e never ] && [ -z "$(find . -name ".attend-*")" ]'
expect 2 attend export marian
expect 2 attend export --to mbart marian never
says err "--to mbart: unknown kind of folder; choose hf, marian, gpt2"
expect 2 attend export --to gpt2 marian never
says err "--to gpt2: the model is of the kind marian"

# models that were trained here: the folder opens as the same model
attend data make en-fr --count 300 --out pairs.tsv 2> made
cut -f1 pairs.tsv | head -20 > in
cut -f2 pairs.tsv > text
trained() # NAME OPTION...: a model after a few steps
{
    local name=$1
    shift
    expect 0 attend train --layers 2 --heads 2 --ffn 24 --hidden 16 --steps 30 --valid 20 \
        --out "$name" "$@"
}
translated() # OPTION...: text and its folder translate alike
{
    expect 0 attend translate trained "$@" --src in
    sed 's/ *$//' out > expected # Marian's tokenizer strips
    expect 0 attend translate moved "$@" --src in
    check "the same translations $*" 'cmp -s out expected && [ -s out ]'
}
again() { rm -rf trained moved; trained trained --tokenizer sentencepiece "$@" --data pairs.tsv; }
expect 2 attend train --preset transformer --positions stored --data pairs.tsv --out trained
says err "--positions stored: transformer has no stored vectors before it is trained"
again --preset transformer --vocabulary 120
expect 0 attend export --to marian trained moved
check "the files of Marian" '[ "$(ls moved | paste -sd " ")" = "config.json generation_config.json \
model.safetensors source.spm target.spm tokenizer_config.json vocab.json" ]'
expect 0 attend inspect --verify moved
translated
translated --beam 1
translated --beam 2 --max-tokens 7
again --preset d2l-transformer --vocabulary 120 --decoder-layers 1
expect 0 attend export trained moved
check "two vocabularies, biases of zeros" '[ -f moved/target_vocab.json ]'
translated
again --preset transformer --positions learned --max-positions 300 --vocabulary 120 \
    --attention scaled-dot/global/soft/4 --decoder-attention scaled-dot/global/soft/4
expect 0 attend export --to hf trained moved
translated
again --preset transformer --norm pre --vocabulary 120 --output copy --attention additive
expect 2 attend export --to marian trained moved
says err "norm is 'pre', it must be 'post'; attention is 'additive', it must be 'scaled-dot'"
says err "output is 'copy', it must be 'words'"
check "no folder is made" '[ ! -e moved ]'
rm -r trained
trained trained --preset transformer --tokenizer words --data pairs.tsv
expect 2 attend export trained moved
says err "the tokenizer is of the kind words, and Marian's models have SentencePiece"
rm -r trained

scored() # text has the same log-probabilities in both
{
    expect 0 attend score trained text
    mv out expected
    expect 0 attend score moved text
    check "$1" 'cmp -s out expected && [ -s out ]'
    rm -r trained moved
}
trained trained --preset gpt2 --context 16 --vocabulary 300 --data text
expect 0 attend export --to gpt2 trained moved
# ids of special tokens are below the number of tokens, which may be thousands
cp -r moved changed
sed -i 's/"eos_token_id": [0-9]*/"eos_token_id": 700/' changed/config.json
expect 65 attend generate changed --max-tokens 1
says err "key 'eos_token_id' must be an integer from 0 to "
check "the number of tokens" "! grep -q 'from 0 to 999' err"
check "the tokenizer of GPT-2" 'cmp -s moved/vocab.json trained/tokenizer/vocab.json &&
    cmp -s moved/merges.txt trained/tokenizer/merges.txt && [ -f moved/tokenizer.json ]'
scored "GPT-2 scores texts as before"
trained trained --preset gpt2 --context 16 --tokenizer chars --newline end --no-tied \
    --attention dot --data text --ffn 0 --dropout 0.25
expect 0 attend export trained moved
for value in '"n_inner": 64' '"resid_pdrop": 0.25' '"embd_pdrop": 0.25' '"attn_pdrop": 0.25'; do
    says moved/config.json "$value"
done
says err "transformers has no tokenizer of the kind chars"
scored "GPT-2 of characters"
trained trained --preset gpt2 --context 16 --tokenizer chars --attention cosine --data text
expect 2 attend export trained moved
says err "attention is 'cosine', it must be scaled-dot or dot"
rm -r trained

head -60 text | awk '{ print $0 "\t" (NR % 2 ? "odd" : "even") }' > labelled.tsv
for preset in bert-tiny xlnet-tiny; do
    trained trained --preset $preset --task classify --vocabulary 200 --data labelled.tsv
    expect 0 attend export trained moved
    expect 0 sh -c "attend classify trained < in"
    mv out expected
    expect 0 sh -c "attend classify moved < in"
    check "$preset classifies as before" 'cmp -s out expected && [ -s out ]'
    rm -r trained moved
done
