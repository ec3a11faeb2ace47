#include "decode/embed.h"

#include <string.h>

#include "api/model.h"
#include "api/options.h"
#include "base/memory.h"

void attend_embed_defaults(attend_embed_options *o)
{
    *o = (attend_embed_options){.size = sizeof *o, .normalize = -1, .batch = 64};
}

typedef struct {
    attend_embedded_function *function;
    void *user;
    float *vector;
} giving;

static attend_status give(void *user, const at_embedded *e, attend_error *err)
{
    const giving *g = user;
    for (int i = 0; i < e->width; i++)
        g->vector[i] = (float)e->vector[i];
    attend_embedded out = {.line = e->line,
                           .width = e->width,
                           .vector = g->vector,
                           .tokens = e->tokens,
                           .cut = e->cut};
    return g->function(g->user, &out, err);
}

/* How vectors are made: by the folder, unless an option says otherwise. */
static attend_status choose(const at_model *m, const attend_embed_options *o, at_sentence *how,
                            attend_error *err)
{
    *how = at_embed_default(m);
    attend_status status = o->pooling ? at_sentence_parse(how, o->pooling, err) : ATTEND_OK;
    if (o->normalize >= 0)
        how->normalize = o->normalize;
    if (o->max_length > 0)
        how->length = o->max_length;
    if (status >= 0 && (o->batch < 1 || o->max_length < 0))
        status = at_error(err, ATTEND_OPTION,
                          "batch %d must be at least 1, and max_length %d at least 0", o->batch,
                          o->max_length);
    return status;
}

attend_status attend_embed(const attend_model *m, const attend_embed_options *options, size_t count,
                           const char *const *line, attend_embedded_function *function, void *user,
                           attend_error *err)
{
    attend_embed_options o;
    at_sentence how;
    attend_embed_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_embed_defaults", err);
    if (status >= 0)
        status = attend_model_require(m, ATTEND_CAN_EMBED, err);
    if (status >= 0)
        status = choose(m->inside, &o, &how, err);
    if (status < 0)
        return status;
    at_text *text = at_alloc((count ? count : 1) * sizeof *text);
    giving g = {function, user,
                at_alloc((size_t)at_embed_width(m->inside, &how) * sizeof *g.vector)};
    for (size_t i = 0; text && i < count; i++)
        text[i] = at_text_of(line[i]);
    status = text && g.vector ? at_embed_lines(m->inside, &how, o.batch, count, text, give, &g, err)
                              : at_error_memory(err);
    at_free(text);
    at_free(g.vector);
    return status;
}
