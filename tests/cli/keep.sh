# What a run keeps: weights of its last validations, their mean, a figure; nothing of another run.

awk 'BEGIN { n = split("one two three four five six seven eight", a)
        split("un deux trois quatre cinq six sept huit", b)
        for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
            print a[i] " " a[j] "\t" b[i] " " b[j] }' > pairs.tsv
settings=(--data pairs.tsv --valid 8 --hidden 16 --embedding 8 --batch 8 --epochs 5 --min-count 1
          --threads 1 --watch loss --dropout 0)

expect 0 attend train "${settings[@]}" --keep 2 --average 3 --out model
check "three weights are there" "[ \$(ls model/training/step-*.safetensors | wc -l) -eq 3 ]"
check "the last of them" "[ -s model/training/step-000035.safetensors ]"
says err "mean of the last 3 weights"
check "and their mean" "[ -s model/training/average.safetensors ]"
check "the best is better than a mean of a falling loss" \
    "cmp -s model/model.safetensors model/training/step-000035.safetensors"
says model/training/curves.svg "<svg"
says model/training/metrics.jsonl '"training_loss"'
check "a line for each validation" "[ \$(wc -l < model/training/metrics.jsonl) -eq 5 ]"

# the mean becomes the model where it is better: learning that jumps about
expect 0 attend train "${settings[@]}" --average 4 --lr 0.1 --dropout 0.5 --epochs 8 --curves none \
    --out jumps
says err "mean of the last 4 weights"
if grep -q "it is the model" err; then
    check "the mean is the model" \
        "cmp -s jumps/model.safetensors jumps/training/average.safetensors"
    says err "jumps has the mean of the last 4 weights, the best"
    expect 0 attend train --resume --out jumps
    says err "it is the model already"
else
    check "the mean is not the model" \
        "! cmp -s jumps/model.safetensors jumps/training/average.safetensors"
    says err "jumps has the model of update"
fi
check "no figure" "[ ! -e jumps/training/curves.svg ]"
expect 0 attend train "${settings[@]}" --epochs 1 --average 2 --curves png --out once
says err "too few validations"
check "a figure as asked for" "[ \"\$(head -c 4 once/training/curves.png | tail -c 3)\" = PNG ]"

# a run that starts anew takes nothing from the one before
expect 0 attend train "${settings[@]}" --epochs 1 --overwrite --out model -q
check "no weights of the other run" "! ls model/training/step-*.safetensors > /dev/null 2>&1"
check "nor its mean" "[ ! -e model/training/average.safetensors ]"
check "nor its lines" "[ \$(wc -l < model/training/metrics.jsonl) -eq 1 ]"

# a validation that was written before the run was killed is not written twice
cp -r once twice
echo '{"step": 99, "epoch": 9.0, "loss": 1}' >> twice/training/metrics.jsonl
printf '{"step": 1' >> twice/training/metrics.jsonl
expect 0 attend train --resume --out twice --epochs 2 -q
check "two validations" "[ \$(wc -l < twice/training/metrics.jsonl) -eq 2 ]"

# a run that is done says so; one that ran out of patience goes on only with more of it
expect 0 attend train --resume --out twice
says err "the run is done: 14 updates"
expect 0 attend train "${settings[@]}" --lr 1e-12 --epochs 50 --patience 2 --out stuck
says err "no better model for 2 validations"
cp stuck/training/last.safetensors before
expect 0 attend train --resume --out stuck
check "nothing is added" "cmp -s before stuck/training/last.safetensors"
expect 0 attend train --resume --out stuck --patience 3 -q
check "more patience, more steps" "! cmp -s before stuck/training/last.safetensors"

# a best model that was lost is replaced, not praised
cp -r stuck lost
rm lost/model.safetensors
expect 0 attend train --resume --out lost
says err "lost/model.safetensors is gone, the best model; the weights of update"
check "nothing is praised" "! grep -q \"done: lost has\" err"
check "there is a model" "[ -s lost/model.safetensors ]"
echo "one two" > in
expect 0 attend translate lost < in
