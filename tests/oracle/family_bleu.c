/* BLEU, chrF and TER next to sacreBLEU's numbers: hyp.txt, ref0.txt, ref1.txt and so on, and in
 * expected.json the scores under many settings. A file *.jsonl has tokenized lines. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "measure/bleu.h"
#include "measure/results.h"
#include "oracle.h"

static const at_tolerance scores_close = {1e-6, 0}, exact = {0, 0};

enum { MOST_REFERENCES = 8 };

/* the lines of a case */
typedef struct {
    char *text[1 + MOST_REFERENCES];
    attend_lines lines[1 + MOST_REFERENCES]; /* the hypothesis, then the references */
    int references;
} texts;

/* ---- reading ---------------------------------------------------------------------------- */

static void split(at_case *c, attend_lines *l, const char *name, char *text)
{
    size_t count = 0;
    for (char *at = text; *at; at++)
        count += *at == '\n';
    const char **line = at_arena_alloc(&c->memory, (count + 1) * sizeof *line);
    if (!line) {
        at_case_fail(c, "out of memory");
        return;
    }
    *l = (attend_lines){.name = name, .count = count, .line = line};
    for (size_t i = 0; i < count; i++) {
        line[i] = text;
        text = strchr(text, '\n');
        *text++ = 0;
    }
}

/* false where there is no such file, or it cannot be read and the case failed */
static bool read_lines(at_case *c, texts *t, int i, const char *name)
{
    char path[PATH_MAX];
    attend_error err;
    snprintf(path, sizeof path, "%s/%s", c->path, name);
    if (access(path, F_OK) != 0)
        return false;
    if (at_file_read(path, 1 << 26, &t->text[i], NULL, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return false;
    }
    split(c, &t->lines[i], i ? "reference" : "hypothesis", t->text[i]);
    return true;
}

static void read_texts(at_case *c, texts *t)
{
    static const char *const names[] = {"ref0.txt", "ref1.txt", "ref2.txt", "ref3.txt",
                                        "ref4.txt", "ref5.txt", "ref6.txt", "ref7.txt"};
    if (!read_lines(c, t, 0, "hyp.txt"))
        at_case_fail(c, "there is no hyp.txt");
    while (t->references < MOST_REFERENCES
           && read_lines(c, t, t->references + 1, names[t->references]))
        t->references++;
}

/* ---- settings --------------------------------------------------------------------------- */

static bool set(attend_measure_options *o, const char *key, const json_t *value)
{
    const struct {
        const char *key;
        int *field;
    } numbers[] = {
        {"lowercase", &o->lowercase},
        {"max_ngram_order", &o->max_order},
        {"char_order", &o->char_order},
        {"word_order", &o->word_order},
        {"beta", &o->beta},
        {"whitespace", &o->whitespace},
        {"normalized", &o->normalized},
        {"eps_smoothing", &o->eps_smoothing},
        {"no_punct", &o->no_punct},
        {"asian_support", &o->asian},
        {"case_sensitive", &o->case_sensitive},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(key, numbers[i].key) == 0) {
            *numbers[i].field = json_is_boolean(value) ? json_is_true(value)
                                                       : (int)json_integer_value(value);
            return true;
        }
    if (strcmp(key, "tokenize") == 0 && json_is_string(value))
        o->tokenize = json_string_value(value);
    else if (strcmp(key, "smooth_method") == 0 && json_is_string(value))
        o->smooth = json_string_value(value);
    else if (strcmp(key, "smooth_value") == 0 && json_is_number(value))
        o->smooth_value = json_number_value(value);
    else
        return false;
    return true;
}

/* The scores under the settings; NULL where there are none, and the case has failed. */
static at_results *measure(at_case *c, const texts *t, const char *name, const json_t *settings)
{
    attend_measure_options o;
    attend_error err;
    at_results *s;
    const char *key;
    json_t *value;
    attend_measure_defaults(&o);
    json_object_foreach((json_t *)settings, key, value)
    {
        if (!set(&o, key, value)) {
            at_case_unknown(c, "%s has the setting %s", name, key);
            return NULL;
        }
    }
    if (at_results_new(name, &o, 1, t->lines, t->references, t->lines + 1, &s, &err) >= 0)
        return s;
    at_case_fail(c, "%s: %s", name, err.message);
    return NULL;
}

/* ---- comparing -------------------------------------------------------------------------- */

static void compare(at_case *c, const char *where, const json_t *object, const char *key,
                    const double *got, size_t count, at_tolerance tolerance)
{
    char what[ATTEND_CASE_NAME];
    double expected[ATTEND_ORDER_MAX];
    const json_t *value = json_object_get(object, key);
    bool list = json_is_array(value);
    snprintf(what, sizeof what, "%s.%s", where, key);
    if (list ? json_array_size(value) != count : count != 1 || !json_is_number(value)) {
        at_case_fail(c, "expected.json: %s is not %zu numbers", what, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        expected[i] = json_number_value(list ? json_array_get(value, i) : value);
    at_case_compare_numbers(c, what, count, got, expected, tolerance);
}

/* ours begins with theirs */
static void compare_signature(at_case *c, const char *where, const json_t *object,
                              const at_results *s)
{
    at_str ours = {0};
    const char *theirs = json_string_value(json_object_get(object, "signature"));
    at_results_signature(s, &ours);
    if (!theirs || strncmp(at_str_text(&ours), theirs, strlen(theirs)) != 0)
        at_case_fail(c, "%s: the signature is %s, expected %s", where, at_str_text(&ours),
                     theirs ? theirs : "none");
    at_str_free(&ours);
}

static void compare_bleu(at_case *c, const char *where, const json_t *expected, const at_results *s)
{
    const double *sum = at_results_sum(s, 0);
    at_bleu b = at_bleu_of(&s->task, sum, false);
    size_t order = (size_t)s->task.o.max_order;
    compare(c, where, expected, "precisions", b.precision, order, scores_close);
    compare(c, where, expected, "counts", b.match, order, exact);
    compare(c, where, expected, "totals", b.total, order, exact);
    compare(c, where, expected, "bp", &b.brevity, 1, scores_close);
    compare(c, where, expected, "sys_len", &sum[0], 1, exact);
    compare(c, where, expected, "ref_len", &sum[1], 1, exact);
}

static void compare_ter(at_case *c, const char *where, const json_t *expected, const at_results *s)
{
    const double *sum = at_results_sum(s, 0);
    compare(c, where, expected, "num_edits", &sum[0], 1, exact);
    compare(c, where, expected, "ref_length", &sum[1], 1, scores_close);
}

/* one list of corpus scores */
static void check_corpus(at_case *c, const texts *t, const char *name)
{
    size_t i;
    json_t *expected;
    json_array_foreach(json_object_get(c->json, name), i, expected)
    {
        char where[ATTEND_CASE_NAME];
        at_results *s = measure(c, t, name, json_object_get(expected, "settings"));
        if (!s)
            return;
        snprintf(where, sizeof where, "%s[%zu]", name, i);
        double score = at_results_of_sum(s, at_results_sum(s, 0));
        compare(c, where, expected, "score", &score, 1, scores_close);
        compare_signature(c, where, expected, s);
        if (strcmp(name, "bleu") == 0)
            compare_bleu(c, where, expected, s);
        if (strcmp(name, "ter") == 0)
            compare_ter(c, where, expected, s);
        at_results_free(s);
    }
}

/* one score of every line under key of a list */
static void check_sentences(at_case *c, const texts *t, const char *list, const char *key,
                            const char *name)
{
    size_t i;
    json_t *expected;
    json_t *lines = json_object_get(c->json, list);
    at_results *s = lines ? measure(c, t, name, NULL) : NULL;
    json_array_foreach(s ? lines : NULL, i, expected)
    {
        char where[ATTEND_CASE_NAME];
        double sum[64], score;
        size_t line = (size_t)json_integer_value(json_object_get(expected, "line"));
        snprintf(where, sizeof where, "%s[%zu]", list, i);
        if (line >= s->task.segments) {
            at_case_fail(c, "%s: there is no line %zu", where, line);
            break;
        }
        score = strcmp(key, "score_no_effective_order") == 0
                    ? at_results_of_sum(s, at_results_statistics(s, 0, line))
                    : at_results_of_segment(s, 0, line, sum);
        compare(c, where, expected, key, &score, 1, scores_close);
    }
    at_results_free(s);
}

static void check_keys(at_case *c)
{
    static const char known[] = " case n_lines n_refs bleu chrf ter sentence_bleu sentence_chrf ";
    const char *key;
    json_t *value;
    json_object_foreach(c->json, key, value)
    {
        char word[ATTEND_CASE_NAME];
        snprintf(word, sizeof word, " %s ", key);
        if (!strstr(known, word))
            at_case_fail(c, "%s: expected, but not compared", key);
    }
}

static void check_scores(at_case *c)
{
    texts t = {.references = 0};
    read_texts(c, &t);
    if (c->verdict == ATTEND_CASE_OK) {
        check_keys(c);
        check_corpus(c, &t, "bleu");
        check_corpus(c, &t, "chrf");
        check_corpus(c, &t, "ter");
        check_sentences(c, &t, "sentence_bleu", "score", "bleu");
        check_sentences(c, &t, "sentence_bleu", "score_no_effective_order", "bleu");
        check_sentences(c, &t, "sentence_chrf", "chrf", "chrf");
        check_sentences(c, &t, "sentence_chrf", "chrfpp", "chrf++");
    }
    for (int i = 0; i <= t.references; i++)
        at_free(t.text[i]);
}

/* ---- tokenized lines -------------------------------------------------------------------- */

static void check_line(at_case *c, const json_t *line, long number)
{
    const json_t *text = json_object_get(line, "text");
    at_chars chars = {0}, spare = {0};
    at_str got = {0};
    for (int i = 0; i < at_tokenizations_count; i++) {
        const at_tokenization *how = at_tokenizations[i];
        const json_t *expected = json_object_get(line, how->name);
        if (!expected)
            continue;
        at_chars_set(&chars, json_string_value(text), json_string_length(text));
        how->run(&chars, &spare);
        at_str_clear(&got);
        at_chars_print(&got, &chars);
        size_t size = json_string_length(expected);
        double differs = got.length != size
                         || memcmp(at_str_text(&got), json_string_value(expected), size) != 0,
               nothing = 0;
        if (differs != 0)
            at_case_fail(c, "line %ld: %s makes \"%s\", expected \"%s\"", number, how->name,
                         at_str_text(&got), json_string_value(expected));
        at_case_compare_numbers(c, how->name, 1, &differs, &nothing, exact);
    }
    at_str_free(&got);
    at_chars_free(&chars);
    at_chars_free(&spare);
}

static void check_tokenizations(at_case *c)
{
    char *text = NULL;
    attend_error err;
    long number = 1;
    if (at_file_read(c->path, 1 << 26, &text, NULL, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return;
    }
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, number++) {
        json_t *object = json_loadb(line, (size_t)(end - line), JSON_ALLOW_NUL, NULL);
        if (json_is_string(json_object_get(object, "text")))
            check_line(c, object, number);
        else
            at_case_fail(c, "line %ld is no object with a text", number);
        json_decref(object);
    }
    at_free(text);
}

void at_check_bleu(at_case *c)
{
    if (c->json)
        check_scores(c);
    else
        check_tokenizations(c);
}
