#include "cli/questions.h"

#include <string.h>

#include "base/file.h"

attend_status at_questions_open(at_questions *q, at_cli *cli, const char *path, const char *format,
                                attend_error *err)
{
    *q = (at_questions){.lines = {.file = -1}};
    cli->input = path;
    if (path) {
        attend_data_options o;
        attend_data_defaults(&o);
        o.format = format;
        return attend_examples_open(path, &o, &q->examples, err);
    }
    attend_status status = at_reader_open(&q->lines, cli, "-", err);
    q->lines.no_zeros = true;
    return status;
}

const char *at_question_flat(at_arena *memory, const char *text)
{
    char *flat = at_arena_strdup(memory, text);
    for (char *c = flat; c && *c; c++)
        *c = strchr("\t\r\n", *c) ? ' ' : *c;
    return flat;
}

/* ---- a file --------------------------------------------------------------------------------- */

static const char *join_answers(at_questions *q, const attend_example *e)
{
    at_str all = {0};
    const char *text;
    size_t begin;
    for (size_t i = 0; i < e->answers && attend_examples_answer(q->examples, i, &text, &begin);
         i++) {
        const char *flat = at_question_flat(&q->memory, text);
        at_str_add(&all, i ? "\t" : "");
        at_str_add(&all, flat ? flat : "");
    }
    const char *kept = at_arena_text(&q->memory, at_str_text(&all), all.length);
    at_str_free(&all);
    return kept;
}

static attend_status keep(at_questions *q, const attend_example *e, attend_error *err)
{
    at_question_read *to = &q->item[q->count];
    if (!e->question || !e->source)
        return at_error(err, ATTEND_FORMAT, "%s:%ld: no question about a text",
                        at_show(e->file).text, e->line);
    *to = (at_question_read){
        {at_arena_strdup(&q->memory, e->question), at_arena_strdup(&q->memory, e->source)},
        e->id && *e->id ? at_arena_strdup(&q->memory, e->id) : NULL,
        join_answers(q, e)};
    q->has_answers = true;
    if (!to->ask.question || !to->ask.context || !to->answers)
        return at_error_memory(err);
    q->ask[q->count++] = to->ask;
    return ATTEND_OK;
}

static attend_status read_file(at_questions *q, attend_error *err)
{
    attend_status status = ATTEND_OK;
    while (status >= 0 && q->count < ATTEND_QUESTIONS_BLOCK && !q->ended) {
        attend_example e;
        int got = attend_examples_next(q->examples, &e, err);
        q->ended = got == 0;
        if (got < 0)
            return (attend_status)got;
        if (got > 0)
            status = keep(q, &e, err);
    }
    return status;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static attend_status read_lines(at_questions *q, attend_error *err)
{
    attend_status status = at_line_block_read(&q->block, &q->lines, err);
    size_t n = q->block.count;
    q->ended = q->block.ended;
    q->ask = at_arena_alloc(&q->memory, (n + 1) * sizeof *q->ask);
    q->item = at_arena_alloc(&q->memory, (n + 1) * sizeof *q->item);
    if (status >= 0 && (!q->ask || !q->item))
        status = at_error_memory(err);
    for (size_t i = 0; i < n && status >= 0; i++) {
        char *question = at_arena_strdup(&q->memory, q->block.line[i]);
        char *tab = question ? strchr(question, '\t') : NULL;
        if (!tab)
            return question ? at_error(err, ATTEND_FORMAT,
                                       "line %zu: no tab; a line is a question, a tab and the "
                                       "text to answer it from",
                                       q->before + i + 1)
                            : at_error_memory(err);
        *tab = '\0';
        q->item[i] = (at_question_read){.ask = {question, tab + 1}};
        q->ask[q->count++] = q->item[i].ask;
    }
    return status;
}

attend_status at_questions_read(at_questions *q, attend_error *err)
{
    q->before += q->count;
    q->count = 0;
    at_arena_reset(&q->memory);
    if (!q->examples)
        return read_lines(q, err);
    q->item = at_arena_alloc(&q->memory, ATTEND_QUESTIONS_BLOCK * sizeof *q->item);
    q->ask = at_arena_alloc(&q->memory, ATTEND_QUESTIONS_BLOCK * sizeof *q->ask);
    return q->item && q->ask ? read_file(q, err) : at_error_memory(err);
}

void at_questions_close(at_questions *q)
{
    attend_examples_free(q->examples);
    at_reader_close(&q->lines);
    at_line_block_free(&q->block);
    at_arena_free(&q->memory);
}
