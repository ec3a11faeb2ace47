# What can go wrong while a model is trained: numbers, disks, signals. Nothing that was kept goes.

awk 'BEGIN { n = split("one two three four five six seven eight", a)
        split("un deux trois quatre cinq six sept huit", b)
        for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
            print a[i] " " a[j] "\t" b[i] " " b[j] }' > pairs.tsv
settings=(--data pairs.tsv --valid 8 --hidden 16 --embedding 8 --batch 8 --min-count 1 --threads 1
          --curves none)
last=training/last.safetensors

# heads that do not divide a width are refused before data is read
expect 2 attend train --data nowhere.tsv --hidden 32 --attention additive/global/soft/3 --out good
says err "a width of 32 cannot be cut into 3 heads"

# before the first step: how much memory it takes
expect 0 attend train "${settings[@]}" --epochs 1 --hidden 128 --embedding 128 --out good
says err "parameters; about"
says err "activations up to"

# numbers that run away: an explanation, and what was good stays
expect 0 attend train "${settings[@]}" --steps 7 --out nan --optimizer sgd
cp nan/$last kept
cp nan/model.safetensors best
expect 1 attend train "${settings[@]}" --steps 70 --out wild --optimizer sgd:weight_decay=1e30
says err "not a number"
says err "the run has diverged; start again with a smaller --lr"
check "nothing came of it" "[ ! -e wild/$last ] && ! grep -q 'that was kept' err"
expect 2 attend train "${settings[@]}" --steps 70 --out wild
says err "wild: there is an unfinished run; --resume goes on with it, --overwrite starts anew"
sed -i 's/^optimizer: .*/optimizer: sgd:weight_decay=1e30/' nan/training/settings.yaml
attend inspect --update-checksums nan
expect 1 attend train --resume --out nan --steps 20
says err "the checkpoint after 7 updates, and the best model"
check "the last good checkpoint is there" "cmp -s kept nan/$last"
check "and the best model" "cmp -s best nan/model.safetensors"

# a disk that is full: files may not grow beyond a few blocks
long=("${settings[@]}" --epochs 9 --checkpoint-every 5 --watch loss)
expect 0 attend train "${long[@]}" --steps 10 --out whole
expect 0 attend train "${long[@]}" --steps 5 --out full
cp full/$last kept
(ulimit -f 8; exec attend train --resume --steps 10 --out full) > out 2> err
check "a full disk is an error of writing" "[ $? -eq 74 ]"
says err "File too large"
says err "nothing that was kept is lost: the checkpoint after 5 updates"
check "the checkpoint is as it was" "cmp -s kept full/$last"
check "no rest of a file" "! ls -A full/training full | grep -q tmp"
expect 0 attend train --resume --steps 10 --out full
check "with room again, the same end" "cmp -s whole/$last full/$last"

# a folder that takes no files is refused before data is read
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed && chmod 555 closed
    expect 74 attend train "${settings[@]}" --out closed/model
    says err "choose another --out"
    check "before data is read" "! grep -q 'pairs to learn' err"
else
    skip "root may write into every folder"
fi
echo > file
expect 74 attend train "${settings[@]}" --out file/model

# signals
waits_for() # FILE COMMAND...: until the condition holds
{
    for _ in $(seq 600); do
        ! "$@" || return 0
        sleep 0.05
    done
    return 1
}
attend train "${settings[@]}" --epochs 1000000 --checkpoint-every 100000000 \
    --validate-every 100000000 --out run > said 2>&1 &
run=$!
waits_for test -s run/training/settings.yaml
kill -USR1 $run
waits_for grep -q "checkpoint after" said
check "SIGUSR1 makes a checkpoint" "[ -s run/$last ]"
check "and the run goes on" "kill -0 $run"
kill -INT $run
wait $run
check "SIGINT ends it with a checkpoint" "[ $? -eq 130 ] && grep -q -- '--resume goes on' said"
expect 0 attend train --resume --out run --epochs 1

# between two updates there is no place for a checkpoint; a second signal does not wait for one
attend train "${settings[@]}" --epochs 1000000 --accumulate 65000 --out never > said 2>&1 &
run=$!
waits_for test -s never/training/settings.yaml
for _ in $(seq 300); do
    kill -INT $run 2> /dev/null || break
    sleep 0.1
done
wait $run
check "a second SIGINT ends it at once" "[ $? -eq 130 ] && [ ! -e never/$last ]"

# a terminal that closes; twice, as the shell and the kernel may both say it
endless=("${settings[@]}" --epochs 1000000 --checkpoint-every 100000000 --validate-every 100000000)
attend train "${endless[@]}" --out closed-one > said 2>&1 &
run=$!
waits_for test -s closed-one/training/settings.yaml
kill -HUP $run
kill -HUP $run 2> /dev/null
wait $run
check "SIGHUP ends it with a checkpoint" "[ $? -eq 129 ] && [ -s closed-one/$last ] &&
    grep -q -- '--resume goes on' said"
(trap '' HUP; exec attend train "${endless[@]}" --out nohup-one > said 2>&1) &
run=$!
waits_for test -s nohup-one/training/settings.yaml
kill -HUP $run
sleep 0.3
check "what ignores SIGHUP, as nohup does, goes on" "kill -0 $run && [ ! -e nohup-one/$last ]"
kill -TERM $run
wait $run
check "until SIGTERM" "[ $? -eq 143 ]"

# nobody reads what it says
attend train "${settings[@]}" --epochs 3 --out unread 2>&1 | head -n 1 > out
check "a reader that has gone does not end the run" "[ ${PIPESTATUS[0]} -eq 0 ] &&
    [ -s unread/model.safetensors ]"
