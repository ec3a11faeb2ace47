#include "models/language.h"

/* ---- settings ------------------------------------------------------------------------------ */

const at_option at_language_options[] = {
    {.name = "preset",
     OPTION_STRING(at_language_settings, preset),
     .value = "rnn-lm",
     .meta = "NAME",
     .help = "The named system to start from; attend list presets shows them"},
    {.name = "window",
     OPTION_COUNT(at_language_settings, window, "64", 1, 1 << 16),
     .group = "Language models",
     .help = "Words of running text that are learned from at a time"},
    {.name = "newline",
     OPTION_CHOICE(at_language_settings, newline),
     .value = "end",
     .choices = ATTEND_NEWLINES,
     .later = true,
     .help = "What a newline is: the end of a text, so that each line is one, or a part of texts"},
    {.name = "hidden",
     OPTION_COUNT(at_language_settings, hidden, "256", 1, 1 << 16),
     .help = "Width of the recurrent states"},
    {.name = "embedding",
     OPTION_COUNT(at_language_settings, embedding, "256", 1, 1 << 16),
     .help = "Width of the words' vectors"},
    {.name = "layers",
     OPTION_COUNT(at_language_settings, layers, "1", 1, 16),
     .help = "Recurrent layers"},
    {.name = "cell",
     OPTION_CHOICE(at_language_settings, cell),
     .value = "lstm",
     .choices = "rnn|relu|lstm|gru",
     .help = "What a recurrent layer is made of"},
    {.name = "dropout",
     OPTION_NUMBER(at_language_settings, dropout, "0.3", 0, 0.95, "P"),
     .help = "Share of numbers that training leaves out"},
    {.name = "tied",
     OPTION_FLAG(at_language_settings, tied),
     .help = "The output layer is the words' vectors"},
    {0}};

attend_status at_language_model(const at_language_settings *s, int vocabulary, at_language *m,
                                attend_error *err)
{
    *m = (at_language){.vocabulary = vocabulary,
                       .embedding = s->embedding,
                       .hidden = s->hidden,
                       .layers = s->layers,
                       .cell = at_model_cell(s->cell),
                       .dropout = (real)s->dropout,
                       .tied = s->tied};
    if (s->tied && s->embedding != s->hidden)
        return at_error(err, ATTEND_OPTION,
                        "--tied: the vectors of words are %d wide and the states %d; make "
                        "--embedding and --hidden the same",
                        s->embedding, s->hidden);
    return ATTEND_OK;
}

/* ---- the model ----------------------------------------------------------------------------- */

static at_path in(const char *name) { return at_in(at_root(), "%s", name); }

/* h of every layer, then c of every layer of LSTMs */
static int states_of(const at_language *m) { return m->layers * (m->cell == ATTEND_LSTM ? 2 : 1); }

at_cache *at_language_cache(const at_language *m)
{
    int widths[2 * ATTEND_STACK_MAX_STATES];
    for (int i = 0; i < states_of(m); i++)
        widths[i] = m->hidden;
    return at_cache_new(1, states_of(m), widths);
}

static void replace_states(at_tape *t, const at_language *m, at_cache *cache, at_stack_result r)
{
    attend_error err;
    if (at_failed(t))
        return;
    if (at_cache_extend(cache, 1, NULL, &err) < 0) {
        at_fail_with(t, &err);
        return;
    }
    for (int i = 0; i < states_of(m); i++)
        at_cache_write(t, cache, i, i < m->layers ? r.h_n[i] : r.c_n[i - m->layers], 0);
    at_cache_commit(cache);
}

at_tensor *at_language_read(at_tape *t, const at_language *m, at_ids words, const int *counts,
                            at_cache *cache)
{
    at_tensor *x = at_embed(t, in("embedding"), words, m->vocabulary, m->embedding,
                            ATTEND_LANGUAGE_WORDS_SCALE);
    at_tensor *state[2 * ATTEND_STACK_MAX_STATES];
    bool begins = !cache || at_cache_max_length(cache) == 0, lstm = m->cell == ATTEND_LSTM;
    for (int i = 0; !begins && i < states_of(m); i++)
        state[i] = at_cache_gather(t, cache, i);
    at_stack_options o = {.cell = m->cell,
                          .hidden = m->hidden,
                          .layers = m->layers,
                          .dropout = m->dropout,
                          .h0 = begins ? NULL : state,
                          .c0 = begins || !lstm ? NULL : state + m->layers};
    at_stack_result r = at_recurrent_stack(t, in("rnn"), at_dropout(t, x, m->dropout), counts, &o);
    if (cache)
        replace_states(t, m, cache, r);
    return at_dropout(t, r.output, m->dropout);
}

static at_tensor *output_weight(at_tape *t, const at_language *m)
{
    at_shape shape = SHAPE(m->vocabulary, m->hidden);
    return m->tied ? at_param(t, in("embedding"), "weight", shape,
                              INIT_NORMAL(ATTEND_LANGUAGE_WORDS_SCALE))
                   : at_param(t, in("output"), "weight", shape,
                              INIT_UNIFORM(1 / real_sqrt((real)m->hidden)));
}

static at_tensor *output_bias(at_tape *t, const at_language *m)
{
    return at_param(t, in("output"), "bias", SHAPE(m->vocabulary), INIT_ZERO);
}

at_tensor *at_language_logits(at_tape *t, const at_language *m, at_tensor *read)
{
    return at_affine(t, read, output_weight(t, m), output_bias(t, m), ATTEND_OUT_IN);
}

at_tensor *at_language_loss(at_tape *t, const at_language *m, at_tensor *read, at_ids targets,
                            at_cross_entropy_options options)
{
    return at_linear_cross_entropy(t, read, output_weight(t, m), output_bias(t, m), ATTEND_OUT_IN,
                                   targets, options);
}

/* ---- the kind ------------------------------------------------------------------------------- */

static attend_status describe(at_model *m, attend_error *err)
{
    return at_language_model(m->settings, at_model_source_size(m), m->net, err);
}

/* a text of one word */
static void trial(at_tape *t, const at_model *m)
{
    static const int word[1] = {0};
    at_tensor *read = at_language_read(t, m->net, (at_ids){SHAPE(1, 1), word}, NULL, NULL);
    if (!at_failed(t))
        at_language_logits(t, m->net, read);
}

static at_embedding_info embedding(const at_model *m)
{
    const at_language *net = m->net;
    return (at_embedding_info){ATTEND_LANGUAGE_WORDS, net->embedding, ATTEND_LANGUAGE_WORDS_SCALE};
}

static at_cache *cache(const at_model *m) { return at_language_cache(m->net); }

static at_decoded decode(at_tape *t, const at_model *m, const at_decode_input *in)
{
    return (at_decoded){.features = at_language_read(t, m->net, in->tokens, in->counts, in->cache)};
}

static int vocabulary(const at_model *m) { return ((const at_language *)m->net)->vocabulary; }

static at_tensor *logits(at_tape *t, const at_model *m, at_tensor *features)
{
    return at_language_logits(t, m->net, features);
}

static at_tensor *loss(at_tape *t, const at_model *m, at_tensor *features, at_mixed_with copying,
                       at_ids targets, at_cross_entropy_options options)
{
    (void)copying;
    return at_language_loss(t, m->net, features, targets, options);
}

static const at_decodes decodes = {
    .cache = cache, .decode = decode, .vocabulary = vocabulary, .logits = logits, .loss = loss};

const at_model_kind at_model_language = {
    .name = "language model",
    .type = "attend-language-model",
    .use = "generate",
    .can = ATTEND_CAN_GENERATE,
    .parts = ATTEND_PART_TOKENIZER,
    .options = at_language_options,
    .settings_size = sizeof(at_language_settings),
    .net_size = sizeof(at_language),
    .describe = describe,
    .trial = trial,
    .embedding = embedding,
    .decodes = &decodes,
};
