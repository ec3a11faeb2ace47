#include <string.h>

#include "api/model.h"
#include "api/options.h"
#include "base/file.h"
#include "base/memory.h"
#include "decode/classify.h"

void attend_classify_defaults(attend_classify_options *o)
{
    *o = (attend_classify_options){.size = sizeof *o, .longest = 1000, .batch = 64};
}

/* ---- what is given ------------------------------------------------------------------------- */

typedef struct {
    const attend_model *model;
    const at_text *line;
    attend_classified_function *function;
    void *user;
} giving;

/* Each piece as it stands in the line, ended by a zero; NULL without memory. */
static const char **spell(at_arena *memory, const at_tokenizer *t, at_text line,
                          const at_classified_line *c)
{
    size_t n = c->pieces->count, begin = 0;
    at_str all = {0};
    const char **piece = at_arena_alloc(memory, (n + 1) * sizeof *piece);
    size_t *end = at_arena_alloc(memory, (n + 1) * sizeof *end);
    if (piece && end)
        at_spell(t, line.text, line.size, c->pieces, &all, end);
    for (size_t i = 0; piece && end && !all.failed && i < n; begin = end[i++]) {
        char *copy = at_arena_alloc_small(memory, end[i] - begin + 1);
        if (!copy) {
            piece = NULL;
            break;
        }
        memcpy(copy, at_str_text(&all) + begin, end[i] - begin);
        copy[end[i] - begin] = '\0';
        piece[i] = copy;
    }
    bool failed = !end || all.failed;
    at_str_free(&all);
    return failed ? NULL : piece;
}

static double *doubles(at_arena *memory, int n, const real *x)
{
    double *y = at_arena_alloc(memory, (size_t)(n + 1) * sizeof *y);
    for (int i = 0; y && i < n; i++)
        y[i] = (double)x[i];
    return y;
}

static attend_status give(void *user, const at_classified_line *c, attend_error *err)
{
    const giving *g = user;
    const at_model *m = g->model->inside;
    at_arena memory = {.first_size = 0};
    attend_classified out = {
        .line = c->line,
        .index = c->class,
        .name = attend_model_label(g->model, (size_t)c->class),
        .probabilities = doubles(&memory, at_model_label_count(m), c->probabilities),
        .tokens = c->positions,
        .token = spell(&memory, m->source, g->line[c->line], c),
        .weights = c->weights ? doubles(&memory, c->positions, c->weights) : NULL,
        .cut = c->cut};
    attend_status status = ATTEND_OK;
    if (!out.probabilities || !out.token || (c->weights && !out.weights))
        status = at_error_memory(err);
    if (status >= 0)
        status = g->function(g->user, &out, err);
    at_arena_free(&memory);
    return status;
}

/* Probabilities that sum to 1 are of models that choose one label. */
static attend_status check_labels(const attend_model *m, attend_error *err)
{
    at_label_use use = at_model_label_use(m->inside);
    if (use == ATTEND_LABELS_ONE)
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT,
                    "%s: gives %s, not one label for a text; classify with a model whose "
                    "problem_type is single_label_classification",
                    at_show(m->path).text,
                    use == ATTEND_LABELS_NUMBER ? "a number (regression)"
                                                : "several labels for a text");
}

attend_status attend_classify(const attend_model *m, const attend_classify_options *options,
                              size_t count, const char *const *line,
                              attend_classified_function *function, void *user, attend_error *err)
{
    attend_classify_options o;
    attend_classify_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_classify_defaults",
                                             err);
    if (status >= 0)
        status = attend_model_require(m, ATTEND_CAN_CLASSIFY, err);
    if (status >= 0)
        status = check_labels(m, err);
    if (status < 0)
        return status;
    if (o.batch < 1 || o.longest < 1)
        return at_error(err, ATTEND_OPTION, "batch %d and longest %d must be at least 1", o.batch,
                        o.longest);
    at_text *text = at_alloc((count ? count : 1) * sizeof *text);
    if (!text)
        return at_error_memory(err);
    for (size_t i = 0; i < count; i++)
        text[i] = (at_text){line[i], strlen(line[i])};
    giving g = {m, text, function, user};
    at_classify_options inside = {
        .batch = o.batch, .longest = o.longest, .weights = o.attention != 0};
    status = at_classify_lines(m->inside, &inside, count, text, give, &g, err);
    at_free(text);
    return status;
}
