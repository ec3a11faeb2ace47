#include "data/answers.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"

at_text at_json_text(const json_t *value)
{
    return (at_text){json_string_value(value), json_string_length(value)};
}

void at_answers_free(at_answers *a)
{
    at_free(a->list);
    *a = (at_answers){0};
}

static at_read misplaced(at_example_reader *r, at_text text, json_int_t at, attend_error *err)
{
    char shown[64];
    size_t size = text.size < sizeof shown - 1 ? text.size : sizeof shown - 1;
    memcpy(shown, text.text, size);
    shown[size] = 0;
    return at_read_bad(r, err, "the answer \"%s\" does not stand at character %lld of the context",
                       at_show(shown).text, (long long)at);
}

at_read at_answers_add(at_answers *a, at_example_reader *r, at_text source, at_text text,
                       json_int_t at, attend_error *err)
{
    size_t byte;
    if (!text.size)
        return at_read_bad(r, err, "an empty answer");
    if (at < 0 || !at_text_position(source, (size_t)at, &byte) || source.size - byte < text.size
        || memcmp(source.text + byte, text.text, text.size) != 0)
        return misplaced(r, text, at, err);
    if (a->count == a->capacity) {
        int capacity = a->capacity ? 2 * a->capacity : 8;
        at_answer *list = at_realloc(a->list, (size_t)a->capacity * sizeof *list,
                                     (size_t)capacity * sizeof *list);
        if (!list) {
            at_error_memory(err);
            return ATTEND_READ_FAILED;
        }
        a->list = list;
        a->capacity = capacity;
    }
    a->list[a->count++] = (at_answer){text, (size_t)at, byte};
    return ATTEND_READ_EXAMPLE;
}

/* text, or that many-th of it where it is an array */
static const json_t *part(const json_t *value, const char *key, size_t index)
{
    const json_t *array = json_is_object(value) ? json_object_get(value, key) : NULL;
    if (array)
        return json_array_get(array, index);
    return json_object_get(json_array_get(value, index), key);
}

at_read at_answers_read(at_answers *a, at_example_reader *r, at_text source, const json_t *value,
                        attend_error *err)
{
    a->count = 0;
    if (!value || json_is_null(value))
        return ATTEND_READ_EXAMPLE;
    if (!json_is_array(value) && !json_is_object(value))
        return at_read_bad(r, err, "\"answers\" must be an array or an object");
    size_t count = json_array_size(json_is_object(value) ? json_object_get(value, "text") : value);
    for (size_t i = 0; i < count; i++) {
        const json_t *text = part(value, "text", i), *at = part(value, "answer_start", i);
        if (!json_is_string(text) || !json_is_integer(at))
            return at_read_bad(r, err, "an answer needs \"text\" and \"answer_start\"");
        at_read got = at_answers_add(a, r, source, at_json_text(text), json_integer_value(at), err);
        if (got != ATTEND_READ_EXAMPLE)
            return got;
    }
    return ATTEND_READ_EXAMPLE;
}

/* ---- for measures --------------------------------------------------------------------------- */

const char *at_answer_flat(at_text answer, at_arena *memory)
{
    char *line = at_arena_alloc_small(memory, answer.size + 1);
    for (size_t i = 0; line && i < answer.size; i++)
        line[i] = strchr("\t\n\r", answer.text[i]) ? ' ' : answer.text[i];
    if (line)
        line[answer.size] = '\0';
    return line;
}

const char *at_answers_line(const at_example *e, at_arena *memory)
{
    at_str line = {0};
    for (int i = 0; i < e->answer_count; i++) {
        const char *flat = at_answer_flat(e->answers[i].text, memory);
        at_str_add(&line, i ? "\t" : "");
        at_str_add(&line, flat ? flat : "");
        line.failed = line.failed || !flat;
    }
    const char *kept = line.failed ? NULL : at_arena_text(memory, at_str_text(&line), line.length);
    at_str_free(&line);
    return kept;
}
