#include "train/own_words.h"

/* a function of sentence and position alone */
static bool drawn(at_own_options o, int row, int step)
{
    o.place.sentence += (uint32_t)row;
    return at_random_uniform(o.place, (uint32_t)step) >= o.right;
}

/* Does any sentence want its own word at this step? */
static bool wanted(int B, int T, int step, const int *targets, at_own_options o)
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
                    at_own_options o)
{
    int V = at_shape_last(logits->shape);
    for (int b = 0; b < B; b++)
        if (targets[b * T + step] >= 0 && drawn(o, b, step))
            words[b * T + step] = likeliest(logits->value + (size_t)b * (size_t)V, V);
}

void at_own_words(at_tape *t, const at_seq2seq *m, const at_source *source, int B, int T,
                  int *words, const int *targets, at_own_options options)
{
    at_decoder state = at_seq2seq_start(m, source);
    for (int step = 1; step < T && !at_failed(t); step++) {
        int *word = at_scratch(t, (size_t)B * sizeof *word);
        for (int b = 0; word && b < B; b++)
            word[b] = words[b * T + step - 1];
        at_decoded d = at_seq2seq_decode(t, m, source, &state, (at_ids){SHAPE(B, 1), word}, false);
        if (at_failed(t) || !wanted(B, T, step, targets, options))
            continue;
        at_tensor *logits = options.copies ? at_seq2seq_log_p(t, m, &d, options.copies)
                                           : at_seq2seq_logits(t, m, d.features);
        if (!at_failed(t))
            replace(logits, B, T, step, words, targets, options);
    }
}
