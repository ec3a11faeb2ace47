/* Decoding: 64 sentences of 16 tokens through a translator, 16 tokens each, as the peer's b_greedy,
 * d_tiny_greedy, .. (words alone: the largest logit) and b_beam, .. (5 hypotheses with their
 * log-probabilities) do. Batches run side by side in workers, as in attend translate. The weights
 * are random; no token ends a sentence. */
#include "decode/workers.h"
#include "translators.h"

enum { SENTENCES = 64, TOKENS = 16, BEAM = 5 };

typedef struct {
    at_workers workers;
    size_t batch;
    at_search_options options;
    const int *ids;
    int lengths[SENTENCES];
    at_beam beams[SENTENCES];
} decoding;

static attend_status decode_batch(void *user, at_session *session, size_t number, attend_error *err)
{
    decoding *d = user;
    size_t first = number * d->batch, left = SENTENCES - first;
    int n = (int)(left < d->batch ? left : d->batch);
    at_searched searched;
    at_beginning in = {
        .sentences = n,
        .source = {{SHAPE(n, TOKENS), d->ids + first * TOKENS}, NULL, d->lengths + first}};
    attend_status status = at_session_start(session, &in, err);
    if (status >= 0)
        status = at_session_searched(session, 1, d->options.beam.width, &searched, err);
    return status < 0 ? status : at_search(&searched, &d->options, d->beams + first, err);
}

static void decode(void *arg)
{
    decoding *d = arg;
    attend_error err;
    size_t batches = (SENTENCES + d->batch - 1) / d->batch;
    if (at_workers_run(&d->workers, batches, decode_batch, d, &err) < 0)
        bench_die(err.message, "decode");
    for (int i = 0; i < SENTENCES; i++)
        at_beam_free(&d->beams[i]);
}

/* the encoder and the keys once, every step for all hypotheses */
static double flops_of(const bench_translator *b, int width)
{
    double step = b->target + b->out + b->pair * TOKENS;
    return 2.0 * SENTENCES * TOKENS * (b->source + width * step);
}

/* makes the parameters */
static void share_parameters(at_model *m)
{
    attend_error err;
    at_tape *t = at_tape_new(m->params, ATTEND_INFER);
    m->kind->trial(t, m);
    if (!t || at_tape_status(t, &err) < 0)
        bench_die(err.message, "trial");
    at_tape_free(t);
    at_params_seal(m->params);
    at_params_share(m->params);
}

int main(int argc, char **argv)
{
    bench_case c = bench_arguments(argc, argv);
    attend_error err;
    const bench_translator *b = bench_translator_of(c.name);
    const char *how = strrchr(c.name, '_');
    if (!b || (strcmp(how, "_beam") != 0 && strcmp(how, "_greedy") != 0))
        bench_die("no such case", c.name);
    static decoding d;
    int width = strcmp(how, "_beam") == 0 ? BEAM : 1;
    d.ids = bench_ids(SENTENCES * TOKENS, b->vocabulary);
    d.options.beam = (at_beam_options){.width = width, .most = TOKENS, .end = -1};
    d.options.words_alone = true;
    for (int i = 0; i < SENTENCES; i++)
        d.lengths[i] = TOKENS;
    at_model *model = bench_translator_model(b);
    at_session *session;
    share_parameters(model);
    if (at_session_new(1, (const at_model *const[]){model}, &session, &err) < 0
        || at_workers_make(&d.workers, session, SENTENCES, width, &err) < 0)
        bench_die(err.message, c.name);
    d.batch = at_workers_batch(&d.workers, SENTENCES, SENTENCES);
    bench_report(&c, (bench_work){.flops = flops_of(b, width)}, decode, &d);
    at_workers_free(&d.workers);
    at_session_free(session);
    at_model_free(model);
    at_free((void *)d.ids);
    return 0;
}
