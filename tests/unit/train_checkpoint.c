/* A run that was stopped and goes on computes the bits of one that was not. */
#include "train/checkpoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "models/translator.h"
#include "store/weights.h"

enum { B = 6, S = 5, T = 4, WORDS = 13, SHARDS = 2 };

typedef struct {
    at_seq2seq model;
    at_params *params;
    at_trainer *trainer;
    int source[B * S], words[B * T], targets[B * T];
} run;

static void start(run *r, const char *optimiser)
{
    attend_error err = {.message = ""};
    at_translator s;
    at_trainer_options o = {.clip = 1, .accumulate = 2, .seed = 4};
    r->params = at_params_new(2);
    if (at_translator_preset(&s, "bahdanau", &err) < 0)
        fail_msg("%s", err.message);
    s.hidden = s.embedding = 8;
    if (at_translator_model(&s, WORDS, WORDS, &r->model, &err) < 0
        || at_optim_options_parse(&o.optim, optimiser, &err) < 0
        || at_rate_parse(&o.rate, "linear:warmup=2,total=20", 0.05, &err) < 0
        || at_trainer_new(r->params, &o, &r->trainer, &err) < 0)
        fail_msg("%s", err.message);
}

static void stop(run *r)
{
    at_trainer_free(r->trainer);
    at_params_free(r->params);
}

static void fill(int *ids, int n, int step, int which)
{
    for (int i = 0; i < n; i++)
        ids[i] = (int)at_random_below(
            (at_random){.seed = 1, .step = (uint32_t)step, .use = (uint32_t)which}, (uint32_t)i,
            WORDS);
}

static at_tensor *loss(void *user, at_tape *t, int shard)
{
    run *r = user;
    int rows = B / SHARDS, at = shard * rows;
    at_source e = at_seq2seq_encode(t, &r->model, (at_ids){SHAPE(rows, S), r->source + at * S},
                                    NULL);
    at_decoder state = at_seq2seq_start(&r->model, &e);
    at_decoded d = at_seq2seq_decode(t, &r->model, &e, &state,
                                     (at_ids){SHAPE(rows, T), r->words + at * T}, false);
    return at_seq2seq_loss(t, &r->model, d.features, (at_ids){SHAPE(rows, T), r->targets + at * T},
                           (at_cross_entropy_options){.ignore = -1, .divisor = B * T});
}

static double train(run *r, int from, int to)
{
    static const int first[SHARDS] = {0, B / SHARDS};
    at_step_result result = {.loss = 0};
    attend_error err;
    for (int step = from; step < to; step++) {
        fill(r->source, B * S, step, 0);
        fill(r->words, B * T, step, 1);
        fill(r->targets, B * T, step, 2);
        if (at_trainer_step(r->trainer, SHARDS, first, loss, r, &result, &err) < 0)
            fail_msg("%s", err.message);
    }
    return result.loss;
}

static void same_weights(const run *a, const run *b)
{
    assert_int_equal(at_params_count(a->params), at_params_count(b->params));
    for (int i = 0; i < at_params_count(a->params); i++) {
        const at_parameter *p = at_params_at(a->params, i), *q = at_params_at(b->params, i);
        assert_string_equal(p->name, q->name);
        assert_memory_equal(p->value, q->value, p->len * sizeof *p->value);
    }
}

static char folder[64];
static json_t *task; /* the state of a task that a checkpoint has */

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void a_run_that_goes_on_ends_with_the_same_bits(void **state)
{
    static const char *const optimisers[] = {"adam", "sgd:lr=0.1,momentum=0.9,nesterov", "adadelta",
                                             "rmsprop:centered,momentum=0.5"};
    (void)state;
    for (size_t i = 0; i < sizeof optimisers / sizeof *optimisers; i++) {
        run whole, one, two, three;
        attend_error err;
        real memory[6] = {1, 2, 3, 4, 5, 6}, again[6] = {0}, less[3];
        at_train_state s = {.best = 3.5,
                            .position = {.print = UINT64_MAX, .epoch = 7},
                            .shards = 2,
                            .array = {{"memory", SHAPE(2, 3), memory}},
                            .arrays = 1},
                       back = {.array = {{"memory", SHAPE(2, 3), again}}, .arrays = 1},
                       other = {.array = {{"memory", SHAPE(3), less}}, .arrays = 1};
        start(&whole, optimisers[i]);
        start(&one, optimisers[i]);
        start(&two, optimisers[i]);
        start(&three, optimisers[i]);
        double goal = train(&whole, 0, 10);
        train(&one, 0, 4);
        assert_false(at_trainer_between(one.trainer));
        at_train_state_take(&s, one.trainer);
        json_t *own = json_pack("{sf}", "baseline", 0.1);
        if (at_checkpoint_save(path_of("run"), one.params, one.trainer, &s, own, &err) < 0
            || at_checkpoint_load(path_of("run"), two.params, two.trainer, &back, &task, &err) < 0)
            fail_msg("%s: %s", optimisers[i], err.message);
        assert_true(back.position.print == UINT64_MAX && back.position.epoch == 7);
        assert_true(back.best == 3.5 && back.updates == 2 && back.batches == 4);
        assert_true(json_equal(task, own));
        assert_memory_equal(memory, again, sizeof memory);
        json_t *none = NULL;
        assert_int_equal(
            at_checkpoint_load(path_of("run"), three.params, three.trainer, &other, &none, &err),
            ATTEND_SHAPE);
        assert_non_null(strstr(err.message, "'task.memory' has 6 numbers, not 3"));
        json_decref(own);
        json_decref(task);
        assert_true(train(&two, 4, 10) == goal);
        same_weights(&whole, &two);
        stop(&whole);
        stop(&one);
        stop(&two);
        stop(&three);
    }
}

/* A checkpoint in which one bit has changed is refused before anything of it is used. */
static void flips_of_a_checkpoint_are_noticed(void **state)
{
    (void)state;
    run r, other;
    attend_error err;
    at_train_state s = {.shards = 1}, back = {0};
    char *bytes;
    size_t size;
    start(&r, "adam");
    start(&other, "adam");
    train(&r, 0, 2);
    at_train_state_take(&s, r.trainer);
    assert_true(at_checkpoint_save(path_of("run"), r.params, r.trainer, &s, NULL, &err) >= 0);
    assert_true(at_file_read(path_of("run"), SIZE_MAX, &bytes, &size, &err) >= 0);
    FILE *f = fopen(path_of("run"), "r+b");
    for (uint32_t i = 0; i < 150; i++) {
        long at = (long)at_random_below((at_random){.seed = 5}, i, (uint32_t)size);
        fseek(f, at, SEEK_SET);
        fputc(bytes[at] ^ 1 << i % 8, f);
        fflush(f);
        if (at_checkpoint_load(path_of("run"), other.params, other.trainer, &back, &task, &err)
            >= 0)
            fail_msg("bit %u of byte %ld is not noticed", i % 8, at);
        assert_int_equal(err.status, ATTEND_FORMAT);
        assert_int_equal(at_params_count(other.params), 0);
        fseek(f, at, SEEK_SET);
        fputc(bytes[at], f);
        fflush(f);
    }
    fclose(f);
    at_free(bytes);
    if (at_checkpoint_load(path_of("run"), other.params, other.trainer, &back, &task, &err) < 0)
        fail_msg("%s", err.message);
    stop(&r);
    stop(&other);
}

static void weights_alone_come_from_either_file(void **state)
{
    (void)state;
    run r;
    attend_error err;
    at_train_state s = {.shards = 1};
    start(&r, "adam");
    train(&r, 0, 2);
    assert_true(at_weights_save(path_of("weights"), r.params, &err) >= 0);
    assert_true(at_checkpoint_save(path_of("run"), r.params, r.trainer, &s, NULL, &err) >= 0);
    static const char *const files[] = {"weights", "run"};
    for (int i = 0; i < 2; i++) {
        run other = {.params = at_params_new(77)};
        if (at_weights_load(path_of(files[i]), i ? "param." : "", other.params, &err) < 0)
            fail_msg("%s", err.message);
        same_weights(&r, &other);
        at_params_free(other.params);
    }
    at_train_state none = {0};
    run fresh;
    start(&fresh, "adam");
    assert_true(
        at_checkpoint_load(path_of("weights"), fresh.params, fresh.trainer, &none, &task, &err)
        < 0);
    assert_non_null(strstr(err.message, "--init-from"));
    stop(&fresh);
    stop(&r);
}

static void steps_below_zero_are_refused(void **state)
{
    (void)state;
    run r, fresh;
    attend_error err;
    at_train_state s = {.shards = 1}, found = {0};
    at_optim_state one;
    start(&r, "adam");
    start(&fresh, "adam");
    train(&r, 0, 2);
    for (int i = 0; at_optim_state_at(at_trainer_optim(r.trainer), i, &one); i++)
        if (!one.value)
            *one.steps = -1;
    assert_true(at_checkpoint_save(path_of("spoiled"), r.params, r.trainer, &s, NULL, &err) >= 0);
    assert_true(
        at_checkpoint_load(path_of("spoiled"), fresh.params, fresh.trainer, &found, &task, &err)
        < 0);
    if (!strstr(err.message, "has -1; steps are 0 to"))
        fail_msg("%s", err.message);
    stop(&fresh);
    stop(&r);
}

/* Checkpoints of attend 0.1 had their state under other names. */
static void checkpoints_of_version_0_1_are_read(void **state)
{
    (void)state;
    run r, fresh;
    attend_error err = {.message = ""};
    at_train_state found = {0};
    at_store_list list = {.item = NULL};
    start(&r, "sgd");
    start(&fresh, "sgd");
    train(&r, 0, 2);
    at_store_params(&list, "param.", r.params);
    if (at_store_list_save(&list, path_of("old"), "standing",
                           "{\"updates\":1,\"batches\":2,\"loss\":1.5,\"asked\":24.0,"
                           "\"baseline\":{\"mean\":0.25,\"started\":true},"
                           "\"seed\":4,\"shards\":2,\"threads\":2,\"isa\":\"avx2\"}",
                           &err)
            < 0
        || at_checkpoint_load(path_of("old"), fresh.params, fresh.trainer, &found, &task, &err) < 0)
        fail_msg("%s", err.message);
    same_weights(&r, &fresh);
    assert_true(found.updates == 1 && found.batches == 2 && found.shards == 2);
    assert_true(found.loss == 1.5 && found.n_targets == 24);
    json_t *own = json_pack("{sf sb}", "baseline", 0.25, "started", 1);
    assert_true(json_equal(task, own));
    json_decref(own);
    json_decref(task);
    stop(&fresh);
    stop(&r);
}

static void checkpoints_of_a_later_version_are_refused(void **state)
{
    (void)state;
    run r;
    attend_error err;
    at_train_state found = {0};
    at_store_list list = {.item = NULL};
    start(&r, "sgd");
    assert_true(at_store_list_save(&list, path_of("new"), "state", "{\"version\":3}", &err) >= 0);
    assert_int_equal(at_checkpoint_load(path_of("new"), r.params, r.trainer, &found, &task, &err),
                     ATTEND_FORMAT);
    assert_non_null(strstr(err.message, "a checkpoint of format 3"));
    stop(&r);
}

static void another_machine_is_told(void **state)
{
    (void)state;
    char text[80];
    at_train_state a = {.shards = 2, .seed = 1, .isa = "avx2"}, b = a;
    at_train_state_differs(&a, &b, text, sizeof text);
    assert_string_equal(text, "");
    b.shards = 1;
    at_train_state_differs(&a, &b, text, sizeof text);
    assert_string_equal(text, "1 shard of a batch, not 2");
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/attend-checkpoint-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path_of("run"));
    unlink(path_of("weights"));
    unlink(path_of("spoiled"));
    unlink(path_of("old"));
    unlink(path_of("new"));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_that_goes_on_ends_with_the_same_bits),
                                       cmocka_unit_test(flips_of_a_checkpoint_are_noticed),
                                       cmocka_unit_test(weights_alone_come_from_either_file),
                                       cmocka_unit_test(steps_below_zero_are_refused),
                                       cmocka_unit_test(checkpoints_of_version_0_1_are_read),
                                       cmocka_unit_test(checkpoints_of_a_later_version_are_refused),
                                       cmocka_unit_test(another_machine_is_told)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
