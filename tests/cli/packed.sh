# Text that is packed is refused where it cannot be read, in place of taking its bytes for letters.
printf 'One two. Three four.\nfive six\n' > text.txt
gzip -k text.txt
printf 'PK\003\004\024\000\000\000\010\000' > text.zip
attend vocab learn --kind words --min-count 1 --out words text.txt 2> err
points 20 > points.csv
gzip -k points.csv
for command in 'vocab learn --kind words --out other text.txt.gz' \
    'vocab coverage -t words text.txt.gz' 'tokenize --kind words text.txt.gz' \
    'detokenize --kind words text.txt.gz' 'split text.txt.gz' 'fit points.csv.gz' \
    'measure --ref text.txt text.txt.gz' 'measure --ref text.txt.gz text.txt'; do
    expect 65 attend $command
    silent out
    says err ".gz: is packed by gzip; unpack it first: zcat FILE | attend ..."
done
for command in 'tokenize --kind words' split 'measure --ref text.txt' fit; do
    expect 65 attend $command text.zip
    says err "text.zip: is a zip archive; unpack it first: unzip -p FILE | attend ..."
done
attend split < text.txt.gz > out 2> err
code=$?
check "standard input, too" '[ $code -eq 65 ]'
says err "standard input: is packed by gzip"
