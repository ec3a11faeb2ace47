points 50 > points.csv

# the report
expect 0 attend fit points.csv
silent err
narrow out 80
says out "50 points of points.csv"
says out "parametric"
says out "gaussian, h = 1"
says out "• points"
cp out report
expect 0 attend fit points.csv --threads 1
check "the same on one thread" 'cmp -s out report'
expect 0 attend fit points.csv --no-plot
check "no chart" '! grep -q points$ out && [ $(wc -l < out) -eq 8 ]'
expect 0 attend fit points.csv --no-plot --weights
narrow out 80
says out "attention of every x"
check "a heat map" 'grep -q "██" out'
LC_ALL=C attend fit points.csv > out
check "ASCII where the terminal knows no more" '! LC_ALL=C grep -q "[^ -~]" out'
says out "o points"
for columns in 40 60; do
    COLUMNS=$columns attend fit points.csv > out
    narrow out $columns
done
attend fit points.csv --color always > out
check "colours when asked for" 'grep -q "$(printf "\033\\[32m")" out'
check "none in a file" '! grep -q "$(printf "\033")" report'
expect 0 attend fit points.csv --json
says out '"points": 50'
number() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" out; }
check "attention beats the average, and learning beats w = 1" \
    'awk "BEGIN { exit !(0 < $(number learned) && $(number learned) < 0.6 * $(number kernel) &&
                         $(number kernel) < 0.6 * $(number average)) }"'
if command -v python3 > /dev/null; then
    check "valid JSON" 'python3 -m json.tool < out > /dev/null 2>&1'
fi

# predictions
expect 0 attend fit points.csv --at 1,2.5
check "a header and a line per x" '[ "$(cut -d, -f1 out | tr "\n" " ")" = "x 1 2.5 " ]'
check "near the curve it came from" 'awk -F, "NR == 2 { exit !(\$2 > 2 && \$2 < 3.2) }" out'
cp out at
printf 'x\n1\n2.5\n' > new.csv
expect 0 attend fit points.csv --predict new.csv
check "a file gives the same" 'cmp -s out at'
attend fit points.csv --predict - < new.csv > out
check "so does standard input" 'cmp -s out at'
cat points.csv | attend fit - --at 1,2.5 > out
check "and so do points from standard input" 'cmp -s out at'
tail -n +2 points.csv | tr , '\t' > points.tsv
expect 0 attend fit points.tsv --at 1,2.5
check "without header, with tabs" 'cmp -s out at'
expect 0 attend fit -y x -x y points.csv --at 3
check "columns by name" '[ "$(head -n 1 out)" = "y,x" ]'
expect 0 attend fit points.csv --at 1 --json
check "predictions as JSON" 'grep -q "^{\"x\": 1, \"y\": 2\.[0-9]*}$" out'

# a saved curve
expect 0 attend fit points.csv --no-plot --out curve.safetensors
expect 2 attend fit points.csv --out curve.safetensors
says err "curve.safetensors exists; --overwrite replaces it"
expect 0 attend fit points.csv --no-plot --out curve.safetensors --overwrite
expect 0 attend fit curve.safetensors --at 1,2.5
check "predicts the same" 'cmp -s out at'
sed '1s/.*/"time, s",\xe9l\xe9vation/' points.csv | iconv -f latin1 -t utf8 > named.csv
expect 0 attend fit named.csv --no-plot --out named.safetensors
expect 0 attend fit named.csv --at 1,2.5
cp out named
expect 0 attend fit named.safetensors --at 1,2.5
check "a saved curve knows its columns" \
    'cmp -s out named && [ "$(head -n 1 out)" = "\"time, s\",élévation" ]'
long=$(printf '\303\251%.0s' $(seq 40))
sed "1s/.*/$long,y/" points.csv > long.csv
expect 0 attend fit long.csv --no-plot --out long.safetensors
expect 0 attend fit long.safetensors --predict long.csv
check "a long name is cut between letters" 'head -n 1 out | grep -qE "^é{31},y$"'
printf 'other,"time, s"\n9,1\n9,2.5\n' > later.csv
expect 0 attend fit named.safetensors --predict later.csv
check "and finds them by name" 'cmp -s out named'
expect 0 attend fit named.safetensors --at 1 --json
says out '{"time, s": 1, "élévation":'
expect 0 attend fit named.safetensors
says out "élévation"
expect 0 attend inspect curve.safetensors
says out "3 tensors, 1 parameter, 100 numbers of data"
for option in "-x 2" "--steps 10" "--lr 1" "--kernel boxcar" "--attention gaussian" \
    "--width cv"; do
    expect 2 attend fit curve.safetensors $option
    says err "is a saved curve, which is not fitted again; give the points instead"
done

# poolings
expect 0 attend fit points.csv --no-plot --kernel epanechnikov --width 0.7
says out "epanechnikov, h = 0.7"
expect 0 attend fit points.csv --attention gaussian --width cv --json
check "nothing is learned" 'grep -qF "\"w\": []" out && ! grep -q learned out'
check "a width is found" 'awk "BEGIN { exit !($(number width) > 0.2 && $(number width) < 0.6) }"'
expect 0 attend fit points.csv --attention gaussian --kernel constant --at 1,4
check "the average is the same everywhere" '[ "$(cut -d, -f2 out | sort -u | wc -l)" -eq 2 ]'
expect 0 attend fit points.csv --attention gaussian --kernel boxcar --out box.safetensors
expect 0 attend fit box.safetensors --no-plot
says out "boxcar, h = 1"
expect 2 attend fit points.csv --kernel boxer
says err "did you mean 'boxcar'?"
expect 2 attend fit points.csv --width wide
says err '--width: "wide" is neither a positive number nor cv'
expect 2 attend fit points.csv --width 0
expect 2 attend fit points.csv --attention additive
says err "a fit weighs points by their distance"
expect 2 attend fit points.csv --attention gaussian-w/window:3
says err "leave out what follows gaussian-w"
expect 2 attend fit points.csv -x 1 -y 1
says err "--x and --y are both column 1"
expect 2 attend fit points.csv -x x,1 -y y
says err "--x names column 1 twice"

# figures
for kind in png svg pdf; do
    expect 0 attend fit points.csv --no-plot --figure "figure.$kind"
    check "a $kind" '[ $(wc -c < figure.$kind) -gt 5000 ]'
done
cp figure.png before.png
expect 2 attend fit points.csv --figure figure.png
says err "--figure: figure.png exists; --overwrite replaces it"
expect 0 attend fit points.csv --no-plot --figure figure.png --overwrite
check "the same bytes" 'cmp -s figure.png before.png'
expect 0 attend fit points.csv --attention gaussian --at 1 --figure kernel.png
expect 2 attend fit points.csv --figure figure.gif
says err "figure.gif: a figure's name ends in .png, .svg or .pdf"
expect 74 attend fit points.csv --figure nowhere/figure.png
expect 2 attend fit points.csv --weights --json

# several columns
printf '1 2 3\n2 3 4\n3 3 7\n4 5 6\n' > many.txt
expect 0 attend fit many.txt -x 1,2 -y 3 --weights --figure many.png
says out "attention of points"
expect 0 attend fit many.txt -x 1,2 -y 3 --attention gaussian-w
check "one w for all" 'sed -n "s/.*w = //p" out | awk -F "[, ]+" "{ exit !(\$1 == \$2) }"'
expect 0 attend fit many.txt -x 1,2 -y 3 --predict many.txt
check "a line per row" '[ $(wc -l < out) -eq 5 ] && [ "$(head -n 1 out)" = x1,x2,y ]'
expect 2 attend fit many.txt -x 1,2 -y 3 --at 5
says err "write the 2 columns to a file for --predict"

# wrong data names its line, and is 65; a missing file is 66
printf 'x,y\n1,2\n\n2,two\n' > bad.csv
expect 65 attend fit bad.csv
silent out
says err 'attend fit: bad.csv:4: column 2: "two" is not a number'
printf '1,2\n3\n' > short.csv
expect 65 attend fit short.csv
says err "short.csv:2: column 2 is needed, and there is only 1"
printf '1,"2\n3,4\n' > quote.csv
expect 65 attend fit quote.csv
says err "quote.csv:1: a quote opens here and never closes"
printf '1,2\n3,\0\n' > zero.csv
expect 65 attend fit zero.csv
says err "zero.csv:2: a zero byte"
printf '1\n2\n' > one.csv
expect 65 attend fit one.csv
says err "one.csv:1: there is no column 2, only 1"
printf '1,2\n' > single.csv
expect 65 attend fit single.csv
says err "only one point"
: > empty.csv
expect 65 attend fit empty.csv
printf 'x,y\n' > header.csv
expect 65 attend fit header.csv
expect 66 attend fit nothing.csv
says err "nothing.csv: cannot open"
expect 66 attend fit points.csv --predict nothing.csv
expect 65 attend fit points.csv --predict bad.csv -x y -y x
expect 2 attend fit points.csv -x z
says err 'no column is called "z"'
expect 2 attend fit points.csv --at 1,b
says err '--at: "b" is not a number'
expect 2 attend fit points.csv --at 1 --predict new.csv
expect 2 attend fit - --predict -
expect 74 attend fit points.csv --out nowhere/curve.safetensors
says err "no folder nowhere/"
expect 2 attend fit points.csv --out curve.st
says err "--out curve.st: the name of a saved curve ends in .safetensors"
check "nothing is written" '[ ! -e curve.st ]'
printf '1,2\n2,3,9\n3,4\n' > extra.csv
expect 65 attend fit extra.csv
says err "extra.csv:2: 3 cells, but the first row has 2"
printf 'x,y\n1,2,\n2,3\n3,4, \n' > trailing.csv
expect 0 attend fit trailing.csv --no-plot
expect 65 attend fit trailing.csv --predict extra.csv
says err "extra.csv:2: 3 cells, but the first row has 2"
expect 2 attend fit points.csv --out points.csv --overwrite
