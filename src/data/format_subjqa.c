/* SubjQA: questions on reviews, a CSV with names. `human_ans_indices` is "(begin, end)" in
 * characters of `review`, which ends in ANSWERNOTFOUND so that there is always something to point
 * at; here that word goes, and such a question has no answer. */
#include <stdio.h>
#include <string.h>

#include "data/answers.h"
#include "data/table.h"

static const char *const names[] = {"question", "review", "human_ans_spans", "human_ans_indices",
                                    "q_review_id"};
enum { QUESTION, REVIEW, SPAN, INDICES, ID, NAMES };

static const char nothing[] = "ANSWERNOTFOUND";

typedef struct {
    at_table_reader rows;
    int column[NAMES];
    bool begun;
    at_answers answers;
} subjqa;

static int guess(const at_sample *s)
{
    return memmem(s->line[0].text, s->line[0].size, "human_ans_indices", 17) ? 95 : 0;
}

static attend_status open(at_example_reader *r, attend_error *err)
{
    subjqa *q = r->state;
    (void)err;
    q->rows.separator = ',';
    q->rows.quotes = true;
    return ATTEND_OK;
}

static at_read read_header(at_example_reader *r, subjqa *q, attend_error *err)
{
    at_read got = at_table_reader_next(r, &q->rows, err);
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    q->begun = true;
    for (int i = 0; i < NAMES; i++) {
        q->column[i] = -1;
        for (int c = 0; c < q->rows.count; c++)
            if (at_text_is(q->rows.cell[c], names[i]))
                q->column[i] = c;
        if (q->column[i] < 0 && i != ID) {
            at_read_bad(r, err, "no column is called \"%s\"; is this SubjQA?", names[i]);
            return ATTEND_READ_FAILED;
        }
    }
    return ATTEND_READ_EXAMPLE;
}

static at_text cell(const subjqa *q, int which)
{
    int column = q->column[which];
    return column >= 0 && column < q->rows.count ? q->rows.cell[column] : (at_text){0};
}

/* the review without the word for no answer, and without the blank before it */
static at_text context_of(at_text review)
{
    size_t size = sizeof nothing - 1;
    if (review.size >= size && memcmp(review.text + review.size - size, nothing, size) == 0)
        review.size -= size;
    while (review.size && review.text[review.size - 1] == ' ')
        review.size--;
    return review;
}

static at_read read_answer(at_example_reader *r, subjqa *q, at_example *e, attend_error *err)
{
    char indices[64] = "";
    int begin, end;
    size_t from, to;
    at_text position = cell(q, INDICES);
    q->answers.count = 0;
    if (at_text_is(cell(q, SPAN), nothing))
        return ATTEND_READ_EXAMPLE;
    if (position.size && position.size < sizeof indices)
        memcpy(indices, position.text, position.size);
    if (sscanf(indices, "(%9d, %9d)", &begin, &end) != 2)
        return at_read_bad(r, err, "human_ans_indices is not \"(begin, end)\"");
    if (begin < 0 || end <= begin || !at_text_position(e->source, (size_t)begin, &from)
        || from >= e->source.size)
        return at_read_bad(r, err, "the answer's place (%d, %d) is not in the review", begin, end);
    at_text_position(e->source, (size_t)end, &to); /* or its end, before the word for no answer */
    at_text answer = {e->source.text + from, to - from};
    return at_answers_add(&q->answers, r, e->source, answer, begin, err);
}

static at_read next(at_example_reader *r, at_example *e, attend_error *err)
{
    subjqa *q = r->state;
    at_read got = q->begun ? ATTEND_READ_EXAMPLE : read_header(r, q, err);
    if (got == ATTEND_READ_EXAMPLE)
        got = at_table_reader_next(r, &q->rows, err);
    if (got != ATTEND_READ_EXAMPLE)
        return got;
    e->line = q->rows.line;
    e->has = ATTEND_HAS_QUESTION;
    e->question = cell(q, QUESTION);
    e->source = context_of(cell(q, REVIEW));
    e->id = cell(q, ID);
    got = read_answer(r, q, e, err);
    e->answers = q->answers.list;
    e->answer_count = q->answers.count;
    return got;
}

static void close(at_example_reader *r)
{
    subjqa *q = r->state;
    at_table_reader_free(&q->rows);
    at_answers_free(&q->answers);
}

const at_format at_format_subjqa = {
    .name = "subjqa",
    .what = "SubjQA's tables: questions on reviews and where their answers stand",
    .files = "SubjQA/electronics/train.csv",
    .guess = guess,
    .state = sizeof(subjqa),
    .open = open,
    .next = next,
    .close = close,
};
