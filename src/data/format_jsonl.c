/* JSON, one object a line: {"src", "tgt"}, {"text", "label"}, {"sentence1", "sentence2", "label"},
 * {"translation": {"en", "de"}} as on the Hugging Face hub (the first language is the source),
 * {"question", "context", "answers"}, {"text"}. Other keys can be named. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/answers.h"
#include "data/table.h"

typedef struct {
    json_t *root;
    at_answers answers;
    char label[40];
    at_text key[ATTEND_TABLE_CELLS];
    const json_t *value[ATTEND_TABLE_CELLS];
    int keys;
} jsonl;

static bool is_object(at_text line)
{
    line = at_text_trim(line);
    return line.size > 4 && line.text[0] == '{' && line.text[line.size - 1] == '}'
           && line.text[1] != '}';
}

/* half of the lines are enough: plain text has no such lines, and the others can be told of */
static int guess(const at_sample *s) { return at_sample_share(s, is_object) >= 50 ? 90 : 0; }

/* ---- objects ---------------------------------------------------------------------------- */

static at_read parse(at_example_reader *r, jsonl *j, attend_error *err)
{
    json_error_t error = {.line = -1};
    at_json_start();
    json_decref(j->root);
    j->root = json_loadb(r->lines.text, r->lines.size, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(j->root))
        return ATTEND_READ_EXAMPLE;
    if (!j->root && (at_json_starved() || json_error_code(&error) == json_error_out_of_memory)) {
        at_error_memory(err);
        return ATTEND_READ_FAILED;
    }
    if (!j->root)
        return at_read_bad(r, err, "column %d: %s", error.column, at_show(error.text).text);
    return at_read_bad(r, err,
                       "a line must be one JSON object; of an array, jq -c '.[]' makes "
                       "lines");
}

static void list_keys(jsonl *j, json_t *object)
{
    j->keys = 0;
    for (void *i = json_object_iter(object); i && j->keys < ATTEND_TABLE_CELLS;
         i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        j->key[j->keys] = (at_text){key, strlen(key)};
        j->value[j->keys++] = json_object_iter_value(i);
    }
}

static at_text key_name(const void *row, int index) { return ((const jsonl *)row)->key[index]; }

static int find_key(const jsonl *j, const char *name)
{
    for (int i = 0; i < j->keys; i++)
        if (strcmp(j->key[i].text, name) == 0)
            return i;
    return -1;
}

static at_read no_key(at_example_reader *r, const jsonl *j, const char *wanted, attend_error *err)
{
    at_str names = {0};
    for (int i = 0; i < j->keys && names.length < 150; i++)
        at_str_print(&names, "%s%s", i ? ", " : "", at_show(j->key[i].text).text);
    at_read got =
        wanted
            ? at_read_bad(r, err, "no key \"%.60s\"; there are %.150s", wanted, at_str_text(&names))
            : at_read_bad(r, err, "which key is the text? There are %.150s; name it with --text",
                          j->keys ? at_str_text(&names) : "none");
    at_str_free(&names);
    return got;
}

/* {"translation": {"en": ..., "de": ...}}: the object inside, its first two keys the sides */
static bool take_translation(jsonl *j, at_meaning *m)
{
    json_t *inside = json_object_get(j->root, "translation");
    if (!json_is_object(inside))
        return false;
    list_keys(j, inside);
    *m = (at_meaning){.sources = j->keys > 0, .target = j->keys > 1 ? 1 : -1, .label = -1};
    return true;
}

static at_read meaning_of(at_example_reader *r, jsonl *j, at_meaning *m, attend_error *err)
{
    const at_read_options *o = &r->options;
    list_keys(j, j->root);
    if (!take_translation(j, m))
        at_meaning_of_names(m, j->keys, key_name, j);
    if (o->source_column) {
        m->source[0] = find_key(j, o->source_column);
        m->sources = m->source[0] >= 0;
        if (!m->sources)
            return no_key(r, j, o->source_column, err);
        m->target = -1;
    }
    if (o->target_column && (m->target = find_key(j, o->target_column)) < 0)
        return no_key(r, j, o->target_column, err);
    if (o->label_column && (m->label = find_key(j, o->label_column)) < 0)
        return no_key(r, j, o->label_column, err);
    return m->sources ? ATTEND_READ_EXAMPLE : no_key(r, j, NULL, err);
}

/* ---- examples --------------------------------------------------------------------------- */

static at_read text_of(at_example_reader *r, const jsonl *j, int key, at_text *out,
                       attend_error *err)
{
    if (!json_is_string(j->value[key]))
        return at_read_bad(r, err, "the value of \"%s\" must be a string",
                           at_show(j->key[key].text).text);
    *out = at_json_text(j->value[key]);
    return ATTEND_READ_EXAMPLE;
}

/* a label may be a number too */
static at_read label_of(at_example_reader *r, jsonl *j, int key, at_text *out, attend_error *err)
{
    const json_t *value = j->value[key];
    if (json_is_string(value))
        return text_of(r, j, key, out, err);
    if (json_is_integer(value))
        snprintf(j->label, sizeof j->label, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(j->label, sizeof j->label, "%g", json_real_value(value));
    else if (json_is_boolean(value))
        snprintf(j->label, sizeof j->label, "%s", json_is_true(value) ? "true" : "false");
    else
        return at_read_bad(r, err, "the value of \"%s\" is no label",
                           at_show(j->key[key].text).text);
    *out = (at_text){j->label, strlen(j->label)};
    return ATTEND_READ_EXAMPLE;
}

static at_read read_question(at_example_reader *r, jsonl *j, at_example *e, attend_error *err)
{
    const json_t *id = json_object_get(j->root, "id"), *label = json_object_get(j->root, "label");
    e->source = at_json_text(json_object_get(j->root, "context"));
    e->question = at_json_text(json_object_get(j->root, "question"));
    e->id = at_json_text(id);
    e->label = at_json_text(label);
    e->has = ATTEND_HAS_QUESTION | (json_is_string(label) ? ATTEND_HAS_LABEL : 0u);
    at_read got = at_answers_read(&j->answers, r, e->source, json_object_get(j->root, "answers"),
                                  err);
    e->answers = j->answers.list;
    e->answer_count = j->answers.count;
    return got;
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    jsonl *j = r->state;
    at_meaning m;
    at_read got = at_read_line(r, err);
    if (got == ATTEND_READ_EXAMPLE)
        got = parse(r, j, err);
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    if (!r->options.source_column && json_is_string(json_object_get(j->root, "context"))
        && json_is_string(json_object_get(j->root, "question")))
        return read_question(r, j, e, err);
    got = meaning_of(r, j, &m, err);
    if (got == ATTEND_READ_EXAMPLE)
        got = text_of(r, j, m.source[0], &e->source, err);
    if (got == ATTEND_READ_EXAMPLE && m.target >= 0) {
        e->has |= ATTEND_HAS_TARGET;
        got = text_of(r, j, m.target, &e->target, err);
    }
    if (got == ATTEND_READ_EXAMPLE && m.label >= 0) {
        e->has |= ATTEND_HAS_LABEL;
        got = label_of(r, j, m.label, &e->label, err);
    }
    return got;
}

static void close(at_example_reader *r)
{
    jsonl *j = r->state;
    json_decref(j->root);
    at_answers_free(&j->answers);
}

/* ---- writing ---------------------------------------------------------------------------- */

static void member(at_str *out, const char *key, at_text value)
{
    at_str text = {0};
    at_str_add_bytes(&text, value.text ? value.text : "", value.size);
    at_str_print(out, "%s\"%s\": ", out->text[out->length - 1] == '{' ? "" : ", ", key);
    at_str_add_json(out, at_str_text(&text));
    out->failed |= text.failed;
    at_str_free(&text);
}

static void write_answers(at_str *out, const at_example *e)
{
    at_str text = {0};
    at_str_add(out, ", \"answers\": {\"text\": [");
    for (int i = 0; i < e->answer_count; i++) {
        at_str_clear(&text);
        at_str_add_bytes(&text, e->answers[i].text.text, e->answers[i].text.size);
        at_str_add(out, i ? ", " : "");
        at_str_add_json(out, at_str_text(&text));
    }
    at_str_add(out, "], \"answer_start\": [");
    for (int i = 0; i < e->answer_count; i++)
        at_str_print(out, "%s%zu", i ? ", " : "", e->answers[i].begin);
    at_str_add(out, "]}");
    out->failed |= text.failed;
    at_str_free(&text);
}

static void write(at_str *out, at_str *second, const at_example *e)
{
    (void)second;
    at_str_add(out, "{");
    if (out->failed)
        return;
    if (e->has & ATTEND_HAS_QUESTION) {
        if (e->id.size)
            member(out, "id", e->id);
        member(out, "question", e->question);
        member(out, "context", e->source);
    } else if (e->has & ATTEND_HAS_LABEL && e->has & ATTEND_HAS_TARGET) {
        member(out, "sentence1", e->source);
        member(out, "sentence2", e->target);
    } else if (e->has & ATTEND_HAS_TARGET) {
        member(out, "src", e->source);
        member(out, "tgt", e->target);
    } else
        member(out, "text", e->source);
    if (e->has & ATTEND_HAS_LABEL)
        member(out, "label", e->label);
    else if (e->has & ATTEND_HAS_QUESTION)
        write_answers(out, e);
    at_str_add(out, "}\n");
}

const at_format at_format_jsonl = {
    .name = "jsonl",
    .what = "a JSON object a line: {\"src\", \"tgt\"}, {\"text\", \"label\"}, {\"translation\": "
            "{...}}, ...",
    .files = "train.jsonl",
    .extension = ".jsonl",
    .guess = guess,
    .state = sizeof(jsonl),
    .next = next,
    .close = close,
    .write = write,
    .takes = ATTEND_HAS_TARGET | ATTEND_HAS_LABEL | ATTEND_HAS_QUESTION,
};
