#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "attend_pooling.h"
#include "base/memory.h"
#include "base/random.h"

enum { N = 60 };

static void make_data(double *x, double *y)
{
    at_random place = {.seed = 11};
    for (uint32_t i = 0; i < N; i++) {
        x[i] = 5 * at_random_uniform(place, i);
        y[i] = 2 * sin(x[i]) + pow(x[i], 0.8) + 0.5 * at_random_normal(place, 1000 + i);
    }
}

static double error_of(const attend_pooling *p, attend_pooling_kind kind)
{
    double error;
    attend_error err;
    assert_int_equal(attend_pooling_error(p, kind, &error, &err), ATTEND_OK);
    return error;
}

static attend_pooling *fit(const attend_fit_options *options)
{
    double x[N], y[N];
    attend_pooling *p;
    attend_error err;
    make_data(x, y);
    attend_status status = attend_fit(N, 1, x, y, options, &p, &err);
    if (status < 0 && status != ATTEND_STOPPED)
        fail_msg("%s", err.message);
    return p;
}

/* the best weight there is, by trying them all */
static double best_error(const double *x, const double *y)
{
    double best = INFINITY;
    for (double w = 0.05; w < 100; w *= 1.01) {
        double total = 0;
        for (int i = 0; i < N; i++) {
            double most = -INFINITY, sum = 0, read = 0;
            for (int j = 0; j < N; j++)
                most = j == i ? most : fmax(most, -pow((x[i] - x[j]) * w, 2) / 2);
            for (int j = 0; j < N; j++) {
                double a = j == i ? 0 : exp(-pow((x[i] - x[j]) * w, 2) / 2 - most);
                sum += a;
                read += a * y[j];
            }
            total += pow(read / sum - y[i], 2) / N;
        }
        best = fmin(best, total);
    }
    return best;
}

static void learns_the_best_weight(void **state)
{
    (void)state;
    double x[N], y[N];
    make_data(x, y);
    attend_pooling *p = fit(NULL);
    double average = error_of(p, ATTEND_POOLING_AVERAGE);
    double kernel = error_of(p, ATTEND_POOLING_KERNEL);
    double learned = error_of(p, ATTEND_POOLING_LEARNED);
    assert_true(learned < kernel && kernel < average);
    assert_true(learned < 1.001 * best_error(x, y));
    assert_int_equal(attend_pooling_rows(p), N);
    assert_int_equal(attend_pooling_columns(p), 1);
    assert_memory_equal(attend_pooling_x(p), x, sizeof x);
    assert_memory_equal(attend_pooling_y(p), y, sizeof y);
    attend_pooling_free(p);
}

static void learns_with_a_part_of_the_points_in_each_step(void **state)
{
    (void)state;
    attend_fit_options o;
    attend_fit_defaults(&o);
    o.batch = 16;
    attend_pooling *all = fit(NULL), *part = fit(&o);
    assert_true(error_of(part, ATTEND_POOLING_LEARNED)
                < 1.05 * error_of(all, ATTEND_POOLING_LEARNED));
    o.seed = 5;
    attend_pooling *other = fit(&o);
    assert_true(*attend_pooling_weight(other) != *attend_pooling_weight(part));
    attend_pooling_free(all);
    attend_pooling_free(part);
    attend_pooling_free(other);
}

static void gives_the_same_bits_again_and_on_any_number_of_threads(void **state)
{
    (void)state;
    attend_pooling *one = fit(NULL);
    attend_set_threads(3);
    attend_pooling *again = fit(NULL);
    attend_set_threads(0);
    assert_true(*attend_pooling_weight(one) == *attend_pooling_weight(again));
    attend_pooling_free(one);
    attend_pooling_free(again);
}

static void ignores_a_column_that_means_nothing(void **state)
{
    (void)state;
    double x[N][2], first[N], y[N];
    attend_pooling *p;
    at_random place = {.seed = 12};
    make_data(first, y);
    for (uint32_t i = 0; i < N; i++) {
        x[i][0] = first[i];
        x[i][1] = 5 * at_random_uniform(place, i);
    }
    assert_int_equal(attend_fit(N, 2, &x[0][0], y, NULL, &p, NULL), ATTEND_OK);
    const double *w = attend_pooling_weight(p);
    assert_true(w[1] < 0.3 * w[0]);
    attend_pooling_free(p);
}

static void the_kernel_and_its_width_can_be_chosen(void **state)
{
    (void)state;
    double least, most, found, error;
    attend_fit_options o;
    attend_fit_defaults(&o);
    o.kernel = "epanechnikov";
    o.attention = "gaussian";
    o.width = 0.8;
    attend_pooling *p = fit(&o);
    assert_string_equal(attend_pooling_kernel(p), "epanechnikov");
    assert_true(attend_pooling_width(p) == 0.8);
    double given = error_of(p, ATTEND_POOLING_KERNEL);
    assert_int_equal(attend_pooling_error_at(p, 0.8, &error, NULL), ATTEND_OK);
    assert_true(error == given);
    assert_int_equal(attend_pooling_error_at(p, 0, &error, NULL), ATTEND_OPTION);
    attend_pooling_free(p);
    o.width = 0;
    p = fit(&o);
    found = attend_pooling_width(p);
    attend_pooling_widths(p, &least, &most);
    assert_true(least < found && found < most);
    assert_true(error_of(p, ATTEND_POOLING_KERNEL) < given);
    attend_pooling_free(p);
}

static void what_was_not_learned_cannot_be_asked_for(void **state)
{
    (void)state;
    const double at = 1;
    double y, many[N];
    attend_error err;
    attend_fit_options o;
    attend_fit_defaults(&o);
    o.attention = "gaussian";
    attend_pooling *p = fit(&o);
    assert_null(attend_pooling_weight(p));
    assert_int_equal(attend_pooling_predict(p, ATTEND_POOLING_LEARNED, 1, &at, &y, &err),
                     ATTEND_OPTION);
    assert_non_null(strstr(err.message, "nothing was learned here"));
    assert_int_equal(attend_pooling_error(p, ATTEND_POOLING_LEARNED, &y, &err), ATTEND_OPTION);
    assert_int_equal(attend_pooling_left_out(p, ATTEND_POOLING_LEARNED, many, &err), ATTEND_OPTION);
    assert_int_equal(attend_pooling_attention(p, ATTEND_POOLING_LEARNED, 1, &at, many, &err),
                     ATTEND_OPTION);
    attend_pooling_free(p);
}

static void weights_and_left_out_points_explain_the_numbers(void **state)
{
    (void)state;
    const double at[] = {0.7, 4.2};
    double y[2], weights[2][N], left[N], missed = 0;
    attend_pooling *p = fit(NULL);
    for (int kind = 0; kind < 3; kind++) {
        attend_pooling_kind k = (attend_pooling_kind)kind;
        attend_pooling_predict(p, k, 2, at, y, NULL);
        assert_int_equal(attend_pooling_attention(p, k, 2, at, &weights[0][0], NULL), ATTEND_OK);
        for (int i = 0; i < 2; i++) {
            double sum = 0, read = 0;
            for (int j = 0; j < N; j++) {
                sum += weights[i][j];
                read += weights[i][j] * attend_pooling_y(p)[j];
            }
            assert_true(fabs(sum - 1) < 1e-5 && fabs(read - y[i]) < 1e-5);
        }
    }
    assert_int_equal(attend_pooling_left_out(p, ATTEND_POOLING_LEARNED, left, NULL), ATTEND_OK);
    for (int i = 0; i < N; i++)
        missed += pow(left[i] - attend_pooling_y(p)[i], 2) / N;
    assert_true(fabs(missed - error_of(p, ATTEND_POOLING_LEARNED)) < 1e-12);
    attend_pooling_free(p);
}

static void one_weight_can_serve_all_columns(void **state)
{
    (void)state;
    double x[N][2], first[N], y[N], one, each;
    attend_pooling *p;
    attend_fit_options o;
    at_random place = {.seed = 12};
    make_data(first, y);
    for (uint32_t i = 0; i < N; i++) {
        x[i][0] = first[i];
        x[i][1] = 5 * at_random_uniform(place, i);
    }
    attend_fit_defaults(&o);
    o.attention = "gaussian-w";
    assert_int_equal(attend_fit(N, 2, &x[0][0], y, &o, &p, NULL), ATTEND_OK);
    assert_true(attend_pooling_weight(p)[0] == attend_pooling_weight(p)[1]);
    one = error_of(p, ATTEND_POOLING_LEARNED);
    attend_pooling_free(p);
    assert_int_equal(attend_fit(N, 2, &x[0][0], y, NULL, &p, NULL), ATTEND_OK);
    each = error_of(p, ATTEND_POOLING_LEARNED);
    assert_true(each < 0.8 * one); /* the second column means nothing, and only one can say so */
    attend_pooling_free(p);
}

typedef struct {
    int calls, stop_at, steps;
    double loss;
} watched;

static attend_status watch(void *user, const attend_fit_event *e, attend_error *err)
{
    (void)err;
    watched *w = user;
    w->calls++;
    assert_int_equal(e->step, w->calls);
    w->steps = e->steps;
    w->loss = e->loss;
    return e->step == w->stop_at ? ATTEND_STOPPED : ATTEND_OK;
}

static void reports_each_step_and_stops_when_told(void **state)
{
    (void)state;
    watched w = {0};
    attend_fit_options o;
    attend_fit_defaults(&o);
    o.steps = 20;
    o.function = watch;
    o.user = &w;
    attend_pooling *p = fit(&o);
    assert_true(w.calls == 20 && w.steps == 20);
    assert_true(fabs(w.loss - error_of(p, ATTEND_POOLING_LEARNED)) < 0.01 * w.loss);
    attend_pooling_free(p);
    w = (watched){.stop_at = 7};
    p = fit(&o);
    assert_int_equal(w.calls, 7);
    assert_true(*attend_pooling_weight(p) > 0);
    attend_pooling_free(p);
}

static void check_options(attend_fit_options o, attend_status expected)
{
    const double x[] = {1, 2, 3};
    attend_pooling *p;
    attend_error err;
    assert_int_equal(attend_fit(3, 1, x, x, &o, &p, &err), expected);
    assert_true(expected == ATTEND_OK || !p);
    attend_pooling_free(p);
}

static void refuses_options_that_make_no_sense(void **state)
{
    (void)state;
    attend_fit_options good, o;
    attend_fit_defaults(&good);
    check_options(good, ATTEND_OK);
    o = good, o.size = 0, check_options(o, ATTEND_OPTION);
    o = good, o.rate = 0, check_options(o, ATTEND_OPTION);
    o = good, o.rate = NAN, check_options(o, ATTEND_OPTION);
    o = good, o.steps = -1, check_options(o, ATTEND_OPTION);
    o = good, o.batch = -1, check_options(o, ATTEND_OPTION);
    o = good, o.steps = 0, check_options(o, ATTEND_OK);
    o = good, o.width = -1, check_options(o, ATTEND_OPTION);
    o = good, o.width = INFINITY, check_options(o, ATTEND_OPTION);
    o = good, o.kernel = "boxcars", check_options(o, ATTEND_OPTION);
    o = good, o.kernel = o.attention = NULL, check_options(o, ATTEND_OK);
    o = good, o.attention = "dot", check_options(o, ATTEND_OPTION);
    o = good, o.attention = "gaussian-w/window:5", check_options(o, ATTEND_OPTION);
    o = good, o.attention = "gaussian-w/global/hard", check_options(o, ATTEND_OPTION);
    o = good, o.attention = "gaussian-w/global/soft/1", check_options(o, ATTEND_OPTION);
}

static void says_when_the_numbers_explode(void **state)
{
    (void)state;
    double x[N], y[N];
    attend_fit_options o;
    attend_pooling *p;
    attend_error err;
    make_data(x, y);
    attend_fit_defaults(&o);
    o.rate = 1e300;
    assert_int_equal(attend_fit(N, 1, x, y, &o, &p, &err), ATTEND_NUMBER);
    assert_non_null(strstr(err.message, "use a smaller rate"));
}

/* ---- files ---- */

static char path[] = "/tmp/attend-fit-XXXXXX";

static void refuses_to_predict_at_no_number(void **state)
{
    (void)state;
    attend_error err;
    const double at[] = {1, NAN};
    double found[2];
    attend_pooling *p = fit(NULL);
    assert_int_equal(attend_pooling_predict(p, ATTEND_POOLING_LEARNED, 2, at, found, &err),
                     ATTEND_NUMBER);
    assert_string_equal(err.message, "pooling: x of point 1 is not a number up to 1e100");
    assert_int_equal(attend_pooling_predict(p, (attend_pooling_kind)7, 1, at, found, &err),
                     ATTEND_OPTION);
    attend_pooling_free(p);
}

static void predicts_the_same_after_save_and_load(void **state)
{
    (void)state;
    const double at[] = {-1, 0.5, 2, 3.3, 9};
    double before[5], after[5];
    attend_error err;
    attend_pooling *p = fit(NULL), *q;
    assert_int_equal(attend_pooling_save(p, path, &err), ATTEND_OK);
    assert_int_equal(attend_pooling_open(path, &q, &err), ATTEND_OK);
    for (int kind = 0; kind < 3; kind++) {
        attend_pooling_kind k = (attend_pooling_kind)kind;
        assert_int_equal(attend_pooling_predict(p, k, 5, at, before, &err), ATTEND_OK);
        assert_int_equal(attend_pooling_predict(q, k, 5, at, after, &err), ATTEND_OK);
        assert_memory_equal(before, after, sizeof before);
    }
    attend_pooling_free(p);
    attend_pooling_free(q);
}

static void remembers_the_names_of_its_columns(void **state)
{
    (void)state;
    static const char *const names[] = {"year", "\"hauteur\", é"}, *const wrong[] = {"x", "\xFF"};
    attend_error err;
    attend_pooling *p = fit(NULL), *q;
    assert_null(attend_pooling_name(p, 0));
    assert_int_equal(attend_pooling_set_names(p, names, &err), ATTEND_OK);
    assert_int_equal(attend_pooling_set_names(p, wrong, &err), ATTEND_OPTION);
    assert_int_equal(attend_pooling_save(p, path, &err), ATTEND_OK);
    assert_int_equal(attend_pooling_open(path, &q, &err), ATTEND_OK);
    assert_string_equal(attend_pooling_name(q, 0), names[0]);
    assert_string_equal(attend_pooling_name(q, 1), names[1]);
    assert_null(attend_pooling_name(q, 2));
    assert_null(attend_pooling_name(q, -1));
    attend_pooling_free(p);
    attend_pooling_free(q);
}

static void remembers_how_it_was_fitted(void **state)
{
    (void)state;
    static const char *const attentions[] = {"gaussian", "gaussian-w", "gaussian-w:vector"};
    double x[N], y[N], before, after;
    make_data(x, y);
    for (int i = 0; i < 3; i++) {
        attend_fit_options o;
        attend_fit_defaults(&o);
        o.attention = attentions[i];
        o.kernel = "triangular";
        o.width = 0.123456789;
        o.steps = 5;
        attend_pooling *p, *q;
        double pairs[N];
        for (int j = 0; j < N; j++)
            pairs[j] = x[j / 2 + j % 2 * (N / 2)];
        assert_int_equal(attend_fit(N / 2, 2, pairs, y, &o, &p, NULL), ATTEND_OK);
        assert_int_equal(attend_pooling_save(p, path, NULL), ATTEND_OK);
        assert_int_equal(attend_pooling_open(path, &q, NULL), ATTEND_OK);
        assert_string_equal(attend_pooling_kernel(q), "triangular");
        assert_true(attend_pooling_width(q) == 0.123456789);
        assert_int_equal(attend_pooling_weight(q) == NULL, i == 0);
        for (int kind = 0; kind < (i ? 3 : 2); kind++) {
            attend_pooling_error(p, (attend_pooling_kind)kind, &before, NULL);
            attend_pooling_error(q, (attend_pooling_kind)kind, &after, NULL);
            assert_true(before == after);
        }
        attend_pooling_free(p);
        attend_pooling_free(q);
    }
}

static void saves_a_file_that_attend_tensors_can_show(void **state)
{
    (void)state;
    attend_error err;
    attend_tensors *t;
    attend_tensor_info info;
    const char *name, *text;
    attend_pooling *p = fit(NULL);
    assert_int_equal(attend_pooling_save(p, path, &err), ATTEND_OK);
    attend_pooling_free(p);
    assert_int_equal(attend_tensors_open(path, &t, &err), ATTEND_OK);
    assert_int_equal(attend_tensors_count(t), 3);
    assert_int_equal(attend_tensors_info(t, 0, &info), 1);
    assert_string_equal(info.name, "x");
    assert_string_equal(info.dtype, "F64");
    assert_true(info.rank == 2 && info.shape[0] == N && info.shape[1] == 1);
    assert_true(info.count == N && info.bytes == 8 * N);
    assert_int_equal(attend_tensors_info(t, 3, &info), 0);
    assert_int_equal(attend_tensors_note(t, 0, &name, &text), 1);
    assert_string_equal(name, "model_type");
    assert_string_equal(text, "pooling");
    assert_int_equal(attend_tensors_note(t, 4, &name, &text), 1);
    assert_string_equal(name, "data");
    assert_string_equal(text, "x y");
    assert_int_equal(attend_tensors_note(t, 5, &name, &text), 0);
    attend_tensors_free(t);
    attend_tensors_free(NULL);
}

static void write_text(const char *header)
{
    FILE *file = fopen(path, "wb");
    size_t size = strlen(header);
    unsigned char length[8] = {(unsigned char)(size & 255), (unsigned char)(size >> 8)};
    double zeros[8] = {0};
    fwrite(length, 1, 8, file);
    fputs(header, file);
    fwrite(zeros, 8, 4, file);
    fclose(file);
}

static void refuses_files_of_another_kind(void **state)
{
    (void)state;
#define NOTES(attention, kernel, width)                                       \
    "{\"__metadata__\":{\"attention\":\"" attention "\",\"kernel\":\"" kernel \
    "\",\"width\":\"" width "\"},"
#define TENSOR(name, type, shape, offsets) \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":[" shape "],\"data_offsets\":[" offsets "]}"
#define NAMED(names)                                                                       \
    "{\"__metadata__\":{\"attention\":\"gaussian\",\"kernel\":\"boxcar\",\"width\":\"1\"," \
    "\"names\":\"" names                                                                   \
    "\"}," TENSOR("x", "F64", "2,1", "0,16") "," TENSOR("y", "F64", "2", "16,32") "}"
#define GOOD NOTES("gaussian-w", "boxcar", "1")
    static const char *const wrong[] = {
        "{" TENSOR("other", "F64", "4", "0,32") "}",
        "{\"__metadata__\":{\"attention\":\"gaussian\"}," TENSOR("x", "F64", "4", "0,32") "}",
        NOTES("dot", "boxcar", "1") TENSOR("x", "F64", "4", "0,32") "}",
        NOTES("gaussian", "nothing", "1") TENSOR("x", "F64", "4", "0,32") "}",
        NOTES("gaussian", "boxcar", "0") TENSOR("x", "F64", "4", "0,32") "}",
        NOTES("gaussian", "boxcar", "inf") TENSOR("x", "F64", "4", "0,32") "}",
        GOOD TENSOR("x", "F64", "4", "0,32") "}",
        GOOD TENSOR("x", "F32", "4,2", "0,32") "}",
        GOOD TENSOR("x", "F64", "2,1", "0,16") "," TENSOR("y", "F64", "2", "16,32") "}",
        GOOD TENSOR("x", "F64", "1,1", "0,8") "," TENSOR("y", "F64", "2", "8,24") "," TENSOR(
            "weight", "F64", "1", "24,32") "}",
        GOOD TENSOR("x", "F64", "1,1", "0,8") "," TENSOR("y", "F64", "1", "8,16") "," TENSOR(
            "weight", "F64", "2", "16,32") "}",
        NAMED("[\\\"x\\\"]"),
        NAMED("[\\\"x\\\", 5]"),
        NAMED("x, y"),
        NAMED("{}")};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        attend_error err;
        attend_pooling *p;
        write_text(wrong[i]);
        assert_int_equal(attend_pooling_open(path, &p, &err), ATTEND_FORMAT);
        assert_null(p);
        assert_non_null(strstr(err.message, path));
    }
    attend_pooling *p;
    assert_int_equal(attend_pooling_open("/nowhere", &p, NULL), ATTEND_FILE);
}

static void reports_every_allocation_that_fails(void **state)
{
    (void)state;
    double x[N], y[N];
    make_data(x, y);
    attend_fit_options o;
    attend_fit_defaults(&o);
    o.steps = 2;
    attend_pooling_free(fit(NULL)); /* what stays allocated for good is there now */
    attend_status status = ATTEND_MEMORY;
    long n = 0, live = at_alloc_live();
    for (; status != ATTEND_OK; n += 1 + n / 40) { /* the search repeats itself */
        attend_pooling *p = NULL, *q = NULL;
        at_alloc_fail_after(n);
        status = attend_fit(N, 1, x, y, &o, &p, NULL);
        if (status >= 0)
            status = attend_pooling_set_names(p, (const char *const[]){"a", "b"}, NULL);
        if (status >= 0)
            status = attend_pooling_save(p, path, NULL);
        if (status >= 0)
            status = attend_pooling_open(path, &q, NULL);
        at_alloc_fail_after(-1);
        attend_pooling_free(p);
        attend_pooling_free(q);
        assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
        assert_int_equal(at_alloc_live(), live);
    }
    assert_true(n > 20);
}

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learns_the_best_weight),
        cmocka_unit_test(learns_with_a_part_of_the_points_in_each_step),
        cmocka_unit_test(gives_the_same_bits_again_and_on_any_number_of_threads),
        cmocka_unit_test(ignores_a_column_that_means_nothing),
        cmocka_unit_test(the_kernel_and_its_width_can_be_chosen),
        cmocka_unit_test(what_was_not_learned_cannot_be_asked_for),
        cmocka_unit_test(weights_and_left_out_points_explain_the_numbers),
        cmocka_unit_test(one_weight_can_serve_all_columns),
        cmocka_unit_test(reports_each_step_and_stops_when_told),
        cmocka_unit_test(refuses_options_that_make_no_sense),
        cmocka_unit_test(says_when_the_numbers_explode),
        cmocka_unit_test(refuses_to_predict_at_no_number),
        cmocka_unit_test(predicts_the_same_after_save_and_load),
        cmocka_unit_test(remembers_the_names_of_its_columns),
        cmocka_unit_test(remembers_how_it_was_fitted),
        cmocka_unit_test(saves_a_file_that_attend_tensors_can_show),
        cmocka_unit_test(refuses_files_of_another_kind),
        cmocka_unit_test(reports_every_allocation_that_fails),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
