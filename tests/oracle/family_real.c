/* Weights that were really trained, by their authors. A case is known by its name; those of models
 * that are not there yet are skipped.
 *
 * rnn_g2p_en: letters to sounds (g2p_en), which is the preset rnn-encdec with a GRU of 256.
 * expected.json has for each word its sounds, greedily found, and the sum of their
 * log-probabilities. All words make one batch that is fed the right sounds: where each of them is
 * also the likeliest, greedy output is the same.
 *
 * gpt2_nano_sort: in family_gpt2.c; bert_minilm_l6_v2: in family_sentence.c; transformer_aren: in
 * real_transformer.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bert_case.h"
#include "lm_case.h"
#include "models/translator.h"
#include "real_case.h"

enum { SOURCE_END = 2, FIRST_LETTER = 3, LETTERS = 26, START = 2, END = 3, FIRST_SOUND = 4 };

static const char *const sounds[] = {
    "AA0", "AA1", "AA2", "AE0", "AE1", "AE2", "AH0", "AH1", "AH2", "AO0", "AO1", "AO2",
    "AW0", "AW1", "AW2", "AY0", "AY1", "AY2", "B",   "CH",  "D",   "DH",  "EH0", "EH1",
    "EH2", "ER0", "ER1", "ER2", "EY0", "EY1", "EY2", "F",   "G",   "HH",  "IH0", "IH1",
    "IH2", "IY0", "IY1", "IY2", "JH",  "K",   "L",   "M",   "N",   "NG",  "OW0", "OW1",
    "OW2", "OY0", "OY1", "OY2", "P",   "R",   "S",   "SH",  "T",   "TH",  "UH0", "UH1",
    "UH2", "UW",  "UW0", "UW1", "UW2", "V",   "W",   "Y",   "Z",   "ZH"};
enum { SOUNDS = (int)(sizeof sounds / sizeof *sounds), LONGEST = 32 };

typedef struct {
    int B;
    int *source, *lengths; /* [B,LONGEST], [B] */
    int *fed, *right;      /* [B,LONGEST]: <s> and the sounds; the sounds and </s>, then -1 */
} batch;

static int sound_of(const char *name, size_t length)
{
    for (int i = 0; i < SOUNDS; i++)
        if (strlen(sounds[i]) == length && memcmp(sounds[i], name, length) == 0)
            return FIRST_SOUND + i;
    return -1;
}

/* the letters and their end; 0 where they are not letters, or too many */
static int read_letters(const char *word, int *ids)
{
    int n = 0;

    for (; word[n] && n < LONGEST - 1; n++) {
        if (word[n] < 'a' || word[n] > 'z')
            return 0;
        ids[n] = FIRST_LETTER + word[n] - 'a';
    }
    ids[n] = SOURCE_END;
    return word[n] ? 0 : n + 1;
}

/* the sounds and their end; false where one is unknown, or there are too many */
static bool read_sounds(const char *text, int *ids)
{
    int n = 0;

    for (; *text && n < LONGEST - 1; n++) {
        size_t length = strcspn(text, " ");
        ids[n] = sound_of(text, length);
        if (ids[n] < 0)
            return false;
        text += length + (text[length] == ' ');
    }
    ids[n] = END;
    return !*text;
}

static bool read_batch(at_case *c, batch *b)
{
    b->B = (int)json_array_size(c->json);
    size_t room = (size_t)b->B * LONGEST;
    int *memory = at_arena_alloc(&c->memory, (3 * room + (size_t)b->B) * sizeof *memory);

    if (!memory || b->B == 0)
        return false;
    memset(memory, 0, room * sizeof *memory);
    b->source = memory;
    b->fed = memory + room;
    b->right = memory + 2 * room;
    b->lengths = memory + 3 * room;
    for (size_t i = 0; i < 2 * room; i++)
        b->fed[i] = -1;
    for (int i = 0; i < b->B; i++) {
        const char *word, *said;
        int *right = b->right + i * LONGEST, *fed = b->fed + i * LONGEST;
        double score;
        if (json_unpack(json_array_get(c->json, (size_t)i), "[ssF]", &word, &said, &score) < 0
            || !(b->lengths[i] = read_letters(word, b->source + i * LONGEST))
            || !read_sounds(said, right))
            return false;
        fed[0] = START;
        for (int t = 1; t < LONGEST; t++)
            fed[t] = right[t - 1] < 0 ? END : right[t - 1];
    }
    return true;
}

static void bind_all(at_case *c)
{
    static const char *const names[][2] = {{"encoder.embedding.weight", "enc_emb"},
                                           {"encoder.rnn.weight_ih_l0", "enc_w_ih"},
                                           {"encoder.rnn.weight_hh_l0", "enc_w_hh"},
                                           {"encoder.rnn.bias_ih_l0", "enc_b_ih"},
                                           {"encoder.rnn.bias_hh_l0", "enc_b_hh"},
                                           {"decoder.embedding.weight", "dec_emb"},
                                           {"decoder.rnn.weight_ih_l0", "dec_w_ih"},
                                           {"decoder.rnn.weight_hh_l0", "dec_w_hh"},
                                           {"decoder.rnn.bias_ih_l0", "dec_b_ih"},
                                           {"decoder.rnn.bias_hh_l0", "dec_b_hh"},
                                           {"output.weight", "fc_w"},
                                           {"output.bias", "fc_b"}};

    at_case_params(c);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        at_case_bind(c, names[i][0], at_case_param(c, names[i][1]));
}

static double log_softmax(const real *x, int n, int at)
{
    double top = (double)x[0], sum = 0;

    for (int i = 1; i < n; i++)
        top = fmax(top, (double)x[i]);
    for (int i = 0; i < n; i++)
        sum += exp((double)x[i] - top);
    return (double)x[at] - top - log(sum);
}

/* each right sound is the likeliest of its logits [LONGEST,V]; the sum of their log-probabilities
 */
static void check_word(at_case *c, int word, const int *right, const real *logits, int V)
{
    json_t *row = json_array_get(c->json, (size_t)word);
    const char *name = json_string_value(json_array_get(row, 0));
    double sum = 0, expected = json_number_value(json_array_get(row, 2));

    for (int t = 0; t < LONGEST && right[t] >= 0; t++, logits += V) {
        sum += log_softmax(logits, V, right[t]);
        for (int i = 0; i < V; i++)
            if (logits[i] > logits[right[t]])
                at_case_fail(c, "%s: sound %d is %d, expected %d", name, t, i, right[t]);
    }
    at_case_compare_numbers(c, name, 1, &sum, &expected, at_tolerance_loss);
}

static void check_g2p(at_case *c)
{
    at_tape *t = c->tape;
    at_translator settings;
    attend_error err;
    at_seq2seq m;
    batch b;
    int V = FIRST_SOUND + SOUNDS;

    if (!read_batch(c, &b)) {
        at_case_fail(c, "expected.json has not [word, sounds, score] in each row");
        return;
    }
    attend_status status = at_translator_preset(&settings, "rnn-encdec", &err);
    settings.hidden = settings.embedding = 256;
    if (status < 0 || at_translator_model(&settings, FIRST_LETTER + LETTERS, V, &m, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return;
    }
    m.dropout = 0;
    bind_all(c);
    at_source e = at_seq2seq_encode(t, &m, (at_ids){SHAPE(b.B, LONGEST), b.source}, b.lengths);
    at_decoder state = at_seq2seq_start(&m, &e);
    at_decoded d = at_seq2seq_decode(t, &m, &e, &state, (at_ids){SHAPE(b.B, LONGEST), b.fed},
                                     false);
    at_tensor *logits = at_seq2seq_logits(t, &m, d.features);
    for (int i = 0; i < b.B && !at_failed(t); i++)
        check_word(c, i, b.right + i * LONGEST, logits->value + (size_t)(i * LONGEST * V), V);
}

void at_check_real(at_case *c)
{
    const char *name = strchr(c->name, '/');

    if (name && strcmp(name + 1, "rnn_g2p_en") == 0)
        check_g2p(c);
    else if (name && strcmp(name + 1, "gpt2_nano_sort") == 0)
        at_check_nano_sort(c);
    else if (name && strcmp(name + 1, "bert_minilm_l6_v2") == 0)
        at_check_minilm(c);
    else if (name && strcmp(name + 1, "transformer_aren") == 0)
        at_check_aren(c);
    else
        at_case_skip(c, "its model is not there yet");
}
