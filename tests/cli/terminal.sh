# progress and colours are for terminals; signals stop a training and keep its result
points 300 > points.csv

expect 0 attend fit points.csv --steps 20 --no-plot
silent err
if ! command -v script > /dev/null; then
    skip "there is no script(1)"
elif ! script -qec true /dev/null < /dev/null > out 2> err; then
    skip "there is no pseudo-terminal"
else
    on_terminal() { script -qec "stty cols 80; $*" /dev/null < /dev/null > out 2> err; }
    TERM=xterm on_terminal attend fit points.csv --steps 20
    check "a bar on a terminal" 'grep -q "20/20" out && grep -q "█" out'
    check "and colours" 'grep -q "$(printf "\033\\[32m")" out'
    NO_COLOR=1 TERM=xterm on_terminal attend fit points.csv --steps 20
    check "NO_COLOR" '! grep -q "$(printf "\033\\[32m")" out'
    TERM=dumb on_terminal attend fit points.csv --steps 20
    check "a dumb terminal gets neither" '! grep -q "20/20" out && ! grep -q "$(printf "\033")" out'
    TERM=xterm on_terminal attend fit points.csv --steps 20 --quiet
    check "--quiet" '! grep -q "20/20" out'

    # a run in 80 columns: nothing that the terminal would break
    awk 'BEGIN { for (i = 0; i < 40; i++) {
            printf "one"; for (k = 0; k < 30; k++) printf " two%d", i
            printf "\tun"; for (k = 0; k < 30; k++) printf " deux%d", i
            print "" } }' > long.tsv
    TERM=xterm on_terminal attend train --data long.tsv --valid 8 --hidden 128 --embedding 64 \
        --batch 8 --epochs 1 --min-count 1 --threads 1 --curves none --out wide
    tr '\r' '\n' < out | sed 's/\x1b\[[0-9;]*[A-Za-z]//g' > lines
    narrow lines 80
    says lines "validation loss"
    says lines "activations up to"
    check "samples are cut" "grep -q '^  = un.*…\$' lines"
fi

stop() # SIGNAL CODE: sends it while a long training runs
{
    local process code file=$1.safetensors
    rm -f err
    attend fit points.csv -v --steps 1000000 --no-plot --out "$file" > out 2> err &
    process=$!
    for i in {1..300}; do grep -qs training err && break; sleep 0.1; done
    kill -s "$1" $process
    wait $process
    code=$?
    [ $code -eq "$2" ] && good || bad "after $1 it ended with $code, not $2" out err
    says err "stopped after step"
    says out "parametric"
    check "saved what it had" 'attend fit $file --at 1 > /dev/null'
}
set -m # a shell without job control starts jobs that ignore SIGINT
stop INT 130
stop TERM 143
set +m

expect 0 attend fit points.csv --steps 1 --no-plot -v
says err "thread"
expect 0 attend fit points.csv --steps 1 --no-plot -v --threads 1
check "one thread" "grep -q ', 1 thread\$' err"
expect 0 attend fit points.csv --steps 1 --no-plot -v
says err "steps=1 "
