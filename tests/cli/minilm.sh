# The real all-MiniLM-L6-v2, where ../shared is there: its published vectors, bits that depend on
# nothing but the text, and which of two texts is nearer to a third.
model=$root/../shared/oracle/real/bert_minilm_l6_v2
if [ ! -e "$model/model.safetensors" ]; then
    skip "there is no $model"
    return 0
fi
how=(--pooling mean --normalize yes)

# ---- its vectors ----
printf '%s\n' "The quick brown fox jumps over the lazy dog." "Attention is all you need." \
    "Das ist ein kleines Café in Zürich — 東京!" "" \
    "The animal didn't cross the street because it was too tired." > texts
expect 0 attend embed "$model" "${how[@]}" texts
header=$(head -c 8 "$model/expected.safetensors" | od -An -tu8 | tr -d ' ')
from=$(head -c $((8 + header)) "$model/expected.safetensors" | tail -c "$header" |
    grep -o '"embedding.mean_l2": *{[^}]*}' | sed 's/.*data_offsets": *\[\([0-9]*\).*/\1/')
tail -c +$((8 + header + from + 1)) "$model/expected.safetensors" | head -c $((5 * 384 * 4)) |
    od -An -v -w1536 -tf4 > expected
check "five texts within 1e-5" "tr -d '[],' < out | paste -d ' ' - expected |
    awk 'NF != 768 { exit 1 } { for (i = 1; i <= 384; i++) { d = \$i - \$(384 + i)
        if (d > 1e-5 || d < -1e-5) exit 1 } n++ } END { exit n != 5 }'"

# ---- any length, any batch, any threads ----
for n in 1 2 3 5 7 8 13 15 16 17 31 32 33 61 64 96 127 128 200 254 255 256 385 509 510; do
    yes "a word , some words" | head -n 200 | tr '\n' ' ' | cut -d ' ' -f 1-$n
done > lengths
expect 0 attend embed "$model" "${how[@]}" --batch 1 --json lengths
cp out one
check "1 to 510 words in their frame" "sed 's/.*\"tokens\": \([0-9]*\).*/\1/' one |
    awk '{ t[NR] = \$1 } END { exit !(t[1] == 3 && t[NR] == 512 && NR == 25) }'"
for batch in 7 64; do
    expect 0 attend embed "$model" "${how[@]}" --batch $batch --json --threads 2 lengths
    check "the same bits in batches of $batch" "cmp -s one out"
done

# ---- the second is nearer to the first than the third is ----
triples()
{
    cat <<'TRIPLES'
A man is playing a guitar.|Someone plays a musical instrument.|The stock market fell sharply today.
The cat sleeps on the sofa.|A kitten is napping on the couch.|The rocket was launched into orbit.
How do I reset my password?|I forgot my login and need a new one.|What time does the museum open?
It is raining heavily outside.|There is a downpour.|She bought a new pair of shoes.
The company reported record profits.|The firm earned more than ever.|He plays football on Sundays.
I love eating pizza.|My favourite food is Italian pie.|The bridge was closed for repairs.
The doctor examined the patient.|A physician saw someone ill.|The car needs a new engine.
Children are playing in the park.|Kids have fun on the playground.|The law was passed by the senate.
The film was boring and far too long.|That movie was dull.|The soup needs more salt.
She speaks French fluently.|She is good at a foreign language.|The computer crashed again.
The train was late by an hour.|The railway service was delayed.|He painted the wall blue.
Water boils at one hundred degrees.|The boiling point of water|Who won the election?
He drives to work every morning.|He commutes by car.|The flowers need to be watered.
The dog barked at the mailman.|A hound made noise.|Mathematics is hard for many students.
The museum shows modern art.|Contemporary paintings are exhibited.|The plane landed safely.
My phone battery dies quickly.|The smartphone loses its charge.|They planted a tree in the garden.
The teacher explained the lesson.|An instructor taught the class.|The ship sank in the storm.
Prices of houses keep rising.|Real estate is getting more expensive.|The baby laughed at the clown.
The scientist discovered a new planet.|An unknown world was found.|I cut my finger with a knife.
They were married last summer.|The wedding was in July.|The printer is out of paper.
TRIPLES
}
for i in 1 2 3; do triples | cut -d '|' -f $i > side.$i; done
expect 0 attend embed "$model" "${how[@]}" --similarity side.1 side.2
awk '{ print $NR }' out > near
expect 0 attend embed "$model" "${how[@]}" --similarity side.1 side.3
awk '{ print $NR }' out > far
check "20 triples rank as they should" "paste near far | awk '!(\$1 > \$2 + 0.05) { exit 1 }
    END { exit NR != 20 }'"
