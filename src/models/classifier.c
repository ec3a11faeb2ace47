#include "models/classifier.h"

#include "attention/output.h"

static at_path in(const char *name) { return at_in(at_root(), "%s", name); }

/* ---- words --------------------------------------------------------------------------------- */

/* whole words left out: 1/(1-p) or 0 for each, [B,T,1] */
static at_tensor *drop_words(at_tape *t, const at_classifier *m, at_tensor *x)
{
    static const real one = 1;
    if (at_failed(t) || m->word_dropout == 0 || at_tape_mode(t) != ATTEND_TRAIN)
        return x;
    at_shape each = SHAPE(x->shape.dim[0], x->shape.dim[1], 1);
    at_tensor *ones = at_add(t, at_zeros(t, each), at_input(t, SHAPE(1, 1, 1), &one));
    return at_multiply(t, x, at_dropout(t, ones, m->word_dropout));
}

static at_tensor *embed(at_tape *t, const at_classifier *m, at_ids words)
{
    at_tensor *x = at_embed(t, in("embedding"), words, m->vocabulary, m->embedding,
                            at_classifier_words_scale(m));
    return at_dropout(t, drop_words(t, m, x), m->dropout);
}

/* ---- encoders ------------------------------------------------------------------------------ */

typedef struct {
    at_tensor *states; /* [B,T,C] */
    at_tensor *ends;   /* [B,1,C]: [h->_last; h<-_first]; NULL of a convolution */
} encoded;

static encoded recur(at_tape *t, const at_classifier *m, at_tensor *x, const int *lengths)
{
    at_stack_options o = {.cell = m->cell,
                          .hidden = m->hidden,
                          .layers = m->layers,
                          .bidirectional = m->bidirectional,
                          .dropout = m->dropout};
    at_stack_result r = at_recurrent_stack(t, in("rnn"), x, lengths, &o);
    int n = m->bidirectional ? 2 : 1;
    at_tensor *ends = at_concat(t, n, r.h_n + (m->layers - 1) * n, 1);
    if (!at_failed(t))
        ends = at_reshape(t, ends, SHAPE(ends->shape.dim[0], 1, ends->shape.dim[1]));
    return (encoded){r.output, ends};
}

static encoded convolve(at_tape *t, const at_classifier *m, at_tensor *x, const int *lengths)
{
    at_tensor *found[ATTEND_WIDTHS_MOST];
    for (int i = 0; i < m->widths; i++)
        found[i] = at_relu(t, at_convolution(t, at_in(in("convolution"), "%d", m->width[i]), x,
                                             m->hidden, m->width[i], lengths));
    return (encoded){at_concat(t, m->widths, found, 2), NULL};
}

/* ---- reads --------------------------------------------------------------------------------- */

/* one vector for every text, [B,1,C] */
static at_tensor *learned_query(at_tape *t, int B, int C)
{
    at_tensor *q = at_param(t, in("attention"), "question", SHAPE(1, 1, C), INIT_UNIFORM(1));
    return at_failed(t) ? q : at_add(t, at_zeros(t, SHAPE(B, 1, C)), q);
}

static at_classified decide(at_tape *t, const at_classifier *m, encoded e, const int *lengths,
                            at_attention_record *record)
{
    int B = e.states->shape.dim[0], T = e.states->shape.dim[1], C = at_shape_last(e.states->shape);
    at_tensor *q = m->query == ATTEND_QUERY_ENDS ? e.ends : learned_query(t, B, C);
    at_memory memory = at_attention_prepare(t, in("attention"), &m->attention, C, e.states,
                                            e.states, lengths);
    at_reading r = at_attention_read(t, in("attention"), &m->attention, &memory,
                                     (at_query){.query = q, .weights = true});
    at_tensor *y = at_output_module_apply(t, in("output"), at_dropout(t, q, m->dropout),
                                          at_dropout(t, r.context, m->dropout), m->classes, NULL);
    if (at_failed(t))
        return (at_classified){at_poison(t), NULL};
    at_attention_record_add(record, ATTEND_ATTENTION_ENCODER, 0, r.weights);
    at_tensor *w = at_mean_axis(t, r.weights, 1);
    return (at_classified){at_reshape(t, y, SHAPE(B, m->classes)), at_reshape(t, w, SHAPE(B, T))};
}

/* A word's weight: its share of the maxima [B,C]. A filter that is silent everywhere, whose maximum
 * is 0, has found nothing; where all are, no word has weight. */
static at_tensor *shares(at_tape *t, const at_tensor *maxima, const int *where, int B, int T)
{
    at_tensor *w = at_zeros(t, SHAPE(B, T));
    int C = at_shape_last(maxima->shape);
    for (int b = 0; !at_failed(t) && b < B; b++) {
        const real *found = maxima->value + (size_t)b * (size_t)C;
        int count = 0;
        for (int i = 0; i < C; i++)
            count += found[i] != 0;
        for (int i = 0; i < C; i++)
            if (found[i] != 0)
                w->value[b * T + where[b * C + i]] += 1 / (real)count;
    }
    return w;
}

static at_classified decide_by_maxima(at_tape *t, const at_classifier *m, encoded e,
                                      const int *lengths, bool weights)
{
    const int *where = NULL;
    at_tensor *c = at_max_time(t, e.states, lengths, &where);
    at_tensor *y = at_linear(t, in("output"), at_dropout(t, c, m->dropout), m->classes);
    at_classified d = {y, NULL};
    if (weights && !at_failed(t))
        d.weights = shares(t, c, where, e.states->shape.dim[0], e.states->shape.dim[1]);
    return d;
}

at_classified at_classify(at_tape *t, const at_classifier *m, at_ids words, const int *lengths,
                          bool weights, at_attention_record *record)
{
    at_tensor *x = embed(t, m, words);
    encoded e = m->encoder == ATTEND_ENCODER_CNN ? convolve(t, m, x, lengths)
                                                 : recur(t, m, x, lengths);
    if (at_failed(t))
        return (at_classified){at_poison(t), NULL};
    return m->pool == ATTEND_POOL_MAX ? decide_by_maxima(t, m, e, lengths, weights)
                                      : decide(t, m, e, lengths, record);
}
