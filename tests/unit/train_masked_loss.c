/* The loss of masked tokens: what is predicted, shards, what is seen. */
#include "train/masked_loss.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "data_tokens.h"

static at_tokenizer *toy;
static at_encoded *data;
static at_arena arena;
static at_model *model;

static void set(const char *name, const char *value)
{
    attend_error err;
    void *fields;
    at_option_set all = {model->kind->options, model->settings};
    const at_option *o = at_option_find(&all, 1, name, &fields);
    assert_non_null(o);
    assert_int_equal(at_option_assign(o, value, fields, name, &err), ATTEND_OK);
}

static int enter(void **state)
{
    (void)state;
    attend_error err;
    at_str text = {0};
    uint32_t seed = 3;
    toy = toy_tokenizer();
    for (int i = 0; i < 6; i++) {
        random_words(&text, &seed, 5 + i);
        at_str_add(&text, "\n");
    }
    at_encode_options o = {.source = toy, .source_frame = ATTEND_FRAME_INPUT};
    data = encoded_of(text.text, "text", &o);
    at_str_free(&text);
    at_arena_init(&arena, 1 << 16);
    model = at_model_new(&at_model_bert, 7);
    assert_int_equal(at_options_defaults(model->kind->options, model->settings, &err), ATTEND_OK);
    set("head", "pretraining");
    set("hidden", "8");
    set("ffn", "8");
    set("dropout", "0");
    set("attention-dropout", "0");
    model->source_size = model->target_size = at_tokenizer_size(toy);
    assert_int_equal(at_model_describe(model, &err), ATTEND_OK);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    at_model_free(model);
    at_arena_free(&arena);
    at_encoded_free(data);
    at_tokenizer_free(toy);
    return 0;
}

static at_batch whole(void)
{
    at_encoded_supply s = {.data = data};
    at_plan_options plan = {.sentences = 100, .in_order = true};
    at_batches *b;
    at_batch batch;
    attend_error err;
    assert_int_equal(at_batches_new(at_supply_encoded(&s), &plan, &b, &err), ATTEND_OK);
    assert_int_equal(at_batches_next(b, &arena, &batch, &err), ATTEND_OK);
    at_batches_free(b);
    return batch;
}

/* the loss of all shards */
static double loss_of(int shards, at_mode mode, bool pairs, at_masked_loss *l)
{
    static int labels[6] = {0, 1, 1, 0, 1, 0};
    attend_error err;
    double sum = 0;
    at_batch batch = whole();
    batch.labels = labels;
    *l = (at_masked_loss){.model = model, .pairs = pairs};
    at_masking_defaults(&l->masking, toy);
    assert_int_equal(at_masked_loss_take(l, &batch, shards, &arena, &err), ATTEND_OK);
    at_tape *t = at_tape_new(model->params, mode);
    for (int i = 0; i < l->shards.count; i++) {
        at_tape_reset(t);
        at_tensor *y = at_masked_loss_of(l, t, i);
        if (at_failed(t))
            fail_msg("%s", at_tape_error(t)->message);
        sum += (double)y->value[0];
    }
    at_tape_free(t);
    return sum;
}

static void shards_sum_to_the_batch(void **state)
{
    (void)state;
    at_masked_loss l;
    for (int pairs = 0; pairs < 2; pairs++) {
        double one = loss_of(1, ATTEND_TRAIN, pairs, &l);
        assert_true(one > 1);
        assert_float_equal(loss_of(3, ATTEND_TRAIN, pairs, &l), one, 1e-5);
        assert_float_equal(loss_of(1, ATTEND_INFER, pairs, &l), one, 1e-5);
    }
}

static void a_validation_counts_what_it_saw(void **state)
{
    (void)state;
    at_masked_loss l;
    double loss = loss_of(2, ATTEND_INFER, true, &l);
    assert_int_equal(l.tokens, l.count);
    assert_int_equal(l.pair_count, 6);
    assert_true(l.right <= l.tokens && l.pairs_right <= 6);
    assert_true(l.nll / (double)l.tokens < loss); /* without the pairs */
    at_masked_loss_clear(&l);
    assert_int_equal(l.tokens + l.right + l.pair_count + l.pairs_right, 0);
    loss_of(2, ATTEND_TRAIN, true, &l);
    assert_int_equal(l.tokens, 0);
}

static void what_is_seen_has_the_tokens_to_predict(void **state)
{
    (void)state;
    at_masked_loss l;
    loss_of(1, ATTEND_INFER, true, &l);
    int shown = 0;
    for (int row = 0; row < 6; row++) {
        at_str text = {0};
        at_masked_loss_show(&l, row, &text);
        assert_int_equal(strncmp(text.text, "[CLS] ", 6), 0);
        assert_non_null(strstr(
            text.text, row == 0 || row == 3 || row == 5 ? "label: next" : "label: another text"));
        for (const char *at = text.text; (at = strchr(at, '(')); at++)
            shown++;
        at_str_free(&text);
    }
    assert_int_equal(shown, l.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shards_sum_to_the_batch, enter, leave),
        cmocka_unit_test_setup_teardown(a_validation_counts_what_it_saw, enter, leave),
        cmocka_unit_test_setup_teardown(what_is_seen_has_the_tokens_to_predict, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
