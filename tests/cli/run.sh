# A run and its folder, its batches, its validations: what is refused before anything is lost.

awk 'BEGIN { n = split("one two three four five six seven eight", a)
        split("un deux trois quatre cinq six sept huit", b)
        for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
            print a[i] " " a[j] "\t" b[i] " " b[j] }' > pairs.tsv
settings=(--data pairs.tsv --valid 4 --hidden 8 --embedding 8 --min-count 1 --threads 1
          --curves none)
last=training/last.safetensors

# an epoch may end between two updates: its validation comes behind the next one
expect 0 attend train "${settings[@]}" --batch 6 --accumulate 3 --epochs 4 --out gathers
says err "10 batches an epoch"
steps=$(sed 's/.*"step": \([0-9]*\),.*/\1/' gathers/training/metrics.jsonl | xargs)
check "one validation an epoch, and the last" "[ '$steps' = '4 7 10 13' ]"
expect 2 attend train "${settings[@]}" --batch 64 --accumulate 100 --out never
says err "--accumulate 100: 10 epochs of 1 batch are less than one update"

# weights that are no numbers any more take the place of nothing
wild=("${settings[@]}" --optimizer sgd:weight_decay=10 --lr 1000 --clip 0 --checkpoint-every 1)
expect 1 attend train "${wild[@]}" --validate-every 1 --out wild
says err "the run has diverged"
check "the best model can be read" "attend inspect wild > out 2> err"
expect 1 attend train --resume --out wild
says err "going on after"
expect 1 attend train "${wild[@]}" --steps 40 --validate-every 1000 --watch loss --out later

# a checkpoint that was cut short names what is left
cp -r gathers short
head -c 100 gathers/$last > short/$last
expect 65 attend train --resume --epochs 9 --out short
says err "--init-from short with another --out begins with its best weights"

# data that has changed since is named
cp pairs.tsv now.tsv
expect 0 attend train "${settings[@]}" --data now.tsv --steps 2 --out moved
head -n -1 pairs.tsv > now.tsv
expect 2 attend train --resume --steps 4 --out moved
says err "now.tsv is not what the run has learned from so far"

expect 2 attend train --resume --steps 4 --out moved --valid 9
says err "--valid 9: the run that goes on has 4"
mv now.tsv gone.tsv
expect 2 attend train --resume --steps 4 --out moved --data gone.tsv
says err "data is $(pwd -P)/gone.tsv, was $(pwd -P)/now.tsv"

# words that were seen once are unknown, and that is said
awk 'BEGIN { for (i = 0; i < 40; i++) print "s" i " a\tt" i " b" }' > rare.tsv
expect 0 attend train "${settings[@]}" --data rare.tsv --valid 4 --min-count 0 --steps 1 --out rare
says err "source pieces, ends of texts included, are unknown"
expect 0 attend train "${settings[@]}" --data rare.tsv --valid 4 --min-count 1 --steps 1 --out known
check "with all words there is nothing to say" "! grep -q unknown err"

# a run that was stopped before its first weights, or before anything but what it was told
cp -r known stopped
rm stopped/model.safetensors
expect 66 attend translate stopped
says err "stopped: there are no weights yet, the first validation writes them; attend train"
mkdir -p told/training
cp known/training/settings.yaml told/training
expect 2 attend train "${settings[@]}" --out told
says err "told: there is an unfinished run; --resume goes on with it"
expect 0 attend train --resume --out told
check "it is the same" "cmp -s known/model.safetensors told/model.safetensors"

# files of somebody else stay
mkdir -p project/training
echo mine > project/training/test.tsv
expect 2 attend train "${settings[@]}" --out project
says err "project: there is a file training/test.tsv, which is not of a run; choose another --out"
check "it is there" "grep -q mine project/training/test.tsv"
expect 0 attend train "${settings[@]}" --steps 1 --out project --overwrite
check "or goes where it may" "[ ! -e project/training/test.tsv ]"

# the folder is taken before data is read, and left as it was where no run begins
mkfifo slow
attend train "${settings[@]}" --data slow --steps 1 --out taken > said 2>&1 &
slow=$!
exec 9> slow
for _ in $(seq 100); do [ -e taken/training/lock ] && break; sleep 0.1; done
expect 74 attend train "${settings[@]}" --steps 1 --out taken
says err "taken: another run is training here"
cat pairs.tsv >&9
exec 9>&-
wait $slow
check "the first one trains" "[ $? -eq 0 ] && [ -e taken/model.safetensors ]"
printf 'one side\n' > broken.tsv
expect 65 attend train "${settings[@]}" --data broken.tsv --out nothing
check "no folder is left" "[ ! -e nothing ]"
mkdir empty
expect 65 attend train "${settings[@]}" --data broken.tsv --out empty
check "but that of the user" "[ -d empty ] && [ -z \"$(ls -A empty)\" ]"
expect 2 attend train "${settings[@]}" --init-from taken --out ./taken --overwrite
says err "--init-from and --out are one folder"

# what a killed writer left goes, what a living one writes stays
touch gathers/training/.attend-999999999-1.tmp gathers/.attend-$$-1.tmp
expect 0 attend train --resume --epochs 5 --out gathers
check "the dead one's" "[ ! -e gathers/training/.attend-999999999-1.tmp ]"
check "not the living one's" "[ -e gathers/.attend-$$-1.tmp ]"

# a validation of nothing is known before an epoch is lost
awk 'BEGIN { for (i = 0; i < 9; i++) s = s "one two "; print s "\t" s; print s "\t" s }' > long.tsv
expect 65 attend train "${settings[@]}" --valid long.tsv --max-length 10 --out none
says err "--valid long.tsv: no example is left to validate with"

# schedules: only those with an end have one
expect 0 attend train "${settings[@]}" --schedule constant:warmup=30 --steps 2 --out warm
expect 2 attend train "${settings[@]}" --schedule linear:warmup=30 --steps 2 --out warmer
says err "warmup=30 is longer than total=2"
expect 2 attend train "${settings[@]}" --schedule plateau:mode=max --out flat
says err "it follows the validation loss"
expect 2 attend train "${settings[@]}" --optimizer adam:lr=0.5 --out fast
says err "the learning rate of a run is --lr"

# tokens alone may say how large a batch is
expect 0 attend train "${settings[@]}" --batch-tokens 4096 --steps 1 -o tokens
says err "1 batch an epoch"
expect 0 attend train "${settings[@]}" --batch-tokens 4096 --batch 20 --steps 1 -o both
says err "3 batches an epoch"

# what would change nothing
refused() # TEXT OPTION...
{
    expect 2 attend train --data pairs.tsv --out idle "${@:2}"
    says err "$1"
}
refused "--teacher-forcing: the task classify has no such option; the task translate has it" \
    --preset rnn-classifier --teacher-forcing 0.5
refused "the task classify has no such option" --preset rnn-classifier --swap
refused "with an rnn has no use for it" --preset rnn-classifier --widths 3,4
refused "with a cnn has no use for it" --preset cnn-classifier --cell lstm
refused "the task point has no such option" --preset pointer-net --tokenizer chars
refused "the task language has no such option" --preset rnn-lm --max-length 20
refused "has no context beside its words" --preset luong --context-first
refused "has no attention" --preset cho --attention dot
refused "attention without a hidden layer" --preset luong --attention dot --attention-size 64
refused "attention without a hidden layer" --preset pointer-net --attention dot --attention-size 64
expect 0 attend train --preset luong --attention dot/predicted:3 --attention-size 64 --dump-config
refused "has no dropout" --preset luong --dropout 0 --variational
expect 0 attend train --preset luong --dropout 0 --no-variational --dump-config
refused "reads words here" --feature-scaling none
refused "reads words here" --max-frames 9
refused "its sources are missing" --valid-tgt pairs.tsv

# masks of every width that words are predicted from
for model in "bahdanau" "luong --attention scaled-dot/global/soft/2" "cho"; do
    for readout in state deep maxout all; do
        expect 0 attend train "${settings[@]}" --steps 2 --dropout 0.5 --variational --overwrite \
            --preset $model --readout $readout --out masked -q
    done
done
expect 2 attend train "${settings[@]}" --readout all --tied --out tied
says err "tied embeddings need a readout of their width"

# dropout spares what words are predicted from
for spares in "" --spare-readout; do
    expect 0 attend train "${settings[@]}" --steps 3 --dropout 0.5 $spares --out "spares$spares"
done
check "it makes a difference" "! cmp -s spares/$last spares--spare-readout/$last"
