# Configuration files of a training run, and runs that go on with what they were told before.

words() # pairs of words, the same everywhere
{
    awk 'BEGIN { n = split("one two three four five six seven eight", a)
            split("un deux trois quatre cinq six sept huit", b)
            for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
                print a[i] " " a[j] "\t" b[i] " " b[j] }'
}
words > pairs.tsv
cat > run.yaml << 'END'
# a small run
preset: luong
data: pairs.tsv
valid: 5
hidden: 8
embedding: 8
batch: 8
epochs: 2
min-count: 1
threads: 1
watch: loss
optimizer: "adamw:weight_decay=0.1"
END
by_hand=(--preset luong --data pairs.tsv --valid 5 --hidden 8 --embedding 8 --batch 8 --epochs 2
         --min-count 1 --threads 1 --watch loss --optimizer adamw:weight_decay=0.1)

# a file says what options say; options are stronger
expect 0 attend train "${by_hand[@]}" --out hand -q
expect 0 attend train --config run.yaml --out file -q
check "the same run" "cmp -s hand/model.safetensors file/model.safetensors"
expect 0 attend train --config run.yaml --hidden 16 --epochs 1 --out other -q
says other/config.json '"hidden": 16'

# all settings as a file that gives the same run
expect 0 attend train --config run.yaml --lr 0.01 --dump-config
says out "[run.yaml:5]"
says out "[given]"
says out "[preset luong]"
says out "[default]"
says out "cell: lstm"
says out "lr: 0.01"
says out 'optimizer: adamw:weight_decay=0.1'
narrow out 100
mv out all.yaml
expect 0 attend train --config all.yaml --dump-config
check "read back, it is the same" "cmp -s <(grep -v '^#' all.yaml) <(grep -v '^#' out)"
expect 0 attend train --config run.yaml --dump-config
mv out same.yaml
expect 0 attend train --config same.yaml --out again -q
check "and gives the same run" "cmp -s hand/model.safetensors again/model.safetensors"

# faults have a place
printf 'data: pairs.tsv\nhiden: 8\n' > bad.yaml
expect 2 attend train --config bad.yaml --out new
says err "bad.yaml:2: there is no option 'hiden'; did you mean 'hidden'?"
printf '\nhidden: wide\n' > bad.yaml
expect 2 attend train --config bad.yaml --out new
says err "bad.yaml:2: hidden: \"wide\" is not a whole number"
while IFS=: read -r name value; do # a grammar of their own: where they stand is told, too
    printf '\n%s: %s\n' "$name" "$value" > bad.yaml
    expect 2 attend train --config bad.yaml --out new
    says err "bad.yaml:2: $name: "
    expect 2 attend train --"$name" "$value" --data pairs.tsv --out new
    says err "attend train: --$name: "
done << END
attention:foo
attention:dot/window
preset:foo
output:foo
optimizer:adm
schedule:foo
END
printf 'cell: glu\n' > bad.yaml
expect 2 attend train --config bad.yaml --out new
says err "bad.yaml:1: cell: \"glu\" is not one of"
printf 'resume: yes\n' > bad.yaml
expect 2 attend train --config bad.yaml --out new
says err "bad.yaml:1: resume is for the command line alone"
printf 'hidden: [8\n' > bad.yaml
expect 65 attend train --config bad.yaml --out new
says err "bad.yaml:2: no YAML"
expect 66 attend train --config none.yaml --out new
check "nothing was begun" "[ ! -e new ]"

# a run goes on with what it was told, from anywhere
says hand/training/settings.yaml "hidden: 8"
says hand/training/settings.yaml "data: $(pwd -P)/pairs.tsv"
expect 0 attend train --config run.yaml --out short -q --steps 5
check "from elsewhere" "(cd / && attend train --resume --out '$PWD/short' --steps 0 -q > /dev/null)"
check "to the same end" "cmp -s hand/model.safetensors short/model.safetensors"
expect 0 attend train --resume --out short --epochs 3
says err "epochs is 3, was 2"
says short/training/settings.yaml "epochs: 3"
expect 0 attend train --resume --out short --config run.yaml --epochs 3
for change in "--hidden 16" "--lr 0.5" "--tokenizer chars" "--seed 7" "--dropout 0.1"; do
    expect 2 attend train --resume --out short $change
    says err "${change%% *}"
    says err "the run that goes on has"
done
expect 2 attend train --resume --out short --preset bahdanau
says err "--preset bahdanau: the run that goes on is one of luong"
expect 2 attend train --resume
says err "--out"
expect 0 attend train --resume --out short --dump-config
says out "[as before]"

# languages are kept with the model, and decide the direction where a file tells its own
cp pairs.tsv fra.txt
expect 0 attend train --config run.yaml --data fra.txt --from fr --to en --epochs 1 --out back -q
says back/config.json '"from": "fr"'
says back/training/settings.yaml "swap: yes"
expect 2 attend train --config run.yaml --data fra.txt --from de --out new
says err "fra.txt has eng and fra"

# a value that no run could begin with is no configuration
expect 2 attend train --preset luong --attention foo --dump-config
says err "foo"
