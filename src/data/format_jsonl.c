/* JSON, one object a line: {"src", "tgt"}, {"text", "label"}, {"sentence1", "sentence2", "label"},
 * {"translation": {"en", "de"}} as on the Hugging Face hub and {"en", "de"} (the first language of
 * the first line is the source), {"question", "context", "answers"}, {"text"}. Other keys can be
 * named.
 *
 * The first line decides which keys are read, and all others must have them, in any order. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/answers.h"
#include "data/table.h"

/* which keys the first line has; their names are borrowed from its object */
typedef struct {
    json_t *root;
    long line;
    bool question; /* {"question", "context", ...} */
    bool inside;   /* in the object "translation" */
    const char *source, *target, *label;
} keys;

typedef struct {
    json_t *root, *object; /* the keys are in object: root, or one inside */
    keys first;
    at_answers answers;
    char label[40];
    at_text key[ATTEND_TABLE_CELLS];
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
    j->object = object;
    for (void *i = json_object_iter(object); i && j->keys < ATTEND_TABLE_CELLS;
         i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        j->key[j->keys++] = at_text_of(key);
    }
}

/* of the key that is wanted, or of the text if that is NULL */
static at_read no_key(at_example_reader *r, jsonl *j, const char *wanted, attend_error *err)
{
    char line[60] = "";
    at_str names = {0};
    list_keys(j, j->object);
    for (int i = 0; i < j->keys && names.length < 110; i++)
        at_str_print(&names, "%s%s", i ? ", " : "", at_show(j->key[i].text).text);
    const char *there = j->keys ? at_str_text(&names) : "none";
    if (j->first.root)
        snprintf(line, sizeof line, ", as line %ld has it", j->first.line);
    at_read got = wanted
                      ? at_read_bad(r, err, "no key \"%.50s\"%s; there are %.120s",
                                    at_show(wanted).text, line, there)
                      : at_read_bad(r, err,
                                    "which key is the text? There are %.150s; name it with --text",
                                    there);
    at_str_free(&names);
    return got;
}

static bool is_question(const jsonl *j)
{
    return json_is_string(json_object_get(j->root, "context"))
           && json_is_string(json_object_get(j->root, "question"));
}

/* ---- what the first line says ----------------------------------------------------------- */

/* "en", "pt-BR"; "id" is rather a number than Indonesian */
static bool is_language(const char *key)
{
    size_t size = strlen(key);
    bool two = size >= 2 && key[0] >= 'a' && key[0] <= 'z' && key[1] >= 'a' && key[1] <= 'z';
    return two && strcmp(key, "id") != 0
           && (size == 2 || (size >= 5 && size <= 7 && (key[2] == '-' || key[2] == '_')));
}

/* {"en": ..., "de": ...}: the first two keys of a translation, or the only two languages */
static bool languages_of(const jsonl *j, bool any, at_column_roles *m)
{
    int side[2] = {-1, -1}, found = 0;
    for (int i = 0; i < j->keys; i++) {
        bool text = json_is_string(json_object_get(j->object, j->key[i].text));
        if (!any && !(text && is_language(j->key[i].text)))
            continue;
        if (found < 2)
            side[found] = i;
        found++;
    }
    if (any ? found == 0 : found != 2)
        return false;
    *m = (at_column_roles){.source = {side[0]}, .sources = 1, .target = side[1], .label = -1};
    return true;
}

static const char *name_of(const jsonl *j, int key) { return key < 0 ? NULL : j->key[key].text; }

/* The keys of the first line. */
static at_read choose(at_example_reader *r, jsonl *j, keys *k, attend_error *err)
{
    const at_read_options *o = &r->options;
    at_column_roles m = {.target = -1, .label = -1};
    json_t *translation = json_object_get(j->root, "translation");
    k->question = !o->source_column && is_question(j);
    k->inside = json_is_object(translation);
    list_keys(j, k->inside ? translation : j->root);
    if (k->inside)
        languages_of(j, true, &m);
    else if (!at_column_roles_of_names(&m, j->key, j->keys))
        languages_of(j, false, &m);
    k->source = o->source_column ? o->source_column : m.sources ? name_of(j, m.source[0]) : NULL;
    k->target = o->target_column   ? o->target_column
                : o->source_column ? NULL
                                   : name_of(j, m.target);
    k->label = o->label_column ? o->label_column : name_of(j, m.label);
    return k->source || k->question ? ATTEND_READ_EXAMPLE : no_key(r, j, NULL, err);
}

/* A label or target which the first line has not would be dropped. */
static at_read nothing_more(at_example_reader *r, jsonl *j, const keys *k, attend_error *err)
{
    at_column_roles m;
    if ((k->target && k->label) || k->inside || r->options.source_column)
        return ATTEND_READ_EXAMPLE;
    list_keys(j, j->object);
    at_column_roles_of_names(&m, j->key, j->keys);
    int more = m.target >= 0 && !k->target ? m.target : m.label >= 0 && !k->label ? m.label : -1;
    if (more < 0)
        return ATTEND_READ_EXAMPLE;
    return at_read_bad(r, err, "a key \"%.60s\", which line %ld has not; all lines need the same",
                       at_show(j->key[more].text).text, k->line);
}

/* Does this line have the keys of the first? */
static at_read find_keys(at_example_reader *r, jsonl *j, attend_error *err)
{
    keys chosen = {.line = r->lines.number};
    const keys *k = &j->first;
    j->object = j->root;
    if (!k->root) {
        at_read got = choose(r, j, &chosen, err);
        if (got != ATTEND_READ_EXAMPLE)
            return got;
        k = &chosen;
    } else if (k->inside) {
        j->object = json_object_get(j->root, "translation");
        if (!json_is_object(j->object)) {
            j->object = j->root;
            return no_key(r, j, "translation", err);
        }
    }
    const char *wanted[] = {k->question ? "question" : k->source,
                            k->question ? "context" : k->target, k->question ? NULL : k->label};
    for (int i = 0; i < 3; i++)
        if (wanted[i] && !json_object_get(j->object, wanted[i]))
            return no_key(r, j, wanted[i], err);
    if (k == &chosen) {
        j->first = chosen;
        j->first.root = json_incref(j->root);
    }
    return k->question ? ATTEND_READ_EXAMPLE : nothing_more(r, j, &j->first, err);
}

/* ---- examples --------------------------------------------------------------------------- */

static at_read text_of(at_example_reader *r, const jsonl *j, const char *key, at_text *out,
                       attend_error *err)
{
    const json_t *value = json_object_get(j->object, key);
    if (!json_is_string(value))
        return at_read_bad(r, err, "the value of \"%s\" must be a string", at_show(key).text);
    *out = at_json_text(value);
    return ATTEND_READ_EXAMPLE;
}

/* a label may be a number too */
static at_read label_of(at_example_reader *r, jsonl *j, const char *key, at_text *out,
                        attend_error *err)
{
    const json_t *value = json_object_get(j->object, key);
    if (json_is_string(value))
        return text_of(r, j, key, out, err);
    if (json_is_integer(value))
        snprintf(j->label, sizeof j->label, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        at_number_print(j->label, json_real_value(value));
    else if (json_is_boolean(value))
        snprintf(j->label, sizeof j->label, "%s", json_is_true(value) ? "true" : "false");
    else
        return at_read_bad(r, err, "the value of \"%s\" is no label", at_show(key).text);
    *out = at_text_of(j->label);
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

static at_read read_texts(at_example_reader *r, jsonl *j, at_example *e, attend_error *err)
{
    const keys *k = &j->first;
    at_read got = text_of(r, j, k->source, &e->source, err);
    if (got == ATTEND_READ_EXAMPLE && k->target) {
        e->has |= ATTEND_HAS_TARGET;
        got = text_of(r, j, k->target, &e->target, err);
    }
    if (got == ATTEND_READ_EXAMPLE && k->label) {
        e->has |= ATTEND_HAS_LABEL;
        got = label_of(r, j, k->label, &e->label, err);
    }
    return got;
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    jsonl *j = r->state;
    at_read got = at_read_line(r, err);
    if (got == ATTEND_READ_EXAMPLE)
        got = parse(r, j, err);
    if (got == ATTEND_READ_EXAMPLE)
        got = find_keys(r, j, err);
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    return j->first.question ? read_question(r, j, e, err) : read_texts(r, j, e, err);
}

static void close(at_example_reader *r)
{
    jsonl *j = r->state;
    json_decref(j->root);
    json_decref(j->first.root);
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
    .columns = true,
    .state = sizeof(jsonl),
    .next = next,
    .close = close,
    .write = write,
    .takes = ATTEND_HAS_TARGET | ATTEND_HAS_LABEL | ATTEND_HAS_QUESTION,
};
