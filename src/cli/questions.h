/* Questions of a file of attend list formats, or of lines "question, tab, context", in blocks. */
#ifndef ATTEND_CLI_QUESTIONS_H
#define ATTEND_CLI_QUESTIONS_H

#include "attend_data.h"
#include "base/arena.h"
#include "cli/line_block.h"

typedef struct {
    attend_question ask;
    const char *id;      /* or NULL */
    const char *answers; /* the known ones with tabs between them; nothing where there is none */
} at_question_read;

enum { ATTEND_QUESTIONS_BLOCK = 256 };

typedef struct {
    attend_examples *examples; /* of a file, or NULL */
    at_reader lines;
    at_line_block block;
    at_arena memory; /* of a block */
    at_question_read *item;
    attend_question *ask; /* [count] */
    size_t count, before; /* questions of this block, and of those before it */
    bool ended, has_answers;
} at_questions;

/* path NULL: the lines of standard input. Release it with at_questions_close, also after a failure.
 */
attend_status at_questions_open(at_questions *q, at_cli *cli, const char *path, const char *format,
                                attend_error *err);

/* The next block; the last one may be empty. */
attend_status at_questions_read(at_questions *q, attend_error *err);
void at_questions_close(at_questions *q);

/* text on one line, in one column; NULL without memory */
const char *at_question_flat(at_arena *memory, const char *text);

#endif
