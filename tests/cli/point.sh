# Pointer networks: trained from sequences of items, stopped and gone on, and where they point.

attend data make sort --size 3 --count 4000 --seed 1 > sort.tsv
attend data make sort --size 3 --count 200 --seed 2 > test.tsv
settings=(--preset pointer-net --data sort.tsv --valid 200 --hidden 32 --embedding 16 --batch 32
          --lr 0.005 --threads 2 --seed 3)

expect 0 attend train "${settings[@]}" --epochs 3 --out model
says err "items of 1 number"
says model/training/metrics.jsonl '"exact": '
cut -f 1 test.tsv > in
cut -f 2 test.tsv > right
expect 0 attend point model in
check "a line for a line" "[ \$(wc -l < out) -eq 200 ]"
check "it sorts" "[ \$(paste out right | awk -F '\t' '\$1 == \$2' | wc -l) -ge 170 ]"
cp out items
expect 0 attend point model in --places --score
check "places and scores" "head -n 1 out | grep -Eq '^-[0-9.]+[[:space:]][0-2]( [0-2])*$'"
echo "4 2 9 1" > four
expect 0 attend point model four
check "other lengths too" "[ \$(wc -w < out) -le 4 ]"
printf '\n7\n' > odd
expect 0 attend point model odd
check "an empty line stays one" "[ \$(wc -l < out) -eq 2 ]"

expect 0 attend train "${settings[@]}" --steps 30 --out whole
expect 0 attend train "${settings[@]}" --steps 13 --checkpoint-every 5 --out parts
expect 0 attend train --out parts --resume --steps 30
check "the same weights" "cmp -s whole/model.safetensors parts/model.safetensors"

attend data make hull --size 6 --count 300 > hull.tsv
expect 0 attend train --preset pointer-net --data hull.tsv --hidden 8 --embedding 8 --steps 3 \
    --out hull
echo "0.1,0.2 0.5,0.9 0.8,0.1" > points
expect 0 attend point hull points --places
echo "1 2 3" > numbers
expect 65 attend point hull numbers
says err "numbers:1: items have 1 number each, and the model knows those of 2"
echo "1 two 3" > words
expect 65 attend point model words
says err "words:1: item 2, 'two'"

{ echo "4 2"; cat test.tsv; } > pairs
expect 65 attend point model pairs
says err "pairs:2: there is a tab in it, and items have blanks between them; of pairs, cut -f 1"

{ head -n 30 sort.tsv; printf '5 4\t4 6\n'; } > bad.tsv
expect 65 attend train --preset pointer-net --data bad.tsv --valid 5 --out new
says err "bad.tsv:31: '6' of the target is not among the items of the source"
says err "; attend data check bad.tsv --fix CLEAN mends such lines or leaves them out"
printf '7 x 3\t3 7\n1,2 3,4\t3,4\n2 1\t1 2\nx y\ty x\n' >> bad.tsv
expect 65 attend data check bad.tsv
says err "4 lines that training refuses"
says out "bad.tsv:32: 7 x 3 | 3 7"
expect 0 attend data check bad.tsv --fix CLEAN
says out "CLEAN: 31 examples, 4 dropped, 0 repaired"
expect 0 attend train --preset pointer-net --data CLEAN --valid 5 --steps 1 --out new
rm -rf new
expect 2 attend train "${settings[@]}" --attention additive/global/sparse --out new
expect 65 attend train "${settings[@]}" --attention location:3 --out new
says err "a sequence of 3 items and its end has more places than the 3 that attention"
expect 0 attend train "${settings[@]}" --attention location:4 --steps 3 --out places
expect 65 attend point places four
says err "four:1: a sequence of 4 items"
expect 66 attend point nowhere
sed -i 's/"hidden": 8/"hidden": 9/' hull/config.json
attend inspect --update-checksums hull
expect 65 attend point hull points
says err "the settings are those of another model"
