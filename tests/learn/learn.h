/* Can it learn that? Tasks whose answers are known, the smallest model around one attention read,
 * and lessons in which the one learns the other.
 *
 *     tasks.def   what there is to learn, a file task_*.c each
 *     model.c     embedding, one read, an output: how the library's parts go together
 *     lesson.c    the training loop, and the exam on cases never seen before
 *     table       which mechanism can learn which task, and why not
 *
 * script/learn goes through the table and writes docs/learning.md. */
#ifndef ATTEND_TESTS_LEARN_H
#define ATTEND_TESTS_LEARN_H

#include "attention/output.h"
#include "nn/layers.h"

enum { PLACES = 12, WIDTH = 32 }; /* of the longest source; of every vector */

/* spread of the embeddings at first: small, so that no key stands out before anything is learned */
static const real at_start = (real)0.3;

/* ---- tasks -------------------------------------------------------------------------------- */

/* One case in plain numbers. The source has `length` places; each shows a key and holds a word.
 * Question i says query[i] and is answered by the word at place answer[i]. */
typedef struct {
    int length, questions;
    int key[PLACES], word[PLACES];
    int query[PLACES], answer[PLACES];
} at_case;

/* random numbers of one case, one after the other */
typedef struct {
    at_random place;
    uint32_t used;
} at_dice;

int at_roll(at_dice *d, int n);                               /* 0 .. n-1 */
void at_roll_distinct(at_dice *d, int n, int count, int *to); /* count of 0 .. n-1 */

/* Cases side by side; every row has PLACES numbers, of which only the first count. */
typedef struct {
    int cases;
    int *length;      /* [cases] */
    int *key, *word;  /* [cases,PLACES] */
    int *seen;        /* [cases,PLACES] the word as the model sees it: the last for unknown ones */
    int *query;       /* [cases,PLACES] */
    int *step, *goal; /* [cases,PLACES] number of the question; length of the source */
    int *answer;      /* [cases,PLACES] the place that answers, -1 where there is no question */
} at_batch;

typedef struct {
    const char *name, *says;
    const char *output; /* unless another is asked for */
    int words;          /* of the vocabulary; where some are unknown, the last stands for them */
    int unknown;        /* more words, which only sources have */
    void (*draw)(at_dice *d, at_case *c);
    /* [cases,PLACES,WIDTH]; values are the embedded words, of the same shape */
    at_tensor *(*keys)(at_tape *t, at_path s, const at_batch *b, at_tensor *values);
    at_tensor *(*queries)(at_tape *t, at_path s, const at_batch *b);
} at_task;

#define TASK(name) extern const at_task at_task_##name;
#include "tasks.def"
#undef TASK
extern const at_task *const at_tasks[];
extern const int at_task_count;

const at_task *at_task_find(const char *name); /* or NULL */

attend_status at_batch_new(int cases, at_batch *out, attend_error *err);
void at_batch_free(at_batch *b);

/* Fills b with cases of the place r: another sentence for each. */
void at_batch_draw(at_batch *b, const at_task *task, at_random r);

/* for tasks: what several of them are made of */
void at_draw_words(at_dice *d, at_case *c, int words); /* a length, words, a question for each */
at_ids at_row_ids(const at_batch *b, const int *id);
at_tensor *at_sinusoids_of(at_tape *t, const at_batch *b, const int *number, int most);
at_tensor *at_two_layers(at_tape *t, at_path s, at_tensor *x); /* W_2 relu(W_1 x + b_1) + b_2 */
at_tensor *at_step_queries(at_tape *t, at_path s, const at_batch *b); /* of a decoder that counts */

/* ---- the model ---------------------------------------------------------------------------- */

typedef struct {
    const at_task *task;
    at_how how;
    const at_output *output;
} at_pupil;

typedef struct {
    at_tensor *said; /* [cases,PLACES,n]: probabilities of words, or of places */
    at_reading read;
} at_answer;

at_answer at_pupil_answer(at_tape *t, const at_pupil *p, const at_batch *b);

/* what should have been said: word or place [cases,PLACES], -1 where there is no question */
int *at_pupil_targets(at_tape *t, const at_pupil *p, const at_batch *b);

/* How many cases have every answer right. */
int at_pupil_right(const at_pupil *p, const at_batch *b, const at_answer *a);

/* ---- lessons ------------------------------------------------------------------------------ */

typedef struct {
    at_pupil pupil;
    int steps; /* at most; a lesson ends when the exam is passed */
    int soft;  /* so many of the first with the soft pick, whatever the pick is later */
    uint64_t seed;
    const char *optimiser, *schedule; /* as train/optim.h and train/schedule.h read them */
    int cases;                        /* in a step */
    int exam;                         /* cases in an exam */
    void (*progress)(int step, double loss, double right); /* or NULL */
} at_lesson;

typedef struct {
    double right; /* of the last exam: fraction of fresh cases with every answer right */
    int steps;    /* made before it */
} at_grade;

extern const double at_pass; /* 0.99 */

attend_status at_lesson_run(const at_lesson *l, at_grade *out, attend_error *err);

#endif
