/* Kinds of models: what a kind says of itself is so, its defaults and presets make a network, and
 * settings that are too large are refused before anything of that size is made. */
#include "models/model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "grad/ops.h"
#include "model_fixtures.h"
#include "models/preset.h"

static void need(attend_status status, const char *what, const attend_error *err)
{
    if (status < 0)
        fail_msg("%s: %s", what, err->message);
}

/* with default settings, and items of two numbers where it reads items */
static at_model *make(const at_model_kind *kind, uint64_t seed)
{
    attend_error err;
    at_model *m = at_model_new(kind, seed);
    assert_non_null(m);
    m->width = kind->parts & ATTEND_PART_ITEMS ? 2 : 0;
    need(at_options_defaults(kind->options, m->settings, &err), kind->name, &err);
    need(at_model_describe(m, &err), kind->name, &err);
    return m;
}

/* a model that is one file has no network to describe */
static bool is_network(const at_model_kind *kind) { return !(kind->parts & ATTEND_PART_FILE); }

/* runs it; how many parameters there are then */
static int try_once(const at_model *m)
{
    at_tape *t = at_tape_new(m->params, ATTEND_INFER);
    assert_non_null(t);
    m->kind->trial(t, m);
    if (at_failed(t))
        fail_msg("%s: %s", m->kind->name, at_tape_error(t)->message);
    at_tape_free(t);
    return at_params_count(m->params);
}

static bool has(const at_model_kind *kind, const char *name)
{
    const at_option *o = kind->options;
    while (o->name && strcmp(o->name, name) != 0)
        o++;
    return o->name;
}

static void set(const at_model_kind *kind, void *settings, const char *name, const char *value)
{
    attend_error err;
    void *fields;
    at_option_set all = {kind->options, settings};
    const at_option *o = at_option_find(&all, 1, name, &fields);
    if (!o)
        fail_msg("%s has no setting %s", kind->name, name);
    need(at_option_assign(o, value, fields, name, &err), kind->name, &err);
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static void every_kind_is_found_by_its_model_type(void **state)
{
    (void)state;
    assert_true(at_model_kind_count > 0);
    for (int i = 0; i < at_model_kind_count; i++) {
        const at_model_kind *kind = at_model_kinds[i];
        assert_ptr_equal(at_model_kind_of(kind->type), kind);
        assert_true(kind->name && *kind->name && kind->use && *kind->use);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(kind->name, at_model_kinds[k]->name);
    }
    assert_null(at_model_kind_of("attend-nothing"));
    assert_null(at_model_kind_of(""));
}

static void fixtures_are_of_the_kind_of_their_config(void **state)
{
    static const struct {
        const char *fixture;
        const at_model_kind *kind;
    } all[] = {{"two-tokenizers", &at_model_translator}, {"features", &at_model_translator},
               {"rnn-classifier", &at_model_classifier}, {"cnn-classifier", &at_model_classifier},
               {"language", &at_model_language},         {"pointer", &at_model_pointer}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        at_model *m = open_fixture(all[i].fixture);
        assert_ptr_equal(m->kind, all[i].kind);
        at_model_free(m);
    }
}

static void check_decodes(const at_model_kind *kind)
{
    const at_decodes *d = kind->decodes;
    assert_int_equal(d != NULL, (kind->can & (ATTEND_CAN_TRANSLATE | ATTEND_CAN_GENERATE)) != 0);
    if (!d)
        return;
    assert_true(d->cache && d->decode && d->vocabulary && d->logits && d->loss);
    assert_int_equal(d->encode != NULL, (kind->can & ATTEND_CAN_TRANSLATE) != 0);
    assert_int_equal(d->encode != NULL, d->keep != NULL);
    assert_int_equal(d->copied != NULL, d->copy_log_p != NULL);
    assert_true(kind->parts & (ATTEND_PART_SIDES | ATTEND_PART_TOKENIZER));
}

static void check_encodes(const at_model_kind *kind)
{
    const at_encodes *e = kind->encodes;
    unsigned can = kind->can;
    bool tags = can & ATTEND_CAN_TAG, answers = can & ATTEND_CAN_ANSWER,
         fills = can & ATTEND_CAN_FILL;
    assert_true(e || !(tags || answers || fills || can & ATTEND_CAN_EMBED));
    if (!e)
        return;
    assert_true(e->width && e->layers && e->encode);
    assert_int_equal(e->tags != NULL, tags);
    assert_int_equal(e->span != NULL, answers);
    assert_int_equal(e->tokens != NULL, fills);
    assert_int_equal(e->tokens != NULL, e->tokens_loss != NULL);
    assert_true(kind->parts & ATTEND_PART_TOKENIZER);
}

static void capabilities_have_their_functions(void **state)
{
    (void)state;
    for (int i = 0; i < at_model_kind_count; i++) {
        const at_model_kind *kind = at_model_kinds[i];
        assert_true(kind->can && kind->options);
        assert_int_equal(kind->describe != NULL, is_network(kind));
        assert_int_equal(kind->trial != NULL, is_network(kind));
        assert_true(kind->settings_size > 0 && kind->net_size > 0);
        check_decodes(kind);
        check_encodes(kind);
        assert_int_equal(kind->classify != NULL, (kind->can & ATTEND_CAN_CLASSIFY) != 0);
        assert_true(!kind->classify || kind->parts & ATTEND_PART_LABELS);
        assert_int_equal(kind->points != NULL, (kind->can & ATTEND_CAN_POINT) != 0);
        if (kind->points)
            assert_true(kind->points->read && kind->points->point && kind->points->check_items);
    }
}

/* ---- networks ------------------------------------------------------------------------------- */

static void default_settings_make_a_network(void **state)
{
    (void)state;
    for (int i = 0; i < at_model_kind_count; i++) {
        if (!is_network(at_model_kinds[i]))
            continue;
        at_model *m = make(at_model_kinds[i], 1);
        at_attention_layout layout[ATTEND_LAYOUT_MAX];
        assert_int_equal(at_params_count(m->params), 0); /* a description has no weights */
        int n = try_once(m);
        assert_true(n > 0);
        assert_int_equal(try_once(m), n);
        for (int k = 0; k < at_model_attention(m, layout); k++)
            assert_true(layout[k].layers > 0 && layout[k].heads > 0);
        if (m->kind->decodes)
            assert_int_equal(m->kind->decodes->vocabulary(m), at_model_target_size(m));
        if (m->kind->embedding) {
            at_embedding_info e = m->kind->embedding(m);
            at_parameter *p = at_params_find(m->params, e.name);
            assert_true(p && p->shape.dim[p->shape.rank - 1] == e.width);
        }
        at_model_free(m);
    }
}

static void every_preset_makes_a_network(void **state)
{
    (void)state;
    for (int i = 0; i < at_preset_count; i++) {
        const at_preset *p = at_presets[i];
        attend_error err;
        at_model *m = at_model_new(p->kind, 1);
        m->width = p->kind->parts & ATTEND_PART_ITEMS ? 2 : 0;
        need(at_preset_settings(p, m->settings, &err), p->name, &err);
        need(at_model_check_settings(p->kind, m->settings, &err), p->name, &err);
        set(p->kind, m->settings, "hidden", "8"); /* papers have large ones */
        if (has(p->kind, "embedding"))
            set(p->kind, m->settings, "embedding", "8");
        if (has(p->kind, "heads"))
            set(p->kind, m->settings, "heads", "2");
        need(at_model_describe(m, &err), p->name, &err);
        assert_true(try_once(m) > 0);
        at_model_free(m);
    }
}

/* ---- settings that are too large ------------------------------------------------------------ */

static void numbers_beyond_their_option_are_refused_by_name(void **state)
{
    (void)state;
    for (int i = 0; i < at_model_kind_count; i++) {
        const at_model_kind *kind = at_model_kinds[i];
        if (!is_network(kind))
            continue;
        at_model *m = make(kind, 1);
        int tried = 0;
        for (const at_option *o = kind->options; o->name; o++) {
            attend_error err;
            char value[40];
            if (o->type != ATTEND_OPTION_INT || o->max <= 0)
                continue;
            snprintf(value, sizeof value, "%.0f", o->max + 1);
            assert_int_equal(at_option_assign(o, value, m->settings, o->name, &err), ATTEND_OPTION);
            assert_non_null(strstr(err.message, o->name));
            assert_int_equal(
                at_option_assign(o, "99999999999999999999", m->settings, o->name, &err),
                ATTEND_OPTION);
            tried++;
        }
        assert_true(tried > 1);
        at_model_free(m);
    }
}

/* Widths as large as they may be: gigabytes of weights, of which checking makes none. */
static void checking_settings_takes_no_memory_for_weights(void **state)
{
    (void)state;
    for (int i = 0; i < at_model_kind_count; i++) {
        const at_model_kind *kind = at_model_kinds[i];
        if (!is_network(kind))
            continue;
        at_model *m = make(kind, 1);
        attend_error err;
        char value[40];
        for (const at_option *o = kind->options; o->name; o++) {
            if (strcmp(o->name, "hidden") != 0 && strcmp(o->name, "embedding") != 0)
                continue;
            snprintf(value, sizeof value, "%.0f", o->max);
            need(at_option_assign(o, value, m->settings, o->name, &err), o->name, &err);
        }
        long live = at_alloc_live(), before = at_alloc_count();
        attend_status status = at_model_check_settings(kind, m->settings, &err);
        assert_true(status == ATTEND_OK || status == ATTEND_OPTION);
        assert_int_equal(at_alloc_live(), live);
        assert_true(at_alloc_count() - before < 16);
        at_model_free(m);
    }
}

static long peak_kilobytes(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss;
}

static void run_shell(const char *format, const char *a, const char *b)
{
    char command[500];
    snprintf(command, sizeof command, format, a, b);
    assert_int_equal(system(command), 0);
}

/* A folder that claims to be large is refused by the shapes of its weights. */
static void a_large_config_of_a_small_model_is_refused(void **state)
{
    static const char *const names[] = {"two-tokenizers", "rnn-classifier", "language", "pointer"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char folder[] = "/tmp/attend-large-XXXXXX";
        attend_error err = {.message = ""};
        at_model *m;
        assert_non_null(mkdtemp(folder));
        run_shell("cp -r %s/* %s", fixture(names[i]), folder);
        run_shell("rm -f %s/*sum* && sed -i 's/\"hidden\": [0-9]*/\"hidden\": 65536/' "
                  "%s/config.json",
                  folder, folder);
        long before = peak_kilobytes();
        attend_status status = at_model_open(folder, &m, &err);
        run_shell("rm -rf %s%s", folder, "");
        if (status != ATTEND_FORMAT)
            fail_msg("%s: %d %s", names[i], status, err.message);
        assert_null(m);
        assert_true(peak_kilobytes() - before < 64 << 10);
    }
}

static void settings_that_do_not_go_together_are_refused(void **state)
{
    static const struct {
        const char *name, *value, *says;
    } wrong[] = {{"attention", "scaled-dot/global/soft/3", "3 heads"},
                 {"decoder-layers", "2", "2 layers of the decoder"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        attend_error err;
        at_model *m = make(&at_model_translator, 1);
        set(m->kind, m->settings, "hidden", "8");
        set(m->kind, m->settings, "place", "before");
        need(at_model_check_settings(m->kind, m->settings, &err), wrong[i].name, &err);
        set(m->kind, m->settings, wrong[i].name, wrong[i].value);
        assert_int_equal(at_model_check_settings(m->kind, m->settings, &err), ATTEND_OPTION);
        assert_non_null(strstr(err.message, wrong[i].says));
        at_model_free(m);
    }
}

/* ---- two of one kind ------------------------------------------------------------------------ */

static real *copy_of(const at_params *p, size_t *len)
{
    *len = 0;
    for (int i = 0; i < at_params_count(p); i++)
        *len += at_params_at(p, i)->len;
    real *all = at_alloc(*len * sizeof *all), *to = all;
    for (int i = 0; i < at_params_count(p); to += at_params_at(p, i)->len, i++)
        memcpy(to, at_params_at(p, i)->value, at_params_at(p, i)->len * sizeof *to);
    return all;
}

static void assert_values(const at_params *p, const real *values, size_t len, bool same)
{
    size_t n;
    real *now = copy_of(p, &n);
    assert_int_equal(n, len);
    assert_int_equal(memcmp(now, values, len * sizeof *now) == 0, same);
    at_free(now);
}

static void two_models_of_one_kind_are_independent(void **state)
{
    (void)state;
    for (int i = 0; i < at_model_kind_count; i++) {
        const at_model_kind *kind = at_model_kinds[i];
        attend_error err;
        size_t len;
        if (!is_network(kind))
            continue;
        at_model *a = make(kind, 1), *b = make(kind, 1), *c = make(kind, 2);
        int n = try_once(a);
        real *values = copy_of(a->params, &len);
        assert_int_equal(at_params_count(b->params), 0); /* not those of a */
        try_once(b);
        try_once(c);
        assert_values(b->params, values, len, true); /* a seed decides */
        assert_values(c->params, values, len, false);
        set(kind, b->settings, "hidden", "16");
        at_params_at(c->params, 0)->value[0] += 1;
        need(at_model_describe(b, &err), kind->name, &err);
        at_model_free(b);
        at_model_free(c);
        assert_int_equal(try_once(a), n);
        assert_values(a->params, values, len, true);
        at_free(values);
        at_model_free(a);
    }
}

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    for (int i = 0; i < at_model_kind_count; i++) {
        if (!is_network(at_model_kinds[i]))
            continue;
        at_model *settings = make(at_model_kinds[i], 1);
        long live = at_alloc_live(), n = 0;
        for (attend_status status = ATTEND_MEMORY; status != ATTEND_OK; n++) {
            attend_error err;
            at_alloc_fail_after(n);
            status = at_model_check_settings(settings->kind, settings->settings, &err);
            at_alloc_fail_after(-1);
            assert_true(status == ATTEND_OK || status == ATTEND_MEMORY);
            assert_int_equal(at_alloc_live(), live);
        }
        assert_true(n > 3);
        at_model_free(settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_found_by_its_model_type),
        cmocka_unit_test(fixtures_are_of_the_kind_of_their_config),
        cmocka_unit_test(capabilities_have_their_functions),
        cmocka_unit_test(default_settings_make_a_network),
        cmocka_unit_test(every_preset_makes_a_network),
        cmocka_unit_test(numbers_beyond_their_option_are_refused_by_name),
        cmocka_unit_test(checking_settings_takes_no_memory_for_weights),
        cmocka_unit_test(a_large_config_of_a_small_model_is_refused),
        cmocka_unit_test(settings_that_do_not_go_together_are_refused),
        cmocka_unit_test(two_models_of_one_kind_are_independent),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
