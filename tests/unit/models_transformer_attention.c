/* Every score and scope as each of the three attentions of a Transformer: gradients, one token at a
 * time against all at once, batches, beams, and the future. */
#include "attention_every.h"
#include "gradient_check.h"
#include "transformer_small.h"

enum { CROSS, ENCODER, DECODER, ATTENTIONS };

typedef struct {
    int which;
    int refused, allowed;
    bool (*test)(const at_model *m, const char *text);
} every;

static variant with(int which, const char *text)
{
    return (variant){.settings = "norm=pre layers=1 ffn=4 shared=yes tied=yes",
                     .cross = which == CROSS ? text : NULL,
                     .encoder = which == ENCODER ? text : NULL,
                     .decoder = which == DECODER ? text : NULL};
}

/* A self-attention that samples, and a decoder's that knows a fixed number of positions, are
 * refused; nothing else is. */
static void test_one(const at_how *how, const char *text, void *user)
{
    every *e = user;
    variant v = with(e->which, text);
    attend_error err = {.message = ""};
    at_model *m;
    bool senseless = (e->which != CROSS && at_how_needs_reward(how))
                     || (e->which == DECODER && how->score->limits_length);
    bool refused = try(&v, &m, &err) < 0;
    if (refused != senseless)
        fail_msg("%d %s: %s", e->which, text, refused ? err.message : "is not refused");
    e->refused += refused;
    e->allowed += !refused;
    if (!refused && !e->test(m, text))
        fail_msg("attention %d, %s", e->which, text);
    at_model_free(m);
}

static void test_every(bool (*test)(const at_model *m, const char *text))
{
    for (int which = 0; which < ATTENTIONS; which++) {
        every e = {.which = which, .test = test};
        every_attention(0, test_one, &e);
        assert_true(is_enough(e.allowed, 100));
        assert_true(which != DECODER || is_enough(e.refused, 0));
    }
}

/* soft weights: the others are not smooth everywhere */
static bool gradients_agree(const at_model *m, const char *text)
{
    if (!strstr(text, "/soft"))
        return true;
    at_gradcheck c = at_gradient_check(build, m, 1e-6, NULL, NULL);
    if (!c.ok)
        print_message("%s: %s\n", text, c.where);
    return c.ok;
}

static void gradients_are_right(void **state)
{
    (void)state;
    if (sizeof(real) != sizeof(double))
        skip();
    test_every(gradients_agree);
}

static bool same(const real *a, const real *b, int rows, const char *text, const char *what)
{
    bool equal = memcmp(a, b, (size_t)(rows * T * V) * sizeof *a) == 0;
    if (!equal)
        print_message("%s: %s\n", text, what);
    return equal;
}

static bool bits_are_kept(const at_model *m, const char *text)
{
    real whole[B * T * V], other[B * T * V];
    logits_of(m, 0, B, S, 0, whole);
    logits_of(m, 0, B, S, 1, other);
    bool ok = same(whole, other, B, text, "a token at a time gives another result");
    logits_of(m, 0, B, S, 3, other);
    ok = same(whole, other, B, text, "a beam gives another result") && ok;
    logits_of(m, 0, B, S + 2, 0, other);
    ok = same(whole, other, B, text, "longer padding gives another result") && ok;
    for (int b = 0; b < B; b++) {
        logits_of(m, b, 1, S, 1, other);
        ok = same(whole + b * T * V, other, 1, text, "alone it is another result") && ok;
    }
    return ok;
}

static void cache_beam_padding_and_batch_keep_every_bit(void **state)
{
    (void)state;
    test_every(bits_are_kept);
}

static bool the_past_is_kept(const at_model *m, const char *text)
{
    enum { D = 4 };
    real a[T * D], b[T * D];
    (void)text;
    features_with(m, 3, a);
    features_with(m, 8, b);
    return memcmp(a, b, (T - 1) * D * sizeof *a) == 0
           && memcmp(a + (T - 1) * D, b + (T - 1) * D, D * sizeof *a) != 0;
}

static void nothing_depends_on_the_future(void **state)
{
    (void)state;
    test_every(the_past_is_kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_right),
        cmocka_unit_test(cache_beam_padding_and_batch_keep_every_bit),
        cmocka_unit_test(nothing_depends_on_the_future),
    };
    return cmocka_run_group_tests_name("models_transformer_attention", tests, NULL, NULL);
}
