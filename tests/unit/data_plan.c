#include "data/plan.h"

#include "data_help.h"

enum { ITEMS = 5000 };
static uint32_t a[ITEMS], b[ITEMS];

/* lengths as sentences have them: many short ones, few long ones, sides alike */
static void make_lengths(void)
{
    uint32_t seed = 1;
    for (int i = 0; i < ITEMS; i++) {
        uint32_t sum = 0;
        for (int k = 0; k < 4; k++)
            sum += (seed = seed * 1664525 + 1013904223) >> 28;
        seed = seed * 1664525 + 1013904223;
        a[i] = 1 + sum * sum / 40;
        b[i] = a[i] + (seed >> 29);
    }
}

static at_plan plan_of(size_t items, const uint32_t *second, at_plan_options o, uint32_t epoch)
{
    at_plan p;
    attend_error err;
    if (at_plan_make(&p, items, a, second, &o, epoch, &err) < 0)
        fail_msg("%s", err.message);
    return p;
}

static void check_each_once(const at_plan *p, size_t items)
{
    static bool seen[ITEMS];
    memset(seen, 0, sizeof seen);
    assert_int_equal(p->items, items);
    assert_int_equal(p->start[0], 0);
    assert_int_equal(p->start[p->batches], items);
    for (size_t i = 0; i < p->batches; i++)
        assert_true(p->start[i] < p->start[i + 1]);
    for (size_t i = 0; i < items; i++) {
        assert_false(seen[p->item[i]]);
        seen[p->item[i]] = true;
    }
}

static void every_example_comes_exactly_once(void **state)
{
    (void)state;
    const at_plan_options options[] = {
        {.sentences = 64, .seed = 1},    {.tokens = 2000},
        {.sentences = 7, .tokens = 300}, {.sentences = 1},
        {.sentences = 2 * ITEMS},        {.sentences = 10, .pool = 1},
        {.tokens = 500, .pool = 100},    {.sentences = 32, .in_order = true},
    };
    const size_t sizes[] = {ITEMS, 1, 2, 63, 64, 65};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (uint32_t epoch = 0; epoch < 2; epoch++) {
                at_plan p = plan_of(sizes[k], k % 2 ? NULL : b, options[i], epoch);
                check_each_once(&p, sizes[k]);
                at_plan_free(&p);
            }
}

static void batches_keep_to_their_size(void **state)
{
    (void)state;
    at_plan p = plan_of(ITEMS, b, (at_plan_options){.sentences = 50, .tokens = 900}, 0);
    size_t most = 0;
    for (size_t i = 0; i < p.batches; i++) {
        size_t longest = 0, count = p.start[i + 1] - p.start[i];
        for (size_t k = p.start[i]; k < p.start[i + 1]; k++) {
            uint32_t size = a[p.item[k]] > b[p.item[k]] ? a[p.item[k]] : b[p.item[k]];
            longest = size > longest ? size : longest;
        }
        assert_true(count <= 50);
        assert_true(count * longest <= 900);
        most = count > most ? count : most;
    }
    assert_int_equal(most, 50);
    at_plan_free(&p);
}

static size_t places_of(const at_plan *p, const uint32_t *length)
{
    size_t places = 0;
    for (size_t i = 0; i < p->batches; i++) {
        size_t longest = 0;
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++)
            longest = length[p->item[k]] > longest ? length[p->item[k]] : longest;
        places += longest * (p->start[i + 1] - p->start[i]);
    }
    return places;
}

static void sorting_leaves_little_padding(void **state)
{
    (void)state;
    size_t tokens = 0;
    for (int i = 0; i < ITEMS; i++)
        tokens += a[i] + b[i];
    at_plan sorted = plan_of(ITEMS, b, (at_plan_options){.sentences = 32}, 0);
    at_plan plain = plan_of(ITEMS, b, (at_plan_options){.sentences = 32, .in_order = true}, 0);
    assert_int_equal(sorted.positions, places_of(&sorted, a) + places_of(&sorted, b));
    assert_int_equal(sorted.positions - sorted.padding, tokens);
    assert_true(at_plan_padding(&sorted) < 0.05);
    assert_true(at_plan_padding(&plain) > 0.4);
    at_plan_free(&sorted);
    sorted = plan_of(ITEMS, NULL, (at_plan_options){.sentences = 32}, 0);
    assert_true(at_plan_padding(&sorted) < 0.02);
    at_plan_free(&sorted);
    at_plan_free(&plain);
}

/* the mean over batches of the difference between the longest and the shortest */
static double spread_of(const at_plan *p, const uint32_t *length)
{
    double sum = 0;
    for (size_t i = 0; i < p->batches; i++) {
        uint32_t least = UINT32_MAX, most = 0;
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            least = length[p->item[k]] < least ? length[p->item[k]] : least;
            most = length[p->item[k]] > most ? length[p->item[k]] : most;
        }
        sum += most - least;
    }
    return sum / (double)p->batches;
}

static void mixing_puts_targets_of_different_lengths_together(void **state)
{
    (void)state;
    at_plan tight = plan_of(ITEMS, b, (at_plan_options){.sentences = 32}, 0);
    at_plan mixed = plan_of(ITEMS, b, (at_plan_options){.sentences = 32, .mix = 0.5}, 0);
    at_plan more = plan_of(ITEMS, b, (at_plan_options){.sentences = 32, .mix = 1}, 0);
    assert_true(spread_of(&mixed, b) > 1.5 * spread_of(&tight, b));
    assert_true(spread_of(&more, b) > spread_of(&mixed, b));
    assert_true(spread_of(&mixed, a) < spread_of(&tight, a) + 1); /* sources stay alike */
    assert_true(at_plan_padding(&mixed) > at_plan_padding(&tight));
    check_each_once(&mixed, ITEMS);
    at_plan_free(&tight);
    at_plan_free(&mixed);
    at_plan_free(&more);
}

static bool same(const at_plan *x, const at_plan *y)
{
    return x->batches == y->batches && memcmp(x->item, y->item, x->items * sizeof *x->item) == 0
           && memcmp(x->start, y->start, (x->batches + 1) * sizeof *x->start) == 0;
}

static void seed_and_epoch_alone_decide(void **state)
{
    (void)state;
    at_plan one = plan_of(ITEMS, b, (at_plan_options){.sentences = 32, .seed = 5}, 3);
    at_plan two = plan_of(ITEMS, b, (at_plan_options){.sentences = 32, .seed = 5}, 3);
    at_plan epoch = plan_of(ITEMS, b, (at_plan_options){.sentences = 32, .seed = 5}, 4);
    at_plan seed = plan_of(ITEMS, b, (at_plan_options){.sentences = 32, .seed = 6}, 3);
    assert_true(same(&one, &two));
    assert_false(same(&one, &epoch));
    assert_false(same(&one, &seed));
    at_plan_free(&one);
    at_plan_free(&two);
    at_plan_free(&epoch);
    at_plan_free(&seed);
}

/* Long and short batches come mixed: the mean length of the first half is that of the second. */
static void lengths_are_spread_over_the_epoch(void **state)
{
    (void)state;
    at_plan p = plan_of(ITEMS, b, (at_plan_options){.sentences = 10}, 0);
    double half[2] = {0, 0};
    for (size_t i = 0; i < ITEMS; i++)
        half[i >= ITEMS / 2] += a[p.item[i]];
    assert_true(half[0] / half[1] > 0.85 && half[0] / half[1] < 1.18);
    at_plan_free(&p);
}

static void in_order_means_in_order(void **state)
{
    (void)state;
    at_plan p = plan_of(10, b, (at_plan_options){.sentences = 4, .in_order = true}, 7);
    assert_int_equal(p.batches, 3);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(p.item[i], i);
    at_plan_free(&p);
}

static void says_what_cannot_be(void **state)
{
    (void)state;
    at_plan p;
    attend_error err;
    at_plan_options none = {0}, few = {.tokens = 10};
    assert_int_equal(at_plan_make(&p, ITEMS, a, b, &none, 0, &err), ATTEND_OPTION);
    assert_says(&err, "sentences or tokens");
    assert_int_equal(at_plan_make(&p, ITEMS, a, b, &few, 0, &err), ATTEND_OPTION);
    assert_says(&err, "pieces, a batch at most 10");
    at_plan_free(&p);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    long live = at_alloc_live();
    at_plan_options o = {.sentences = 4};
    for (int n = 0;; n++) {
        at_plan p;
        attend_error err;
        at_alloc_fail_after(n);
        attend_status status = at_plan_make(&p, 100, a, b, &o, 0, &err);
        at_alloc_fail_after(-1);
        at_plan_free(&p);
        assert_int_equal(at_alloc_live(), live);
        if (status >= 0)
            break;
        assert_int_equal(status, ATTEND_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_comes_exactly_once),
        cmocka_unit_test(batches_keep_to_their_size),
        cmocka_unit_test(sorting_leaves_little_padding),
        cmocka_unit_test(mixing_puts_targets_of_different_lengths_together),
        cmocka_unit_test(seed_and_epoch_alone_decide),
        cmocka_unit_test(lengths_are_spread_over_the_epoch),
        cmocka_unit_test(in_order_means_in_order),
        cmocka_unit_test(says_what_cannot_be),
        cmocka_unit_test(every_allocation_may_fail),
    };
    make_lengths();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
