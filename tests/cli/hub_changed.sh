# Folders of the hub with one thing changed: refused by name. The fixtures, and where a larger set
# of folders lies (ATTEND_ORACLE=DIR), one folder of each kind of it.

oracle=${ATTEND_ORACLE:-$root/../shared/oracle}
folders=("$root"/tests/fixtures/hub/*/)
if [ -d "$oracle" ]; then
    for family in gpt2 bert distilbert roberta xlnet marian sentence; do
        for folder in "$oracle/$family"/*/; do
            [ -f "$folder/config.json" ] && folders+=("$folder") && break
        done
    done
else
    skip "$oracle is not there: the fixtures alone are changed"
fi

# A copy without checksums, whose weights can be changed in place.
fresh()
{
    rm -rf changed
    mkdir changed
    cp -r "$1"/. changed
    chmod -R u+w changed
}
config() # KEY VALUE: with this value, JSON
{
    local file=changed/config.json
    if grep -q "\"$1\"" $file; then
        awk -v key="\"$1\":" -v value="$2" '
            index($0, key) && !skipping {
                end = /,[ \t]*$/ ? "," : ""
                open = /\[[ \t]*$/ || /\{[ \t]*$/
                print "  " key " " value (open ? "" : end)
                skipping = open
                next
            }
            skipping { if (/^[ \t]*[]}]/) { skipping = 0; if (/,/) print "  ," }; next }
            { print }' $file > edited
    else
        sed "0,/{/s//{\"$1\": $2,/" $file > edited
    fi
    mv edited $file
}
header() # FROM TO: in the header of the weights, of the same length
{
    LC_ALL=C sed -i "s|$1|$2|" changed/model.safetensors
}
opened() { expect "$1" attend export --overwrite changed moved; } # CODE: with all checks

for folder in "${folders[@]}"; do
    fresh "$folder"
    opened 0
    type=$(sed -n 's/.*"model_type": "\([a-z0-9]*\)".*/\1/p' changed/config.json)
    case $type in
        gpt2 | marian) activation=activation_function ;;
        xlnet) activation=ff_activation ;;
        distilbert) activation=activation ;;
        *) activation=hidden_act ;;
    esac
    config $activation '"gelu_of_another_kind"'
    opened 65
    says err "$activation is 'gelu_of_another_kind', it must be "
    fresh "$folder"
    config hidden_size 12288
    opened 65
    for change in 'architectures ["OfAnotherKind"]' 'architectures "bogus"' \
        'is_decoder true' 'add_cross_attention true' 'pruned_heads {"0":[1]}' \
        'quantization_config {"bits":8}'; do
        fresh "$folder"
        config ${change% *} "${change#* }"
        opened 65
        says err "${change% *}"
    done
    fresh "$folder"
    config model_type '"mbart"'
    opened 65
    says err "model_type 'mbart' is not a kind of model that attend knows"
    fresh "$folder"
    config no_such_key 7
    opened 0
    expect 0 attend inspect changed
    check "$type: keys without effect" 'grep -A9 "^keys without effect" out | grep -q no_such_key'
    check "$type: the commands that take it" 'grep -q "^commands .*export" out'

    # a tensor that is neither an embedding nor of an output layer
    tensor=$(head -c 100000 "$folder/model.safetensors" |
        LC_ALL=C grep -ao '"[A-Za-z0-9._]*[a-z]\.weight":{"dtype":"[BF0-9]*"' |
        LC_ALL=C grep -av 'embed\|embd\|lm_\|decoder.weight\|wte\|wpe\|vocab_\|pooler' | head -n 1)
    name=$(echo "$tensor" | cut -d'"' -f2) element=$(echo "$tensor" | cut -d'"' -f6)
    fresh "$folder"
    header "\"$name\"" "\"${name%t}x\""
    opened 65
    says err "missing: "
    says err "unexpected: ${name%t}x"
    if [ "$element" = F32 ]; then
        fresh "$folder"
        header "$tensor" "${tensor%F32\"}I32\""
        opened 65
        says err "of whole numbers"
        says err "$name I32"
    fi
    fresh "$folder"
    mv changed/model.safetensors changed/pytorch_model.bin
    opened 66
    says err "pytorch_model.bin is a Python pickle"
    for size in 0 7 60 1000; do
        fresh "$folder"
        head -c $size "$folder/model.safetensors" > changed/model.safetensors
        opened 65
        head -c $size "$folder/config.json" > changed/config.json
        opened 65
    done
done

# modules of sentence-transformers
folder=
for f in "${folders[@]}"; do [ -f "$f/modules.json" ] && folder=$f; done
if [ -n "$folder" ]; then
    for text in '{}' '[]' '[7]' '[{"type": "sentence_transformers.models.Dense", "path": ""}]' \
        '['; do
        fresh "$folder"
        echo "$text" > changed/modules.json
        opened 65
        says err modules.json
    done
fi
