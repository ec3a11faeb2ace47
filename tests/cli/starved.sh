# Too little memory: figures never end a run, and no command ends with a signal.

if ! (ulimit -v 240000; attend --version > /dev/null 2>&1); then
    skip "this build needs more address space, as with a sanitizer"
    return
fi
expect 0 attend data make en-fr --count 300 --out pairs.tsv
settings=(--data pairs.tsv --hidden 32 --embedding 32 --epochs 2 --batch 32 -q --threads 2)

warned=0 clean=0
for limit in $(seq 70000 12000 240000); do
    rm -rf s
    (ulimit -v $limit; exec attend train "${settings[@]}" --out s) > out 2> err
    code=$?
    case $code in
    0) grep -q "no curves" err && warned=$((warned + 1)) || clean=$((clean + 1)) ;;
    1) grep -q "memory" err || bad "with $limit KB: not for want of memory" err ;;
    *) bad "with $limit KB of address space it ended with $code" err ;;
    esac
    check "at most one warning with $limit KB" "[ \$(grep -c 'no curves' err) -le 1 ]"
    check "no rest of a file with $limit KB" "! ls -A s s/training 2> /dev/null | grep -q tmp"
done
check "some runs were too small for a figure" "[ $warned -gt 0 ]"

# a figure that was asked for is an error, not a signal
for limit in $(seq 70000 24000 190000); do
    (ulimit -v $limit; echo "a b" | attend translate s --attention-out x.png) > out 2> err
    code=$?
    check "translate with $limit KB ends with a status" "[ $code -lt 128 ]"
done
