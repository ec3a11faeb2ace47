# --resume never replaces a trained model: it resumes, or it refuses and names the remedy.

awk 'BEGIN { n = split("one two three four five six seven eight", a)
        split("un deux trois quatre cinq six sept huit", b)
        for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
            print a[i] " " a[j] "\t" b[i] " " b[j] }' > pairs.tsv
settings=(--data pairs.tsv --valid 4 --hidden 8 --embedding 8 --min-count 1 --threads 1
          --curves none)
last=training/last.safetensors
expect 0 attend train "${settings[@]}" --steps 4 --validate-every 2 --keep 1 --average 2 --out done

# ---- a checkpoint that cannot be reached ----

refuses() # FOLDER: and leaves every file as it is
{
    find "$1" -type f ! -name lock -exec cksum {} + | sort > before
    expect 74 attend train --resume --steps 8 --out "$1"
    says err "$1/$last"
    says err "--overwrite"
    find "$1" -type f ! -name lock -exec cksum {} + | sort > after
    check "every file of $1 is as it was" "cmp -s before after"
}
cp -r done removed
rm removed/$last
refuses removed
says err "--init-from removed"
cp -r done unmounted
ln -sfn /not/mounted/last.safetensors unmounted/$last
refuses unmounted
cp -r done linked
rm linked/training/*.jsonl linked/training/*.safetensors
ln -sfn /not/mounted/model.safetensors linked/model.safetensors
refuses linked
for left in model.safetensors training/metrics.jsonl training/step-000004.safetensors \
    training/average.safetensors; do
    rm -rf part && mkdir -p part/training
    cp done/training/settings.yaml part/training
    cp done/$left part/$left
    refuses part
done
expect 0 attend train "${settings[@]}" --steps 1 --out removed --overwrite

# settings alone: nothing was trained, so it starts at update 0
mkdir -p told/training
cp done/training/settings.yaml told/training
expect 0 attend train --resume --out told
says err "no checkpoint yet"
check "it is the same run" "cmp -s done/model.safetensors told/model.safetensors"

# killed in its first validation: the checkpoint is there before the model, and the run is the same
for _ in $(seq 60); do cat pairs.tsv; done > many.tsv
slow=("${settings[@]}" --valid many.tsv --steps 3 --validate-every 2)
expect 0 attend train "${slow[@]}" --out whole
attend train "${slow[@]}" --out killed > out 2> err &
run=$!
for _ in $(seq 2000); do
    [ ! -e killed/$last ] || break
    sleep 0.005
done
kill -KILL $run
wait $run 2> /dev/null
check "a checkpoint, but no model yet" "[ -e killed/$last ] && [ ! -e killed/model.safetensors ]"
expect 0 attend train --resume --out killed
says err "going on after 2 updates"
for file in model.safetensors $last training/metrics.jsonl; do
    check "the same $file" "cmp -s whole/$file killed/$file"
done

# ---- the lock ----

mkdir elsewhere
ln -sfn "$(pwd)/elsewhere/new" whole/training/lock
expect 74 attend train --resume --out whole
says err "whole/training/lock"
says err "symbolic link"
check "a link is not followed" "[ ! -e elsewhere/new ]"
rm whole/training/lock
