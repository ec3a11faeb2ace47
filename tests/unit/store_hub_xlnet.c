/* XLNet's folders of the hub: opened, the peer's numbers come out; what is not the peer's model
 * here is refused by the name of its key. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "models/xlnet.h"
#include "store/hub.h"
#include "store/model_folder.h"

static const char fixture[] = "tests/fixtures/hub/xlnet";
static char folder[] = "/tmp/attend-hub-xlnet-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
    char command[200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* the fixture with the first `from` of config.json replaced by `to` */
static void change(const char *from, const char *to)
{
    attend_error err;
    char command[200], *path = at_file_join(folder, "config.json"), *text;
    snprintf(command, sizeof command, "rm -rf %s && cp -r %s %s", folder, fixture, folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(at_file_read(path, 1 << 20, &text, NULL, &err), ATTEND_OK);
    const char *at = strstr(text, from);
    assert_non_null(at);
    at_str out = {0};
    at_str_add_bytes(&out, text, (size_t)(at - text));
    at_str_print(&out, "%s%s", to, at + strlen(from));
    assert_int_equal(at_file_write(path, &out, &err), ATTEND_OK);
    at_str_free(&out);
    at_free(text);
    at_free(path);
}

/* ids of two of the peer's texts, one of them shorter; segments 0 and 1, and 2 for <cls> */
enum { T = 20, CLS = 3 };
static const int ids[2 * T] = {13, 91, 19, 15, 15, 137, 4,  69,  44,  13, 25, 62, 103, 29,
                               13, 28, 16, 37, 4,  3,   61, 119, 143, 97, 9,  4,  61,  119,
                               87, 13, 14, 26, 15, 190, 4,  3,   5,   5,  5,  5};
static const int segments[2 * T] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0,
                                    0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0};
static const int lengths[2] = {20, 16};
static const double want[6] = {-0.5492784380912781, 0.6068620681762695,  -0.2245645523071289,
                               0.24565403163433075, 0.31986817717552185, -0.5728871822357178};

static void it_gives_the_peers_numbers(void **state)
{
    (void)state;
    attend_error err;
    at_model *m;
    if (at_model_open(fixture, &m, &err) < 0)
        fail_msg("%s", err.message);
    assert_true(m->kind == &at_model_xlnet);
    assert_int_equal(at_model_can(m), ATTEND_CAN_CLASSIFY);
    assert_int_equal(at_vocab_size(m->labels), 3);
    ((at_xlnet *)m->net)->cls = CLS; /* the fixture has no tokenizer */
    at_tape *t = at_tape_new(m->params, ATTEND_INFER);
    for (int asks = 0; asks < 2; asks++) {
        at_tape_reset(t);
        at_inputs in = {.ids = {SHAPE(2, T), ids}, .lengths = lengths, .segments = segments};
        at_classified c = m->kind->classify(t, m, &in, asks);
        if (at_failed(t))
            fail_msg("%s", at_tape_error(t)->message);
        for (int i = 0; i < 6; i++)
            if (fabs((double)c.logits->value[i] - want[i]) > 2e-6)
                fail_msg("logit %d is %.9g, not %.9g", i, (double)c.logits->value[i], want[i]);
        assert_true(!asks == !c.weights);
        for (int i = 16; asks && i < T; i++) /* padding counts nothing */
            assert_true(c.weights->value[T + i] == 0);
    }
    at_tape_free(t);
    at_model_free(m);
}

static void refused(const char *from, const char *to, const char *says)
{
    attend_error err = {.message = ""};
    at_model *m;
    change(from, to);
    attend_status status = at_model_open(folder, &m, &err);
    at_model_free(m);
    if (status >= 0 || !strstr(err.message, says))
        fail_msg("%s: %d '%s' lacks '%s'", to, status, err.message, says);
}

static void what_is_not_the_peers_model_is_refused(void **state)
{
    (void)state;
    refused("\"bi_data\": false", "\"bi_data\": true", "bi_data");
    refused("\"same_length\": false", "\"same_length\": true", "same_length");
    refused("\"d_head\": 6", "\"d_head\": 8", "d_head");
    refused("\"attn_type\": \"bi\"", "\"attn_type\": \"both\"", "attn_type");
    refused("\"summary_type\": \"last\"", "\"summary_type\": \"attn\"", "summary_type");
    refused("\"ff_activation\": \"gelu\"", "\"ff_activation\": \"step\"", "ff_activation");
    refused("\"summary_activation\": \"tanh\"", "\"summary_activation\": \"step\"",
            "summary_activation");
    refused("\"d_inner\": 48", "\"d_inner\": 47", "ff.layer_1");
    refused("XLNetForSequenceClassification", "XLNetForQuestionAnswering", "architectures");
    refused("XLNetForSequenceClassification", "XLNetForTokenClassification", "classifier.weight");
}

static void settings_are_read(void **state)
{
    (void)state;
    attend_error err;
    at_model *m;
    change("\"clamp_len\": -1", "\"clamp_len\": 7");
    if (at_model_open(folder, &m, &err) < 0)
        fail_msg("%s", err.message);
    const at_xlnet *net = m->net;
    assert_int_equal(net->clamp, 7);
    assert_int_equal(net->head_width, 6);
    assert_true(net->summary_activation == at_activation_find("tanh"));
    assert_int_equal(at_model_label_use(m), ATTEND_LABELS_ONE);
    at_model_free(m);
    change("\"summary_activation\": \"tanh\"", "\"summary_activation\": null");
    if (at_model_open(folder, &m, &err) < 0)
        fail_msg("%s", err.message);
    assert_true(((const at_xlnet *)m->net)->summary_activation == at_activation_find("linear"));
    at_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_gives_the_peers_numbers),
        cmocka_unit_test(what_is_not_the_peers_model_is_refused),
        cmocka_unit_test(settings_are_read),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
