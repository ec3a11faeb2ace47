# Folders of the Hugging Face hub as models. The fixture has random weights; the translations are
# those of transformers 4.26.1.

model=$root/tests/fixtures/hub/marian
printf '%s\n' '>>fra<< Please translate this sentence.' \
    '>>fra<< Two dogs run over green grass.' > in
printf '%s\n' viiveiveiveiveiveiveiveiveive wwwwwwwwww > expected

expect 0 attend translate "$model" --beam 4 --max-tokens 11 --src in
check "the translations of transformers" 'cmp -s out expected'

cp -r "$model" folder
chmod -R u+w folder
sed 's/"use_cache": true/"num_beams": 4, "max_length": 12/' "$model/config.json" \
    > folder/config.json
expect 0 attend translate folder --src in
check "beam and length of config.json" 'cmp -s out expected'
echo '{"num_beams": 1, "max_length": 4}' > folder/generation_config.json
expect 0 attend translate folder --src in
check "generation_config.json comes first" '[ "$(sed -n 2p out)" = ww ]'
echo '{"typical_p": 0.5}' > folder/generation_config.json
expect 65 attend translate folder --src in
says err "generation_config.json: key 'typical_p' must be 1"
rm folder/generation_config.json

rm folder/source.spm
expect 66 attend translate folder --src in
says err "there are no tokenizer files in it"
cp "$model/source.spm" folder
head -c 3000 "$model/vocab.json" > folder/vocab.json
expect 65 attend translate folder --src in
says err "vocab.json"
sed 's/"<unk>": 1,/"<unk>": 2,/' "$model/vocab.json" > folder/vocab.json
expect 65 attend translate folder --src in
says err "the id of "
