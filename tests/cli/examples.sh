# every example that --help shows is a command that works
points 30 > points.csv
printf 'x\n1\n' > new.csv
printf 'year,height\n1,2\n2,3\n3,5\n' > trees.csv
attend fit points.csv --no-plot --out model.safetensors > out
printf 'A cat sat on the mat.\nA dog sat on a log, too!\n' > text.txt
printf 'A cat , too !\n' | tee words.txt > pieces.txt
printf '5 6\n' > ids.txt
attend vocab learn --kind wordpiece --vocabulary 200 --out pieces text.txt > out 2> err
awk 'BEGIN { for (i = 0; i < 200; i++) print "Sentence " i ".\tSatz " i "." }' > pairs.tsv
cut -f 1 pairs.tsv > train.en
cut -f 2 pairs.tsv > train.de
printf 'kind,title,body\nx,A title,and text\n' > news.csv
attend train --data pairs.tsv --hidden 8 --embedding 8 --steps 2 --validate-every 1 --keep 2 \
    --min-count 1 --out model > out 2> err || bad "train" err
attend data make digits --count 60 --out sound 2> err
attend train --src sound.safetensors --tgt sound.txt --hidden 8 --embedding 8 --steps 1 \
    --valid 5 --out spoken > out 2> err || bad "train" err
attend train --data pairs.tsv --swap --hidden 8 --embedding 8 --steps 1 --out back > out 2> err ||
    bad "train" err
attend data make scenes --count 2 --out drawn --pictures . 2> err
{
    printf 'RIFF\x24\x7d\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00'
    printf '\x00\x7d\x00\x00\x02\x00\x10\x00data\x00\x7d\x00\x00'
    head -c 32000 /dev/zero
} > silence.wav
attend train --preset rnn-lm --data train.en --hidden 8 --embedding 8 --steps 1 --window 8 \
    --out writer > out 2> err || bad "train" err
cp -r model run
for n in 1 2 3; do cp -r model model$n; done
for command in fit read data tokenize detokenize vocab list inspect help; do
    attend help $command | sed -n 's/^  \(attend .*\)/\1/p' > lines
    check "$command shows an example" '[ -s lines ]'
    while read -r line; do expect 0 $line; done < lines
done
attend help | sed -n 's/^  \(attend .*\|echo .*\)/\1/p' > lines
while read -r line; do
    case $line in *'--out model') line="${line% model} small --hidden 8 --steps 1" ;; esac
    bash -c "$line" > said 2> err && good || bad "$line" err
done < lines

# those of the commands around a translator, as a shell runs them
head -n 5 train.en | tee in in.txt source.txt test.de paragraphs > text
head -n 5 train.de | tee out.txt > test.en
paste in out.txt | tee test.tsv pairs.txt > some.tsv
sed 's/.*/1-1 2-2/' in > pairs.gold
sed -i '6,$d' pairs.tsv
for command in translate align score evaluate average; do
    cp out.txt out
    rm -rf mean
    attend help $command | sed -n 's/^  \(attend .*\|echo .*\)/\1/p' > lines
    check "$command shows an example" '[ -s lines ]'
    while read -r line; do
        case $line in *'--out model') line="${line% model} again" ;; esac
        bash -c "$line" > said 2> err && good || bad "$line" err
    done < lines
done
