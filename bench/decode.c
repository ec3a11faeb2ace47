/* Decoding: 64 sentences of 16 words through Bahdanau's model (case b of models.c), 16 words each,
 * as the peer's b_greedy (words alone: the largest logit) and b_beam (5 hypotheses with their
 * log-probabilities) do. The weights are random; no word ends a sentence. */
#include "bench.h"
#include "decode/session.h"
#include "models/translator.h"

enum { BATCH = 64, WORDS = 16, VOCABULARY = 8000, BEAM = 5 };

typedef struct {
    at_seq2seq model;
    at_session *session;
    at_search_options options;
    const int *ids;
    int lengths[BATCH];
    at_beam *beams;
} decoding;

static void decode(void *arg)
{
    decoding *d = arg;
    attend_error err;
    at_searched searched;
    at_beginning in = {.sentences = BATCH,
                       .source = {{SHAPE(BATCH, WORDS), d->ids}, NULL, d->lengths}};
    attend_status status = at_session_start(d->session, &in, &err);
    if (status >= 0)
        status = at_session_searched(d->session, 1, d->options.beam.width, &searched, &err);
    if (status < 0 || at_search(&searched, &d->options, d->beams, &err) < 0)
        bench_die(err.message, "decode");
    for (int i = 0; i < BATCH; i++)
        at_beam_free(&d->beams[i]);
}

static at_seq2seq bahdanau(void)
{
    attend_error err;
    at_translator s;
    at_seq2seq m;
    if (at_preset_settings(&at_preset_bahdanau, &s, &err) < 0)
        bench_die(err.message, "bahdanau");
    s.hidden = s.embedding = 256;
    s.dropout = 0;
    if (at_translator_model(&s, VOCABULARY, VOCABULARY, &m, &err) < 0)
        bench_die(err.message, "bahdanau");
    return m;
}

/* products: the encoder and the keys once, every step for all hypotheses */
static double flops(int width)
{
    double E = 256, H = 256, V = VOCABULARY, S = WORDS;
    double source = S * (2 * 3 * H * (E + H) + 2 * H * H);
    double step = H * H + S * 3 * H + 3 * H * (E + 3 * H) + (E + 3 * H) * E + E * V;
    return 2.0 * BATCH * (source + WORDS * width * step);
}

int main(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    attend_error err;
    decoding d = {.model = bahdanau(), .ids = bench_ids(BATCH * WORDS, VOCABULARY)};
    at_params *params = at_params_new(1);
    int width = strcmp(c.name, "b_beam") == 0 ? BEAM : 1;
    if (strcmp(c.name, "b_beam") != 0 && strcmp(c.name, "b_greedy") != 0)
        bench_die("no such case", c.name);
    d.options.beam = (at_beam_options){.width = width, .most = WORDS, .end = -1};
    d.options.words_alone = true;
    d.beams = calloc(BATCH, sizeof *d.beams);
    for (int i = 0; i < BATCH; i++)
        d.lengths[i] = WORDS;
    at_model whole = {.kind = &at_model_translator, .net = &d.model, .params = params};
    const at_model *model = &whole;
    if (!params || !d.beams || at_session_new(1, &model, &d.session, &err) < 0)
        bench_die("out of memory", c.name);
    decode(&d); /* makes the parameters */
    at_params_seal(params);
    at_params_share(params);
    bench_report(&c, (bench_work){.flops = flops(width)}, decode, &d);
    at_session_free(d.session);
    at_params_free(params);
    free(d.beams);
    at_free((void *)d.ids);
    return 0;
}
