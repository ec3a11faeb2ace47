/* Answers of reading comprehension as JSON has them. */
#ifndef ATTEND_DATA_ANSWERS_H
#define ATTEND_DATA_ANSWERS_H

#include <jansson.h>

#include "data/format.h"

typedef struct {
    at_answer *list;
    int count, capacity;
} at_answers;

/* Adds an answer; at is its first character in the source, where its text must stand. */
at_read at_answers_add(at_answers *a, at_example_reader *r, at_text source, at_text text,
                       json_int_t at, attend_error *err);

/* Replaces the answers by those of a value: [{"text", "answer_start"}, ...], or as Hugging Face
 * turns it round, {"text": [...], "answer_start": [...]}; NULL and null have none. */
at_read at_answers_read(at_answers *a, at_example_reader *r, at_text source, const json_t *value,
                        attend_error *err);
void at_answers_free(at_answers *a);

/* As measures of answers take them: an answer on one line, and all answers of an example with tabs
 * between them; nothing where there is none. NULL without memory. */
const char *at_answer_flat(at_text answer, at_arena *memory);
const char *at_answers_line(const at_example *e, at_arena *memory);

/* a string's text and size; nothing for another value */
at_text at_json_text(const json_t *value);

#endif
