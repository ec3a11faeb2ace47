#include "train/scheduled_sampling.h"

/* a function of sentence and position alone */
static bool drawn(at_scheduled_options o, int row, int step)
{
    o.place.sentence += (uint32_t)row;
    return at_random_uniform(o.place, (uint32_t)step) >= o.right;
}

/* Does any sentence want its own word at this step? */
static bool wanted(int B, int T, int step, const int *targets, at_scheduled_options o)
{
    for (int b = 0; b < B; b++)
        if (targets[b * T + step] >= 0 && drawn(o, b, step))
            return true;
    return false;
}

static int likeliest(const real *logit, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = logit[i] > logit[best] ? i : best;
    return best;
}

static void replace(const at_tensor *logits, int B, int T, int step, int *words, const int *targets,
                    at_scheduled_options o)
{
    int V = at_shape_last(logits->shape);
    for (int b = 0; b < B; b++)
        if (targets[b * T + step] >= 0 && drawn(o, b, step))
            words[b * T + step] = likeliest(logits->value + (size_t)b * (size_t)V, V);
}

static void step_all(at_tape *t, const at_model *m, void *source, at_cache *cache, int B, int T,
                     int *words, const int *targets, at_scheduled_options options)
{
    const at_decodes *d = m->kind->decodes;
    if (d->start)
        d->start(t, m, source, cache);
    for (int step = 1; step < T && !at_failed(t); step++) {
        int *word = at_scratch(t, (size_t)B * sizeof *word);
        for (int b = 0; word && b < B; b++)
            word[b] = words[b * T + step - 1];
        at_decode_input in = {.source = source,
                              .cache = cache,
                              .tokens = {SHAPE(B, 1), word},
                              .width = 1,
                              .position = step - 1};
        at_decoded decoded = d->decode(t, m, &in);
        if (at_failed(t) || !wanted(B, T, step, targets, options))
            continue;
        at_tensor *logits = options.copies ? d->copy_log_p(t, m, &decoded, options.copies)
                                           : d->logits(t, m, decoded.features);
        if (!at_failed(t))
            replace(logits, B, T, step, words, targets, options);
    }
}

void at_scheduled_sampling(at_tape *t, const at_model *m, void *source, int B, int T, int *words,
                           const int *targets, at_scheduled_options options)
{
    attend_error err;
    at_cache *cache = at_failed(t) ? NULL : m->kind->decodes->cache(m);
    if (!cache)
        at_fail_memory(t);
    else if (at_cache_join(cache, B, &err) < 0)
        at_fail_with(t, &err);
    else
        step_all(t, m, source, cache, B, T, words, targets, options);
    at_cache_free(cache);
}
