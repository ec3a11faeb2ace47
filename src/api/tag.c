#include "decode/tag.h"

#include <string.h>

#include "api/encoding.h"
#include "api/options.h"
#include "base/memory.h"

void attend_tag_defaults(attend_tag_options *o)
{
    *o = (attend_tag_options){
        .size = sizeof *o, .max_length = 256, .batch = 64, .layer = -1, .head = -1};
}

typedef struct {
    const attend_model *model;
    attend_tagged_function *function;
    void *user;
} giving;

/* words, tags and probabilities in the memory; false without memory */
static bool copy_words(at_arena *memory, const attend_model *m, const at_tagged_line *t,
                       attend_tagged *out)
{
    size_t n = (size_t)t->words + 1;
    const char **word = at_arena_alloc(memory, n * sizeof *word);
    const char **tag = at_arena_alloc(memory, n * sizeof *tag);
    double *probability = at_arena_alloc(memory, n * sizeof *probability);
    if (!word || !tag || !probability)
        return false;
    for (int i = 0; i < t->words; i++) {
        if (!(word[i] = at_arena_text(memory, t->text[i].text, t->text[i].size)))
            return false;
        tag[i] = attend_model_label(m, (size_t)t->tag[i]);
        probability[i] = (double)t->probability[i];
    }
    *out = (attend_tagged){t->line, t->words, word, tag, probability, NULL};
    return true;
}

static attend_status give(void *user, const at_tagged_line *t, attend_error *err)
{
    const giving *g = user;
    at_arena memory = {.first_size = 0};
    attend_tagged out;
    bool made = copy_words(&memory, g->model, t, &out);
    if (made && t->tokens) {
        out.encoding = at_encoding_new(&memory, g->model->inside->source, t->tokens,
                                       (int)t->tokens->count, t->attention);
        made = out.encoding;
    }
    attend_status status = made ? g->function(g->user, &out, err) : at_error_memory(err);
    at_arena_free(&memory);
    return status;
}

static attend_status check(const attend_model *m, const attend_tag_options *o, attend_error *err)
{
    attend_status status = attend_model_require(m, ATTEND_CAN_TAG, err);
    if (status < 0)
        return status;
    if (o->batch < 1 || o->max_length < 1)
        return at_error(err, ATTEND_OPTION, "batch %d and max_length %d must be at least 1",
                        o->batch, o->max_length);
    return o->attention ? at_encoding_check(m, o->layer, o->head, err) : ATTEND_OK;
}

attend_status attend_tag(const attend_model *m, const attend_tag_options *options, size_t count,
                         const char *const *line, attend_tagged_function *function, void *user,
                         attend_error *err)
{
    attend_tag_options o;
    attend_tag_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_tag_defaults", err);
    if (status >= 0)
        status = check(m, &o, err);
    if (status < 0)
        return status;
    at_text *text = at_alloc((count ? count : 1) * sizeof *text);
    for (size_t i = 0; text && i < count; i++)
        text[i] = (at_text){line[i], strlen(line[i])};
    at_tag_options inside = {.batch = o.batch,
                             .limit = o.max_length,
                             .wanted = at_encoding_record(o.attention, o.layer, o.head)};
    giving g = {m, function, user};
    status = text ? at_tag_lines(m->inside, &inside, count, text, give, &g, err)
                  : at_error_memory(err);
    at_free(text);
    return status;
}
