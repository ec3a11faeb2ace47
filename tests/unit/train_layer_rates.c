/* Layers that learn more slowly, or not at all. */
#include "train/layer_rates.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "train/gradients.h"

static at_model *bert(void)
{
    attend_error err;
    at_model *m = at_model_new(&at_model_bert, 5);
    assert_non_null(m);
    assert_int_equal(at_options_defaults(m->kind->options, m->settings, &err), ATTEND_OK);
    assert_int_equal(at_model_describe(m, &err), ATTEND_OK);
    at_tape *t = at_tape_new(m->params, ATTEND_INFER);
    m->kind->trial(t, m);
    assert_false(at_failed(t));
    at_tape_free(t);
    return m;
}

static void depths_count_from_the_embeddings_to_the_head(void **state)
{
    (void)state;
    at_model *m = bert(); /* two layers */
    assert_int_equal(m->kind->depth(m, "embeddings.LayerNorm.weight"), 0);
    assert_int_equal(m->kind->depth(m, "encoder.layer.0.output.dense.bias"), 1);
    assert_int_equal(m->kind->depth(m, "encoder.layer.1.output.dense.bias"), 2);
    assert_int_equal(m->kind->depth(m, "pooler.dense.weight"), 3);
    assert_int_equal(m->kind->depth(m, "classifier.weight"), 3);
    at_model_free(m);
}

/* a step of SGD with gradients of 1: each number falls by its rate */
static void rates_fall_by_the_factor_for_each_layer(void **state)
{
    (void)state;
    attend_error err;
    at_model *m = bert();
    at_optim_options o;
    at_optim *optim;
    at_layer_rates rates;
    at_gradients *g = at_gradients_new(m->params);
    int n = at_params_count(m->params);
    size_t longest = 0;
    const real **part = at_alloc((size_t)n * sizeof *part);
    real *before = at_alloc((size_t)n * sizeof *before);
    for (int i = 0; i < n; i++) {
        const at_parameter *p = at_params_at(m->params, i);
        longest = p->len > longest ? p->len : longest;
        before[i] = p->value[0];
    }
    real *ones = at_alloc(longest * sizeof *ones);
    for (size_t i = 0; i < longest; i++)
        ones[i] = 1;
    for (int i = 0; i < n; i++)
        part[i] = ones;
    assert_int_equal(at_optim_options_parse(&o, "sgd:lr=1", &err), ATTEND_OK);
    assert_int_equal(at_optim_new(m->params, &o, &optim, &err), ATTEND_OK);
    at_layer_rates_set(&rates, m, 0.5, optim);
    assert_int_equal(rates.top, 3);
    assert_int_equal(at_gradients_add_arrays(g, part, 1, &err), ATTEND_OK);
    assert_int_equal(at_optim_step(optim, g, &err), ATTEND_OK);
    for (int i = 0; i < n; i++) {
        const at_parameter *p = at_params_at(m->params, i);
        double rate = pow(0.5, 3 - m->kind->depth(m, p->name));
        assert_float_equal((double)(before[i] - p->value[0]), rate, 1e-6);
    }
    at_free(ones);
    at_free(before);
    at_free(part);
    at_gradients_free(g);
    at_optim_free(optim);
    at_model_free(m);
}

static void layers_are_frozen_from_below(void **state)
{
    (void)state;
    at_model *m = bert();
    size_t numbers = 0;
    assert_int_equal(at_layers_freeze(m, -1), 0);
    size_t found = at_layers_freeze(m, 1);
    for (int i = 0; i < at_params_count(m->params); i++) {
        const at_parameter *p = at_params_at(m->params, i);
        bool low = strncmp(p->name, "embeddings.", 11) == 0
                   || strncmp(p->name, "encoder.layer.0.", 16) == 0;
        assert_int_equal(p->frozen, low);
        numbers += low ? p->len : 0;
    }
    assert_true(numbers > 0);
    assert_int_equal(found, numbers);
    at_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_count_from_the_embeddings_to_the_head),
        cmocka_unit_test(rates_fall_by_the_factor_for_each_layer),
        cmocka_unit_test(layers_are_frozen_from_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
