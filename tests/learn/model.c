/* The smallest model with every part: words are embedded, the task makes keys and queries, one read
 * looks the answer up, and an output says it. */
#include "learn.h"

/* the source's words, once for each question: [cases,PLACES,PLACES] */
static int *sources(at_tape *t, const at_batch *b)
{
    int *to = at_scratch(t, (size_t)(b->cases * PLACES * PLACES) * sizeof *to);
    for (int i = 0; to && i < b->cases * PLACES * PLACES; i++)
        to[i] = b->word[i / (PLACES * PLACES) * PLACES + i % PLACES];
    return to;
}

static at_tensor *copied(at_tape *t, at_path s, const at_pupil *p, const at_batch *b, at_tensor *q,
                         const at_reading *r)
{
    int rows = b->cases * PLACES, V = p->task->words;
    at_tensor *logits = at_output_word_logits(t, at_in(s, "words"), r->context, V);
    at_tensor *gate = at_output_gate(t, at_in(s, "gate"), r->context, q, q);
    at_tensor *weights = at_reshape(t, at_output_point(t, r->weights), SHAPE(rows, PLACES));
    int *source = sources(t, b);
    if (at_failed(t))
        return at_poison(t);
    at_tensor *y = at_output_copied(t, at_reshape(t, logits, SHAPE(rows, V)), weights,
                                    at_reshape(t, gate, SHAPE(rows, 1)), source, p->task->unknown);
    return at_reshape(t, y, SHAPE(b->cases, PLACES, V + p->task->unknown));
}

static at_tensor *say(at_tape *t, at_path s, const at_pupil *p, const at_batch *b, at_tensor *q,
                      const at_reading *r)
{
    if (p->output == &at_output_pointer)
        return at_output_point(t, r->weights);
    if (p->output == &at_output_copy)
        return copied(t, s, p, b, q, r);
    at_tensor *logits = p->output == &at_output_module
                            ? at_output_module_apply(t, s, q, r->context, p->task->words, NULL)
                            : at_output_word_logits(t, s, r->context, p->task->words);
    return at_softmax(t, logits, NULL);
}

at_answer at_pupil_answer(at_tape *t, const at_pupil *p, const at_batch *b)
{
    at_path root = at_root(), s = at_in(root, "attention");
    at_tensor *values = at_embed(t, at_in(root, "word"), at_row_ids(b, b->seen), p->task->words,
                                 WIDTH, at_start);
    at_tensor *keys = p->task->keys(t, at_in(root, "key"), b, values);
    at_tensor *q = p->task->queries(t, at_in(root, "query"), b);
    at_memory m = at_attention_prepare(t, s, &p->how, WIDTH, keys, values, b->length);
    at_reading r = at_attention_read(t, s, &p->how, &m, (at_query){.query = q, .weights = true});
    return (at_answer){.said = say(t, at_in(root, "output"), p, b, q, &r), .read = r};
}

/* the word at that place of the source, or the place itself */
static int target(const at_pupil *p, const int *words, int row, int place)
{
    return place < 0 || p->output == &at_output_pointer ? place : words[row * PLACES + place];
}

int *at_pupil_targets(at_tape *t, const at_pupil *p, const at_batch *b)
{
    const int *words = p->output == &at_output_copy ? b->word : b->seen;
    int *to = at_scratch(t, (size_t)(b->cases * PLACES) * sizeof *to);
    for (int i = 0; to && i < b->cases * PLACES; i++)
        to[i] = target(p, words, i / PLACES, b->answer[i]);
    return to;
}

static int highest(int n, const real *x)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

int at_pupil_right(const at_pupil *p, const at_batch *b, const at_answer *a)
{
    int right = 0, n = at_shape_last(a->said->shape);
    for (int row = 0; row < b->cases; row++) {
        bool all = true;
        for (int i = row * PLACES; i < (row + 1) * PLACES; i++)
            all = all
                  && (b->answer[i] < 0
                      || highest(n, a->said->value + i * n)
                             == target(p, b->word, row, b->answer[i]));
        right += all;
    }
    return right;
}
