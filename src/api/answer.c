#include <math.h>
#include <string.h>

#include "api/encoding.h"
#include "api/options.h"
#include "base/memory.h"
#include "decode/answer.h"

void attend_answer_defaults(attend_answer_options *o)
{
    *o = (attend_answer_options){.size = sizeof *o,
                                 .window = 384,
                                 .stride = 128,
                                 .max_question = 64,
                                 .max_answer = 30,
                                 .best = 1,
                                 .batch = 16,
                                 .layer = -1,
                                 .head = -1};
}

typedef struct {
    const attend_model *model;
    const at_question *question;
    attend_answered_function *function;
    void *user;
} giving;

static const attend_answer_span *spans(at_arena *memory, const at_answered *a, const char *context)
{
    attend_answer_span *span = at_arena_alloc(memory, (size_t)(a->count + 1) * sizeof *span);
    for (int i = 0; span && i < a->count; i++) {
        const at_answer_span *s = &a->span[i];
        const char *text = at_arena_text(memory, context + s->begin, s->end - s->begin);
        span[i] = (attend_answer_span){s->begin, s->end, text, s->score, s->probability};
        if (!text)
            return NULL;
    }
    return span;
}

static attend_status give(void *user, const at_answered *a, attend_error *err)
{
    const giving *g = user;
    at_arena memory = {.first_size = 0};
    attend_answered out = {.index = a->index,
                           .answered = a->answered,
                           .count = a->count,
                           .span = spans(&memory, a, g->question[a->index].context.text),
                           .none_score = a->none,
                           .none_probability = a->none_probability,
                           .windows = a->windows,
                           .cut = a->cut};
    if (a->tokens)
        out.encoding = at_encoding_new(&memory, g->model->inside->source, a->tokens, a->second,
                                       a->attention);
    attend_status status = out.span && (out.encoding || !a->tokens) ? ATTEND_OK
                                                                    : at_error_memory(err);
    if (status >= 0)
        status = g->function(g->user, &out, err);
    at_arena_free(&memory);
    return status;
}

static attend_status check(const attend_model *m, const attend_answer_options *o, attend_error *err)
{
    attend_status status = attend_model_require(m, ATTEND_CAN_ANSWER, err);
    if (status < 0)
        return status;
    if (o->window < 1 || o->stride < 1 || o->max_question < 1 || o->max_answer < 1 || o->best < 1
        || o->batch < 1)
        return at_error(err, ATTEND_OPTION,
                        "window %d, stride %d, max_question %d, max_answer %d, best %d and batch "
                        "%d must be at least 1",
                        o->window, o->stride, o->max_question, o->max_answer, o->best, o->batch);
    return o->attention ? at_encoding_check(m, o->layer, o->head, err) : ATTEND_OK;
}

attend_status attend_answer(const attend_model *m, const attend_answer_options *options,
                            size_t count, const attend_question *question,
                            attend_answered_function *function, void *user, attend_error *err)
{
    attend_answer_options o;
    attend_answer_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_answer_defaults", err);
    if (status >= 0)
        status = check(m, &o, err);
    if (status < 0)
        return status;
    at_question *all = at_alloc((count ? count : 1) * sizeof *all);
    for (size_t i = 0; all && i < count; i++)
        all[i] = (at_question){{question[i].question, strlen(question[i].question)},
                               {question[i].context, strlen(question[i].context)}};
    at_answer_options inside = {
        .windows = {at_answer_window(m->inside, o.window), o.stride, o.max_question},
        .batch = o.batch,
        .best = o.best,
        .max_answer = o.max_answer,
        .threshold = o.threshold,
        .wanted = at_encoding_record(o.attention, o.layer, o.head)};
    giving g = {m, all, function, user};
    status = all ? at_answer_questions(m->inside, &inside, count, all, give, &g, err)
                 : at_error_memory(err);
    at_free(all);
    return status;
}
