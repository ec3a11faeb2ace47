/* The configuration of a run: what each place of settings gives, and what is refused with which
 * words. */
#include "train/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/memory.h"

enum { SETTINGS_MAX = 8 };

static char folder[] = "/tmp/attend-config-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[4][200];
    static int next;
    char *to = path[next++ % 4];
    snprintf(to, sizeof path[0], "%s/%s", folder, name);
    return to;
}

static const char *write_file(const char *name, const char *text)
{
    const char *path = in_folder(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

/* "name", "value", .. up to NULL */
typedef struct {
    attend_setting all[SETTINGS_MAX];
    size_t count;
} given;

static given settings_of(const char *const *words)
{
    given g = {.count = 0};
    for (; words && *words; words += 2)
        g.all[g.count++] = (attend_setting){words[0], words[1]};
    return g;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void read_well(at_train_config *c, given *g)
{
    attend_error err;
    if (at_train_config_read(c, g->all, g->count, &err) < 0)
        fail_msg("%s", err.message);
}

static void assert_refused(const char *const *words, const char *const *says)
{
    at_train_config c;
    attend_error err = {.message = ""};
    given g = settings_of(words);
    attend_status status = at_train_config_read(&c, g.all, g.count, &err);
    at_train_config_free(&c);
    assert_int_equal(status, ATTEND_OPTION);
    for (; *says; says++)
        if (!strstr(err.message, *says))
            fail_msg("'%s' lacks '%s'", err.message, *says);
}

/* a setting of the model as text */
static void assert_setting(const at_train_config *c, const char *name, const char *value)
{
    void *fields;
    at_str text = {0};
    const at_option *o = at_option_find(c->sets, c->n_sets, name, &fields);
    assert_non_null(o);
    at_option_print(&text, o, fields);
    assert_string_equal(at_str_text(&text), value);
    at_str_free(&text);
}

/* ---- presets and tasks ---------------------------------------------------------------------- */

static void without_settings_the_defaults_are_complete(void **state)
{
    (void)state;
    at_train_config c;
    given none = {.count = 0};
    read_well(&c, &none);
    assert_string_equal(c.preset->name, "bahdanau");
    assert_ptr_equal(c.task, &at_task_translate);
    assert_setting(&c, "seed", "1234");
    at_train_config_free(&c);
}

static void a_preset_decides_on_its_model_and_task(void **state)
{
    (void)state;
    for (int i = 0; i < at_preset_count; i++) {
        at_train_config c;
        given g = settings_of(WORDS("preset", at_presets[i]->name));
        read_well(&c, &g);
        assert_ptr_equal(c.preset, at_presets[i]);
        assert_ptr_equal(c.task, at_task_for(at_presets[i]->kind, false));
        assert_string_equal(c.run.task, c.task->name);
        at_train_config_free(&c);
        g = settings_of(WORDS("preset", at_presets[i]->name, "task",
                              at_task_for(at_presets[i]->kind, false)->name, "hidden", "24"));
        read_well(&c, &g);
        assert_ptr_equal(c.task, at_task_for(at_presets[i]->kind, false));
        assert_setting(&c, "hidden", "24");
        at_train_config_free(&c);
    }
}

static void a_preset_has_settings_of_training(void **state)
{
    (void)state;
    at_train_config c;
    for (int i = 0; i < at_preset_count; i++) {
        given g = settings_of(WORDS("preset", at_presets[i]->name));
        read_well(&c, &g);
        for (const attend_setting *s = at_presets[i]->training; s && s->name; s++)
            assert_setting(&c, s->name, s->value);
        at_train_config_free(&c);
    }
    given g = settings_of(WORDS("preset", "transformer-tiny", "learning-rate", "0.25"));
    read_well(&c, &g);
    assert_setting(&c, "lr", "0.25");
    assert_setting(&c, "tokenizer", "sentencepiece");
    at_train_config_free(&c);
}

/* what a file of all settings has of one preset is not taken for another */
static void settings_of_training_stay_with_their_preset(void **state)
{
    (void)state;
    static const char *const names[] = {"transformer-tiny", "bahdanau"};
    static const char *const tokenizers[] = {"sentencepiece", "words"};
    for (int from = 0; from < 2; from++) {
        at_train_config c;
        at_str text = {0};
        given g = settings_of(WORDS("preset", names[from], "max-length", "50"));
        read_well(&c, &g);
        at_train_config_print(&c, &text);
        const char *path = write_file("preset.yaml", at_str_text(&text));
        at_train_config_free(&c);
        g = settings_of(WORDS("config", path));
        read_well(&c, &g);
        assert_setting(&c, "tokenizer", tokenizers[from]);
        at_train_config_free(&c);
        g = settings_of(WORDS("config", path, "preset", names[1 - from]));
        read_well(&c, &g);
        assert_setting(&c, "tokenizer", tokenizers[1 - from]);
        assert_setting(&c, "epochs", from ? "30" : "10");
        assert_setting(&c, "max-length", "50");
        at_train_config_free(&c);
        at_str_free(&text);
    }
}

static void unknown_presets_are_refused_with_a_suggestion(void **state)
{
    (void)state;
    assert_refused(WORDS("preset", "bahdanu"), WORDS("--preset", "bahdanu", "bahdanau"));
}

static void a_task_that_the_model_cannot_do_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < at_preset_count; i++)
        for (int k = 0; k < at_task_count; k++) {
            const at_model_kind *kind = at_presets[i]->kind;
            if ((at_tasks[k]->can & kind->can) == at_tasks[k]->can)
                continue;
            assert_refused(WORDS("preset", at_presets[i]->name, "task", at_tasks[k]->name),
                           WORDS("--task", at_tasks[k]->name, kind->name, "is trained by",
                                 at_task_for(kind, false)->name));
        }
    assert_refused(WORDS("task", "translat"), WORDS("--task translat", "did you mean translate?"));
}

static void options_of_another_task_are_refused_with_its_name(void **state)
{
    (void)state;
    assert_refused(WORDS("preset", "rnn-classifier", "guided-weight", "0.5"),
                   WORDS("--guided-weight", "the task classify has no", "the task translate"));
    assert_refused(WORDS("preset", "pointer-net", "tokenizer", "chars"),
                   WORDS("--tokenizer", "the task point has no", "the task translate"));
    assert_refused(WORDS("preset", "rnn-lm", "attention", "additive"),
                   WORDS("rnn-lm", "attention"));
}

/* ---- names ---------------------------------------------------------------------------------- */

static void unknown_settings_are_refused_with_a_suggestion(void **state)
{
    (void)state;
    assert_refused(WORDS("hiden", "8"), WORDS("'hiden'", "did you mean hidden?"));
    assert_refused(WORDS("gpu", "0"), WORDS("gpu", "attend runs on the CPU"));
}

static void aliases_are_the_settings_they_stand_for(void **state)
{
    static const char *const pairs[][3] = {{"learning-rate", "lr", "0.25"},
                                           {"batch-size", "batch", "7"},
                                           {"hidden-size", "hidden", "12"},
                                           {"num-layers", "layers", "2"},
                                           {"max-tokens", "batch-tokens", "500"},
                                           {"smoothing", "label-smoothing", "0.1"},
                                           {"max-steps", "steps", "9"}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        at_train_config c;
        char text[60];
        given g = settings_of(WORDS(pairs[i][0], pairs[i][2]));
        read_well(&c, &g);
        assert_setting(&c, pairs[i][1], pairs[i][2]);
        at_train_config_free(&c);
        snprintf(text, sizeof text, "%s: %s\n", pairs[i][0], pairs[i][2]);
        g = settings_of(WORDS("config", write_file("alias.yaml", text)));
        read_well(&c, &g);
        assert_setting(&c, pairs[i][1], pairs[i][2]);
        at_train_config_free(&c);
    }
}

static void settings_without_name_or_value_are_refused(void **state)
{
    (void)state;
    at_train_config c;
    attend_error err;
    attend_setting no_value = {"hidden", NULL}, no_name = {NULL, "8"};
    assert_int_equal(at_train_config_read(&c, &no_value, 1, &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "setting 1, hidden has no value"));
    at_train_config_free(&c);
    assert_int_equal(at_train_config_read(&c, &no_name, 1, &err), ATTEND_OPTION);
    assert_non_null(strstr(err.message, "setting 1 has no name"));
    at_train_config_free(&c);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void the_caller_overrides_the_file_and_the_file_the_preset(void **state)
{
    (void)state;
    at_train_config c;
    const char *path = write_file("run.yaml", "preset: luong\nhidden: 16\nepochs: 3\n");
    given g = settings_of(WORDS("config", path, "hidden", "32"));
    read_well(&c, &g);
    assert_string_equal(c.preset->name, "luong");
    assert_setting(&c, "hidden", "32");
    assert_int_equal(c.run.epochs, 3);
    at_train_config_free(&c);
}

static void errors_of_a_file_have_its_line(void **state)
{
    static const char *const wrong[][3] = {
        {"hidden: 16\n\nhiden: 8\n", "run.yaml:3", "hiden"},
        {"# a run\nhidden: many\n", "run.yaml:2", "hidden"},
        {"lr: 0.1\nlr: 0.2\n", "run.yaml:2", "lr"},
        {"epochs: 1\nattention: dott\n", "run.yaml:2", "attention"},
        {"epochs: 1\n\noptimizer: adem\n", "run.yaml:3", "optimizer"},
        {"preset: rnn-lm\nguided-weight: 0.7\n", "run.yaml:2", "the task translate has it"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        at_train_config c;
        attend_error err = {.message = ""};
        given g = settings_of(WORDS("config", write_file("run.yaml", wrong[i][0])));
        attend_status status = at_train_config_read(&c, g.all, g.count, &err);
        at_train_config_free(&c);
        if (status >= 0)
            fail_msg("'%s' is taken", wrong[i][0]);
        if (!strstr(err.message, wrong[i][1]) || !strstr(err.message, wrong[i][2]))
            fail_msg("'%s' lacks '%s' or '%s'", err.message, wrong[i][1], wrong[i][2]);
    }
}

/* all settings as a file, without its comments, which name the places that values come from */
static at_str values_of(const at_train_config *c)
{
    at_str all = {0}, out = {0};
    at_train_config_print(c, &all);
    for (const char *at = at_str_text(&all); *at; at += strcspn(at, "\n") + 1)
        if (*at != '#' && *at != '\n')
            at_str_print(&out, "%.*s\n", (int)strcspn(at, "\n"), at);
    at_str_free(&all);
    return out;
}

static void what_is_printed_is_read_as_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < at_preset_count; i++) {
        at_train_config c, again;
        at_str text = {0};
        given g = settings_of(WORDS("preset", at_presets[i]->name, "seed", "7", "hidden", "20"));
        read_well(&c, &g);
        at_train_config_print(&c, &text);
        given file = settings_of(WORDS("config", write_file("all.yaml", at_str_text(&text))));
        read_well(&again, &file);
        at_str a = values_of(&c), b = values_of(&again);
        assert_non_null(strstr(at_str_text(&a), "hidden: 20\n"));
        assert_string_equal(at_str_text(&a), at_str_text(&b));
        at_str_free(&a);
        at_str_free(&b);
        at_str_free(&text);
        at_train_config_free(&c);
        at_train_config_free(&again);
    }
}

/* ---- resuming ------------------------------------------------------------------------------- */

static void save_run(void)
{
    at_train_config c;
    attend_error err;
    given g = settings_of(WORDS("out", in_folder("run"), "hidden", "16", "epochs", "2", "data",
                                write_file("data.tsv", "a\tb\n")));
    mkdir(in_folder("run"), 0777);
    mkdir(in_folder("run/training"), 0777);
    read_well(&c, &g);
    if (at_train_config_save(&c, &err) < 0)
        fail_msg("%s", err.message);
    at_train_config_free(&c);
}

static void a_resumed_run_has_its_settings(void **state)
{
    (void)state;
    at_train_config c;
    save_run();
    given g = settings_of(WORDS("out", in_folder("run"), "resume", "yes"));
    read_well(&c, &g);
    assert_setting(&c, "hidden", "16");
    assert_int_equal(c.run.epochs, 2);
    assert_true(c.run.resume);
    assert_int_equal(c.changes.length, 0);
    at_train_config_free(&c);
}

static void what_may_change_is_told(void **state)
{
    (void)state;
    at_train_config c;
    save_run();
    given g = settings_of(WORDS("out", in_folder("run"), "resume", "yes", "epochs", "5"));
    read_well(&c, &g);
    assert_int_equal(c.run.epochs, 5);
    assert_string_equal(at_str_text(&c.changes), "epochs is 5, was 2");
    at_train_config_free(&c);
}

static void what_would_make_another_run_is_refused(void **state)
{
    (void)state;
    save_run();
    const char *out = in_folder("run");
    assert_refused(WORDS("out", out, "resume", "yes", "hidden", "32"),
                   WORDS("--hidden 32", "has 16", "--init-from"));
    assert_refused(WORDS("out", out, "resume", "yes", "lr", "0.5"), WORDS("--lr 0.5"));
    assert_refused(WORDS("out", out, "resume", "yes", "learning-rate", "0.5"), WORDS("--lr 0.5"));
    assert_refused(WORDS("out", out, "resume", "yes", "seed", "5"), WORDS("--seed 5", "1234"));
    assert_refused(WORDS("out", out, "resume", "yes", "preset", "luong"),
                   WORDS("--preset luong", "bahdanau"));
}

static void another_task_is_refused_when_a_run_is_resumed(void **state)
{
    (void)state;
    save_run();
    assert_refused(WORDS("out", in_folder("run"), "resume", "yes", "task", "classify"),
                   WORDS("--task classify"));
}

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    save_run();
    given g = settings_of(WORDS("out", in_folder("run"), "resume", "yes", "epochs", "5"));
    at_train_config c;
    read_well(&c, &g);
    at_train_config_free(&c);
    long live = at_alloc_live(), n = 0;
    for (attend_status status = ATTEND_MEMORY; status != ATTEND_OK; n++) {
        attend_error err;
        at_alloc_fail_after(n);
        status = at_train_config_read(&c, g.all, g.count, &err);
        at_alloc_fail_after(-1);
        at_train_config_free(&c);
        if (status != ATTEND_OK && status != ATTEND_MEMORY)
            fail_msg("allocation %ld: %s", n, err.message);
        assert_int_equal(at_alloc_live(), live);
    }
    assert_true(n > 10);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_settings_the_defaults_are_complete),
        cmocka_unit_test(a_preset_decides_on_its_model_and_task),
        cmocka_unit_test(a_preset_has_settings_of_training),
        cmocka_unit_test(settings_of_training_stay_with_their_preset),
        cmocka_unit_test(unknown_presets_are_refused_with_a_suggestion),
        cmocka_unit_test(a_task_that_the_model_cannot_do_is_refused),
        cmocka_unit_test(options_of_another_task_are_refused_with_its_name),
        cmocka_unit_test(unknown_settings_are_refused_with_a_suggestion),
        cmocka_unit_test(aliases_are_the_settings_they_stand_for),
        cmocka_unit_test(settings_without_name_or_value_are_refused),
        cmocka_unit_test(the_caller_overrides_the_file_and_the_file_the_preset),
        cmocka_unit_test(errors_of_a_file_have_its_line),
        cmocka_unit_test(what_is_printed_is_read_as_the_same),
        cmocka_unit_test(a_resumed_run_has_its_settings),
        cmocka_unit_test(what_may_change_is_told),
        cmocka_unit_test(what_would_make_another_run_is_refused),
        cmocka_unit_test(another_task_is_refused_when_a_run_is_resumed),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
