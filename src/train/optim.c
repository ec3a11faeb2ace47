#include "train/optim.h"

#include <string.h>

#include "base/memory.h"
#include "base/str.h"
#include "base/threads.h"
#include "train/settings.h"

#define OPTIMISER(name) extern const at_optimiser at_optimiser_##name;
#include "train/optimisers.def"
#undef OPTIMISER

const at_optimiser *const at_optimisers[] = {
#define OPTIMISER(name) &at_optimiser_##name,
#include "train/optimisers.def"
#undef OPTIMISER
};
const int at_optimisers_count = (int)(sizeof at_optimisers / sizeof *at_optimisers);

/* ---- options ---------------------------------------------------------------------------- */

#define NUMBER(f) OPTION_REAL(at_optim_options, f)
#define FLAG(f) OPTION_FLAG(at_optim_options, f)
#define POSITIVE .min = 0, .max = INFINITY

const at_option at_optim_option_table[] = {
    {.name = "lr", NUMBER(lr), POSITIVE, .help = "Learning rate"},
    {.name = "weight-decay", NUMBER(weight_decay), POSITIVE, .help = "Weight decay"},
    {.name = "no-decay",
     OPTION_CHOICE(at_optim_options, no_decay),
     .choices = "none|norms|biases|norms+biases",
     .help = "Parameters without weight decay"},
    {.name = "eps", NUMBER(eps), POSITIVE, .help = "Added to the denominator"},
    {.name = "beta1", NUMBER(beta1), .max = 1, .help = "Decay of the mean of gradients"},
    {.name = "beta2", NUMBER(beta2), .max = 1, .help = "Decay of the mean of squares"},
    {.name = "momentum", NUMBER(momentum), POSITIVE, .help = "Momentum"},
    {.name = "dampening", NUMBER(dampening), .help = "Dampening of the momentum"},
    {.name = "alpha", NUMBER(alpha), POSITIVE, .help = "Decay of the mean of squares"},
    {.name = "rho", NUMBER(rho), .max = 1, .help = "Decay of the means of squares"},
    {.name = "lr-decay", NUMBER(lr_decay), POSITIVE, .help = "Decay of the learning rate"},
    {.name = "initial-accumulator-value",
     NUMBER(initial_accumulator_value),
     POSITIVE,
     .help = "What the sum of squares starts with"},
    {.name = "nesterov", FLAG(nesterov), .help = "Nesterov's momentum"},
    {.name = "amsgrad", FLAG(amsgrad), .help = "Divide by the largest mean of squares so far"},
    {.name = "centered", FLAG(centered), .help = "Divide by the standard deviation"},
    {.name = "correct-bias", FLAG(correct_bias), .help = "Correct the means for their start at 0"},
    {0}};

static at_settings settings_of(at_optim_options *o)
{
    return (at_settings){o->optimiser->name, o->optimiser->settings, at_optim_option_table, o};
}

static attend_status init(at_optim_options *o, const char *name, size_t length, attend_error *err)
{
    at_str names = {0};
    for (int i = 0; i < at_optimisers_count; i++) {
        const at_optimiser *kind = at_optimisers[i];
        if (at_word_place(kind->name, name, length) == 0) {
            *o = kind->defaults;
            o->optimiser = kind;
            at_str_free(&names);
            return ATTEND_OK;
        }
        at_str_print(&names, " %s", kind->name);
    }
    at_error(err, ATTEND_OPTION, "no optimiser is called '%.*s'; there are:%s",
             length > 40 ? 40 : (int)length, name, at_str_text(&names));
    at_str_free(&names);
    return ATTEND_OPTION;
}

attend_status at_optim_options_init(at_optim_options *o, const char *name, attend_error *err)
{
    return init(o, name, strlen(name), err);
}

attend_status at_optim_option_set(at_optim_options *o, const char *name, double value,
                                  attend_error *err)
{
    at_settings s = settings_of(o);
    return at_setting_set(&s, name, value, err);
}

attend_status at_optim_options_parse(at_optim_options *o, const char *text, attend_error *err)
{
    size_t length = strcspn(text, ":");
    attend_status status = init(o, text, length, err);
    if (status != ATTEND_OK || !text[length])
        return status;
    at_settings s = settings_of(o);
    return at_settings_parse(&s, text + length + 1, err);
}

/* ---- one optimiser ---------------------------------------------------------------------- */

/* what belongs to one parameter */
typedef struct {
    bool known; /* the rule was asked: group is valid */
    bool ready; /* the state is there */
    at_optim_group group;
    real *memory; /* all its states, one after the other */
    real *state[ATTEND_OPTIM_STATES];
    int64_t steps;
    at_optim_plan plan; /* of the step that is running */
} slot;

struct at_optim {
    at_params *params;
    at_optim_options options;
    at_optim_rule *rule;
    void *user;
    slot *slots; /* by parameter */
    int count;
    int64_t steps;
};

static attend_status check(const at_optim_options *o, attend_error *err)
{
    const at_optimiser *kind = o->optimiser;
    if (o->beta1 >= 1 || o->beta2 >= 1)
        return at_error(err, ATTEND_OPTION, "%s: beta1 and beta2 must be below 1; they are %g, %g",
                        kind->name, o->beta1, o->beta2);
    return kind->check ? kind->check(o, err) : ATTEND_OK;
}

attend_status at_optim_new(at_params *params, const at_optim_options *options, at_optim **out,
                           attend_error *err)
{
    attend_status status = check(options, err);
    *out = NULL;
    if (status != ATTEND_OK)
        return status;
    at_optim *o = at_alloc_zero(1, sizeof *o);
    if (!o)
        return at_error_memory(err);
    o->params = params;
    o->options = *options;
    *out = o;
    return ATTEND_OK;
}

void at_optim_free(at_optim *o)
{
    if (!o)
        return;
    for (int i = 0; i < o->count; i++)
        at_free(o->slots[i].memory);
    at_free(o->slots);
    at_free(o);
}

void at_optim_set_rule(at_optim *o, at_optim_rule *rule, void *user)
{
    o->rule = rule;
    o->user = user;
}

static bool decays(const at_optim_options *o, const char *name)
{
    bool norm = strstr(name, "norm") || strstr(name, "Norm") || strstr(name, "ln_");
    bool exempt = (o->no_decay & ATTEND_NO_DECAY_NORMS && norm)
                  || (o->no_decay & ATTEND_NO_DECAY_BIASES && strstr(name, "bias"));
    return !exempt;
}

double at_optim_lr(const at_optim *o) { return o->options.lr; }
void at_optim_set_lr(at_optim *o, double lr) { o->options.lr = lr; }
const at_optim_options *at_optim_options_of(const at_optim *o) { return &o->options; }
int64_t at_optim_steps(const at_optim *o) { return o->steps; }
void at_optim_set_steps(at_optim *o, int64_t steps) { o->steps = steps; }

/* ---- state ------------------------------------------------------------------------------ */

static bool keeps(const at_optim *o, int state)
{
    const at_optimiser *kind = o->options.optimiser;
    return kind->state[state] && (!kind->keeps || kind->keeps(&o->options, state));
}

static bool make_slots(at_optim *o)
{
    int count = at_params_count(o->params);
    if (count <= o->count)
        return true;
    slot *more = at_alloc_zero((size_t)count, sizeof *more);
    if (!more)
        return false;
    if (o->count)
        memcpy(more, o->slots, (size_t)o->count * sizeof *more);
    at_free(o->slots);
    o->slots = more;
    o->count = count;
    return true;
}

typedef struct {
    real *memory, value;
} filling;

static void fill_part(void *arg, ptrdiff_t begin, ptrdiff_t end)
{
    const filling *f = arg;
    for (ptrdiff_t i = begin; i < end; i++)
        f->memory[i] = f->value;
}

/* one block for all states of a parameter, each at a cache line of its own */
static bool make_state(at_optim *o, slot *s, size_t len)
{
    const at_optimiser *kind = o->options.optimiser;
    size_t stride = (len + 15) / 16 * 16, bytes;
    int kept = 0;
    for (int i = 0; i < ATTEND_OPTIM_STATES; i++)
        kept += keeps(o, i);
    if (kept == 0)
        return true;
    if (!at_size_multiply(stride * (size_t)kept, sizeof(real), &bytes))
        return false;
    s->memory = at_alloc(bytes);
    if (!s->memory)
        return false;
    filling f = {s->memory, kind->initial ? (real)kind->initial(&o->options) : 0};
    at_parallel_for((ptrdiff_t)stride * kept, 1 << 16, fill_part, &f);
    real *next = s->memory;
    for (int i = 0; i < ATTEND_OPTIM_STATES; i++) {
        s->state[i] = keeps(o, i) ? next : NULL;
        next += keeps(o, i) ? stride : 0;
    }
    return true;
}

/* its slot, after the rule was asked; NULL without memory */
static slot *known_slot(at_optim *o, int index)
{
    if (!make_slots(o))
        return NULL;
    slot *s = &o->slots[index];
    if (!s->known) {
        const at_parameter *p = at_params_at(o->params, index);
        s->group.lr_factor = 1;
        s->group.weight_decay = decays(&o->options, p->name) ? o->options.weight_decay : 0;
        if (o->rule)
            o->rule(o->user, p, &s->group);
        s->known = true;
    }
    return s;
}

/* the same with its state */
static slot *ready_slot(at_optim *o, int index)
{
    slot *s = known_slot(o, index);
    if (s && !s->ready && !make_state(o, s, at_params_at(o->params, index)->len))
        return NULL;
    if (s)
        s->ready = true;
    return s;
}

/* ---- step ------------------------------------------------------------------------------- */

typedef struct {
    const at_optim *o;
    const at_gradients *g;
    const at_optim_kernel *kernel;
} pass;

static bool moves(const at_optim *o, int index)
{
    return !o->slots[index].group.frozen && !at_params_at(o->params, index)->frozen;
}

static void update_chunk(void *arg, const at_gradient_chunk *c)
{
    const pass *run = arg;
    const slot *s = &run->o->slots[c->index];
    const at_optimiser *kind = run->o->options.optimiser;
    real *value = at_params_at(run->o->params, c->index)->value;
    real buffer[ATTEND_GRADIENT_BLOCK];
    size_t end = c->offset + c->len;
    if (!moves(run->o, c->index))
        return;
    for (size_t at = c->offset; at < end; at += ATTEND_GRADIENT_BLOCK) {
        size_t n = end - at < ATTEND_GRADIENT_BLOCK ? end - at : ATTEND_GRADIENT_BLOCK;
        const real *g = at_gradients_block(run->g, c->index, at, n, buffer);
        real *state[ATTEND_OPTIM_STATES];
        for (int i = 0; i < ATTEND_OPTIM_STATES; i++)
            state[i] = s->state[i] ? s->state[i] + at : NULL;
        kind->update(run->kernel, &s->plan, n, value + at, g, state);
    }
}

/* everything that can fail */
static bool prepare(at_optim *o, const at_gradients *g)
{
    for (int i = 0; i < at_gradients_count(g); i++) {
        int index = at_gradients_index(g, i);
        if (!known_slot(o, index) || (moves(o, index) && !ready_slot(o, index)))
            return false;
    }
    return true;
}

attend_status at_optim_step(at_optim *o, const at_gradients *g, attend_error *err)
{
    if (at_gradients_params(g) != o->params)
        return at_error(err, ATTEND_SHAPE, "the gradients belong to other parameters");
    if (!prepare(o, g))
        return at_error_memory(err);
    for (int i = 0; i < at_gradients_count(g); i++) {
        int index = at_gradients_index(g, i);
        slot *s = &o->slots[index];
        if (!moves(o, index))
            continue;
        at_optim_moment m = {
            .lr = o->options.lr * s->group.lr_factor,
            .weight_decay = s->group.weight_decay,
            .scale = at_gradients_factor(g, index),
            .step = ++s->steps,
        };
        o->options.optimiser->plan(&o->options, &m, &s->plan);
    }
    pass run = {o, g, at_optim_kernels()};
    at_gradients_each(g, update_chunk, &run);
    o->steps++;
    return ATTEND_OK;
}

/* ---- what a checkpoint saves ------------------------------------------------------------- */

/* the k-th kept state of a parameter, or its count of steps after the last; false beyond that */
static bool piece(const at_optim *o, int index, int k, at_optim_state *out)
{
    slot *s = &o->slots[index];
    *out = (at_optim_state){.parameter = at_params_at(o->params, index)};
    for (int i = 0; i < ATTEND_OPTIM_STATES; i++)
        if (keeps(o, i) && k-- == 0) {
            out->name = o->options.optimiser->state[i];
            out->value = s->state[i];
            return true;
        }
    out->name = "step";
    out->steps = &s->steps;
    return k == 0;
}

bool at_optim_state_at(at_optim *o, int i, at_optim_state *out)
{
    for (int index = 0; index < o->count; index++)
        for (int k = 0; o->slots[index].ready && piece(o, index, k, out); k++)
            if (i-- == 0)
                return true;
    return false;
}

attend_status at_optim_state_find(at_optim *o, const char *name, at_optim_state *out,
                                  attend_error *err)
{
    const char *dot = strrchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : 0;
    for (int i = 0; dot && i < at_params_count(o->params); i++) {
        const at_parameter *p = at_params_at(o->params, i);
        if (strncmp(p->name, name, length) != 0 || p->name[length])
            continue;
        if (!ready_slot(o, i))
            return at_error_memory(err);
        for (int k = 0; piece(o, i, k, out); k++)
            if (strcmp(out->name, dot + 1) == 0)
                return ATTEND_OK;
        return at_error(err, ATTEND_FORMAT,
                        "'%s': %s keeps no '%s' under these options; resume with those the "
                        "checkpoint was made with",
                        name, o->options.optimiser->name, dot + 1);
    }
    return at_error(err, ATTEND_FORMAT, "'%s': optimiser state of a parameter the model lacks",
                    name);
}
