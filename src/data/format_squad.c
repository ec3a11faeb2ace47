/* SQuAD 1.1 and 2.0: one JSON document {"data": [{"paragraphs": [{"context", "qas": [{"question",
 * "id", "answers": [{"text", "answer_start"}], "is_impossible"}]}]}]}. Paragraph by paragraph, so
 * that memory does not grow with the file. */
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/answers.h"
#include "data/json_stream.h"

typedef enum { BEFORE, ROOT, DATA, ARTICLE, PARAGRAPHS, AFTER } level;

typedef struct {
    at_json_stream json;
    level level;
    bool found; /* "data" */
    at_str text, key;
    json_t *paragraph;
    size_t question;
    at_answers answers;
} squad;

static int guess(const at_sample *s)
{
    at_text start = at_text_trim(s->line[0]);
    if (!start.size || start.text[0] != '{')
        return 0;
    return memmem(s->head, s->head_size, "\"paragraphs\"", 12)
                   || memmem(s->head, s->head_size, "\"qas\"", 5)
               ? 95
               : 0;
}

static attend_status open(at_example_reader *r, attend_error *err)
{
    squad *s = r->state;
    (void)err;
    at_json_stream_start(&s->json, r->bytes);
    return ATTEND_OK;
}

/* Takes the next paragraph and parses it. */
static at_read take_paragraph(at_example_reader *r, squad *s, attend_error *err)
{
    json_error_t error = {.line = -1};
    at_str_clear(&s->text);
    if (at_json_stream_value(&s->json, &s->text, &r->bad_line, err) < 0)
        return ATTEND_READ_FAILED;
    at_json_start();
    s->question = 0;
    s->paragraph = json_loadb(at_str_text(&s->text), s->text.length, JSON_REJECT_DUPLICATES,
                              &error);
    if (s->paragraph && json_is_string(json_object_get(s->paragraph, "context"))
        && json_is_array(json_object_get(s->paragraph, "qas")))
        return ATTEND_READ_EXAMPLE;
    bool parsed = s->paragraph != NULL;
    json_decref(s->paragraph);
    s->paragraph = NULL;
    if (!parsed && (at_json_starved() || json_error_code(&error) == json_error_out_of_memory)) {
        at_error_memory(err);
        return ATTEND_READ_FAILED;
    }
    if (parsed)
        return at_read_bad(r, err, "a paragraph needs \"context\" and \"qas\"");
    r->bad_line += error.line - 1;
    return at_read_bad(r, err, "%s", at_show(error.text).text);
}

/* One step into or over a key of an object: into the array of that name. */
static attend_status take_key(squad *s, const char *name, level inside, attend_error *err)
{
    attend_status status = at_json_stream_key(&s->json, &s->key, err);
    if (status < 0 || strcmp(at_str_text(&s->key), name) != 0)
        return status < 0 ? status : at_json_stream_value(&s->json, NULL, NULL, err);
    s->level = inside;
    return at_json_stream_open(&s->json, '[', err);
}

/* One step through the document; level says where it is. */
static attend_status walk(at_example_reader *r, squad *s, attend_error *err)
{
    attend_status status = ATTEND_OK;
    switch (s->level) {
    case BEFORE: s->level = ROOT; return at_json_stream_open(&s->json, '{', err);
    case ROOT:
        if (at_json_stream_more(&s->json, '}', &status, err)) {
            status = take_key(s, "data", DATA, err);
            s->found |= s->level == DATA;
            return status;
        }
        s->level = AFTER;
        if (status >= 0)
            status = at_json_stream_end(&s->json, err);
        if (status >= 0 && !s->found)
            status = at_error(err, ATTEND_FORMAT, "%s: no \"data\" in it; is this SQuAD?", r->name);
        return status;
    case DATA:
        if (at_json_stream_more(&s->json, ']', &status, err)) {
            s->level = ARTICLE;
            return at_json_stream_open(&s->json, '{', err);
        }
        s->level = ROOT;
        return status;
    case ARTICLE:
        if (at_json_stream_more(&s->json, '}', &status, err))
            return take_key(s, "paragraphs", PARAGRAPHS, err);
        s->level = DATA;
        return status;
    default: return status;
    }
}

static at_read next_paragraph(at_example_reader *r, squad *s, attend_error *err)
{
    while (s->level != AFTER) {
        attend_status status = ATTEND_OK;
        if (s->level == PARAGRAPHS) {
            if (at_json_stream_more(&s->json, ']', &status, err))
                return take_paragraph(r, s, err);
            s->level = ARTICLE;
        } else
            status = walk(r, s, err);
        if (status < 0)
            return ATTEND_READ_FAILED;
    }
    return ATTEND_READ_END;
}

/* the next question of the paragraph; ATTEND_READ_END behind the last */
static at_read next_question(at_example_reader *r, squad *s, at_example *e, attend_error *err)
{
    const json_t *all = json_object_get(s->paragraph, "qas");
    if (s->question == json_array_size(all))
        return ATTEND_READ_END;
    const json_t *one = json_array_get(all, s->question++);
    if (!json_is_string(json_object_get(one, "question")))
        return at_read_bad(r, err, "an entry of \"qas\" has no \"question\"");
    e->line = r->bad_line;
    e->source = at_json_text(json_object_get(s->paragraph, "context"));
    e->question = at_json_text(json_object_get(one, "question"));
    e->id = at_json_text(json_object_get(one, "id"));
    e->has = ATTEND_HAS_QUESTION;
    const json_t *answers = json_object_get(one, "answers");
    if (json_is_true(json_object_get(one, "is_impossible")))
        answers = NULL;
    at_read got = at_answers_read(&s->answers, r, e->source, answers, err);
    e->answers = s->answers.list;
    e->answer_count = s->answers.count;
    return got;
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    squad *s = r->state;
    for (;;) {
        if (s->paragraph) {
            at_read got = next_question(r, s, e, err);
            if (got != ATTEND_READ_END)
                return got;
            json_decref(s->paragraph);
            s->paragraph = NULL;
        }
        at_read got = next_paragraph(r, s, err);
        if (got != ATTEND_READ_EXAMPLE)
            return got;
    }
}

static void close(at_example_reader *r)
{
    squad *s = r->state;
    json_decref(s->paragraph);
    at_answers_free(&s->answers);
    at_str_free(&s->text);
    at_str_free(&s->key);
}

const at_format at_format_squad = {
    .name = "squad",
    .what = "SQuAD 1.1 or 2.0: contexts with questions and where their answers stand",
    .files = "train-v2.0.json",
    .guess = guess,
    .state = sizeof(squad),
    .no_lines = true,
    .open = open,
    .next = next,
    .close = close,
};
