/* The list of tasks, batches of their cases, and what several tasks are made of. */
#include <string.h>

#include "base/memory.h"
#include "learn.h"

const at_task *const at_tasks[] = {
#define TASK(name) &at_task_##name,
#include "tasks.def"
#undef TASK
};

const int at_task_count = (int)(sizeof at_tasks / sizeof *at_tasks);

const at_task *at_task_find(const char *name)
{
    for (int i = 0; i < at_task_count; i++)
        if (strcmp(at_tasks[i]->name, name) == 0)
            return at_tasks[i];
    return NULL;
}

/* ---- dice --------------------------------------------------------------------------------- */

int at_roll(at_dice *d, int n) { return (int)at_random_below(d->place, d->used++, (uint32_t)n); }

void at_roll_distinct(at_dice *d, int n, int count, int *to)
{
    for (int i = 0; i < count; i++) {
        int j = 0;
        to[i] = at_roll(d, n);
        while (to[j] != to[i])
            j++;
        i -= j < i; /* had already: again */
    }
}

void at_draw_words(at_dice *d, at_case *c, int words)
{
    enum { FEWEST = 4 };
    c->length = c->questions = FEWEST + at_roll(d, PLACES - FEWEST + 1);
    for (int j = 0; j < c->length; j++) {
        c->word[j] = at_roll(d, words);
        c->answer[j] = j;
    }
}

/* ---- batches ------------------------------------------------------------------------------ */

attend_status at_batch_new(int cases, at_batch *out, attend_error *err)
{
    size_t row = (size_t)cases * PLACES;
    int *memory = at_alloc(((size_t)cases + 7 * row) * sizeof *memory);
    if (!memory)
        return at_error_memory(err);
    int *rows = memory + cases;
    *out = (at_batch){cases,
                      .length = memory,
                      .key = rows,
                      .word = rows + row,
                      .seen = rows + 2 * row,
                      .query = rows + 3 * row,
                      .step = rows + 4 * row,
                      .goal = rows + 5 * row,
                      .answer = rows + 6 * row};
    return ATTEND_OK;
}

void at_batch_free(at_batch *b) { at_free(b->length); }

static void put_case(at_batch *b, int i, const at_case *c, const at_task *task)
{
    b->length[i] = c->length;
    for (int j = 0; j < PLACES; j++) {
        int to = i * PLACES + j;
        b->key[to] = c->key[j];
        b->word[to] = c->word[j];
        b->seen[to] = c->word[j] < task->words ? c->word[j] : task->words - 1;
        b->query[to] = c->query[j];
        b->step[to] = j;
        b->goal[to] = c->length;
        b->answer[to] = j < c->questions ? c->answer[j] : -1;
    }
}

void at_batch_draw(at_batch *b, const at_task *task, at_random r)
{
    for (int i = 0; i < b->cases; i++) {
        at_case c = {0};
        at_dice d = {r, 0};
        d.place.sentence = (uint32_t)i;
        task->draw(&d, &c);
        put_case(b, i, &c, task);
    }
}

/* ---- parts of tasks ----------------------------------------------------------------------- */

at_ids at_row_ids(const at_batch *b, const int *id)
{
    return (at_ids){SHAPE(b->cases, PLACES), id};
}

at_tensor *at_sinusoids_of(at_tape *t, const at_batch *b, const int *number, int most)
{
    return at_embedding(t, at_position_sinusoidal(t, ATTEND_SINUSOIDS_INTERLEAVED, 0, most, WIDTH),
                        at_row_ids(b, number));
}

at_tensor *at_two_layers(at_tape *t, at_path s, at_tensor *x)
{
    enum { INNER = 2 * WIDTH };
    at_tensor *h = at_relu(t, at_linear(t, at_in(s, "linear1"), x, INNER));
    return at_linear(t, at_in(s, "linear2"), h, WIDTH);
}

/* what a decoder knows before it looks: how far it is, and how long the source is */
at_tensor *at_step_queries(at_tape *t, at_path s, const at_batch *b)
{
    at_tensor *step = at_sinusoids_of(t, b, b->step, PLACES);
    at_tensor *goal = at_sinusoids_of(t, b, b->goal, PLACES + 1);
    return at_two_layers(t, s, at_concat(t, 2, (at_tensor *[]){step, goal}, 2));
}
