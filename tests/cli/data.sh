# pairs: 300 sentences a side, each of its own words; line 8 is swapped
pairs() # N
{
    awk -v n="$1" 'function u(k) { s = s * 16807 % 2147483647; return s % k }
        function words(end,  t, i) { t = ""; for (i = 0; i < 5; i++)
            t = t (i ? " " : "") sprintf("%c%c%s", 97 + u(8), 97 + u(4), end); return t "." }
        BEGIN { s = 2017
            for (i = 1; i <= n; i++) { a = words("a"); b = words("o")
                if (i == 8) print b "\t" a; else print a "\t" b } }'
}
pairs 300 > pairs.tsv
expect 0 attend data check pairs.tsv
silent err
narrow out 80
says out "read as pairs: 300 examples, 300 lines"
check "finds the swapped pair" 'grep -q "pairs.tsv:8: " out'
check "tells nothing else" '[ "$(grep -c "^warning\|^error" out)" -eq 1 ]'

{
    printf '\357\273\277Go.\tVa !\r\n'
    printf 'Hi.\tSalut !\nStop\n\tVide\nHi.\tSalut !\nzero\0\tx\ncaf\351\tcoffee\n'
} > bad.tsv
expect 65 attend data check --format pairs bad.tsv
narrow out 80
says err "3 lines that training refuses; --fix OUT writes a clean copy"
says out "bad.tsv:3: no tab: a pair is SOURCE, a tab, TARGET"
says out "bad.tsv:5: as line 2: Hi. | Salut !"
says out "bad.tsv:7: caf<0xE9>"
check "no byte of it reaches the terminal" '! LC_ALL=C grep -q "$(printf "[\351\001\033]")" out'
expect 65 attend data check --format pairs --json bad.tsv
says out '"name": "not-utf8", "level": "error", "count": 1, "fix": "repaired"'
if command -v python3 > /dev/null; then
    check "valid JSON" 'python3 -m json.tool < out > /dev/null 2>&1'
fi
expect 0 attend data check --format pairs bad.tsv --fix clean.tsv
says out "clean.tsv: 3 examples, 4 dropped, 2 repaired"
printf 'Go.\tVa !\nHi.\tSalut !\ncafé\tcoffee\n' > want
check "the copy is clean" 'cmp -s clean.tsv want'
expect 0 attend data check clean.tsv
says out "Nothing found that spoils training."
expect 2 attend data check bad.tsv --fix clean.tsv
says err "clean.tsv exists; --overwrite replaces it"
check "nothing is left behind" '[ -z "$(ls -A | grep attend-)" ]'
expect 0 attend data check --format pairs --encoding latin-1 clean.tsv

# a few bad lines do not make pairs or objects plain text
{
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf 'word number %d\tmot numero %d\n' $i $i; done
    printf '\tvide\nempty\t\nno tab here\n'
} > messy.tsv
expect 65 attend data check messy.tsv
says out "read as pairs: 14 examples, 15 lines"
says err "1 line that training refuses"
expect 0 attend data check messy.tsv --fix neat.tsv
says out "neat.tsv: 12 examples, 3 dropped, 0 repaired"
check "tabs stay" '[ "$(head -n 12 messy.tsv | cmp - neat.tsv)" = "" ]'
printf 'a b\tc d\ne f\tg h\ni j\tk l\nm n\t\n' > four.tsv
expect 0 attend data check four.tsv
says out "read as pairs: 4 examples"
{
    for i in 1 2 3 4 5 6 7 8 9; do printf '{"src": "word %d", "tgt": "mot %d"}\n' $i $i; done
    echo 'not json'
} > messy.jsonl
expect 65 attend data check messy.jsonl
says out "read as jsonl: 9 examples, 10 lines"
says err "1 line that training refuses"
printf '1\tvery good\n1\tgood it is\n0\tbad it was\nno label\n0\tso sad\n' > rated.tsv
expect 65 attend data check rated.tsv
says out "read as tsv: 4 examples, 5 lines"
expect 0 attend data check --format text messy.tsv --fix flat.txt
says out "Tabs or line ends in 12 texts became blanks"
printf 'caf\351 without a tab\nGo.\tVa !\n' > twofold.tsv
expect 65 attend data check --format pairs twofold.tsv
says err "1 line that training refuses"

# lengths, and kinds that do not belong together
printf 'a\nb c\nd e f g h i j\n' > three.txt
expect 0 attend data check three.txt --json
says out '"half": 2, "most": 7'
printf 'a b c\n' > one.txt
expect 0 attend data check one.txt --json
says out '"half": 3'
expect 0 attend data check one.txt
says out "median"
expect 65 attend data check pairs.tsv three.txt
says out "three.txt:1: other parts (target, label, question)"
says err "3 lines that training refuses"

# the same from elsewhere
gzip -k pairs.tsv
attend data check pairs.tsv > plain
attend data check pairs.tsv.gz | sed 's/\.tsv\.gz/.tsv/g' > packed
check "gzip is the same" 'diff plain packed > err'
attend data check - < pairs.tsv | sed 's/standard input/pairs.tsv/g' > piped
check "standard input is the same" 'diff plain piped > err'

# aligned files
cut -f 1 pairs.tsv > train.en
cut -f 2 pairs.tsv > train.de
expect 0 attend data check --src train.en --tgt train.de
says out "train.en, train.de"
says out "read as aligned: 300 examples"
head -n 299 train.de > short.de
expect 65 attend data check --src train.en --tgt short.de
says err "train.en has 300 lines, short.de has 299"
silent out
expect 2 attend data check --src train.en
says err "--src and --tgt go together"
expect 2 attend data check --src train.en --tgt train.de pairs.tsv
expect 66 attend data check --src train.en --tgt nothing.de
expect 66 attend data check nothing.tsv
says err "nothing.tsv: cannot open"
expect 65 attend data check /dev/null
says err "there is no example"

# show
expect 0 attend data show -n 1 pairs.tsv
check "shows a pair" 'grep -q "^  source  " out && grep -q "^  target  " out'
check "and one alone" '[ "$(grep -c source out)" -eq 1 ]'
expect 0 attend data show --swap --json -n 2 pairs.tsv
head -n 1 out | sed 's/.*"source": "\([^"]*\).*/\1/' > source
check "turned round" '[ "$(cat source)" = "$(head -n 1 train.de)" ]'
printf 'id,kind,title,body\n1,x,"A, b",c d\n' > news.csv
expect 0 attend data show --text title,body --label kind news.csv
says out "  text      A, b c d"
says out "  label     x"
expect 2 attend data show --text titel news.csv
says err 'no column is called "titel"; there are id, kind, title, body'
printf 'a b\tc d\te f\ng h\ti j\tk l\n' > c3.tsv
expect 0 attend data show c3.tsv --text 3 --second 1
says out "  source    e f"
says out "  target    a b"
expect 2 attend data show c3.tsv --text 3 --format pairs
says err "--text 3: format pairs has no columns; --format tsv, csv and jsonl have"
printf '1 so good\n0 so bad\n' > some.sst
expect 2 attend data show some.sst --label foo --text bar
says err "--text bar: some.sst has no columns, it looks like sst; leave it out, or say"

# convert and split
expect 0 attend data convert pairs.tsv --to jsonl --out pairs.jsonl
says err "300 examples"
expect 0 attend data convert pairs.jsonl --to pairs --out again.tsv
check "there and back" 'cmp -s pairs.tsv again.tsv'
expect 0 attend data convert --src train.en --tgt train.de --out copy
check "aligned files keep their names' ends" 'cmp -s copy.en train.en && cmp -s copy.de train.de'
expect 0 attend data convert pairs.tsv --to jsonl --out -
check "- is standard output" 'cmp -s out pairs.jsonl && [ ! -e ./- ]'
expect 2 attend data convert pairs.tsv --to aligned --out -
says err "aligned files are two"
expect 2 attend data split pairs.tsv --out -
says err "--out: - is no file"
expect 2 attend data check pairs.tsv --fix -
says err "--fix: - is no file"
expect 2 attend data convert pairs.tsv --to sst --out x
says err "choose --to pairs, aligned, bars, jsonl, csv"
expect 2 attend data convert pairs.tsv --to pears --out x
expect 2 attend data convert pairs.tsv
says err "convert needs --out"
expect 0 attend data split pairs.tsv --valid 30 --test 10% --out parts
check "three parts" '[ "$(cat parts/{train,valid,test}.tsv | wc -l)" -eq 300 ]'
check "as many as were asked for" '[ "$(wc -l < parts/valid.tsv)" -ge 30 ]'
{ cat pairs.tsv; sed 's/\t.*/\tx/' pairs.tsv; } > twice.tsv
expect 0 attend data split twice.tsv --valid 20% --test 20% --out twice
for part in valid test; do
    cut -f 1 twice/$part.tsv | sort -u > sources
    check "$part has every source twice" \
        '[ $(wc -l < twice/$part.tsv) -eq $((2 * $(wc -l < sources))) ]'
    check "none is for training, too" \
        '[ -z "$(cut -f 1 twice/train.tsv | sort -u | comm -12 - sources)" ]'
done
expect 2 attend data split pairs.tsv --out parts
expect 2 attend data split pairs.tsv --valid 30 --test 0 --out parts --overwrite
says err "parts/test.tsv is there and would not be replaced"
expect 2 attend data split pairs.tsv --valid 30 --to jsonl --out parts --overwrite
says err "parts/test.tsv is there and would not be replaced"
check "nothing was written" '[ ! -e parts/train.jsonl ]'
rm parts/test.tsv
expect 0 attend data split pairs.tsv --valid 30 --test 0 --out parts --overwrite
check "two parts" '[ "$(ls parts)" = "$(printf "train.tsv\nvalid.tsv")" ]'
for stale in train.de train.en.gz test valid.src; do
    : > parts/$stale
    expect 2 attend data split pairs.tsv --valid 30 --test 0 --out parts --overwrite
    says err "parts/$stale is there and would not be replaced"
    rm parts/$stale
done
touch parts/README parts/training.log
expect 0 attend data split pairs.tsv --valid 30 --to aligned --out two
expect 0 attend data split pairs.tsv --valid 30 --to aligned --out two --overwrite
expect 2 attend data split pairs.tsv --valid 30 --out two --overwrite
says err "two/test.src is there and would not be replaced"

# aligned files are two: both are kept, and so is what was read
expect 0 attend data convert pairs.tsv --to aligned --out kept
cp kept.tgt kept.before
rm kept.src
expect 2 attend data convert pairs.tsv --to aligned --out kept
says err "kept.tgt exists; --overwrite replaces it"
check "nothing was written" '[ ! -e kept.src ] && cmp -s kept.tgt kept.before'
expect 0 attend data convert pairs.tsv --to aligned --out kept --overwrite
cp kept.src side.en
cp kept.tgt side.fr
expect 2 attend data check --src side.en --tgt side.fr --fix side
says err "side.en exists; --overwrite replaces it"
expect 0 attend data check --src side.en --tgt side.fr --fix side --overwrite
expect 2 attend data split pairs.tsv --valid 100% --out other
says err '--valid: "100%" is no share'

expect 2 attend data chekc pairs.tsv
says err "did you mean check?"
expect 2 attend data
expect 2 attend data show pairs.tsv --fix x
expect 2 attend data check pairs.tsv --out x
says err "check writes a clean copy with --fix"
expect 2 attend data check pairs.tsv --to jsonl
expect 2 attend data check --format pears pairs.tsv
says err 'there is no format "pears"; did you mean pairs?'

# what an action has no use for is refused
expect 2 attend data make en-fr --count 3 --format text
says err "--format is for check, show, convert, split, not for make"
expect 2 attend data make en-fr --count 3 --valid 3
says err "--valid is for split, not for make"
expect 2 attend data show --count 3 pairs.tsv
says err "--count is for make, not for show"
expect 2 attend data convert pairs.tsv --out x --places 9
expect 2 attend data check pairs.tsv -n 1

# the page says what there is
for name in $(attend list formats | awk 'NR > 1 && /^[a-z]/ { print $1 }') \
    $(sed -n 's/^MAKE([a-z0-9_]*, "\([a-z0-9-]*\)".*/\1/p' "$root/src/data/findings.c"); do
    says "$root/docs/data.md" "\`$name\`"
done

# make
expect 0 attend data make en-fr --count 200 --seed 5 --out made.tsv
silent out
says err "200 examples of en-fr in made.tsv"
expect 0 attend data make en-fr --count 200 --seed 5
check "the same everywhere, by file and by pipe" 'cmp -s out made.tsv'
check "sentences with a translation" \
    '[ "$(grep -cP "^[A-Z][^\t]*[.?]\t[A-Z][^\t]*[.?]$" out)" -eq 200 ]'
expect 0 attend data check made.tsv
expect 0 attend data make en-fr --count 200 --seed 5 --out gilded.tsv --gold made.gold
check "the same pairs with their alignment" 'cmp -s made.tsv gilded.tsv'
check "links of every pair" '[ $(grep -cxP "([0-9]+[-p][0-9]+ ?)+" made.gold) -eq 200 ]'
expect 2 attend data make en-fr --gold made.gold
says err "--gold: made.gold exists; --overwrite replaces it"
expect 2 attend data make en-zh --gold new.gold
says err "--gold: en-zh does not know which words are translations of each other; en-fr does"
expect 2 attend data show made.tsv --gold new.gold
says err "--gold is for make, not for show"
expect 2 attend data make en-fr --out made.tsv
says err "made.tsv exists; --overwrite replaces it"
for maker in $(attend list makers | sed -n '2,$ s/^\([a-z-][a-z-]*\) .*/\1/p'); do
    expect 0 attend data make "$maker" --count 3
    check "three of $maker" '[ "$(grep -cP "\t" out)" -eq 3 ]'
done
expect 0 attend data make sort --size 2 --count 1 --seed 1
check "two numbers" 'grep -qP "^\d+ \d+\t\d+ \d+$" out'
expect 0 attend data make sort --count 2 --out -
check "two lines" '[ "$(wc -l < out)" -eq 2 ] && [ ! -e ./- ]'
attend data make en-fr --count 3 > /dev/full 2> err
code=$?
check "a full disk" '[ $code -eq 74 ]'
says err "standard output: cannot write"
expect 2 attend data make
says err "make needs one NAME"
expect 2 attend data make en-rf
says err "did you mean en-fr?"
expect 2 attend data make sort --size 200
says err "sizes from 2 to 50"
expect 2 attend data make sort --to jsonl
expect 2 attend data make en-fr --count 100000000
silent out
says err "at most 16777216 different sources can be told apart"

# ---- nothing to show
: > nothing.txt
expect 65 attend data show nothing.txt
says err "nothing.txt: there is no example in it"
silent out

# what was made before there is no more comes out, as many as the message says
expect 2 attend data make sort --size 2 --count 100000
made=$(sed -n 's/.*after \([0-9]*\) examples of sort.*/\1/p' err)
check "message and output agree" '[ "$(wc -l < out)" -eq "$made" ]'
expect 2 attend data make sort --size 2 --count 100000 --out sort.tsv
check "a file is whole or not at all" '[ ! -e sort.tsv ]'

# tabs that became blanks
printf 'a dog  un chien\nthe cats  les chats\n' > blanks.tsv
expect 0 attend data check blanks.tsv
says out "No line has a tab: these are no pairs"
printf 'a dog\tun chien\nthe cats\tles chats\n' > tabs.tsv
expect 0 attend data check tabs.tsv
check "pairs are pairs" "! grep -q 'has a tab' out"
