#!/bin/bash
# bench/race from outside: its lists and its refusals. Times nothing and needs no PyTorch: a peer
# that is played by a script says what the real one would.
# usage: tests/race_test.sh BUILD
set -uo pipefail
build=$(cd "$1" && pwd) || exit 2
bench=$(cd "$(dirname "$0")/../bench" && pwd)
if [ ! -x "$build/bench-gemm" ]; then # the checked builds leave the benches out
    printf 'skipped: no bench programs in this build\n0 passed, 0 failed, 1 skipped\n'
    exit 0
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 2
export LC_ALL=C
passed=0 failed=0 skipped=0
tiny=gemm_nn_32x512x128
quick=(--build "$build" --secs 0.05 --rounds 1)

good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $1"; sed 's/^/    /' out err | head -n 20; }
skip() { skipped=$((skipped + 1)); echo "skipped: $1"; }
expect() # EXIT-CODE OPTION...: what race prints is in out and err
{
    local code=$1 got
    shift
    "$bench/race" "$@" > out 2> err < /dev/null
    got=$?
    [ $got -eq "$code" ] && good || bad "race $* ended with $got, not $code"
}
says() { grep -qE -- "$2" "$1" && good || bad "$1 lacks: $2"; } # FILE PATTERN
silent() { [ ! -s "$1" ] && good || bad "$1 should be empty"; }  # FILE

# ---- lists, help, wrong words --------------------------------------------------------------

expect 0 --list
says out '^gru_64x16x256 .*batch x steps x width'
says out '^k '
[ "$(grep -vc '^ *\(#\|$\)' "$bench/cases")" -eq "$(wc -l < out)" ] && good || bad "not all listed"
expect 0 --list gru_fwd
[ "$(wc -l < out)" -eq 3 ] && good || bad "a beginning should name three cases"
expect 0 --list adam
[ "$(wc -l < out)" -eq 1 ] && good || bad "a whole name should name one case"
expect 0 --help
says out '^usage: bench/race'
for option in $(sed -n 's/^    \(--[a-z |-]*\)).*/\1/p' "$bench/race" | grep -o -- '--[a-z]*'); do
    [ "$option" = --help ] || says out "^  $option "
done
expect 1 nonsense
says err "no case is called 'nonsense'"
silent out
expect 1 --nonsense
says err "unknown option --nonsense"
expect 1 --secs
says err "needs a value"
expect 1 --secs soon $tiny
says err "'soon' is not a number"

# ---- ours alone ----------------------------------------------------------------------------

number='[0-9.e+-]+'
expect 0 "${quick[@]}" --rounds 3 --ours --json $tiny
says out "^\{\"case\": \"$tiny\", \"ours\": $number, \"peer\": null, \"unit\": \"ms\", \
\"ratio\": null, \"peak_fraction\": $number, \"rss_ours\": $number, \"rss_peer\": null\}$"
[ "$(wc -l < out)" -eq 1 ] && good || bad "one case should be one line"
expect 0 "${quick[@]}" --python "$place/no-python" $tiny
says err "no PyTorch in"
says out "^$tiny .* - +ms"
expect 0 "${quick[@]}" --ours tape_steady
says out "^tape_steady: 0 allocations"

# ---- a peer --------------------------------------------------------------------------------

play() # KIND [LATER [CORE]]: a peer with that BLAS, or with another one once it has worked
{
    cat > python <<PEER
#!/bin/sh
case "\$*" in
*--blas*) echo '{"torch": "1.0", "blas": "$1", "path": "/lib/of/$1", "core": "${3:-}"}' ;;
*) echo "\$*" > asked
   echo "core: \${OPENBLAS_CORETYPE:-its own}" > core
   echo '{"ms": 100000, "ms_min": 100000, "rss_mib": 200, "blas": "${2:-$1}",' \
        "\"core\": \"\${OPENBLAS_CORETYPE:-${3:-}}\"}" ;;
esac
PEER
    chmod +x python
}

for kind in openblas-openmp mkl; do
    play $kind
    expect 0 "${quick[@]}" --python ./python --json $tiny
    says out "\"peer\": 100000, \"unit\": \"ms\", \"ratio\": $number, .*\"rss_peer\": 200\}$"
done
for kind in openblas-pthreads openblas-serial other none; do
    play $kind
    expect 1 "${quick[@]}" --python ./python $tiny
    says err "multiplies with '$kind' \(/lib/of/$kind\)"
    silent out
done
play openblas-openmp openblas-pthreads # what counts is what it has loaded when it works
expect 1 "${quick[@]}" --python ./python $tiny
says err "multiplies with 'openblas-pthreads'"

# OpenBLAS on a processor that it does not know is told what to use; its own choice stands otherwise
chooses() # FLAGS CORE WHAT-THE-PEER-RUNS-WITH
{
    play openblas-openmp "" "$2"
    rm -f core
    for _ in {1..200}; do echo "flags : fpu $1 ht"; done > cpuinfo
    RACE_CPUINFO=$place/cpuinfo OPENBLAS_CORETYPE=Nehalem \
        expect 0 "${quick[@]}" --python ./python --json $tiny
    says core "^core: $3$"
}
chooses "avx2 avx512vl" Prescott SkylakeX
says err "takes this processor for a Prescott"
chooses "avx2 avx512vl" Haswell SkylakeX
chooses "avx2 avx512vl" Cooperlake "its own"
chooses avx2 Prescott Haswell
chooses avx2 Zen "its own"
chooses sse2 Prescott "its own"
chooses avx2 "" "its own" # MKL
play openblas-openmp "" Prescott
sed -i 's/OPENBLAS_CORETYPE:-Prescott/NOTHING:-Prescott/' python # one that does as it likes
RACE_CPUINFO=$place/cpuinfo expect 1 "${quick[@]}" --python ./python $tiny
says err "told to run as a Haswell, but OpenBLAS ran as a Prescott"

# a peer's script that lies elsewhere, or nowhere
play mkl
mkdir peers && touch peers/run_torch.py
expect 0 "${quick[@]}" --python ./python --peers "$place/peers" --json k
says asked "--script $place/peers/run_torch.py --case k --threads 2 --secs 0.05"
expect 0 "${quick[@]}" --python ./python --peers "$place/none" --json k
says err "k: ours alone, its peer run_torch.py is neither in bench nor in $place/none"
says out '"peer": null'

# ---- what a process has loaded -------------------------------------------------------------

library() # FILE ANSWER: a library that answers as OpenBLAS does; no answer for any other BLAS
{
    echo "${2:+int openblas_get_parallel(void) { return $2; \}} extern int nothing;" > blas.c
    "${CC:-cc}" -shared -fPIC -o "$1" blas.c
}
loads() # KIND LIBRARY...: what blas.py says about a process with these
{
    local kind=$1
    shift
    LD_PRELOAD="$*" sleep 60 &
    for _ in {1..100}; do grep -q "/${1##*/}" /proc/$!/maps && break; sleep 0.02; done
    /usr/bin/python3 -B "$bench/blas.py" $! > out 2> err
    kill $! && wait $! 2> /dev/null
    says out "\"blas\": \"$kind\""
}

if [ ! -x /usr/bin/python3 ]; then
    skip "no Python"
elif ! library ./libopenblas.so.0 1 2> err; then
    skip "no compiler"
else
    loads openblas-pthreads "$place/libopenblas.so.0"
    library libopenblas-serial.so 0 && loads openblas-serial "$place/libopenblas-serial.so"
    library libopenblas-omp.so 2 && loads openblas-openmp "$place/libopenblas-omp.so"
    library libblas.so.3 && loads other "$place/libblas.so.3"
    library libmkl_rt.so.2 && loads mkl "$place/libmkl_rt.so.2"
    loads other "$place/libopenblas-omp.so" "$place/libblas.so.3" # which one works nobody knows
    library libplain.so && loads none "$place/libplain.so"
fi

if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ] && [ $passed -gt 0 ]
