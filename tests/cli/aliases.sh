# earlier and well-known names of options: accepted, listed in the manual page alone
paste <(printf 'a b\nb a\na a b\nb b a\n') <(printf 'x y\ny x\nx x y\ny y x\n') > some
for i in 1 2 3 4 5; do cat some; done > pairs.tsv
small=(--data pairs.tsv --min-count 1 --hidden-size 8 --embedding-dim 8 --num-layers 1 --max-steps 2
       --batch-size 4 --learning-rate 0.01 --watch loss --curves none --threads 1 -q)
expect 0 attend train "${small[@]}" --longest 20 --smoothing 0.1 --optimiser sgd --out model
for line in "hidden: 8" "embedding: 8" "steps: 2" "batch: 4" "lr: 0.01" "max-length: 20" \
    "label-smoothing: 0.1" "optimizer: sgd"; do
    says model/training/settings.yaml "$line"
done

# settings of an earlier version are resumed
sed -i 's/^max-length:/longest:/; s/^label-smoothing:/smoothing:/; s/^optimizer:/optimiser:/
        s/^max-frames:/longest-frames:/' model/training/settings.yaml
expect 0 attend inspect --update-checksums model
expect 0 attend train --resume --out model --steps 4 -q
says model/training/settings.yaml "max-length: 20"

# an alias counts as given
expect 2 attend train --data pairs.tsv --preset rnn-lm --longest 20 --out none
says err "the task language has no such option"

head -n 3 pairs.tsv | cut -f 1 > in
same() # OLD NEW: options that mean the same
{
    attend translate model -q $1 < in > old 2> err &&
        attend translate model -q $2 < in > new 2> err && cmp -s old new &&
        good || bad "$1 is $2" err
}
same "--beam-size 2 --lenpen 0.5 --most 3" "--beam 2 --length-penalty 0.5 --max-tokens 3"
same "--num-beams 2 --penalty 0.5 --max-new-tokens 3" "--beam 2 --length-penalty 0.5 --max-tokens 3"
same "--ngram-once 2 --longest 2 --long skip" "--no-repeat-ngram 2 --max-length 2 --when-long skip"
same "--alignment piece" "--alignment token"
expect 65 attend translate model --longest 1 --long refuse --src in
expect 0 attend data show --reverse -n 1 pairs.tsv
printf '1,2\n2,3\n3,5\n4,4\n' > points.csv
expect 0 attend fit points.csv --max-steps 3 --rate 0.1 -q

for command in train translate data fit; do
    expect 0 attend $command --help
    for old in longest penalty most reverse batch-size learning-rate max-steps; do
        check "$command --help lacks --$old" "! grep -qE -- '--$old( |\$)' out"
    done
    expect 0 attend man $command
    says out ".SH ALIASES"
done
for option in --device --gpu --fp16; do
    expect 2 attend train $option
    says err "attend runs on the CPU, in f32"
done
printf 'device: 0\n' > gpu.yaml
expect 2 attend train --config gpu.yaml --out none
says err "gpu.yaml:1: device: attend runs on the CPU, in f32"

# a suggestion never means something else
expect 2 attend train --min-length 3
check "--min-length is not --max-length" "! grep -q 'did you mean' err"
expect 2 attend train --reverse
check "--reverse is ambiguous beside --reversed" "! grep -q 'did you mean' err"

# every alias is one of some command
attend man --all pages
sed -n 's/.*{"\([a-z-]*\)", "\([a-z-]*\)", \(NULL\|"reversed"\)}.*/\1 \2/p' \
    "$root/src/base/option_alias.c" > table
cat pages/*.1 | sed -n '/^.SH ALIASES/,/^.SH E/p' > listed
check "the table is found" '[ $(wc -l < table) -gt 20 ]'
while read -r alias name; do
    roff=$(sed 's/-/\\\\-/g' <<< "--$alias")
    check "--$alias of --$name is in a manual page" "grep -qE -- '(^|, )$roff(,|;|\$)' listed"
done < table

# of tokenizers
expect 0 attend vocab learn --kind wordpiece --size 12 --out sized in
expect 0 attend vocab learn --kind wordpiece --vocab-size 12 --out vocabulary in
check "--size is --vocabulary" "diff -r sized vocabulary"
