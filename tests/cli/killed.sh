# Runs that are killed at any moment, again and again, end with the bits of a run that was not:
# a Transformer, a recurrent translator, a BERT and a GPT-2. ATTEND_KILLS=50 kills each of them 50
# times.
kills=${ATTEND_KILLS:-3}
attend data make en-fr --count 400 --out made.tsv 2> err
settings=(--data made.tsv --valid 10 --hidden 16 --batch 16 --threads 1 --curves none -q
          --checkpoint-every 4 --validate-every 100 --average 3 --steps $((100 + 100 * kills)))
last=training/last.safetensors
RANDOM=7

# Waits for a new checkpoint, or not, and then some milliseconds.
wait_a_while() # FOLDER WHETHER
{
    local before=$(stat -c %i-%Y "$1/$last" 2> /dev/null)
    for _ in $(seq 2000); do
        [ $2 -eq 1 ] && [ "$before" = "$(stat -c %i-%Y "$1/$last" 2> /dev/null)" ] || break
        sleep 0.005
    done
    sleep 0.0$(printf %02d $((RANDOM % 100)))
}

killed() # PRESET OPTION...
{
    local run n=0 resume=() folder=killed-$1
    expect 0 attend train --preset "$@" "${settings[@]}" --out whole-$1
    while [ $n -lt $kills ]; do
        [ ! -e $folder/training/settings.yaml ] || resume=(--resume)
        attend train --preset "$@" "${settings[@]}" --out $folder "${resume[@]}" > out 2> err &
        run=$!
        wait_a_while $folder $((n % 4 > 0))
        kill -KILL $run 2> /dev/null
        wait $run 2> /dev/null
        [ $? -eq 137 ] || break
        n=$((n + 1))
    done
    [ ! -e $folder/training/settings.yaml ] || resume=(--resume)
    expect 0 attend train --preset "$@" "${settings[@]}" --out $folder "${resume[@]}"
    echo "$1: killed $n times"
    check "$1: it was killed" "[ $n -gt 0 ]"
    for file in model.safetensors config.json $last; do
        check "$1: $file is as without kills" "cmp -s whole-$1/$file $folder/$file"
    done
}
killed transformer-tiny --layers 1 --ffn 16
killed bahdanau --embedding 16
killed bert-tiny --task masked --layers 1 --heads 2 --ffn 16 --schedule constant
killed gpt2-char --layers 1 --heads 2 --context 24 --dropout 0.1
