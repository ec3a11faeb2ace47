# Pictures and sound as feature vectors: scenes that are made, patches of pictures, frames of sound.

expect 0 attend data make scenes --count $(sized 300 20) --out scenes --pictures pics
says err "scenes: .safetensors and .txt"
caption='a \w+ \w+ (left of|above) a \w+ \w+'
check "captions" '[ $(grep -cxP "$caption" scenes.txt) -eq $(sized 300 20) ]'
check "a picture for each" '[ $(ls pics | wc -l) -eq $(sized 300 20) ]'
check "PNG" '[ "$(head -c 4 pics/0.png | tail -c 3)" = PNG ]'
things() { sed "s/ \(left of\|above\) / /" "$1" | sort -u; }
attend data make scenes --count 2000 --out many 2> err
expect 0 attend data make scenes-unseen --count 100 --out unseen
check "pairs that scenes has not" '[ -z "$(comm -12 <(things many.txt) <(things unseen.txt))" ]'

# patches of the pictures are the patches of the scenes
expect 0 attend data patches pics/0.png pics/1.png --out patches.safetensors
says err "2 sequences of 50 numbers in patches.safetensors"
for i in 0 1; do sed -n "$((i + 1))p" scenes.txt; done > two.txt
train=(--src scenes.safetensors --tgt scenes.txt --valid 10 --hidden 16 --embedding 16 --threads 1
       --watch loss --curves none -q)
expect 0 attend train "${train[@]}" --epochs 1 --out captioner
expect 0 attend score captioner --src patches.safetensors --tgt two.txt
cut -c 1-7 out > scores
head -n 2 scenes.txt > two.txt
expect 0 attend data make scenes --count 2 --out two --overwrite
expect 0 attend score captioner --src two.safetensors --tgt two.txt
check "the same to four digits" 'cmp -s scores <(cut -c 1-7 out)'
expect 0 attend train "${train[@]}" --attention additive/global/hard --steps 2 --out hard

# the weights over the picture
expect 0 attend translate captioner --src patches.safetensors --beam 1 --picture pics/0.png \
    --attention-out words.svg
says words.svg "<image"
expect 0 attend align captioner --src two.safetensors --tgt two.txt --picture pics/0.png \
    --grid 8x8 --attention-out words.png
expect 2 attend translate captioner --src patches.safetensors --picture pics/0.png --grid 4x4 \
    --attention-out new.svg
says err "--grid COLUMNSxROWS must be that of the patches"
expect 2 attend translate captioner --src patches.safetensors --picture pics/0.png
says err "--picture draws: it needs --attention-out FILE"
expect 2 attend translate captioner --src patches.safetensors --grid 8x8 --attention-out new.svg
says err "--grid is for --picture FILE, which is missing"
expect 66 attend translate captioner --src patches.safetensors --picture no.png \
    --attention-out new.svg
check "nothing was made" '[ ! -e new.svg ]'

# what is refused, and how
expect 2 attend data patches pics/0.png
says err "patches needs --out FILE.safetensors"
expect 2 attend data patches pics/0.png --out patches.safetensors
says err "patches.safetensors exists; --overwrite replaces it"
expect 2 attend data patches pics/0.png --grid 8 --out new.safetensors
says err "write COLUMNSxROWS"
expect 65 attend data patches pics/0.png --grid 100x100 --out new.safetensors
says err "pics/0.png: 64 by 64 pixels are fewer than the grid of 100x100 patches"
echo no picture > no.png
expect 65 attend data patches pics/0.png no.png --out new.safetensors
says err "no.png: not a PNG picture"
expect 66 attend data patches nowhere.png --out new.safetensors
expect 2 attend data make digits --out new --pictures pics
says err "--pictures: digits makes none; scenes does"
expect 2 attend data patches pics/0.png --bands 3 --out new.safetensors
says err "--bands is for frames, not for patches"
check "nothing was made" '[ ! -e new.safetensors ]'

# ---- sound ----

attend data frames nowhere.wav --out new.safetensors 2> err
if grep -q "libsndfile.so.1 is needed" err; then
    skip "frames of sound: libsndfile1 is not installed"
else
    { # a second of silence, 16 bits at 16000 Hz
        printf 'RIFF\x24\x7d\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00'
        printf '\x00\x7d\x00\x00\x02\x00\x10\x00data\x00\x7d\x00\x00'
        head -c 32000 /dev/zero
    } > silence.wav
    expect 0 attend data frames silence.wav silence.wav --out frames.safetensors
    says err "2 sequences of 40 numbers in frames.safetensors"
    expect 0 attend data frames silence.wav --bands 13 --hop 20 --out frames.safetensors --overwrite
    says err "1 sequence of 13 numbers"
    expect 65 attend data frames no.png --out new.safetensors
    says err "no.png: not a sound file"
    expect 66 attend data frames nowhere.wav --out new.safetensors
fi
if ! command -v espeak-ng > nothing; then
    skip "spoken words: espeak-ng is not installed"
else
    espeak-ng -w spoken.wav "three one four"
    expect 0 attend data frames spoken.wav --out spoken.safetensors
    says err "1 sequence of 40 numbers in spoken.safetensors"
fi
