/* SQuAD's own files as lines: a question is a line, its answers have tabs between them. */
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/measure_input.h"

/* what is read from, and the lines made of it */
typedef struct {
    int systems;
    const char *data_path;
    const char *const *paths;
    json_t *data, *predictions[ATTEND_SYSTEMS_MOST + 1];
    at_str answers, given[ATTEND_SYSTEMS_MOST + 1];
    size_t questions, missing, used[ATTEND_SYSTEMS_MOST + 1];
    bool v1;
    attend_error *err;
} squad;

bool at_is_json(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/* on one line, in one column */
static void add_flat(at_str *out, const char *text)
{
    for (; *text; text++)
        at_str_add_bytes(out, strchr("\t\n\r", *text) ? " " : text, 1);
}

static attend_status wrong(const squad *q, const char *what)
{
    return at_error(q->err, ATTEND_FORMAT, "%s: %s; is this a data set of SQuAD?",
                    at_show(q->data_path).text, what);
}

static bool is_asked(const squad *q, const char *id)
{
    for (int i = 0; i < q->systems && !q->v1; i++)
        if (!json_object_get(q->predictions[i], id))
            return false;
    return true;
}

static attend_status add_predictions(squad *q, const char *id)
{
    for (int i = 0; i < q->systems; i++) {
        const json_t *answer = json_object_get(q->predictions[i], id);
        if (answer && !json_is_string(answer))
            return at_error(q->err, ATTEND_FORMAT, "%s: the answer to %s is no text",
                            at_show(q->paths[i]).text, at_show(id).text);
        add_flat(&q->given[i], answer ? json_string_value(answer) : "");
        at_str_add(&q->given[i], "\n");
        q->used[i] += answer != NULL;
        q->missing += !answer;
    }
    return ATTEND_OK;
}

static attend_status add_question(squad *q, const json_t *question)
{
    const char *id = json_string_value(json_object_get(question, "id"));
    const json_t *answers = json_object_get(question, "answers"), *answer;
    size_t i;
    if (!id || !json_is_array(answers))
        return wrong(q, "a question has no id or no answers");
    if (!is_asked(q, id)) {
        q->missing++;
        return ATTEND_OK;
    }
    json_array_foreach(answers, i, answer)
    {
        const char *text = json_string_value(json_object_get(answer, "text"));
        if (!text)
            return wrong(q, "an answer has no text");
        at_str_add(&q->answers, i ? "\t" : "");
        add_flat(&q->answers, text);
    }
    at_str_add(&q->answers, "\n");
    q->questions++;
    return add_predictions(q, id);
}

static attend_status add_paragraph(squad *q, const json_t *paragraph)
{
    const json_t *questions = json_object_get(paragraph, "qas"), *question;
    attend_status status = json_is_array(questions) ? ATTEND_OK
                                                    : wrong(q, "a paragraph has no qas");
    size_t i;
    json_array_foreach(questions, i, question)
    {
        if (status >= 0)
            status = add_question(q, question);
    }
    return status;
}

static attend_status add_article(squad *q, const json_t *article)
{
    const json_t *paragraphs = json_object_get(article, "paragraphs"), *paragraph;
    attend_status status = json_is_array(paragraphs) ? ATTEND_OK
                                                     : wrong(q, "an article has no paragraphs");
    size_t i;
    json_array_foreach(paragraphs, i, paragraph)
    {
        if (status >= 0)
            status = add_paragraph(q, paragraph);
    }
    return status;
}

static attend_status add_all(squad *q)
{
    const json_t *articles = json_object_get(q->data, "data"), *article;
    const char *version = json_string_value(json_object_get(q->data, "version"));
    attend_status status = json_is_array(articles) ? ATTEND_OK : wrong(q, "there is no data");
    size_t i;
    q->v1 = version && version[0] == '1';
    json_array_foreach(articles, i, article)
    {
        if (status >= 0)
            status = add_article(q, article);
    }
    if (status >= 0 && q->questions == 0)
        return at_error(q->err, ATTEND_FORMAT, "%s: no question has a prediction in %s",
                        at_show(q->data_path).text, at_show(q->paths[0]).text);
    return status;
}

static void say_what_is_missing(const squad *q)
{
    if (q->missing)
        at_log(ATTEND_LOG_WARNING, "%zu question%s no prediction; %s", q->missing,
               q->missing == 1 ? " has" : "s have",
               q->v1 ? "that counts as wrong" : "left out of the score");
    for (int i = 0; i < q->systems; i++) {
        size_t extra = json_object_size(q->predictions[i]) - q->used[i];
        if (extra && !(q->missing && !q->v1))
            at_log(ATTEND_LOG_WARNING, "%zu prediction%s of %s belong%s to no question", extra,
                   extra == 1 ? "" : "s", at_show(q->paths[i]).text, extra == 1 ? "s" : "");
    }
}

static attend_status take(at_lines *l, const char *name, at_str *text, attend_error *err)
{
    size_t size = text->length;
    char *lines = at_str_take(text);
    return lines ? at_lines_take(l, name, lines, size, err) : at_error_memory(err);
}

/* a file, or a pipe */
static attend_status load_json(const char *path, json_t **out, attend_error *err)
{
    enum { LARGEST = 1 << 30 };
    char *text;
    size_t size;
    attend_status status = at_input_read(path, LARGEST, &text, &size, err);
    if (status >= 0)
        status = at_json_parse(path, text, size, out, err);
    at_free(text);
    return status;
}

static attend_status load(squad *q, at_cli *cli)
{
    cli->input = q->data_path;
    attend_status status = load_json(q->data_path, &q->data, q->err);
    for (int i = 0; i < q->systems && status >= 0; i++) {
        cli->input = q->paths[i];
        if (!at_is_json(q->paths[i]))
            return at_error(q->err, ATTEND_OPTION,
                            "%s: with a reference in JSON, predictions are JSON too: {\"id\": "
                            "\"answer\"} in a file NAME.json",
                            at_show(q->paths[i]).text);
        status = load_json(q->paths[i], &q->predictions[i], q->err);
        if (status >= 0 && !json_is_object(q->predictions[i]))
            status = at_error(q->err, ATTEND_FORMAT, "%s: is no object {\"id\": \"answer\"}",
                              at_show(q->paths[i]).text);
    }
    return status;
}

attend_status at_measure_read_squad(at_measure_input *in, at_cli *cli, int systems,
                                    const char *const *predictions, const char *data,
                                    attend_error *err)
{
    squad q = {.systems = systems, .data_path = data, .paths = predictions, .err = err};
    attend_status status = load(&q, cli);
    if (status >= 0)
        status = add_all(&q);
    if (status >= 0)
        say_what_is_missing(&q);
    if (status >= 0)
        status = take(&in->reference[in->references++], data, &q.answers, err);
    for (int i = 0; i < systems && status >= 0; i++)
        status = take(&in->hypothesis[in->systems++], predictions[i], &q.given[i], err);
    in->squad_v1 = q.v1;
    at_str_free(&q.answers);
    for (int i = 0; i < systems; i++) {
        at_str_free(&q.given[i]);
        json_decref(q.predictions[i]);
    }
    json_decref(q.data);
    return status;
}
