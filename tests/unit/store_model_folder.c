/* Folders of models: what is saved is opened again, the wrong kind and damage are refused. */
#include "store/model_folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "model_fixtures.h"

static const char *const names[] = {"two-tokenizers", "shared-tokenizer", "copy",     "features",
                                    "rnn-classifier", "cnn-classifier",   "language", "pointer"};
enum { NAMES = sizeof names / sizeof *names };

static char folder[] = "/tmp/attend-model-XXXXXX";

static char *config_of(const char *of)
{
    char *path = at_file_join(of, "config.json"), *text = NULL;
    FILE *f = path ? fopen(path, "rb") : NULL;
    size_t size = 0;
    assert_non_null(f);
    assert_true(getdelim(&text, &size, '\0', f) > 0);
    fclose(f);
    at_free(path);
    return text;
}

static void clear_folder(void)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

/* takes the line of each setting that the files of 0.1 lack out of a config.json */
static void drop_later(char *config, const at_model_kind *kind)
{
    for (const at_option *o = kind->options; o->name; o++) {
        char key[60];
        snprintf(key, sizeof key, "  \"%s\": ", o->name);
        for (char *c = key; *c; c++)
            *c = *c == '-' ? '_' : *c;
        char *line = o->later ? strstr(config, key) : NULL,
             *next = line ? strchr(line, '\n') : NULL;
        if (next)
            memmove(line, next + 1, strlen(next + 1) + 1);
    }
}

static void what_is_saved_is_opened_again(void **state)
{
    (void)state;
    for (int i = 0; i < NAMES; i++) {
        attend_error err;
        at_model *m = open_fixture(names[i]), *again;
        if (at_model_save(m, folder, &err) < 0
            || at_model_open_unweighted(folder, &again, &err) < 0)
            fail_msg("%s: %s", names[i], err.message);
        char *a = config_of(fixture(names[i])), *b = config_of(folder);
        drop_later(b, m->kind);
        assert_string_equal(a, b);
        free(a);
        free(b);
        assert_true(m->kind == again->kind && m->width == again->width);
        assert_int_equal(m->source == m->target, again->source == again->target);
        assert_int_equal(!m->copying, !again->copying);
        assert_int_equal(at_model_source_size(m), at_model_source_size(again));
        assert_int_equal(at_model_target_size(m), at_model_target_size(again));
        assert_int_equal(at_model_label_count(m), at_model_label_count(again));
        assert_int_equal(!m->mean, !again->mean);
        if (m->mean) {
            assert_memory_equal(m->mean, again->mean, (size_t)m->width * sizeof *m->mean);
            assert_memory_equal(m->spread, again->spread, (size_t)m->width * sizeof *m->mean);
        }
        at_model_free(m);
        at_model_free(again);
        clear_folder();
    }
}

/* config.json of a fixture with `from` replaced by `to`, in a folder without a list of checksums */
static attend_status open_changed(const char *name, const char *from, const char *to,
                                  attend_error *err)
{
    char command[400], *text = config_of(fixture(name)), *at = strstr(text, from);
    assert_non_null(at);
    clear_folder();
    snprintf(command, sizeof command, "cp -r %s %s && rm -f %s/*sum*", fixture(name), folder,
             folder);
    assert_int_equal(system(command), 0);
    char *path = at_file_join(folder, "config.json");
    FILE *f = fopen(path, "wb");
    fprintf(f, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(f);
    at_free(path);
    free(text);
    at_model *m;
    attend_status status = at_model_open(folder, &m, err);
    at_model_free(m);
    clear_folder();
    return status;
}

static void settings_and_labels_that_make_no_sense_are_refused(void **state)
{
    static const struct {
        const char *model, *from, *to, *says;
    } damage[] = {
        {"rnn-classifier", "\"1\":", "\"2\":", "id2label: class 1"},
        {"rnn-classifier", "\"good\"", "\"bad\"", "id2label: class 1"},
        {"rnn-classifier", "\"good\"", "7", "id2label: class 1"},
        {"features", "\"source_features\": 2", "\"source_features\": 0", "source_features"},
        {"features", "\"source_features\": 2", "\"source_features\": 3", "feature_mean"},
        {"pointer", "\"item_spread\": [", "\"item_spread\": [1, ", "item_spread"},
        {"language", "attend-language", "attend-nothing", "attend-nothing"},
        {"language", "attend-language-model", "pooling", "model_type 'pooling' is not"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        attend_error err = {.message = ""};
        attend_status status = open_changed(damage[i].model, damage[i].from, damage[i].to, &err);
        if (status != ATTEND_FORMAT || !strstr(err.message, damage[i].says))
            fail_msg("%s: %d '%s' lacks '%s'", damage[i].model, status, err.message,
                     damage[i].says);
    }
}

static void an_unknown_key_is_refused_with_the_nearest_one(void **state)
{
    static const struct {
        const char *model, *from, *to, *says;
    } misspelt[] = {
        {"copy", "\"hidden\":", "\"hiddem\":",
         "/config.json: unknown key 'hiddem'; did you mean 'hidden'?; correct the file, or restore "
         "it"},
        {"copy", "\"attention_size\":", "\"attention_sise\":", "did you mean 'attention_size'?"},
        {"features", "\"feature_mean\":", "\"feature_maen\":", "did you mean 'feature_mean'?"},
        {"rnn-classifier", "\"id2label\":", "\"id2lable\":", "did you mean 'id2label'?"},
        {"pointer", "\"item_spread\":", "\"item_spred\":", "did you mean 'item_spread'?"},
        {"pointer", "\"item_spread\":", "\"other\":", "unknown key 'other'; correct the file"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof misspelt / sizeof *misspelt; i++) {
        attend_error err = {.message = ""};
        attend_status status = open_changed(misspelt[i].model, misspelt[i].from, misspelt[i].to,
                                            &err);
        if (status != ATTEND_FORMAT || !strstr(err.message, misspelt[i].says))
            fail_msg("%s: %d '%s' lacks '%s'", misspelt[i].model, status, err.message,
                     misspelt[i].says);
    }
}

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    for (int i = 0; i < NAMES; i++) {
        at_model_free(open_fixture(names[i]));
        long live = at_alloc_live(), n = 0;
        for (attend_status status = ATTEND_MEMORY; status != ATTEND_OK; n++) {
            at_model *m;
            attend_error err;
            at_alloc_fail_after(n);
            status = at_model_open(fixture(names[i]), &m, &err);
            at_alloc_fail_after(-1);
            at_model_free(m);
            if (status != ATTEND_OK && status != ATTEND_MEMORY)
                fail_msg("%s, allocation %ld: %s", names[i], n, err.message);
            assert_int_equal(at_alloc_live(), live);
        }
        assert_true(n > 10);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    clear_folder();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_opened_again),
        cmocka_unit_test(settings_and_labels_that_make_no_sense_are_refused),
        cmocka_unit_test(an_unknown_key_is_refused_with_the_nearest_one),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
