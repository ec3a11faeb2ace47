/* attend_read: runs one read on a tape and keeps what came of it. */
#include <stdio.h>
#include <string.h>

#include "api/options.h"
#include "api/reading.h"
#include "base/log.h"
#include "base/memory.h"

void attend_read_defaults(attend_read_options *o) { *o = (attend_read_options){.size = sizeof *o}; }

/* ---- the read ----------------------------------------------------------------------------- */

static at_tensor *tensor(at_tape *t, attend_array a)
{
    at_tensor *x = at_new(t, SHAPE((int)a.shape[0], (int)a.shape[1], (int)a.shape[2]));
    for (size_t i = 0; !at_failed(t) && i < x->len; i++)
        x->value[i] = (real)a.data[i];
    return x;
}

/* why the tape failed, in the words of who wrote the file */
static attend_status failed(const attend_reading *r, const at_read_job *j, attend_error *err)
{
    const attend_read_options *o = &r->input;
    const attend_error *why = at_tape_error(j->tape);
    size_t q = o->queries.shape[2], k = o->keys.shape[2], v = o->values.shape[2];
    if (why->status == ATTEND_SHAPE && !r->headed && (q != k || q != v))
        return at_error(err, ATTEND_SHAPE,
                        "queries %s, keys %s and values %s do not fit %s (%.120s); additive, "
                        "bilinear and heads take any widths",
                        at_array_print(o->queries).text, at_array_print(o->keys).text,
                        at_array_print(o->values).text, r->attention, why->message);
    return at_error(err, why->status, "%s", why->message);
}

static attend_status run(const attend_reading *r, at_read_job *j, at_reading *out,
                         attend_error *err)
{
    at_tape_reset(j->tape);
    at_tensor *q = tensor(j->tape, r->input.queries), *k = tensor(j->tape, r->input.keys);
    at_tensor *v = r->own_values ? tensor(j->tape, r->input.values) : k;
    at_memory m = at_attention_prepare(j->tape, at_root(), &j->how, (int)r->input.queries.shape[2],
                                       k, v, j->lengths);
    at_query query = {.query = q,
                      .mask = {.hidden = j->hidden,
                               .hidden_shape = SHAPE((int)r->batch, (int)r->queries, (int)r->keys),
                               .causal = r->input.causal != 0,
                               .offset = r->input.first},
                      .centres = j->centres,
                      .weights = true,
                      .scores = true};
    *out = at_attention_read(j->tape, at_root(), &j->how, &m, query);
    return at_failed(j->tape) ? failed(r, j, err) : ATTEND_OK;
}

/* ---- parameters --------------------------------------------------------------------------- */

/* hidden layers are as wide as the vector that ends them */
static int hidden_size(const attend_read_options *o)
{
    static const char end[] = "energy";
    for (size_t i = 0; i < o->parameter_count && !o->hidden_size; i++) {
        const attend_parameter *p = &o->parameters[i];
        size_t length = strlen(p->name);
        if (length >= sizeof end - 1 && strcmp(p->name + length - (sizeof end - 1), end) == 0
            && p->array.rank == 1 && p->array.shape[0] <= ATTEND_READ_WIDEST)
            return (int)p->array.shape[0];
    }
    return o->hidden_size;
}

static attend_status no_parameter(const attend_reading *r, const at_read_job *j, const char *name,
                                  attend_error *err)
{
    char known[200] = "";
    int count = at_params_count(j->params);
    for (int i = 0; i < count; i++) {
        const at_parameter *p = at_params_at(j->params, i);
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s %s", i ? ", " : "", p->name,
                 at_shape_print(p->shape).text);
    }
    return at_error(err, ATTEND_OPTION, "%s has no parameter '%.60s'; %s%s", r->attention, name,
                    count ? "it has " : "it has none", known);
}

static attend_status take_parameter(const attend_reading *r, const at_read_job *j,
                                    attend_parameter given, attend_error *err)
{
    at_parameter *p = at_params_find(j->params, given.name);
    size_t len;
    if (!p)
        return no_parameter(r, j, given.name, err);
    bool single = given.array.rank == 0 && p->len == 1; /* 2 is as good as [2] */
    bool same = given.array.data && at_array_len(given.array, &len) && len == p->len
                && (single || given.array.rank == p->shape.rank);
    for (int i = 0; same && !single && i < p->shape.rank; i++)
        same = given.array.shape[i] == (size_t)p->shape.dim[i];
    if (!same)
        return at_error(err, ATTEND_SHAPE, "parameter '%s' is %s; %s needs %s here", given.name,
                        at_array_print(given.array).text, r->attention,
                        at_shape_print(p->shape).text);
    for (size_t i = 0; i < len; i++)
        p->value[i] = (real)given.array.data[i];
    return ATTEND_OK;
}

static bool is_given(const attend_read_options *o, const char *name)
{
    for (size_t i = 0; i < o->parameter_count; i++)
        if (strcmp(o->parameters[i].name, name) == 0)
            return true;
    return false;
}

/* Numbers that nobody chose should not pass for a result. */
static void say_what_is_missing(const attend_reading *r, const at_read_job *j)
{
    char names[200] = "";
    for (int i = 0; i < at_params_count(j->params); i++) {
        const char *name = at_params_at(j->params, i)->name;
        size_t used = strlen(names);
        bool fits = used + strlen(name) + sizeof ", ..." < sizeof names;
        if (is_given(&r->input, name))
            continue;
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", fits ? name : "...");
        if (!fits)
            break;
    }
    if (*names)
        at_log(ATTEND_LOG_INFO, "%s: not given, so random from seed %llu or as training starts: %s",
               r->attention, r->input.seed, names);
}

/* those in use, given or not, as doubles of the reading */
static attend_status keep_parameters(attend_reading *r, const at_read_job *j, attend_error *err)
{
    size_t count = (size_t)at_params_count(j->params);
    attend_parameter *all = at_arena_alloc_small(&r->memory, (count + 1) * sizeof *all);
    r->input.parameters = all;
    r->input.parameter_count = all ? count : 0;
    for (size_t i = 0; all && i < count; i++) {
        const at_parameter *p = at_params_at(j->params, (int)i);
        double *data = at_arena_alloc(&r->memory, (p->len + 1) * sizeof *data);
        all[i] = (attend_parameter){at_arena_strdup(&r->memory, p->name),
                                    {data, p->shape.rank, {0}}};
        if (!data || !all[i].name)
            return at_error_memory(err);
        for (size_t k = 0; k < p->len; k++)
            data[k] = (double)p->value[k];
        for (int k = 0; k < p->shape.rank; k++)
            all[i].array.shape[k] = (size_t)p->shape.dim[k];
    }
    return all ? ATTEND_OK : at_error_memory(err);
}

/* The first read makes the parameters; where some were given, a second one uses them. */
static attend_status read_with_parameters(attend_reading *r, at_read_job *j, at_reading *out,
                                          attend_error *err)
{
    const attend_read_options *o = &r->input;
    j->how.size = hidden_size(o);
    attend_status status = run(r, j, out, err);
    for (size_t i = 0; i < o->parameter_count && status >= 0; i++) {
        attend_parameter p = o->parameters[i];
        status = at_array_copy(r, p.name, &p.array, err);
        if (status >= 0)
            status = take_parameter(r, j, p, err);
    }
    if (status >= 0 && o->parameter_count)
        status = run(r, j, out, err);
    if (status < 0)
        return status;
    say_what_is_missing(r, j);
    return keep_parameters(r, j, err);
}

/* ---- the result --------------------------------------------------------------------------- */

static attend_status keep(attend_reading *r, const at_tensor *x, attend_array *out,
                          attend_error *err)
{
    if (!x)
        return ATTEND_OK;
    double *data = at_arena_alloc(&r->memory, (x->len + 1) * sizeof *data);
    if (!data)
        return at_error_memory(err);
    for (size_t i = 0; i < x->len; i++)
        data[i] = (double)x->value[i];
    *out = (attend_array){.data = data, .rank = x->shape.rank};
    for (int i = 0; i < x->shape.rank; i++)
        out->shape[i] = (size_t)x->shape.dim[i];
    return ATTEND_OK;
}

static attend_status keep_all(attend_reading *r, const at_reading *from, attend_error *err)
{
    attend_status status = keep(r, from->scores, &r->scores, err);
    if (status >= 0 && (status = keep(r, from->weights, &r->weights, err)) >= 0)
        status = keep(r, from->context, &r->context, err);
    return status < 0 ? status : keep(r, from->centre, &r->centre, err);
}

static attend_status work(attend_reading *r, at_read_job *j, attend_error *err)
{
    at_reading result;
    attend_status status = at_read_prepare(r, j, err);
    if (status < 0)
        return status;
    j->params = at_params_new(r->input.seed);
    j->tape = j->params ? at_tape_new(j->params, ATTEND_INFER) : NULL;
    if (!j->tape)
        return at_error_memory(err);
    status = read_with_parameters(r, j, &result, err);
    return status < 0 ? status : keep_all(r, &result, err);
}

attend_status attend_read(const attend_read_options *options, attend_reading **out,
                          attend_error *err)
{
    at_read_job j = {.lengths = NULL};
    *out = NULL;
    attend_reading *r = at_alloc_zero(1, sizeof *r);
    if (!r)
        return at_error_memory(err);
    at_arena_init(&r->memory, 1 << 12);
    attend_read_defaults(&r->input);
    attend_status status = at_options_accept(&r->input, sizeof r->input, options,
                                             "attend_read_defaults", err);
    if (status >= 0)
        status = work(r, &j, err);
    at_tape_free(j.tape);
    at_params_free(j.params);
    if (status < 0)
        attend_reading_free(r);
    else
        *out = r;
    return status;
}
