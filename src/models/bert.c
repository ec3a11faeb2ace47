#include "models/bert.h"

/* ---- parameters: Hugging Face's names, N(0, 0.02^2) at first -------------------------------- */

#define INIT INIT_NORMAL((real)0.02)

static at_path at(const char *name) { return at_in(at_root(), "%s", name); }

/* y = f(W x + b), weight [out,in]; f may be NULL */
static at_tensor *project(at_tape *t, at_path s, at_tensor *x, int out, at_activation *f)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *w = at_param_matrix(t, s, "weight", SHAPE(out, at_shape_last(x->shape)), INIT);
    at_tensor *b = at_param(t, s, "bias", SHAPE(out), INIT_ZERO);
    return f ? at_affine_act(t, x, w, b, ATTEND_OUT_IN, f) : at_affine(t, x, w, b, ATTEND_OUT_IN);
}

/* LN(x + y) */
static at_tensor *add_norm(at_tape *t, at_path s, const at_bert *m, at_tensor *x, at_tensor *y)
{
    at_tensor *sum;
    return at_norm_residual(t, s, x, y, m->epsilon, &sum);
}

static at_tensor *table(at_tape *t, const char *name, int rows, int width)
{
    return at_param_matrix(t, at_in(at("embeddings"), "%s", name), "weight", SHAPE(rows, width),
                           INIT);
}

static at_tensor *tokens_table(at_tape *t, const at_bert *m)
{
    return table(t, "word_embeddings", m->vocabulary, m->width);
}

/* ---- embeddings ----------------------------------------------------------------------------- */

const int *at_bert_positions(at_tape *t, const at_bert *m, at_ids ids)
{
    int B = ids.shape.dim[0], T = ids.shape.dim[1];
    int *p = at_scratch(t, (size_t)B * (size_t)T * sizeof *p);
    for (int b = 0; p && b < B; b++) {
        int next = m->family == ATTEND_ROBERTA ? m->pad + 1 : 0;
        for (int i = b * T; i < (b + 1) * T; i++) {
            bool skipped = m->family == ATTEND_ROBERTA && ids.id[i] == m->pad;
            p[i] = skipped ? m->pad : next++;
            if (p[i] < m->positions)
                continue;
            at_fail(t,
                    "bert: text %d has more than the %d tokens that the model has positions for; "
                    "shorten it or split it",
                    b, m->positions - (m->family == ATTEND_ROBERTA ? m->pad + 1 : 0));
            return NULL;
        }
    }
    return p;
}

static at_tensor *embed_segments(at_tape *t, const at_bert *m, const at_inputs *in)
{
    size_t n = (size_t)in->ids.shape.dim[0] * (size_t)in->ids.shape.dim[1];
    int *zeros = in->segments && m->segments > 1 ? NULL : at_scratch(t, n * sizeof *zeros);
    for (size_t i = 0; zeros && i < n; i++)
        zeros[i] = 0;
    at_ids segments = {in->ids.shape, zeros ? zeros : in->segments};
    return at_embedding(t, table(t, "token_type_embeddings", m->segments, m->width), segments);
}

/* LN(E[token] + P[position] + S[segment]): [B,T,D] */
static at_tensor *embed(at_tape *t, const at_bert *m, const at_inputs *in)
{
    const int *position = at_bert_positions(t, m, in->ids);
    if (at_failed(t))
        return at_poison(t);
    int fixed = m->fixed_positions            ? ATTEND_ROWS_ALL
                : m->family == ATTEND_ROBERTA ? m->pad
                                              : ATTEND_ROWS_NONE;
    at_tensor *p = table(t, "position_embeddings", m->positions, m->width);
    at_ids where = {in->ids.shape, position};
    at_tensor *x = at_embedding_fixed(t, tokens_table(t, m), in->ids, m->pad);
    if (m->segments)
        x = at_add(t, x, embed_segments(t, m, in));
    x = at_add(t, x, at_embedding_fixed(t, p, where, fixed));
    x = at_norm(t, at("embeddings.LayerNorm"), x, m->epsilon);
    return at_dropout(t, x, m->dropout);
}

/* ---- one layer ------------------------------------------------------------------------------ */

/* x [B,T,D] -> [B,T,D]; *weights receives the attention where it is not NULL */
static at_tensor *attention(at_tape *t, at_path s, const at_bert *m, at_tensor *x,
                            const at_mask *mask, at_tensor **weights)
{
    int D = m->width;
    at_tensor *q = project(t, at_in(s, "self.query"), x, D, NULL);
    at_tensor *k = project(t, at_in(s, "self.key"), x, D, NULL);
    at_tensor *v = project(t, at_in(s, "self.value"), x, D, NULL);
    at_attention_options o = {.heads = m->heads,
                              .scale = 1 / real_sqrt((real)D / (real)m->heads),
                              .mask = mask,
                              .dropout = m->attention_dropout,
                              .weights = weights != NULL};
    at_attention_result r = at_attention(t, at_rows_of(q), at_rows_of(k), at_rows_of(v), o);
    if (weights)
        *weights = r.weights;
    at_tensor *y = project(t, at_in(s, "output.dense"), r.context, D, NULL);
    return add_norm(t, at_in(s, "output.LayerNorm"), m, x, at_dropout(t, y, m->dropout));
}

static at_tensor *feed_forward(at_tape *t, at_path s, const at_bert *m, at_tensor *x)
{
    at_tensor *y = project(t, at_in(s, "intermediate.dense"), x, m->inner, m->activation);
    y = project(t, at_in(s, "output.dense"), y, m->width, NULL);
    return add_norm(t, at_in(s, "output.LayerNorm"), m, x, at_dropout(t, y, m->dropout));
}

/* ---- the encoder ---------------------------------------------------------------------------- */

at_tensor *at_bert_encode(at_tape *t, const at_bert *m, const at_inputs *in, at_tensor **weights)
{
    at_mask lengths = {.lengths = in->lengths};
    const at_mask *mask = in->mask ? in->mask : &lengths;
    at_mark mark = at_tape_mark(t);
    at_tensor *x = embed(t, m, in), *found = NULL;
    bool kept = in->states || weights; /* other results than x outlive their layer */
    if (in->states)
        in->states[0] = x;
    for (int i = 0; i < m->layers; i++) {
        at_path s = at_in(at("encoder"), "layer.%d", i);
        bool wanted = at_attention_record_wants(in->record, ATTEND_ATTENTION_ENCODER, i);
        wanted = wanted || (weights && i == m->layers - 1);
        kept = kept || wanted;
        x = attention(t, at_in(s, "attention"), m, x, mask, wanted ? &found : NULL);
        if (wanted && !at_failed(t))
            at_attention_record_add(in->record, ATTEND_ATTENTION_ENCODER, i, found);
        if (!kept)
            at_tape_release(t, mark, &x, 1);
        x = feed_forward(t, s, m, x);
        if (in->states)
            in->states[i + 1] = x;
        if (!kept)
            at_tape_release(t, mark, &x, 1);
    }
    if (weights)
        *weights = found;
    return x;
}

/* ---- heads ---------------------------------------------------------------------------------- */

/* the states [B,D] of the first tokens */
static at_tensor *first_tokens(at_tape *t, at_tensor *states)
{
    if (at_failed(t))
        return at_poison(t);
    at_tensor *x = at_slice(t, states, 1, 0, 1);
    return at_failed(t) ? x : at_reshape(t, x, SHAPE(states->shape.dim[0], states->shape.dim[2]));
}

at_tensor *at_bert_pool(at_tape *t, const at_bert *m, at_tensor *states)
{
    at_tensor *x = first_tokens(t, states);
    if (m->family == ATTEND_ROBERTA && m->head == ATTEND_BERT_CLASSES)
        x = at_dropout(t, x, m->head_dropout);
    return project(t, at("pooler.dense"), x, m->width,
                   m->family == ATTEND_DISTILBERT ? at_relu : at_tanh);
}

at_tensor *at_bert_classes(at_tape *t, const at_bert *m, at_tensor *states)
{
    at_tensor *x = at_dropout(t, at_bert_pool(t, m, states), m->head_dropout);
    return project(t, at("classifier"), x, m->classes, NULL);
}

at_tensor *at_bert_tags(at_tape *t, const at_bert *m, at_tensor *states)
{
    return project(t, at("classifier"), at_dropout(t, states, m->head_dropout), m->classes, NULL);
}

at_tensor *at_bert_span(at_tape *t, const at_bert *m, at_tensor *states)
{
    real dropout = m->family == ATTEND_DISTILBERT ? m->head_dropout : 0;
    return project(t, at("qa_outputs"), at_dropout(t, states, dropout), 2, NULL);
}

at_tensor *at_bert_next(at_tape *t, const at_bert *m, at_tensor *states)
{
    return project(t, at("cls.seq_relationship"), at_bert_pool(t, m, states), 2, NULL);
}

/* what masked tokens are predicted from: LN(act(W x + b)); RoBERTa's act is gelu */
static at_tensor *transform(at_tape *t, const at_bert *m, at_tensor *states)
{
    at_path s = at("cls.predictions.transform");
    at_activation *f = m->family == ATTEND_ROBERTA ? at_gelu : m->activation;
    at_tensor *x = project(t, at_in(s, "dense"), states, m->width, f);
    return at_norm(t, at_in(s, "LayerNorm"), x, m->epsilon);
}

static at_tensor *output_weight(at_tape *t, const at_bert *m)
{
    return m->tied ? tokens_table(t, m)
                   : at_param_matrix(t, at("cls.predictions.decoder"), "weight",
                                     SHAPE(m->vocabulary, m->width), INIT);
}

static at_tensor *output_bias(at_tape *t, const at_bert *m)
{
    return at_param(t, at("cls.predictions"), "bias", SHAPE(m->vocabulary), INIT_ZERO);
}

at_tensor *at_bert_tokens(at_tape *t, const at_bert *m, at_tensor *states)
{
    return at_affine(t, transform(t, m, states), output_weight(t, m), output_bias(t, m),
                     ATTEND_OUT_IN);
}

at_tensor *at_bert_tokens_loss(at_tape *t, const at_bert *m, at_tensor *states, at_ids targets,
                               at_cross_entropy_options options)
{
    return at_linear_cross_entropy(t, transform(t, m, states), output_weight(t, m),
                                   output_bias(t, m), ATTEND_OUT_IN, targets, options);
}
