/* Lines of a test as tokenizers learn from them. */
#ifndef ATTEND_TESTS_TEXT_LINES_H
#define ATTEND_TESTS_TEXT_LINES_H

#include <string.h>

#include "text/tokenizer.h"

typedef struct {
    const char *const *line; /* up to a NULL */
    int fail;                /* a status instead of a line, or 0 */
} test_lines;

static inline int test_next_line(void *user, const char **text, size_t *size, attend_error *err)
{
    test_lines *l = user;
    if (l->fail < 0)
        return at_error(err, (attend_status)l->fail, "the test gives up");
    if (!*l->line)
        return 0;
    *text = *l->line++;
    *size = strlen(*text);
    return 1;
}

#define TEST_LINES(list) ((at_line_source){test_next_line, &(test_lines){.line = (list)}})

static const char *const test_story[] = {
    "The cat sat on the mat, and the dog sat on the cat.",
    "\"Don't sit on the cat!\" said the man to the dog.",
    "The dog (a good one) sat on the mat; the cat sat on the dog.",
    "Le chat est assis sur l'herbe, et le chien est assis sur le chat.",
    "那只猫坐在垫子上。那只狗坐在猫上。",
    "The cats and the dogs sat and sat, 3.14 times or 1,000 times.",
    NULL};

/* the pieces' texts with blanks between them */
static inline void test_texts(const at_tokenizer *t, const at_tokens *p, at_str *out)
{
    for (size_t i = 0; i < p->count; i++)
        at_str_print(out, "%s%s", i ? " " : "", at_vocab_text(t->vocab, p->item[i].id, NULL));
}

#endif
