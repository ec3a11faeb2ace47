/* sentence-transformers: token embeddings, pooled vectors, embeddings and their cosines. The folder
 * is opened through the hub, and its texts become vectors as a user's do. */
#include <string.h>

#include "base/memory.h"
#include "bert_case.h"
#include "decode/embed.h"
#include "oracle.h"
#include "store/model_folder.h"

typedef struct {
    real *to;
} taking;

static attend_status take(void *user, const at_embedded *e, attend_error *err)
{
    taking *t = user;
    (void)err;
    memcpy(t->to + e->line * (size_t)e->width, e->vector, (size_t)e->width * sizeof(real));
    return ATTEND_OK;
}

static at_text *texts_of(at_case *c, size_t *n)
{
    json_t *list = at_case_json(c, "texts");
    *n = json_array_size(list);
    at_text *text = at_arena_alloc(&c->memory, (*n + 1) * sizeof *text);
    for (size_t i = 0; text && i < *n; i++) {
        const json_t *one = json_array_get(list, i);
        text[i] = (at_text){json_string_value(one), json_string_length(one)};
    }
    return text;
}

/* vectors of the texts in batches of that size, compared as `name` */
static real *check_vectors(at_case *c, const at_model *m, at_sentence how, int batch,
                           const char *name)
{
    size_t n;
    at_text *text = texts_of(c, &n);
    int width = at_embed_width(m, &how);
    taking t = {at_arena_alloc(&c->memory, n * (size_t)width * sizeof(real) + 1)};
    attend_error err;
    if (!text || !t.to || at_embed_lines(m, &how, batch, n, text, take, &t, &err) < 0) {
        at_case_fail(c, "%s", text && t.to ? err.message : "out of memory");
        return NULL;
    }
    at_case_compare(c, name, SHAPE((int)n, width), t.to, at_tolerance_output);
    return t.to;
}

/* rows of tokens that are read, of the case's own ids; rows of padding are taken from `expected` */
static void check_tokens(at_case *c, const at_model *m)
{
    at_ids ids = at_case_ids(c, "input_ids"), mask = at_case_ids(c, "attention_mask");
    at_shape shape;
    const real *want = at_case_reals(c, c->expected, "token_embeddings", &shape);
    at_tape *t = at_tape_new(m->params, ATTEND_INFER);
    int B = ids.shape.dim[0], T = ids.shape.dim[1], D = m->kind->encodes->width(m);
    int *lengths = at_arena_alloc(&c->memory, (size_t)(B + 1) * sizeof *lengths);
    if (!want || !t || !lengths || !ids.id || !mask.id) {
        at_case_fail(c, "token_embeddings cannot be checked");
        return;
    }
    for (int b = 0; b < B; b++)
        for (lengths[b] = 0; lengths[b] < T && mask.id[b * T + lengths[b]];)
            lengths[b]++;
    at_inputs in = {.ids = ids, .lengths = lengths};
    at_tensor *x = m->kind->encodes->encode(t, m, &in);
    for (int i = 0; !at_failed(t) && i < B * T; i++)
        if (!mask.id[i])
            memcpy(x->value + (size_t)i * (size_t)D, want + (size_t)i * (size_t)D,
                   (size_t)D * sizeof(real));
    if (at_failed(t))
        at_case_fail(c, "%s", at_tape_error(t)->message);
    else
        at_case_compare(c, "token_embeddings", x->shape, x->value, at_tolerance_output);
    at_tape_free(t);
}

static void check_cosine(at_case *c, const real *x, int n, int width)
{
    at_sentence how = {.parts = ATTEND_SENTENCE_CLS, .normalize = true};
    real *unit = at_arena_alloc(&c->memory, (size_t)n * (size_t)width * sizeof *unit + 1);
    real *cosine = at_arena_alloc(&c->memory, (size_t)n * (size_t)n * sizeof *cosine + 1);
    if (!unit || !cosine)
        return;
    for (int i = 0; i < n; i++)
        at_embed_pool(&how, width, 1, x + (size_t)i * (size_t)width,
                      unit + (size_t)i * (size_t)width);
    for (int i = 0; i < n * n; i++) {
        double sum = 0;
        for (int k = 0; k < width; k++)
            sum += (double)unit[i / n * width + k] * (double)unit[i % n * width + k];
        cosine[i] = (real)sum;
    }
    at_case_compare(c, "cosine", SHAPE(n, n), cosine, at_tolerance_output);
}

void at_check_sentence(at_case *c)
{
    attend_error err;
    at_model *m;
    if (at_model_open(c->path, &m, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return;
    }
    at_sentence how = at_embed_default(m), plain = how;
    plain.normalize = false;
    check_tokens(c, m);
    check_vectors(c, m, plain, 3, "pooled");
    const real *x = check_vectors(c, m, how, 64, "embeddings");
    if (x)
        check_cosine(c, x, (int)json_array_size(at_case_json(c, "texts")), at_embed_width(m, &how));
    at_model_free(m);
}

/* vectors of another program, of the same texts */
static void compare_candle(at_case *c, const real *got, int width)
{
    json_t *row, *list = at_case_json(c, "candle");
    size_t i, k;
    json_array_foreach(list, i, row)
    {
        json_t *want = json_array_get(row, 1), *number;
        if ((int)json_array_size(want) != width)
            at_case_fail(c, "expected.json: candle[%zu] has not %d numbers", i, width);
        json_array_foreach(want, k, number)
        {
            double expected = json_number_value(number);
            double x = (int)k < width ? (double)got[i * (size_t)width + k] : 0;
            at_case_compare_numbers(c, "candle", 1, &x, &expected, (at_tolerance){1e-5, 0});
        }
    }
}

void at_check_minilm(at_case *c)
{
    at_sentence how = {.parts = ATTEND_SENTENCE_MEAN, .normalize = true};
    attend_error err;
    at_model *m;
    at_check_bert(c);
    if (at_model_open(c->path, &m, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return;
    }
    check_vectors(c, m, how, 1, "embedding.mean_l2");
    const real *x = check_vectors(c, m, how, 64, "embedding.mean_l2");
    if (x
        && json_array_size(at_case_json(c, "candle")) <= json_array_size(at_case_json(c, "texts")))
        compare_candle(c, x, at_embed_width(m, &how));
    at_model_free(m);
}
