printf 'The bird sings in the old tree.\nIt rains today.\nWe are going home now.\n' > ref.txt
printf 'A bird sings in the old tree.\nIt is raining.\nWe are going home now.\n' > hyp.txt
printf 'Bird sing at tree.\nToday rain.\nWe go home.\n' > old.txt
printf 'Der Vogel singt im alten Baum.\nHeute regnet es.\nWir gehen jetzt heim.\n' > src.txt
printf 'cat\ndog\ncat\nfox\n' > gold.txt
printf 'cat\ncat\ncat\nfox\n' > labels.txt
printf 'the red cat\ta cat\n\nFrance\n' > answers.txt
printf 'red cat\n\nin Paris\n' > given.txt
printf '1-1 2p2\n1-1\n' > gold.align
printf '0-0 1-1 2-2\n0-0\n' > hyp.align
printf -- '-1 -2\n-3\n' > logs.txt

# every example of the help works
attend help measure | sed -n 's/^  \(attend .*\)/\1/p' > lines
check "examples" '[ $(wc -l < lines) -ge 8 ]'
while read -r line; do expect 0 sh -c "$line"; done < lines

# one score, as sacreBLEU writes it
expect 0 attend measure --ref ref.txt hyp.txt
silent err
check "a score and its signature" '[ $(wc -l < out) -eq 2 ]'
says out "BLEU = 77.27 83.3/73.3/75.0/77.8 (BP = 1.000 ratio = 1.000 hyp_len = 18 ref_len = 18)"
says out "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0|by:attend-"
cp out one
attend measure --ref ref.txt < hyp.txt > out
check "the same from standard input" 'cmp -s out one'
attend measure -r - hyp.txt < ref.txt > out
check "and with the reference there" 'cmp -s out one'
expect 0 attend measure --ref ref.txt --threads 1 hyp.txt
check "and on one thread" 'cmp -s out one'
{ printf '\357\273\277'; sed 's/$/\r/' hyp.txt; } > dos.txt
expect 0 attend measure --ref ref.txt dos.txt
check "and with other line ends and a byte order mark" 'cmp -s out one'
expect 0 attend measure -r ref.txt -r hyp.txt hyp.txt
says out "BLEU = 100.00"
says out "nrefs:2|"
expect 0 attend measure -r ref.txt --digits 4 -m chrf++ hyp.txt
says out "chrF2++ = "
check "four digits" 'grep -Eq "= [0-9]+\.[0-9]{4}$" out'
expect 0 attend measure -r ref.txt --smooth floor --smooth-value 0.5 --tokenize intl -l hyp.txt
says out "case:lc|eff:no|tok:intl|smooth:floor[0.50]|version"
expect 0 attend measure -r ref.txt --smooth add-k --tokenize char --effective-order hyp.txt
says out "eff:yes|tok:char|smooth:add-k[1.00]|"
expect 0 attend measure -r ref.txt --smooth none --tokenize none hyp.txt
says out "tok:none|smooth:none|"
expect 0 attend measure -r ref.txt --tokenize zh hyp.txt
says out "tok:zh|smooth:exp|"
expect 0 attend measure -m ter -r ref.txt --ter-normalized --ter-no-punct --ter-asian-support \
    --ter-case-sensitive hyp.txt
says out "case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|"
expect 0 attend measure -m chrf -r ref.txt --chrf-char-order 4 --chrf-word-order 1 --chrf-beta 1 \
    --chrf-whitespace --chrf-eps-smoothing hyp.txt
says out "chrF1+ = "
says out "eff:no|nc:4|nw:1|space:yes|"

for i in $(seq 100); do echo "Line $i ."; done > tokens.txt
expect 0 attend measure -r tokens.txt tokens.txt
says err "tokens.txt: 100 lines end in \" .\", as tokenized text does"
expect 0 attend measure -r tokens.txt --tokenize none tokens.txt
silent err

# several measures, several systems, a baseline
expect 0 attend measure -m bleu,chrf,ter -r ref.txt hyp.txt
grep -v '|' out > table
narrow table 80
check "a row each" 'grep -q "^BLEU     77.27 " out && grep -q "^TER " out && grep -q "^chrF2 " out'
says out "TER|nrefs:1|case:lc|tok:tercom|"
expect 0 attend measure -m bleu,ter -r ref.txt hyp.txt old.txt
check "a row for each system" 'grep -Eq "^hyp.txt +77.27 +" out && grep -q "^old.txt " out'
expect 0 attend measure -m bleu,ter -r ref.txt --baseline old.txt hyp.txt --resamples 100
grep -v '|' out > table
narrow table 80
check "p values" 'grep -Eq "^TER +hyp.txt .* -[0-9.]+ +[01]\.[0-9]{4} +[01]\.[0-9]{4}$" out'
says out "The baseline is old.txt."
says out "|bs:100|ar:100|seed:12345|"
cp out first
expect 0 attend measure -m bleu,ter -r ref.txt --baseline old.txt hyp.txt --resamples 100 \
    --threads 3
check "the same on three threads" 'cmp -s out first'
expect 0 attend measure -c -r ref.txt --resamples 200 hyp.txt
check "an interval" 'grep -Eq "^BLEU = 77.27 \(mean [0-9.]+, 95 % from [0-9.]+ to [0-9.]+\) 83" out'
cp out first
expect 0 attend measure -c -r ref.txt --resamples 200 --seed 7 hyp.txt
check "another seed, another interval" '! cmp -s out first'
expect 0 attend measure -c -m bleu,ter -r ref.txt --resamples 50 hyp.txt
says out "95 % interval"
expect 0 attend measure -c -r ref.txt --resamples 50 hyp.txt old.txt
says out "77.27 ± "
LC_ALL=C attend measure -c -r ref.txt --resamples 50 hyp.txt old.txt > out
says out "77.27 +- "
check "nothing but ASCII then" '! LC_ALL=C grep -q "[^ -~]" out'
mkdir -p a b
cp hyp.txt a/out.txt
cp old.txt b/out.txt
expect 0 attend measure -r ref.txt a/out.txt b/out.txt
check "equal names keep their folders" 'grep -q "^a/out.txt " out && grep -q "^b/out.txt " out'

# lines and lengths
expect 0 attend measure --sentence -r ref.txt hyp.txt
check "a line per line" '[ $(wc -l < out) -eq 3 ] && [ "$(tail -n 1 out)" = 100.00 ]'
expect 0 attend measure --sentence -m bleu,ter -r ref.txt hyp.txt
names=$(printf 'BLEU\tTER')
check "columns with names" '[ "$(head -n 1 out)" = "$names" ] && [ $(wc -l < out) -eq 4 ]'
expect 0 attend measure --sentence --json -m bleu,ter -r ref.txt hyp.txt
says out '{"line": 3, "BLEU": 100'
expect 0 attend measure --by-length --lengths 3,5 -r ref.txt hyp.txt
check "lengths of the reference" 'grep -Eq "^0-3 +1 " out && grep -Eq "^over 5 +1 " out'
expect 0 attend measure --by-length --lengths 4 --source src.txt -m bleu,chrf -r ref.txt hyp.txt
check "lengths of the source" 'grep -Eq "^0-4 +2 .*" out && grep -Eq "^over 4 +1 " out'
expect 0 attend measure --by-length --lengths 30 --tokenize zh -r ref.txt hyp.txt old.txt
says out "characters  lines  hyp.txt  old.txt"
expect 0 attend measure --by-length --lengths 3,5 --figure length.svg -r ref.txt hyp.txt old.txt
check "a figure of two curves" \
    'grep -q "<svg" length.svg && [ "$(grep -c "<path" length.svg)" -gt 4 ]'
expect 2 attend measure --figure length.svg -r ref.txt hyp.txt
says err "--figure is for --by-length"
expect 2 attend measure --by-length --figure length.gif -r ref.txt hyp.txt

# JSON
if command -v python3 > /dev/null; then
    expect 0 attend measure --json -c --by-length -m bleu,chrf,ter -r ref.txt --resamples 20 hyp.txt
    check "valid JSON" 'python3 -m json.tool < out > /dev/null 2>&1'
    says out '"counts": [15, 11, 9, 7]'
    says out '"by_length": ['
    expect 0 attend measure --json -m macro-f1,accuracy -r gold.txt labels.txt
    check "valid JSON of labels" 'python3 -m json.tool < out > /dev/null 2>&1'
    says out '{"label": "dog", "precision": 0, "recall": 0, "f1": 0, "lines": 1}'
    expect 0 attend measure --json --baseline old.txt --resamples 20 -r ref.txt hyp.txt
    check "valid JSON of a comparison" 'python3 -m json.tool < out > /dev/null 2>&1'
    says out '"p_randomisation": '
    says out '"is_baseline": true'
else
    skip "JSON is not looked at without python3"
fi

# other measures
expect 0 attend measure -m accuracy -r gold.txt labels.txt
says out "accuracy = 75.00 (3 of 4)"
expect 0 attend measure -m macro-f1 -r gold.txt labels.txt
says out "macro-F1 = 60.00 (3 labels)"
expect 0 attend measure -m squad -r answers.txt given.txt
check "exact match and F1" 'grep -Eq "^EM +66.67 " out && grep -Eq "^F1 +66.67 " out'
says out "50.00 of 2 with answers, 100.00 of 1 without"
expect 0 attend measure -m aer -r gold.align hyp.align
says out "AER = 16.67 (precision = 75.00 recall = 100.00 links = 4 sure = 2)"
expect 0 attend measure -m perplexity logs.txt
says out "perplexity = 7.39 (3 words, 2.8854 bits each)"
expect 0 attend measure -m perplexity --log-base 2 logs.txt
says out "perplexity = 4.00"

# SQuAD's own files
printf '{"version": "v2.0", "data": [{"title": "t", "paragraphs": [{"context": "c", "qas": [
 {"id": "q1", "question": "?", "answers": [{"text": "the red\\tcat", "answer_start": 0}]},
 {"id": "q2", "question": "?", "answers": [], "is_impossible": true},
 {"id": "q3", "question": "?", "answers": [{"text": "dog", "answer_start": 0}]}]}]}]}' > data.json
printf '{"q1": "Red cat", "q2": "", "q4": "?"}' > given.json
expect 0 attend measure -m squad -r data.json given.json
says err "1 question has no prediction; left out of the score"
check "of two questions" 'grep -Eq "^EM +100.00 " out'
says out "squad:2.0"
sed 's/v2.0/1.1/' data.json > old.json
expect 0 attend measure -m exact-match -r old.json given.json
says err "1 question has no prediction; that counts as wrong"
says err "1 prediction of given.json belongs to no question"
says out "EM = 66.67"
says out "squad:1.1"
expect 2 attend measure -m squad -r data.json given.txt
says err "predictions are JSON too"
echo '{"data": [{"paragraphs": 1}]}' > bad.json
expect 65 attend measure -m squad -r bad.json given.json
says err "bad.json: an article has no paragraphs"

# what is wrong is said with file and line
printf 'one\n' > short.txt
expect 65 attend measure -r ref.txt short.txt
says err "short.txt:2: this line is missing: the file has 1 line, ref.txt has 3"
printf 'one\ntwo\0\nthree\n' > zero.txt
expect 65 attend measure -r ref.txt zero.txt
says err "zero.txt:2: a zero byte"
printf 'one\ntw\303\nthree\n' > latin.txt
expect 65 attend measure -r ref.txt latin.txt
says err "latin.txt:2: byte 3 is no UTF-8"
printf '0-0\n0-x\n' > bad.align
expect 65 attend measure -m aer -r gold.align bad.align
says err 'bad.align:2: "0-x" is no link'
: > empty.txt
expect 65 attend measure -r ref.txt empty.txt
says err "empty.txt"
expect 65 attend measure -r empty.txt empty.txt
says err "empty.txt: has no lines"
expect 65 attend measure --by-length --source short.txt -r ref.txt hyp.txt
says err "short.txt has 1 line, hyp.txt has 3"
expect 66 attend measure -r ref.txt nothing.txt
says err "nothing.txt: cannot open"
expect 66 attend measure -r nothing.txt hyp.txt
expect 2 attend measure hyp.txt
says err "--ref is missing: what bleu compares with"
expect 2 attend measure -m blue -r ref.txt hyp.txt
says err 'there is no measure "blue"; did you mean bleu?'
expect 2 attend measure -r - -
says err "standard input is wanted 2 times"
expect 2 attend measure --sentence --confidence -r ref.txt hyp.txt
expect 2 attend measure --sentence -r ref.txt hyp.txt old.txt
expect 2 attend measure --source src.txt -r ref.txt hyp.txt
expect 2 attend measure --by-length --lengths 5,3 -r ref.txt hyp.txt
says err "rising numbers"
expect 2 attend measure --by-length -m bleu,ter -r ref.txt hyp.txt old.txt
expect 2 attend measure --by-length -m perplexity logs.txt

# the page says what the list says
attend list measures --markdown > rows
while read -r row; do says "$root/docs/measures.md" "$row"; done < rows

# the signature says what was done
expect 0 attend measure -c -r ref.txt hyp.txt old.txt
says out "|bs:1000|seed:"
check "no randomisation" '! grep -q "ar:" out'
expect 0 attend measure -r ref.txt --baseline old.txt hyp.txt
says out "|bs:1000|ar:1000|seed:"
expect 0 attend measure -r ref.txt --baseline old.txt hyp.txt --json
check "in JSON too" '[ "$(grep -c "|ar:1000|" out)" -eq 2 ]'

# options that would do nothing
while read -r option; do
    expect 2 attend measure -r ref.txt $option hyp.txt
    says err " is for "
done << 'END'
--lengths 5
--resamples 10
--seed 7
--smooth-value 0.5
--smooth none --smooth-value 0.5
-m chrf --tokenize zh
-m chrf --max-order 2
-m ter --chrf-beta 3
-m bleu --ter-no-punct
-m bleu --link-base 1
END
expect 0 attend measure -m chrf --by-length --tokenize zh -r ref.txt hyp.txt
attend measure --help > out
check "a title of one line" '[ "$(head -n 1 out | wc -m)" -le 81 ]'
