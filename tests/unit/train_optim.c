/* Optimisers against their textbook definitions in double, and what they promise beyond them. */
#include "train/optim.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "attend.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "train/settings.h"

enum {
    STEPS = 25,
    SMALL = 5,
    MIDDLE = 37,
    LARGE = 18509,
    ALL = SMALL + MIDDLE + LARGE,
    WIDE = 200003
};

#ifdef ATTEND_REAL_DOUBLE
static const double tolerance = 1e-12;
#else
static const double tolerance = 4e-6;
#endif

static attend_error err;

/* ---- a small model and its gradients ---------------------------------------------------- */

static const char *const names[] = {"encoder.bias", "encoder.weight", "output.weight"};
static const int lengths[] = {SMALL, MIDDLE, LARGE};

typedef struct {
    at_params *params;
    at_gradients *gradients;
    at_optim *optim;
    real gradient[ALL];
} model;

/* NULL where memory runs out */
static void close_model(model *m)
{
    if (!m)
        return;
    at_optim_free(m->optim);
    at_gradients_free(m->gradients);
    at_params_free(m->params);
    at_free(m);
}

static model *try_model(const char *optimiser)
{
    at_optim_options o;
    at_parameter *p;
    model *m = at_alloc_zero(1, sizeof *m);
    if (m && (m->params = at_params_new(3)) && (m->gradients = at_gradients_new(m->params))
        && at_optim_options_parse(&o, optimiser, &err) == ATTEND_OK
        && at_optim_new(m->params, &o, &m->optim, &err) == ATTEND_OK) {
        int i = 0;
        while (i < 3
               && at_params_add(m->params, names[i], SHAPE(lengths[i]), INIT_NORMAL(1), &p, &err)
                      == ATTEND_OK)
            i++;
        if (i == 3)
            return m;
    }
    close_model(m);
    return NULL;
}

static model *open_model(const char *optimiser)
{
    model *m = try_model(optimiser);
    if (!m)
        fail_msg("%s: %s", optimiser, err.message);
    return m;
}

static real *value(const model *m, int i) { return at_params_at(m->params, i)->value; }

static real gradients[STEPS * ALL];

static double gradient_at(int step, int i) { return (double)gradients[step * ALL + i]; }

static int make_gradients(void **state)
{
    at_random place = {.seed = 11};
    (void)state;
    for (uint32_t i = 0; i < STEPS * ALL; i++)
        gradients[i] = (real)at_random_normal(place, i);
    return 0;
}

/* gradients of that step for all parameters but `without` (or -1) */
static void set_gradients(model *m, int step, int without)
{
    const real *part[3];
    for (int i = 0; i < ALL; i++)
        m->gradient[i] = (real)gradient_at(step, i);
    part[0] = m->gradient;
    part[1] = part[0] + SMALL;
    part[2] = part[1] + MIDDLE;
    if (without >= 0)
        part[without] = NULL;
    at_gradients_clear(m->gradients);
    assert_int_equal(at_gradients_add_arrays(m->gradients, part, 1, &err), ATTEND_OK);
}

static void step(model *m, int number)
{
    set_gradients(m, number, -1);
    assert_int_equal(at_optim_step(m->optim, m->gradients, &err), ATTEND_OK);
}

static void assert_same_values(const model *a, const model *b)
{
    for (int i = 0; i < 3; i++)
        assert_memory_equal(value(a, i), value(b, i), (size_t)lengths[i] * sizeof(real));
}

/* ---- the definitions, for one weight ----------------------------------------------------- */

typedef struct {
    double w, a, b, c;
    int t;
} weight;

typedef void definition(const at_optim_options *o, weight *x, double g);

static void sgd(const at_optim_options *o, weight *x, double g)
{
    g += o->weight_decay * x->w;
    if (o->momentum == 0) {
        x->w -= o->lr * g;
        return;
    }
    x->a = x->t == 1 ? g : o->momentum * x->a + (1 - o->dampening) * g;
    x->w -= o->lr * (o->nesterov ? g + o->momentum * x->a : x->a);
}

/* with corrected moments, as in the paper */
static void adam_move(const at_optim_options *o, weight *x, double g)
{
    x->a = o->beta1 * x->a + (1 - o->beta1) * g;
    x->b = o->beta2 * x->b + (1 - o->beta2) * g * g;
    x->c = fmax(x->c, x->b);
    double m = x->a / (1 - pow(o->beta1, x->t));
    double v = (o->amsgrad ? x->c : x->b) / (1 - pow(o->beta2, x->t));
    x->w -= o->lr * m / (sqrt(v) + o->eps);
}

static void adam(const at_optim_options *o, weight *x, double g)
{
    adam_move(o, x, g + o->weight_decay * x->w);
}

static void adamw(const at_optim_options *o, weight *x, double g)
{
    x->w -= o->lr * o->weight_decay * x->w;
    adam_move(o, x, g);
}

static void bert_adamw(const at_optim_options *o, weight *x, double g)
{
    double rate = o->lr;
    x->a = o->beta1 * x->a + (1 - o->beta1) * g;
    x->b = o->beta2 * x->b + (1 - o->beta2) * g * g;
    if (o->correct_bias)
        rate *= sqrt(1 - pow(o->beta2, x->t)) / (1 - pow(o->beta1, x->t));
    x->w -= rate * x->a / (sqrt(x->b) + o->eps);
    x->w -= o->lr * o->weight_decay * x->w;
}

static void adadelta(const at_optim_options *o, weight *x, double g)
{
    g += o->weight_decay * x->w;
    x->a = o->rho * x->a + (1 - o->rho) * g * g;
    double move = g * sqrt(x->b + o->eps) / sqrt(x->a + o->eps);
    x->b = o->rho * x->b + (1 - o->rho) * move * move;
    x->w -= o->lr * move;
}

static void adagrad(const at_optim_options *o, weight *x, double g)
{
    g += o->weight_decay * x->w;
    if (x->t == 1)
        x->a = o->initial_accumulator_value;
    x->a += g * g;
    x->w -= o->lr / (1 + (x->t - 1) * o->lr_decay) * g / (sqrt(x->a) + o->eps);
}

static void rmsprop(const at_optim_options *o, weight *x, double g)
{
    g += o->weight_decay * x->w;
    x->a = o->alpha * x->a + (1 - o->alpha) * g * g;
    x->b = o->alpha * x->b + (1 - o->alpha) * g;
    double move = g / (sqrt(x->a - (o->centered ? x->b * x->b : 0)) + o->eps);
    x->c = o->momentum * x->c + move;
    x->w -= o->lr * (o->momentum > 0 ? x->c : move);
}

static const struct {
    definition *definition;
    const char *text;
} cases[] = {
    {sgd, "sgd:lr=0.1"},
    {sgd, "sgd:lr=0.1,weight_decay=0.02"},
    {sgd, "sgd:lr=0.05,momentum=0.9"},
    {sgd, "sgd:lr=0.05,momentum=0.9,dampening=0.3,weight_decay=0.02"},
    {sgd, "sgd:lr=0.05,momentum=0.8,nesterov,weight_decay=0.02"},
    {adam, "adam"},
    {adam, "adam:lr=0.01,beta1=0.8,beta2=0.95,eps=1e-4,weight_decay=0.1"},
    {adam, "adam:lr=0.01,amsgrad"},
    {adam, "adam:lr=0.003,beta1=0.8,beta2=0.98,eps=1e-6,weight_decay=0.1,amsgrad=1"},
    {adamw, "adamw"},
    {adamw, "adamw:lr=0.01,weight_decay=0.3"},
    {adamw, "adamw:lr=0.01,beta1=0,beta2=0.9,weight_decay=0,amsgrad=on"},
    {bert_adamw, "bert_adamw"},
    {bert_adamw, "bert_adamw:lr=0.01,weight_decay=0.2,correct_bias=no"},
    {bert_adamw, "bert_adamw:lr=0.01,weight_decay=0.2,eps=1e-3"},
    {adadelta, "adadelta"},
    {adadelta, "adadelta:lr=0.5,rho=0.8,eps=1e-4,weight_decay=0.02"},
    {adagrad, "adagrad"},
    {adagrad, "adagrad:lr=0.1,lr_decay=0.1,initial_accumulator_value=0.4,weight_decay=0.02"},
    {rmsprop, "rmsprop"},
    {rmsprop, "rmsprop:lr=0.01,alpha=0.9,eps=1e-4,weight_decay=0.02"},
    {rmsprop, "rmsprop:lr=0.01,alpha=0.9,momentum=0.7"},
    {rmsprop, "rmsprop:lr=0.01,alpha=0.8,eps=0.1,centered"},
    {rmsprop, "rmsprop:lr=0.01,alpha=0.8,eps=0.1,centered,momentum=0.5,weight_decay=0.02"},
};
enum { CASES = (int)(sizeof cases / sizeof *cases) };

static void compare_weight(const char *text, const weight *x, real got, int number, int i)
{
    if (!(fabs((double)got - x->w) <= tolerance * (1 + fabs(x->w))))
        fail_msg("%s: step %d, element %d is %.9g, not %.9g", text, number, i, (double)got, x->w);
}

/* the encoder's weights get no gradient in every third step, and then must not move */
static void every_optimiser_follows_its_definition(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        model *m = open_model(cases[c].text);
        const at_optim_options *o = at_optim_options_of(m->optim);
        weight *x = at_alloc_zero(ALL, sizeof *x);
        for (int i = 0; i < ALL; i++)
            x[i].w = (double)(i < SMALL            ? value(m, 0)[i]
                              : i < SMALL + MIDDLE ? value(m, 1)[i - SMALL]
                                                   : value(m, 2)[i - SMALL - MIDDLE]);
        for (int s = 0; s < STEPS; s++) {
            int without = s % 3 == 2 ? 1 : -1;
            set_gradients(m, s, without);
            assert_int_equal(at_optim_step(m->optim, m->gradients, &err), ATTEND_OK);
            for (int i = 0; i < ALL; i++) {
                int p = i < SMALL ? 0 : i < SMALL + MIDDLE ? 1 : 2;
                int first = p == 0 ? 0 : p == 1 ? SMALL : SMALL + MIDDLE;
                if (p != without) {
                    x[i].t++;
                    cases[c].definition(o, &x[i], gradient_at(s, i));
                }
                compare_weight(cases[c].text, &x[i], value(m, p)[i - first], s, i);
            }
        }
        at_free(x);
        close_model(m);
    }
}

static void every_listed_optimiser_has_a_definition_here(void **state)
{
    (void)state;
    for (int i = 0; i < at_optimisers_count; i++) {
        int found = 0;
        for (int c = 0; c < CASES; c++)
            found += at_word_place(at_optimisers[i]->name, cases[c].text,
                                   strcspn(cases[c].text, ":"))
                     == 0;
        if (!found)
            fail_msg("%s is in no case of this test", at_optimisers[i]->name);
    }
}

static void every_listed_optimiser_is_complete(void **state)
{
    at_option_set set = {at_optim_option_table, NULL};
    (void)state;
    if (at_options_check(&set, 1, &err) != ATTEND_OK)
        fail_msg("%s", err.message);
    for (int i = 0; i < at_optimisers_count; i++) {
        const at_optimiser *o = at_optimisers[i];
        at_settings s = {o->name, o->settings, at_optim_option_table, NULL};
        assert_true(o->formula && o->source && o->plan && o->update);
        for (const char *word = o->settings; *word; word += strspn(word, " ")) {
            if (!at_setting_find(&s, word, strcspn(word, " ")))
                fail_msg("%s lists a setting that no table has: %s", o->name, word);
            word += strcspn(word, " ");
        }
    }
}

/* ---- gradients: none, frozen, shards, scale ---------------------------------------------- */

static void leaves_alone_what_no_gradient_reached(void **state)
{
    model *m = open_model("adam");
    real before[MIDDLE];
    at_optim_state s;
    (void)state;
    step(m, 0);
    assert_int_equal(at_optim_state_find(m->optim, "encoder.weight.exp_avg", &s, &err), ATTEND_OK);
    memcpy(before, s.value, sizeof before);
    set_gradients(m, 1, 1);
    at_optim_step(m->optim, m->gradients, &err);
    assert_memory_equal(before, s.value, sizeof before);
    at_optim_state_find(m->optim, "encoder.weight.step", &s, &err);
    assert_int_equal(*s.steps, 1);
    at_optim_state_find(m->optim, "encoder.bias.step", &s, &err);
    assert_int_equal(*s.steps, 2);
    close_model(m);
}

static void freezes_what_rule_or_parameter_says(void **state)
{
    (void)state;
    model *m = open_model("adamw:weight_decay=0.5"), *same = open_model("adamw:weight_decay=0.5");
    at_optim_state s;
    at_params_at(m->params, 0)->frozen = true;
    for (int i = 0; i < 3; i++)
        step(m, i);
    assert_memory_equal(value(m, 0), value(same, 0), SMALL * sizeof(real));
    assert_memory_not_equal(value(m, 1), value(same, 1), MIDDLE * sizeof(real));
    for (int i = 0; at_optim_state_at(m->optim, i, &s); i++)
        assert_string_not_equal(s.parameter->name, "encoder.bias"); /* no memory for it either */
    close_model(m);
    close_model(same);
}

static void freeze_output(void *user, const at_parameter *p, at_optim_group *group)
{
    int *asked = user;
    ++*asked;
    group->frozen = strncmp(p->name, "output", 6) == 0;
}

static void asks_its_rule_once_for_each_parameter(void **state)
{
    (void)state;
    model *m = open_model("adamw"), *same = open_model("adamw");
    at_optim_state s;
    int asked = 0;
    at_optim_set_rule(m->optim, freeze_output, &asked);
    for (int i = 0; i < 4; i++)
        step(m, i);
    assert_int_equal(asked, 3);
    for (int i = 0; at_optim_state_at(m->optim, i, &s); i++)
        assert_string_not_equal(s.parameter->name, "output.weight");
    assert_memory_equal(value(m, 2), value(same, 2), LARGE * sizeof(real));
    assert_memory_not_equal(value(m, 0), value(same, 0), SMALL * sizeof(real));
    close_model(m);
    close_model(same);
}

/* does a step with a gradient of 0 leave it as it is? */
static bool is_spared(const char *setting, const char *name)
{
    static const real zero = 0;
    const real *part[] = {&zero};
    char text[80];
    at_optim_options o;
    at_parameter *p;
    at_optim *optim;
    at_params *params = at_params_new(1);
    at_gradients *g = at_gradients_new(params);
    snprintf(text, sizeof text, "sgd:lr=1,weight_decay=0.5,no_decay=%s", setting);
    if (at_optim_options_parse(&o, text, &err) < 0 || at_optim_new(params, &o, &optim, &err) < 0
        || at_params_add(params, name, SHAPE(1), INIT_CONSTANT(1), &p, &err) < 0
        || at_gradients_add_arrays(g, part, 1, &err) < 0 || at_optim_step(optim, g, &err) < 0)
        fail_msg("%s", err.message);
    bool same = p->value[0] == 1;
    assert_true(same || p->value[0] == (real)0.5);
    at_optim_free(optim);
    at_gradients_free(g);
    at_params_free(params);
    return same;
}

static void no_decay_spares_norms_and_biases(void **state)
{
    static const struct {
        const char *name;
        bool norm, bias;
    } all[] = {{"h.0.attn.c_attn.bias", false, true},
               {"h.0.ln_1.weight", true, false},
               {"ln_f.bias", true, true},
               {"bert.embeddings.LayerNorm.gamma", true, false},
               {"layer.0.ff.layer_norm.weight", true, false},
               {"encoder.layers.0.norm1.weight", true, false},
               {"rnn.bias_hh_l0_reverse", false, true},
               {"h.0.attn.c_attn.weight", false, false},
               {"wte.weight", false, false}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_false(is_spared("none", all[i].name));
        assert_int_equal(is_spared("norms", all[i].name), all[i].norm);
        assert_int_equal(is_spared("biases", all[i].name), all[i].bias);
        assert_int_equal(is_spared("norms+biases", all[i].name), all[i].norm || all[i].bias);
    }
}

static void every_optimiser_can_spare_biases(void **state)
{
    (void)state;
    for (int i = 0; i < at_optimisers_count; i++) {
        char text[3][80];
        const char *name = at_optimisers[i]->name;
        snprintf(text[0], sizeof *text, "%s:weight_decay=0.5", name);
        snprintf(text[1], sizeof *text, "%s:weight_decay=0", name);
        snprintf(text[2], sizeof *text, "%s:weight_decay=0.5,no_decay=biases", name);
        model *with = open_model(text[0]), *without = open_model(text[1]),
              *mixed = open_model(text[2]);
        step(with, 0);
        step(without, 0);
        step(mixed, 0);
        assert_memory_equal(value(mixed, 0), value(without, 0), SMALL * sizeof(real));
        assert_memory_equal(value(mixed, 1), value(with, 1), MIDDLE * sizeof(real));
        assert_memory_not_equal(value(with, 0), value(without, 0), SMALL * sizeof(real));
        close_model(with);
        close_model(without);
        close_model(mixed);
    }
}

static void half_rate(void *user, const at_parameter *p, at_optim_group *group)
{
    (void)user;
    group->lr_factor = p->name[0] == 'o' ? 0.5 : 1;
    group->weight_decay = p->name[0] == 'o' ? 0 : group->weight_decay;
}

static void groups_have_their_own_rate_and_decay(void **state)
{
    (void)state;
    model *m = open_model("sgd:lr=0.5,weight_decay=0.25"), *half = open_model("sgd:lr=0.25"),
          *full = open_model("sgd:lr=0.5,weight_decay=0.25");
    at_optim_set_rule(m->optim, half_rate, NULL);
    for (int i = 0; i < 3; i++) {
        step(m, i);
        step(half, i);
        step(full, i);
    }
    assert_memory_equal(value(m, 1), value(full, 1), MIDDLE * sizeof(real));
    assert_memory_equal(value(m, 2), value(half, 2), LARGE * sizeof(real));
    close_model(m);
    close_model(half);
    close_model(full);
}

static void a_new_rate_counts_from_the_next_step(void **state)
{
    (void)state;
    model *m = open_model("sgd:lr=1");
    double before = (double)value(m, 0)[0];
    at_optim_set_lr(m->optim, 0.25);
    assert_true(at_optim_lr(m->optim) == 0.25);
    step(m, 0);
    assert_float_equal((double)value(m, 0)[0], before - 0.25 * gradient_at(0, 0), 1e-6);
    close_model(m);
}

static void summing_shards_in_the_step_equals_summing_before(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        model *a = open_model(cases[c].text), *b = open_model(cases[c].text);
        for (int s = 0; s < 3; s++) {
            real *sum = at_alloc(ALL * sizeof *sum);
            set_gradients(a, 2 * s, -1);
            set_gradients(b, 2 * s + 1, -1);
            for (int i = 0; i < ALL; i++)
                sum[i] = a->gradient[i] + b->gradient[i];
            const real *other[] = {b->gradient, b->gradient + SMALL, b->gradient + SMALL + MIDDLE};
            const real *both[] = {sum, sum + SMALL, sum + SMALL + MIDDLE};
            at_gradients_add_arrays(a->gradients, other, 1, &err);
            at_optim_step(a->optim, a->gradients, &err);
            at_gradients_clear(b->gradients);
            at_gradients_add_arrays(b->gradients, both, 1, &err);
            at_optim_step(b->optim, b->gradients, &err);
            at_free(sum);
        }
        assert_same_values(a, b);
        close_model(a);
        close_model(b);
    }
}

static void scaling_in_the_step_equals_scaling_before(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        model *a = open_model(cases[c].text), *b = open_model(cases[c].text);
        for (int s = 0; s < 3; s++) {
            set_gradients(a, s, -1);
            at_gradients_scale(a->gradients, 0.5); /* exact, so that fused products do not show */
            at_gradients_scale(a->gradients, 0.25);
            at_optim_step(a->optim, a->gradients, &err);
            set_gradients(b, s, -1);
            for (int i = 0; i < ALL; i++)
                b->gradient[i] *= (real)0.125;
            at_optim_step(b->optim, b->gradients, &err);
        }
        assert_same_values(a, b);
        close_model(a);
        close_model(b);
    }
}

/* ---- threads, memory, checkpoints -------------------------------------------------------- */

/* three steps of a model with work for many threads; the result, to be freed */
static real *train_wide(const char *optimiser, int threads)
{
    at_params *params = at_params_new(1);
    at_gradients *g = at_gradients_new(params);
    at_optim_options o;
    at_optim *optim;
    at_parameter *small, *wide;
    real *result = at_alloc(WIDE * sizeof *result);
    attend_set_threads(threads);
    at_params_add(params, "small", SHAPE(3), INIT_CONSTANT(1), &small, &err);
    at_params_add(params, "wide", SHAPE(WIDE), INIT_CONSTANT(1), &wide, &err);
    assert_int_equal(at_optim_options_parse(&o, optimiser, &err), ATTEND_OK);
    assert_int_equal(at_optim_new(params, &o, &optim, &err), ATTEND_OK);
    for (int s = 0; s < 3; s++) {
        const real *one[] = {gradients + s, gradients + s}, *two[] = {NULL, gradients + 7 * s};
        at_gradients_add_arrays(g, one, 1, &err);
        at_gradients_add_arrays(g, two, 0.3, &err);
        at_gradients_scale(g, 0.7);
        assert_int_equal(at_optim_step(optim, g, &err), ATTEND_OK);
        at_gradients_clear(g);
    }
    memcpy(result, wide->value, WIDE * sizeof *result);
    at_optim_free(optim);
    at_gradients_free(g);
    at_params_free(params);
    attend_set_threads(0);
    return result;
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        real *one = train_wide(cases[c].text, 1);
        for (int threads = 2; threads <= 5; threads += threads) {
            real *many = train_wide(cases[c].text, threads + (threads == 4));
            assert_memory_equal(one, many, WIDE * sizeof *one);
            at_free(many);
        }
        at_free(one);
    }
}

/* valgrind cannot */
static bool machine_flushes(void)
{
    volatile real least = sizeof(real) == 4 ? (real)FLT_MIN : (real)DBL_MIN, half;
    unsigned floats = at_floats_flush();
    half = least * (real)0.5;
    at_floats_restore(floats);
    return half == 0;
}

static void denormals_are_flushed_with_one_thread_as_with_many(void **state)
{
    (void)state;
    if (!machine_flushes())
        skip();
    for (int threads = 1; threads <= 2; threads++) {
        attend_set_threads(threads);
        model *m = open_model("sgd:lr=1,momentum=0.5");
        at_optim_state s;
        for (int i = 0; i < 2; i++) {
            set_gradients(m, 0, -1);
            at_gradients_scale(m->gradients, sizeof(real) == 4 ? 1e-42 : 1e-310);
            at_optim_step(m->optim, m->gradients, &err);
        }
        at_optim_state_find(m->optim, "output.weight.momentum_buffer", &s, &err);
        for (int i = 0; i < LARGE; i++)
            assert_true(s.value[i] == 0);
        close_model(m);
    }
    attend_set_threads(0);
}

static void later_steps_allocate_nothing(void **state)
{
    (void)state;
    model *m = open_model("adam:amsgrad");
    step(m, 0);
    long before = at_alloc_count();
    for (int s = 1; s < 5; s++)
        step(m, s);
    assert_int_equal(at_alloc_count(), before);
    close_model(m);
}

/* every allocation fails in turn: a clean status, nothing lost, nothing moved */
static void survives_the_failure_of_any_allocation(void **state)
{
    (void)state;
    model *same = open_model("adam");
    long live = at_alloc_live();
    bool done = false;
    for (long n = 0; !done; n++) {
        assert_true(n < 100);
        at_alloc_fail_after(n);
        model *m = try_model("adam");
        if (m) {
            const real *part[] = {m->gradient, m->gradient, m->gradient};
            attend_status status = at_gradients_add_arrays(m->gradients, part, 1, &err);
            if (status == ATTEND_OK)
                status = at_gradients_keep(m->gradients, &err);
            if (status == ATTEND_OK)
                status = at_gradients_add_arrays(m->gradients, part, 1, &err);
            if (status == ATTEND_OK)
                status = at_optim_step(m->optim, m->gradients, &err);
            done = status == ATTEND_OK;
            assert_true(done || status == ATTEND_MEMORY);
            if (!done) {
                assert_same_values(m, same);
                assert_int_equal(at_optim_steps(m->optim), 0);
            }
        }
        at_alloc_fail_after(-1);
        close_model(m);
        assert_int_equal(at_alloc_live(), live);
    }
    close_model(same);
}

/* as a checkpoint does: by name, in any order */
static void copy_state(model *from, model *to)
{
    at_optim_state s, d;
    int count = 0;
    while (at_optim_state_at(from->optim, count, &s))
        count++;
    for (int i = count; i-- > 0;) {
        char name[100];
        assert_true(at_optim_state_at(from->optim, i, &s));
        snprintf(name, sizeof name, "%s.%s", s.parameter->name, s.name);
        assert_int_equal(at_optim_state_find(to->optim, name, &d, &err), ATTEND_OK);
        assert_int_equal(!s.value, !d.value);
        if (s.value)
            memcpy(d.value, s.value, s.parameter->len * sizeof(real));
        else
            *d.steps = *s.steps;
    }
    for (int i = 0; i < 3; i++)
        memcpy(value(to, i), value(from, i), (size_t)lengths[i] * sizeof(real));
    at_optim_set_steps(to->optim, at_optim_steps(from->optim));
}

static void resumes_bit_for_bit_from_its_state(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        model *a = open_model(cases[c].text), *b = open_model(cases[c].text);
        for (int s = 0; s < 5; s++)
            step(a, s);
        copy_state(a, b);
        for (int s = 5; s < 8; s++) {
            step(a, s);
            step(b, s);
        }
        assert_same_values(a, b);
        assert_int_equal(at_optim_steps(a->optim), 8);
        assert_int_equal(at_optim_steps(b->optim), 8);
        close_model(a);
        close_model(b);
    }
}

static void keeps_no_more_state_than_its_options_need(void **state)
{
    static const struct {
        const char *text, *names;
    } kept[] = {
        {"sgd", "step"},
        {"sgd:momentum=0.9", "momentum_buffer step"},
        {"adam", "exp_avg exp_avg_sq step"},
        {"adamw:amsgrad", "exp_avg exp_avg_sq max_exp_avg_sq step"},
        {"bert_adamw", "exp_avg exp_avg_sq step"},
        {"adadelta", "square_avg acc_delta step"},
        {"adagrad", "sum step"},
        {"rmsprop", "square_avg step"},
        {"rmsprop:momentum=0.9", "square_avg momentum_buffer step"},
        {"rmsprop:centered", "square_avg grad_avg step"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof kept / sizeof *kept; c++) {
        model *m = open_model(kept[c].text);
        char names_kept[200] = "";
        at_optim_state s;
        assert_false(at_optim_state_at(m->optim, 0, &s)); /* none before the first gradient */
        step(m, 0);
        for (int i = 0; at_optim_state_at(m->optim, i, &s); i++)
            if (s.parameter->index == 1) {
                strcat(names_kept, *names_kept ? " " : "");
                strcat(names_kept, s.name);
            }
        assert_string_equal(names_kept, kept[c].names);
        close_model(m);
    }
}

static void refuses_state_that_does_not_belong(void **state)
{
    static const char *const wrong[] = {"encoder.weight.max_exp_avg_sq",
                                        "encoder.weight.exp",
                                        "encoder.exp_avg",
                                        "exp_avg",
                                        "",
                                        ".",
                                        "output.weight."};
    (void)state;
    model *m = open_model("adam");
    at_optim_state s;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(at_optim_state_find(m->optim, wrong[i], &s, &err), ATTEND_FORMAT);
    at_optim_state_find(m->optim, wrong[0], &s, &err);
    assert_non_null(strstr(err.message, "adam keeps no 'max_exp_avg_sq'"));
    close_model(m);
}

static void refuses_gradients_of_another_model(void **state)
{
    (void)state;
    model *a = open_model("adam"), *b = open_model("adam");
    set_gradients(b, 0, -1);
    assert_int_equal(at_optim_step(a->optim, b->gradients, &err), ATTEND_SHAPE);
    close_model(a);
    close_model(b);
}

/* ---- options ---------------------------------------------------------------------------- */

static void defaults_are_those_of_pytorch(void **state)
{
    at_optim_options o;
    (void)state;
    at_optim_options_init(&o, "adamw", &err);
    assert_true(o.lr == 1e-3 && o.beta1 == 0.9 && o.beta2 == 0.999 && o.eps == 1e-8);
    assert_true(o.weight_decay == 1e-2 && !o.amsgrad);
    at_optim_options_init(&o, "adam", &err);
    assert_true(o.lr == 1e-3 && o.eps == 1e-8 && o.weight_decay == 0);
    at_optim_options_init(&o, "bert_adamw", &err);
    assert_true(o.lr == 1e-3 && o.eps == 1e-6 && o.weight_decay == 0 && o.correct_bias);
    at_optim_options_init(&o, "rmsprop", &err);
    assert_true(o.lr == 1e-2 && o.alpha == 0.99 && o.eps == 1e-8 && o.momentum == 0 && !o.centered);
    at_optim_options_init(&o, "adagrad", &err);
    assert_true(o.lr == 1e-2 && o.eps == 1e-10 && o.lr_decay == 0
                && o.initial_accumulator_value == 0);
    at_optim_options_init(&o, "adadelta", &err);
    assert_true(o.lr == 1 && o.rho == 0.9 && o.eps == 1e-6);
    at_optim_options_init(&o, "sgd", &err);
    assert_true(o.momentum == 0 && o.dampening == 0 && o.weight_decay == 0 && !o.nesterov);
}

static void sets_options_by_name(void **state)
{
    at_optim_options o;
    (void)state;
    at_optim_options_init(&o, "adam", &err);
    assert_int_equal(at_optim_option_set(&o, "weight_decay", 0.1, &err), ATTEND_OK);
    assert_int_equal(at_optim_option_set(&o, "eps", 1e-7, &err), ATTEND_OK);
    assert_int_equal(at_optim_option_set(&o, "amsgrad", 1, &err), ATTEND_OK);
    assert_true(o.weight_decay == 0.1 && o.eps == 1e-7 && o.amsgrad);
    assert_int_equal(at_optim_option_set(&o, "weight-decay", 0, &err), ATTEND_OK);
    assert_int_equal(at_optim_option_set(&o, "amsgrad", 0, &err), ATTEND_OK);
    assert_true(o.weight_decay == 0 && !o.amsgrad);
}

static void refuses_options_it_does_not_have(void **state)
{
    at_optim_options o;
    (void)state;
    at_optim_options_init(&o, "adam", &err);
    assert_int_equal(at_optim_option_set(&o, "momentum", 0.9, &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "adam has no setting \"momentum\""));
    assert_non_null(strstr(err.message, "beta1"));
    assert_int_equal(at_optim_option_set(&o, "lr", -1, &err), ATTEND_OPTION);
    assert_int_equal(at_optim_option_set(&o, "lr", NAN, &err), ATTEND_OPTION);
    assert_int_equal(at_optim_option_set(&o, "beta1", 1.5, &err), ATTEND_OPTION);
    assert_int_equal(at_optim_option_set(&o, "amsgrad", 2, &err), ATTEND_OPTION);
    assert_int_equal(at_optim_option_set(&o, "amsgrad", 0.5, &err), ATTEND_OPTION);
    assert_int_equal(at_optim_options_parse(&o, "adamx:lr=1", &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "no optimiser is called 'adamx'"));
    assert_non_null(strstr(err.message, "bert_adamw"));
    assert_int_equal(at_optim_options_parse(&o, "", &err), ATTEND_OPTION);
}

static void refuses_options_that_contradict_each_other(void **state)
{
    static const char *const wrong[] = {"sgd:nesterov", "sgd:nesterov,momentum=0.9,dampening=0.1",
                                        "adam:beta1=1", "adamw:beta2=1"};
    (void)state;
    at_params *params = at_params_new(1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        at_optim_options o;
        at_optim *optim;
        assert_int_equal(at_optim_options_parse(&o, wrong[i], &err), ATTEND_OK);
        assert_int_equal(at_optim_new(params, &o, &optim, &err), ATTEND_OPTION);
        assert_null(optim);
    }
    at_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_optimiser_follows_its_definition),
        cmocka_unit_test(every_listed_optimiser_has_a_definition_here),
        cmocka_unit_test(every_listed_optimiser_is_complete),
        cmocka_unit_test(leaves_alone_what_no_gradient_reached),
        cmocka_unit_test(freezes_what_rule_or_parameter_says),
        cmocka_unit_test(asks_its_rule_once_for_each_parameter),
        cmocka_unit_test(no_decay_spares_norms_and_biases),
        cmocka_unit_test(every_optimiser_can_spare_biases),
        cmocka_unit_test(groups_have_their_own_rate_and_decay),
        cmocka_unit_test(a_new_rate_counts_from_the_next_step),
        cmocka_unit_test(summing_shards_in_the_step_equals_summing_before),
        cmocka_unit_test(scaling_in_the_step_equals_scaling_before),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(denormals_are_flushed_with_one_thread_as_with_many),
        cmocka_unit_test(later_steps_allocate_nothing),
        cmocka_unit_test(survives_the_failure_of_any_allocation),
        cmocka_unit_test(resumes_bit_for_bit_from_its_state),
        cmocka_unit_test(keeps_no_more_state_than_its_options_need),
        cmocka_unit_test(refuses_state_that_does_not_belong),
        cmocka_unit_test(refuses_gradients_of_another_model),
        cmocka_unit_test(defaults_are_those_of_pytorch),
        cmocka_unit_test(sets_options_by_name),
        cmocka_unit_test(refuses_options_it_does_not_have),
        cmocka_unit_test(refuses_options_that_contradict_each_other),
    };
    return cmocka_run_group_tests(tests, make_gradients, NULL);
}
