/* Metrics of a validation, and rows cut into shards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>

#include "train/metrics.h"
#include "train/shards.h"

static at_metrics some(void)
{
    at_metrics m = {.count = 0};
    at_metrics_add(&m, (attend_metric){"loss", "validation loss", 2.5, 1});
    at_metrics_add(&m, (attend_metric){"macro_f1", "macro-F1", 0.75, 0});
    return m;
}

static void a_metric_is_found_by_its_name(void **state)
{
    (void)state;
    at_metrics m = some();
    assert_string_equal(at_metrics_find(&m, "macro_f1")->title, "macro-F1");
    assert_null(at_metrics_find(&m, "bleu"));
    assert_true(at_metric_goodness(at_metrics_find(&m, "loss")) == -2.5);
    assert_true(at_metric_goodness(at_metrics_find(&m, "macro_f1")) == 0.75);
}

static attend_status keep(const at_metrics *m, const char *path, int step, double epoch)
{
    attend_error err;
    at_metrics_line line = {.step = step, .epoch = epoch, .shards = 2, .best = step == 10};
    return at_metrics_keep(m, path, &line, &err);
}

static void each_validation_is_a_line_of_json(void **state)
{
    (void)state;
    char path[] = "metrics.XXXXXX", text[400] = "";
    at_metrics m = some();
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(keep(&m, path, 10, 1.5), ATTEND_OK);
    m.item[0].value = NAN;
    assert_int_equal(keep(&m, path, 20, 3), ATTEND_OK);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    remove(path);
    assert_string_equal(text, "{\"step\": 10, \"epoch\": 1.5, \"shards\": 2, \"loss\": 2.5, "
                              "\"macro_f1\": 0.75, \"best\": true}\n"
                              "{\"step\": 20, \"epoch\": 3, \"shards\": 2, \"loss\": null, "
                              "\"macro_f1\": 0.75, \"best\": false}\n");
    assert_int_equal(keep(&m, "no/such/folder", 1, 1), ATTEND_FILE);
}

static void a_line_has_a_point_in_every_locale(void **state)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        skip(); /* no locale with a comma on this machine */
    each_validation_is_a_line_of_json(state);
    setlocale(LC_ALL, "C");
}

static void lines_behind_a_step_are_forgotten(void **state)
{
    (void)state;
    char path[] = "metrics.XXXXXX", text[400] = "";
    attend_error err;
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *f = fdopen(file, "w");
    fputs("{\"step\": 10}\n{\"step\": 20, \"a\": 1}\n{\"step\": 30}\n{\"st", f);
    fclose(f);
    assert_int_equal(at_metrics_forget(path, 20, &err), ATTEND_OK);
    assert_non_null(f = fopen(path, "r"));
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    remove(path);
    assert_string_equal(text, "{\"step\": 10}\n{\"step\": 20, \"a\": 1}\n");
    assert_int_equal(at_metrics_forget("no/such/file", 20, &err), ATTEND_OK);
}

static void shards_have_every_row_once_and_none_is_empty(void **state)
{
    (void)state;
    for (int rows = 1; rows <= 70; rows++)
        for (int shards = 1; shards <= ATTEND_SHARDS_MOST + 2; shards++) {
            int most = shards < ATTEND_SHARDS_MOST ? shards : ATTEND_SHARDS_MOST;
            at_shards s = at_shards_cut(rows, shards);
            assert_int_equal(s.count, rows < most ? rows : most);
            assert_int_equal(s.first[0], 0);
            assert_int_equal(s.first[s.count], rows);
            for (int i = 0; i < s.count; i++)
                assert_true(s.first[i] < s.first[i + 1]);
        }
}

/* megabytes of weights and activations */
static int usual(int threads, double weights, double activations)
{
    return at_shards_usual(threads, weights * (1 << 20), activations * (1 << 20));
}

static void large_models_have_one_shard(void **state)
{
    (void)state;
    assert_int_equal(usual(2, 475, 192), 1); /* GPT-2, 4 texts of 64 tokens */
    assert_int_equal(usual(2, 475, 768), 2); /* 8 texts of 128 */
    assert_int_equal(usual(4, 475, 768), 1);
    assert_int_equal(usual(2, 27, 196), 2); /* bahdanau on Multi30k */
    assert_int_equal(usual(16, 27, 196), 16);
    assert_int_equal(usual(2, 103, 461), 2); /* keras */
    assert_int_equal(usual(1, 475, 0), 1);
    assert_int_equal(usual(ATTEND_SHARDS_MOST + 1, 27, 196), ATTEND_SHARDS_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_metric_is_found_by_its_name),
        cmocka_unit_test(each_validation_is_a_line_of_json),
        cmocka_unit_test(a_line_has_a_point_in_every_locale),
        cmocka_unit_test(lines_behind_a_step_are_forgotten),
        cmocka_unit_test(shards_have_every_row_once_and_none_is_empty),
        cmocka_unit_test(large_models_have_one_shard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
