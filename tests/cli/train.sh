# Training and translating: a run that is killed and goes on, folders that are taken, and lines that
# come out alike in every batch.

pairs() # sentences of a small language and their mirror in another, the same everywhere
{
    awk 'BEGIN { n = split("cat dog house tree", a); split("chat chien maison arbre", b)
            m = split("sees likes wants", v); split("voit aime veut", w)
            for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) for (k = 1; k <= n; k++)
                printf "the %s %s the %s\tle %s %s le %s\n", a[i], v[j], a[k], b[i], w[j], b[k] }'
}
pairs > pairs.tsv
settings=(--data pairs.tsv --valid 5 --hidden 16 --embedding 8 --batch 8 --steps 40 --min-count 1
          --checkpoint-every 7 --threads 2 --seed 3)

expect 0 attend train "${settings[@]}" --out whole
says err "pairs to learn from"
says err "BLEU"
check "nothing on stdout" "[ ! -s out ]"
check "a best model" "[ -s whole/model.safetensors ] && [ -s whole/config.json ]"
says whole/training/metrics.jsonl '"perplexity"'

# killed and gone on: the same weights
expect 2 attend train "${settings[@]}" --out whole
says err "--resume"

started() # FOLDER [FILE]: waits for a file, else the first checkpoint, of the run that writes there
{
    for _ in $(seq 600); do
        [ ! -s "$1/training/${2:-last.safetensors}" ] || return
        sleep 0.05
    done
}
attend train "${settings[@]}" --out parts > out 2> err &
run=$!
started parts
kill -KILL $run 2> /dev/null
wait $run 2> /dev/null
expect 0 attend train "${settings[@]}" --out parts --resume
check "the same weights" "cmp -s whole/training/last.safetensors parts/training/last.safetensors &&
    cmp -s whole/model.safetensors parts/model.safetensors"

# killed before the first checkpoint: what it was told is there, and it begins at update 0
expect 0 attend train "${settings[@]}" --steps 30 --validate-every 100000 --test 5 --out late0 -q
attend train "${settings[@]}" --steps 100000 --epochs 100000 --checkpoint-every 100000 \
    --validate-every 100000 --test 5 --out late > out 2> err &
run=$!
started late settings.yaml
expect 74 attend train --resume --out late
says err "another run is training here"
kill -KILL $run 2> /dev/null
wait $run 2> /dev/null
check "no checkpoint yet" "[ ! -e late/training/last.safetensors ]"
expect 2 attend train "${settings[@]}" --out late
says err "--resume goes on with it"
expect 2 attend train --resume --out late --lr 0.5
says err "the run that goes on has"
expect 2 attend train --resume --overwrite --out late
says err "--resume and --overwrite"
expect 0 attend train --resume --out late --steps 30
says err "no checkpoint yet"
check "the same weights from the start" "cmp -s late0/model.safetensors late/model.safetensors &&
    cmp -s late0/training/test.tsv late/training/test.tsv &&
    cmp -s late0/config.json late/config.json"
rm late/training/last.safetensors late/training/settings.yaml
expect 2 attend train --resume --out late
says err "there is no run to go on with; --init-from begins a run elsewhere"
expect 2 attend train "${settings[@]}" --out late
says err "there is a model; --overwrite starts anew"
expect 2 attend train --resume --out nothing
says err "there is no run to go on with; check the name, or leave --resume out"

# and so it is with words of the model's own, and every other thing that is drawn or summed
mixed=("${settings[@]}" --teacher-forcing 0.5 --label-smoothing 0.1 --accumulate 2 --batch-tokens 64
       --variational --schedule plateau --validate-every 10)
expect 0 attend train "${mixed[@]}" --out mixed -q
expect 0 attend train "${mixed[@]}" --steps 17 --out mixed2 -q
expect 0 attend train --steps 40 --out mixed2 --resume -q
check "the same weights again" "cmp -s mixed/model.safetensors mixed2/model.safetensors"
check "other weights than before" "! cmp -s mixed/model.safetensors whole/model.safetensors"

# shards of a batch, not threads, decide the bits: the run that resumes has those that it had
expect 0 attend train "${settings[@]}" --threads 2 --steps 17 --out apart -q
says apart/training/metrics.jsonl '"shards": 2, "loss"'
expect 0 attend train --threads 1 --steps 40 --out apart --resume
check "the same weights on another number of threads" \
    "cmp -s whole/model.safetensors apart/model.safetensors"
check "without a warning" "! grep -q 'last digits' err"
expect 0 attend train --threads 4 --steps 41 --out apart --resume
says err "2 shards of a batch, as before, for 4 threads; --shards 4 uses all"
expect 0 attend train --threads 2 --shards 1 --steps 42 --out apart --resume
says err "1 shard of a batch, not 2"
check "and so it is told" "tail -n 1 apart/training/metrics.jsonl | grep -q '\"shards\": 1,'"

# a large model has one shard for all threads, unless another number is asked for
large=(--data pairs.tsv --valid 5 --min-count 1 --preset rnn-encdec --hidden 1400 --embedding 1400
       --batch 4 --steps 1 --optimizer sgd --watch loss --curves none --threads 2)
expect 0 attend train "${large[@]}" --out large
says err "one shard for all 2 threads"
says large/training/metrics.jsonl '"shards": 1,'
expect 0 attend train "${large[@]}" --shards 2 --out large --overwrite
check "two where they are asked for" "! grep -q 'one shard' err"
says large/training/metrics.jsonl '"shards": 2,'
rm -r large

# weight decay, of all parameters or without biases
decay=("${settings[@]}" --steps 5 -q --optimizer)
expect 0 attend train "${decay[@]}" adamw:weight_decay=0.5 --out decay
expect 0 attend train "${decay[@]}" adamw:weight_decay=0.5,no_decay=none --out decay-none
expect 0 attend train "${decay[@]}" adamw:weight_decay=0.5,no_decay=norms+biases --out decay-some
check "none is the default" "cmp -s decay/model.safetensors decay-none/model.safetensors"
check "no decay of biases" "! cmp -s decay/model.safetensors decay-some/model.safetensors"
expect 2 attend train "${decay[@]}" adamw:no_decay=bias --out new
says err '"bias" is not one of none, norms, biases, norms+biases'

# one run at a time; stopped by a signal, it leaves a checkpoint
attend train "${settings[@]}" --steps 100000 --epochs 100000 --out long > said 2>&1 &
run=$!
started long
expect 74 attend train "${settings[@]}" --out long --resume
says err "another run is training here"
expect 74 attend train "${settings[@]}" --out long
says err "another run is training here"
kill -TERM $run
wait $run
check "a stopped run says how to go on" "grep -q -- '--resume goes on' said"

# bad input
expect 2 attend train --data pairs.tsv
says err "--out"
expect 2 attend train --out new
says err "--data FILE"
expect 66 attend train --data none.tsv --out new
says err "none.tsv: cannot open"
expect 66 attend train --data pairs.tsv --init-from nosuch --out new
says err "nosuch"
check "before data is read" "! grep -q 'pairs to learn' err"
expect 66 attend train --data pairs.tsv --init-embeddings nosuch --out new
expect 2 attend train --data pairs.tsv --out new --attention addditive
says err "additive"
check "refused before the data is read" "! grep -q 'pairs to learn' err"
expect 2 attend train --data pairs.tsv --out new --valid 0
says err "--valid"
expect 2 attend train --data pairs.tsv --out new --watch accuracy
says err "bleu loss perplexity"
expect 2 attend train --data pairs.tsv --out new --preset bahdanu
says err "bahdanau"

# what a run is judged by, where nobody says: a hundredth would be a handful
usual=(--hidden 4 --embedding 4 --min-count 1)
awk 'BEGIN { for (i = 0; i < 600; i++) print "sentence " i "\tphrase " i }' > many.tsv
expect 0 attend train --data many.tsv "${usual[@]}" --steps 1 --out usual
says err "550 pairs to learn from, 50 to validate with"
expect 0 attend train --resume --steps 2 --out usual
says err "550 pairs to learn from, 50 to validate with"
expect 0 attend train --data pairs.tsv "${usual[@]}" --steps 1 --out usual2
says err "44 pairs to learn from, 4 to validate with"
expect 0 attend train --data many.tsv --valid 1% "${usual[@]}" --steps 1 --out usual3
check "a share that is said is taken" "! grep -q ', 50 to validate' err"
expect 2 attend train --data pairs.tsv --valid-tgt many.tsv --out new
says err "--valid-tgt many.tsv: its sources are missing"

# translating
cut -f 1 pairs.tsv > in
attend translate whole < in > all 2> err && good || bad "translate" err
check "a line for each line" "[ \$(wc -l < all) -eq \$(wc -l < in) ]"
for batch in 1 7; do
    attend translate whole --batch $batch --threads 1 < in > one 2> err
    check "batch $batch gives the same" "cmp -s all one"
done
printf 'the cat sees the dog\n\nthe dog\n' | attend translate whole > some 2> err
check "an empty line stays empty" "[ -z \"\$(sed -n 2p some)\" ] && [ \$(wc -l < some) -eq 3 ]"
echo 'the cat sees the dog' | attend translate whole --alignment word --nbest 2 > out 2> err
says out "0 ||| "
says out "-0"
echo 'the cat sees the dog' | attend translate whole --show > out 2> err
says out "cat"
narrow out 80
echo 'the cat sees the dog' | attend translate whole --attention-out w.jsonl > out 2> err
says w.jsonl '"weights": [['
expect 2 attend translate whole --nbest 9 --beam 2
expect 66 attend translate nowhere

# every optimiser, schedule and rule of clipping trains
short=(--data pairs.tsv --valid 5 --hidden 8 --embedding 8 --batch 8 --steps 3 --min-count 1
       --threads 1 --curves none --overwrite --out short -q)
for name in $(attend list optimisers --json | sed -n 's/.*"name": "\([a-z_-]*\)".*/\1/p'); do
    expect 0 attend train "${short[@]}" --optimizer "$name"
    tried=$name
done
check "optimisers were tried" "[ -n \"${tried:-}\" ]"
tried=
for name in $(attend list schedules --json | sed -n 's/.*"name": "\([a-z_-]*\)".*/\1/p'); do
    case $name in
    exponential) with=:gamma=0.9 ;;
    step) with=:size=2,gamma=0.5 ;;
    noam | inverse_sqrt) with=:warmup=2 ;;
    *) with= ;;
    esac
    expect 0 attend train "${short[@]}" --schedule "$name$with"
    tried=$name
done
check "schedules were tried" "[ -n \"$tried\" ]"
for option in "--clip 0" "--clip 0.1" "--label-smoothing 0.2" \
    "--accumulate 3" "--batch-tokens 40"; do
    expect 0 attend train "${short[@]}" $option
    cp short/model.safetensors "model${option// /}"
done
check "clipping changes what is learned" "! cmp -s 'model--clip0' 'model--clip0.1'"
check "so does smoothing" "! cmp -s 'model--clip0' 'model--label-smoothing0.2'"

# another model in the folder of an old one has none of its tokenizers
shared=("${settings[@]}" --steps 4 -q --overwrite --out again)
for parts in "--shared" "" "--shared --tokenizer chars" "--tokenizer chars"; do
    expect 0 attend train "${shared[@]}" $parts
    echo 'the cat sees the dog' > in
    expect 0 attend translate again --max-tokens 4 --src in
done
check "no tokenizer is left over" "[ ! -e again/tokenizer ]"

# a preset that was made for a number of words has so many, unless others are asked for
awk 'BEGIN { for (i = 0; i < 300; i++) {
                 line = "x"
                 for (j = 0; j < 20; j++) line = line " w" i * 20 + j
                 print line "\t" line } }' > many.tsv
words() # NUMBER OPTIONS...: the source's vocabulary has so many
{
    local number=$1
    shift
    expect 0 attend train --data many.tsv --valid 5 --hidden 4 --embedding 4 --batch 4 --steps 1 \
        --min-count 1 --overwrite --out counted "$@"
    attend vocab show --tokenizer counted/source > out
    check "$* has $number words" "[ \$(wc -l < out) -eq $number ]"
}
words 5000 --preset keras
words 100 --preset keras --vocabulary 100
