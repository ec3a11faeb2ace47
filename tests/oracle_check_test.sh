#!/bin/sh
# oracle-check passes on good cases, and fails and says why on every kind of bad one.
# usage: oracle_check_test.sh BUILD_FOLDER
set -u
export LC_ALL=C

check=$1/oracle-check
fixtures=$(cd "$(dirname "$0")/fixtures/oracle" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}

# expect WHAT CODE PATTERN ARGUMENT...: runs oracle-check, looks at its exit code and its output
expect() {
    what=$1 code=$2 pattern=$3
    shift 3
    "$check" "$@" >"$work/out" 2>&1
    got=$?
    if [ $got -ne "$code" ]; then
        fail "$what: exit code $got, not $code"
    elif ! grep -Eq -- "$pattern" "$work/out"; then
        fail "$what: no line matches $pattern"
    else
        echo "ok: $what"
    fi
}

# fresh CASE...: a new set in $set that holds copies of these cases
fresh() {
    set=$work/set
    rm -rf "$set"
    for one in "$@"; do
        mkdir -p "$set/$one"
        cp "$fixtures/$one"/* "$set/$one"
    done
}

# spoil_end FILE: the last float of a safetensors file becomes 1000
spoil_end() {
    size=$(wc -c <"$1")
    printf '\000\000\172\104' | dd of="$1" bs=1 seek=$((size - 4)) conv=notrunc 2>"$work/dd"
}

# ---- good cases

cases=$(find "$fixtures" -name expected.json -o -name '*.jsonl' | wc -l)
expect "all fixtures pass" 0 "^$cases passed, 0 failed$" "$fixtures"
"$check" "$fixtures" rnn/ | grep ' ok ' >"$work/of_set"
"$check" "$fixtures/rnn" | grep ' ok ' >"$work/of_family"
expect "a family's folder is taken for what it is" 0 \
    "^rnn/gru_2l_bi +ok +worst [0-9.e-]+ +of [0-9.e-]+$" "$fixtures/rnn"
cmp -s "$work/of_set" "$work/of_family" || fail "set and family folder print different lines"
expect "a single case's folder too" 0 "^1 passed, 0 failed$" "$fixtures/rnn/gru_2l_bi/"
expect "the filter is a part of family/case" 0 "^1 passed, 0 failed$" "$fixtures" nn/gru_1l_bi_p
(cd "$fixtures/mha" && "$check" . >"$work/out" 2>&1) || fail "the folder may be called ."
grep -Eq "^mha/kvdim +ok " "$work/out" || fail "the folder . has its family's name"

# ---- wrong numbers

fresh ops/ops_layernorm_1 rnn/gru_2l_bi
spoil_end "$set/ops/ops_layernorm_1/expected.safetensors"
expect "a wrong output is found and named" 1 "^ops/ops_layernorm_1 +FAIL +y: error .* of " "$set"
grep -Eq "^rnn/gru_2l_bi +ok " "$work/out" || fail "the case next to it still passes"
grep -q "^1 passed, 1 failed$" "$work/out" || fail "passed and failed are counted"

fresh optim/optim_adamw
spoil_end "$set/optim/optim_adamw/expected.safetensors"
expect "a wrong trajectory" 1 "FAIL +trajectory.w: error " "$set"

fresh attention/scaled_dot_masked
sed -i 's/"loss": [^,]*$/"loss": 1000/' "$set/attention/scaled_dot_masked/expected.json"
expect "a wrong loss" 1 "FAIL +scalars.loss: error " "$set"

fresh rnn/lstm_1l_bi_packed
sed -i '/"param.weight_hh_l0"/,/l2/s/"l2": /"l2": 1/' "$set/rnn/lstm_1l_bi_packed/expected.json"
expect "a wrong gradient norm" 1 "FAIL +grads.param.weight_hh_l0.l2: error " "$set"

fresh mha/kvdim
sed -i '/"input.key"/,/"value"/s/"value": \[/"value": [1e3,/
        /"input.key"/,/"value"/s/"index": \[/"index": [0,/' "$set/mha/kvdim/expected.json"
expect "a wrong gradient sample" 1 "FAIL +grads.input.key: error " "$set"

fresh mha/kvdim # sorted by name: the model's last tensor is v_proj_weight
spoil_end "$set/mha/kvdim/model.safetensors"
expect "a wrong weight" 1 "FAIL +.* and [0-9]+ more$" "$set"

fresh optim/optim_schedules
sed -i '/"exponential_0.95"/,/]/s/0.0095/0.0096/' "$set/optim/optim_schedules/expected.json"
expect "a wrong learning rate" 1 "FAIL +schedules.exponential_0.95: error " "$set"

fresh optim/optim_clip_1
sed -i 's/"total_norm": /"total_norm": 1/' "$set/optim/optim_clip_1/expected.json"
expect "a wrong norm" 1 "FAIL +scalars.total_norm: error " "$set"

fresh_tokenizers() {
    fresh
    mkdir -p "$set/tokenizers"
    cp -r "$fixtures/vocab" "$set"
    cp "$fixtures/tokenizers/bert_small_uncased.jsonl" "$set/tokenizers"
}

fresh_tokenizers
expect "a tokenizer's file is a case" 0 "^tokenizers/bert_small_uncased.jsonl  ok  " "$set"
sed -i '3s/"ids": \[/"ids": [0, /' "$set/tokenizers/bert_small_uncased.jsonl"
expect "a wrong id" 1 "FAIL  line 3 .*: [0-9]+ ids, expected [0-9]+$" "$set"
fresh_tokenizers
sed -i '2s/"tokens": \["/"tokens": ["x/' "$set/tokenizers/bert_small_uncased.jsonl"
expect "a wrong piece" 1 "FAIL  line 2 .*: tokens\[0\] is " "$set"
fresh_tokenizers
sed -i '$d' "$set/vocab/bert_uncased/vocab.txt"
sed -i '5d' "$set/vocab/bert_uncased/vocab.txt"
expect "another vocabulary" 1 "FAIL  line 1 " "$set"
fresh_tokenizers
rm "$set/vocab/bert_uncased/vocab.txt"
expect "no vocabulary" 1 "FAIL  no vocabulary for bert_small_uncased" "$set"

fresh bleu/brevity
sed -i '0,/"score": [0-9.]*/s//"score": 12.34/' "$set/bleu/brevity/expected.json"
expect "a wrong score" 1 "FAIL  bleu\\[0\\].score: error " "$set"

fresh bleu/brevity
sed -i '0,/"ref_len": 7/s//"ref_len": 8/' "$set/bleu/brevity/expected.json"
expect "a length that is off by one" 1 "FAIL  bleu\\[0\\].ref_len: error 1e0 of 0 " "$set"

fresh bleu/brevity
sed -i 's/nw:2|/nw:3|/' "$set/bleu/brevity/expected.json"
expect "another signature" 1 "FAIL  chrf\\[2\\]: the signature is .*nw:2" "$set"

fresh bleu/brevity
echo "one line more" >>"$set/bleu/brevity/hyp.txt"
expect "lines that do not belong together" 1 "^bleu/brevity  FAIL  .*reference:2: " "$set"

fresh bleu/brevity
cp "$fixtures/bleu/tokenization.jsonl" "$set/bleu"
sed -i 's/"intl": ". mask/"intl": "[mask/' "$set/bleu/tokenization.jsonl"
expect "a line that is cut in another way" 1 \
    "^bleu/tokenization.jsonl  FAIL  line .*: intl makes \"\\[ mask \\] lower\", expected" "$set"
grep -Eq "^bleu/brevity +ok" "$work/out" || fail "the case next to the file passes"

# ---- what nobody compared

fresh rnn/lstm_1l_bi_packed
sed -i 's/"c_n"/"d_n"/' "$set/rnn/lstm_1l_bi_packed/expected.safetensors"
expect "an expected tensor that nobody computes" 1 "FAIL +d_n: expected, but not compared" "$set"

fresh ops/ops_layernorm_1
sed -i 's/"scalars": {/"scalars": {"speed": 3,/' "$set/ops/ops_layernorm_1/expected.json"
expect "an expected scalar that nobody computes" 1 "FAIL +scalars.speed: expected, but not" "$set"

fresh ops/ops_layernorm_1
sed -i 's/"grads": {/"grads": {"input.z": {},/' "$set/ops/ops_layernorm_1/expected.json"
expect "an expected gradient that nobody computes" 1 "FAIL +grads.input.z: expected, but not" "$set"

fresh
mkdir -p "$set/optim/none"
echo '{"family": "lr_schedule", "schedules": {}}' >"$set/optim/none/expected.json"
expect "a case without numbers" 1 "^optim/none +FAIL +nothing compared" "$set"

# ---- unknown

fresh ops/ops_softmax_extreme
mkdir -p "$set/tokenizers"
echo '{"id": 1}' >"$set/tokenizers/some.jsonl"
mv "$set/ops" "$set/psychic"
expect "an unknown family fails" 1 "^psychic/ops_softmax_extreme +unknown +" "$set"
grep -q "^0 passed, 2 failed$" "$work/out" || fail "unknown cases count as failed"
expect "an unknown family's folder fails" 1 "^psychic/ops_softmax_extreme +unknown +" "$set/psychic"

fresh optim/optim_adamw
sed -i 's/adamw.AdamW/lion.Lion/' "$set/optim/optim_adamw/expected.json"
expect "an unknown optimiser fails" 1 "^optim/optim_adamw +unknown +.*Lion" "$set"

fresh bleu/case
sed -i '0,/"tokenize": "13a"/s//"tokenize": "13a", "warp": 1/' "$set/bleu/case/expected.json"
expect "an unknown setting fails" 1 "^bleu/case  unknown  bleu has the setting warp" "$set"

fresh bleu/case
sed -i 's/"ter": /"wer": /' "$set/bleu/case/expected.json"
expect "an unknown measure fails" 1 "^bleu/case  FAIL  wer: expected, but not compared" "$set"

fresh optim/optim_adamw
sed -i 's/"lr":/"warp": 1, "lr":/' "$set/optim/optim_adamw/expected.json"
expect "an unknown option fails" 1 "^optim/optim_adamw +(FAIL|unknown) +.*warp" "$set"

# ---- broken files

fresh rnn/gru_2l_bi mha/kvdim ops/ops_layernorm_1
truncate -s 300 "$set/rnn/gru_2l_bi/model.safetensors"
rm "$set/mha/kvdim/inputs.safetensors"
echo '{"family": ' >"$set/ops/ops_layernorm_1/expected.json"
expect "broken files fail, each with its reason" 1 "^0 passed, 3 failed$" "$set"
grep -Eq "^rnn/gru_2l_bi +FAIL +.*model.safetensors" "$work/out" || fail "the broken file is named"
grep -Eq "^mha/kvdim +FAIL +.*query" "$work/out" || fail "the missing tensor is named"
grep -Eq "^ops/ops_layernorm_1 +FAIL +.*expected.json" "$work/out" || fail "the bad JSON is named"

fresh rnn/gru_2l_bi
for name in model inputs expected; do
    cp "$fixtures/rnn/gru_2l_bi/$name.safetensors" "$work/whole"
    for size in 0 7 8 40 200 600; do
        head -c $size "$work/whole" >"$set/rnn/gru_2l_bi/$name.safetensors"
        expect "$name.safetensors cut after $size bytes" 1 "^rnn/gru_2l_bi +FAIL +" "$set"
    done
    cp "$work/whole" "$set/rnn/gru_2l_bi/$name.safetensors"
done

fresh rnn/gru_2l_bi # sizes that do not fit together
cp "$fixtures/rnn/gru_1l_bi_packed/inputs.safetensors" "$set/rnn/gru_2l_bi"
expect "inputs of another case" 1 "^rnn/gru_2l_bi +FAIL +" "$set"

# ---- arguments

expect "no arguments" 2 "^usage: "
expect "too many arguments" 2 "^usage: " "$fixtures" rnn more
expect "an unknown option" 2 "^usage: " --fast
expect "help" 0 "^usage: " --help
expect "a folder that does not exist" 66 "No such file" "$work/nowhere"
expect "a file where a folder should be" 66 "not a folder" "$work/out"
expect "a filter that matches nothing" 1 "no case matches" "$fixtures" rnn/none

echo "$failures failed"
[ "$failures" -eq 0 ]
