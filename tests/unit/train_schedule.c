/* Schedules against values that PyTorch and transformers printed, and by hand. */
#include "train/schedule.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "train/settings.h"

static attend_error err;

static at_rate rate_of(const char *text, double lr)
{
    at_rate r;
    if (at_rate_parse(&r, text, lr, &err) != ATTEND_OK || at_rate_check(&r, &err) != ATTEND_OK)
        fail_msg("%s: %s", text, err.message);
    return r;
}

/* ---- functions of the step --------------------------------------------------------------- */

static const struct {
    const char *text;
    int step;
    double lr; /* from 0.01 */
} points[] = {
    {"constant", 0, 0.01},
    {"constant", 1000000, 0.01},
    {"constant:warmup=8", 0, 0},
    {"constant:warmup=8", 5, 0.00625},
    {"constant:warmup=8", 8, 0.01},
    {"constant:warmup=8", 59, 0.01},
    {"linear:warmup=10,total=50", 0, 0},
    {"linear:warmup=10,total=50", 7, 0.006999999999999999},
    {"linear:warmup=10,total=50", 10, 0.01},
    {"linear:warmup=10,total=50", 11, 0.00975},
    {"linear:warmup=10,total=50", 49, 0.00025},
    {"linear:warmup=10,total=50", 50, 0},
    {"linear:warmup=10,total=50", 59, 0},
    {"linear:total=4,end=0.002", 2, 0.006},
    {"linear:total=4,end=0.002", 9, 0.002},
    {"linear:warmup=4,total=4", 4, 0},
    {"cosine:warmup=5,total=50", 3, 0.006},
    {"cosine:warmup=5,total=50", 5, 0.01},
    {"cosine:warmup=5,total=50", 6, 0.009987820251299122},
    {"cosine:warmup=5,total=50", 20, 0.0075},
    {"cosine:warmup=5,total=50", 49, 1.2179748700879012e-05},
    {"cosine:warmup=5,total=50", 50, 0},
    {"cosine:warmup=5,total=50", 59, 0.0009549150281252622},
    {"cosine:total=10,cycles=1", 5, 0},
    {"cosine:total=10,end=0.001", 10, 0.001},
    {"cosine:total=10,end=0.001", 5, 0.0055},
    {"polynomial:warmup=5,total=40,end=1e-7,power=2", 4, 0.008},
    {"polynomial:warmup=5,total=40,end=1e-7,power=2", 6, 0.009436740326530612},
    {"polynomial:warmup=5,total=40,end=1e-7,power=2", 39, 8.263183673469395e-06},
    {"polynomial:warmup=5,total=40,end=1e-7,power=2", 40, 1e-07},
    {"polynomial:warmup=5,total=40,end=1e-7,power=2", 59, 1e-07},
    {"polynomial:total=10", 5, 0.00500005},
    {"step:size=7,gamma=0.5", 6, 0.01},
    {"step:size=7,gamma=0.5", 7, 0.005},
    {"step:size=7,gamma=0.5", 59, 3.90625e-05},
    {"step:size=10,gamma=0.5,start=80", 79, 0.01},
    {"step:size=10,gamma=0.5,start=80", 80, 0.005},
    {"step:size=10,gamma=0.5,start=80", 90, 0.0025},
    {"step:size=3", 3, 0.001},
    {"exponential:gamma=0.95", 0, 0.01},
    {"exponential:gamma=0.95", 25, 0.0027738957312183374},
    {"exponential:gamma=0.95", 39, 0.0013527595427905588},
    {"noam:width=512,warmup=10,factor=1", 0, 0.0013975424859373686},
    {"noam:width=512,warmup=10", 1, 0.002795084971874737},
    {"noam:width=512,warmup=10", 9, 0.013975424859373686},
    {"noam:width=512,warmup=10,factor=2", 39, 0.013975424859373686},
    {"inverse_sqrt:warmup=100", 50, 0.005},
    {"inverse_sqrt:warmup=100", 100, 0.01},
    {"inverse_sqrt:warmup=100", 400, 0.005},
    {"inverse-sqrt:warmup=100,timescale=25", 175, 0.005},
    {"inverse_sqrt", 0, 0.01},
    {"inverse_sqrt", 30000, 0.005},
};

static void every_schedule_goes_through_its_points(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        at_rate r = rate_of(points[i].text, 0.01);
        double lr = at_rate_at(&r, points[i].step);
        if (!(fabs(lr - points[i].lr) <= 1e-16 + 1e-12 * points[i].lr))
            fail_msg("%s: rate of step %d is %.17g, not %.17g", points[i].text, points[i].step, lr,
                     points[i].lr);
    }
}

static void a_warm_up_may_be_a_fraction_of_the_run(void **state)
{
    (void)state;
    at_rate part = rate_of("inverse_sqrt:warmup=0.1", 0.01);
    at_rate same = rate_of("inverse_sqrt:warmup=100", 0.01);
    at_rate_end(&part, 995);
    at_rate_end(&same, 995);
    for (int64_t step = 0; step < 995; step++)
        assert_true(at_rate_at(&part, step) == at_rate_at(&same, step));
    at_rate whole = rate_of("constant:warmup=1", 0.01); /* one step */
    at_rate_end(&whole, 995);
    assert_true(at_rate_at(&whole, 1) == 0.01);
}

static void every_rate_is_finite_and_not_negative(void **state)
{
    static const char *const texts[] = {"constant:warmup=3",
                                        "linear:total=9,warmup=2",
                                        "cosine:total=9,cycles=3",
                                        "polynomial:total=9,power=0.5",
                                        "exponential:gamma=1.01",
                                        "step:size=1,gamma=0.5",
                                        "noam",
                                        "inverse_sqrt:warmup=1,timescale=1",
                                        "plateau"};
    (void)state;
    assert_int_equal(sizeof texts / sizeof *texts, at_schedules_count);
    for (int i = 0; i < at_schedules_count; i++) {
        at_rate r = rate_of(texts[i], 1);
        assert_string_equal(r.schedule->name, at_schedules[i]->name);
        for (int64_t step = 0; step < 2000; step++)
            assert_true(isfinite(at_rate_at(&r, step)) && at_rate_at(&r, step) >= 0);
    }
}

static void every_listed_schedule_is_complete(void **state)
{
    at_option_set set = {at_rate_option_table, NULL};
    (void)state;
    if (at_options_check(&set, 1, &err) != ATTEND_OK)
        fail_msg("%s", err.message);
    for (int i = 0; i < at_schedules_count; i++) {
        const at_schedule *k = at_schedules[i];
        const char *lists[] = {k->settings, k->needs};
        at_settings s = {k->name, k->settings, at_rate_option_table, NULL};
        assert_true(k->formula && k->source && k->at);
        for (int list = 0; list < 2; list++)
            for (const char *word = lists[list]; *word; word += strspn(word, " ")) {
                if (!at_setting_find(&s, word, strcspn(word, " ")))
                    fail_msg("%s lists a setting that no table has: %s", k->name, word);
                word += strcspn(word, " ");
            }
    }
}

/* ---- plateau ---------------------------------------------------------------------------- */

enum { RESULTS = 20 };
static const double results[RESULTS] = {5,    4.9, 4.9001, 4.8999, 4.95, 4.5, 4.6, 4.7, 4.6, 4.4999,
                                        4.55, 4.6, 4.2,    4.3,    4.3,  4.3, 4.3, 4.3, 4.3, 4.3};

/* what torch.optim.lr_scheduler.ReduceLROnPlateau made of them, starting from 1 */
static const struct {
    const char *text;
    double sign, plus;
    double lr[RESULTS];
} plateaus[] = {
    {"plateau:factor=0.5,patience=2", 1, 0, {1,     1,      1,      1,      0.5,     0.5,    0.5,
                                             0.5,   0.25,   0.25,   0.25,   0.125,   0.125,  0.125,
                                             0.125, 0.0625, 0.0625, 0.0625, 0.03125, 0.03125}},
    {"plateau:factor=0.5,patience=1,cooldown=2,min_lr=0.2", 1, 0, {1,    1,   1,    0.5,  0.5,
                                                                   0.5,  0.5, 0.25, 0.25, 0.25,
                                                                   0.25, 0.2, 0.2,  0.2,  0.2,
                                                                   0.2,  0.2, 0.2,  0.2,  0.2}},
    {"plateau:patience=0,threshold=0.05,threshold_mode=abs", 1, 0, {1,     1,    0.1,  0.01, 0.001,
                                                                    0.001, 1e-4, 1e-5, 1e-6, 1e-7,
                                                                    1e-8,  1e-8, 1e-8, 1e-8, 1e-8,
                                                                    1e-8,  1e-8, 1e-8, 1e-8, 1e-8}},
    {"plateau:factor=0.5,patience=2,mode=max,threshold=0.01",
     -1,
     0,
     {1, 1, 1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.125}},
    {"plateau:factor=0.5,patience=1,mode=max,threshold=0.01,threshold_mode=abs,eps=0.2",
     -1,
     10,
     {1,    1,    1,    0.5,  0.5,  0.5,  0.5,  0.25, 0.25, 0.25,
      0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25}},
};

static void plateau_follows_pytorch(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof plateaus / sizeof *plateaus; c++) {
        at_rate r = rate_of(plateaus[c].text, 1);
        double before = at_rate_at(&r, 0);
        assert_true(before == 1);
        for (int i = 0; i < RESULTS; i++) {
            bool smaller = at_rate_report(&r, plateaus[c].plus + plateaus[c].sign * results[i]);
            double lr = at_rate_at(&r, i);
            if (!(fabs(lr - plateaus[c].lr[i]) <= 1e-12 * lr))
                fail_msg("%s: after result %d the rate is %g", plateaus[c].text, i, lr);
            assert_int_equal(smaller, lr < before);
            before = lr;
        }
    }
}

static void plateau_continues_from_its_saved_state(void **state)
{
    (void)state;
    at_rate a = rate_of(plateaus[0].text, 1), b = rate_of(plateaus[0].text, 1);
    for (int i = 0; i < 10; i++)
        at_rate_report(&a, results[i]);
    b.plateau = a.plateau;
    for (int i = 10; i < RESULTS; i++) {
        at_rate_report(&a, results[i]);
        at_rate_report(&b, results[i]);
        assert_true(at_rate_at(&a, i) == at_rate_at(&b, i));
    }
}

static void a_result_that_is_no_number_is_no_progress(void **state)
{
    (void)state;
    at_rate r = rate_of("plateau:patience=0,factor=0.5", 1);
    assert_false(at_rate_report(&r, 3));
    assert_true(at_rate_report(&r, NAN));
    assert_true(at_rate_at(&r, 0) == 0.5);
}

static void other_schedules_do_not_listen(void **state)
{
    (void)state;
    at_rate r = rate_of("constant", 1);
    for (int i = 0; i < 50; i++)
        assert_false(at_rate_report(&r, i));
    assert_true(at_rate_at(&r, 50) == 1);
}

/* ---- text ------------------------------------------------------------------------------- */

static void refuses_with_a_remedy(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"cosinus", "no schedule is called 'cosinus'; there are: constant linear"},
        {"", "no schedule is called ''"},
        {"linear", "schedule linear needs total above 0"},
        {"linear:warmup=10", "write \"linear:total=...\""},
        {"linear:warmup=-1,total=5", "linear: warmup: -1 is out of range"},
        {"linear:warmup=1.5,total=5", "not a whole number"},
        {"linear:warmup=10,total=5", "warmup=10 is longer than total=5"},
        {"linear:total=0", "out of range"},
        {"linear:total=9,gamma=1", "linear has no setting \"gamma\"; it has: warmup total end"},
        {"linear:total=9,end=2", "end=2 is above the learning rate"},
        {"exponential", "needs gamma"},
        {"step:gamma=0.5", "needs size"},
        {"step:size=5,gamma=0", "needs gamma"},
        {"noam:warmup=0", "needs warmup"},
        {"plateau:factor=1", "must be below 1"},
        {"plateau:mode=best", "\"best\" is not one of min, max"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        at_rate r;
        attend_status status = at_rate_parse(&r, wrong[i].text, 0.01, &err);
        if (status == ATTEND_OK)
            status = at_rate_check(&r, &err);
        assert_int_equal(status, ATTEND_OPTION);
        if (!strstr(err.message, wrong[i].message))
            fail_msg("%s: %s", wrong[i].text, err.message);
    }
}

static void can_be_set_by_name_and_completed_later(void **state)
{
    at_rate r;
    (void)state;
    assert_int_equal(at_rate_init(&r, "linear", 2, &err), ATTEND_OK);
    assert_int_equal(at_rate_set(&r, "warmup", 10, &err), ATTEND_OK);
    assert_int_equal(at_rate_check(&r, &err), ATTEND_OPTION);
    r.total = 20;
    assert_int_equal(at_rate_check(&r, &err), ATTEND_OK);
    assert_true(at_rate_at(&r, 5) == 1);
    assert_int_equal(at_rate_set(&r, "size", 10, &err), ATTEND_OPTION);
    assert_int_equal(at_rate_init(&r, "plateau", 2, &err), ATTEND_OK);
    assert_int_equal(at_rate_set(&r, "mode", ATTEND_PLATEAU_MAX, &err), ATTEND_OK);
    assert_int_equal(at_rate_set(&r, "patience", 0, &err), ATTEND_OK);
    assert_false(at_rate_report(&r, 1));
    assert_false(at_rate_report(&r, 2));
    assert_true(at_rate_report(&r, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_goes_through_its_points),
        cmocka_unit_test(a_warm_up_may_be_a_fraction_of_the_run),
        cmocka_unit_test(every_rate_is_finite_and_not_negative),
        cmocka_unit_test(every_listed_schedule_is_complete),
        cmocka_unit_test(plateau_follows_pytorch),
        cmocka_unit_test(plateau_continues_from_its_saved_state),
        cmocka_unit_test(a_result_that_is_no_number_is_no_progress),
        cmocka_unit_test(other_schedules_do_not_listen),
        cmocka_unit_test(refuses_with_a_remedy),
        cmocka_unit_test(can_be_set_by_name_and_completed_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
