/* A lesson: Adam on fresh cases, a look at the progress now and then, and an exam.
 *
 * Cases are drawn from three places that share no numbers: those to learn from, those to look at
 * progress with, and those of an exam. No case is met twice but by chance. */
#include "base/threads.h"
#include "learn.h"
#include "train/clip.h"
#include "train/optim.h"
#include "train/reinforce.h"
#include "train/schedule.h"

enum { LOOK = 200, LOOK_EVERY = 50 };

const double at_pass = 0.99;

typedef struct {
    const at_lesson *lesson;
    at_params *params;
    at_tape *tape, *look; /* to learn with; to look with */
    at_gradients *gradients;
    at_optim *optim;
    at_rate rate;
    at_baseline baseline;
    at_batch batch, exam;
} classroom;

static attend_status open_room(classroom *r, const at_lesson *l, attend_error *err)
{
    at_optim_options o;
    *r = (classroom){.lesson = l, .params = at_params_new(l->seed)};
    r->tape = r->params ? at_tape_new(r->params, ATTEND_TRAIN) : NULL;
    r->look = r->tape ? at_tape_new(r->params, ATTEND_INFER) : NULL;
    r->gradients = r->look ? at_gradients_new(r->params) : NULL;
    if (!r->gradients)
        return at_error_memory(err);
    attend_status status = at_batch_new(l->cases, &r->batch, err);
    if (status >= 0)
        status = at_batch_new(l->exam, &r->exam, err);
    if (status >= 0)
        status = at_optim_options_parse(&o, l->optimiser, err);
    if (status >= 0)
        status = at_optim_new(r->params, &o, &r->optim, err);
    if (status >= 0)
        status = at_rate_parse(&r->rate, l->schedule, o.lr, err);
    r->rate.total = l->steps;
    r->rate.warmup = r->rate.warmup < l->steps ? r->rate.warmup : l->steps;
    return status < 0 ? status : at_rate_check(&r->rate, err);
}

static void close_room(classroom *r)
{
    at_optim_free(r->optim);
    at_gradients_free(r->gradients);
    at_batch_free(&r->exam);
    at_batch_free(&r->batch);
    at_tape_free(r->look);
    at_tape_free(r->tape);
    at_params_free(r->params);
}

static attend_status failure(const at_tape *t, attend_error *err)
{
    const attend_error *failed = at_tape_error(t);
    return at_error(err, failed->status, "%s", failed->message);
}

/* ---- learning ----------------------------------------------------------------------------- */

/* What the draws of a hard pick add to the loss. Answers do not hang on one another here, so each
 * draw is paid for its own answer alone: every question is a sentence of one word. */
static at_tensor *reward(classroom *r, const at_reading *read, const at_tensor *nll, int asked)
{
    at_tape *t = r->tape;
    int rows = r->batch.cases * PLACES;
    int *words = at_scratch(t, (size_t)rows * sizeof *words);
    if (at_failed(t))
        return at_poison(t);
    double sum = 0;
    for (int i = 0; i < rows; i++) {
        words[i] = r->batch.answer[i] >= 0;
        sum += (double)nll->value[i];
    }
    at_shape each = SHAPE(rows, read->log_p->shape.dim[1], 1);
    at_tensor *log_p = at_reshape(t, at_transpose(t, read->log_p, 1, 2), each);
    at_tensor *entropy = at_reshape(t, at_transpose(t, read->entropy, 1, 2), each);
    at_reinforce_options o = {.entropy = (real)0.01, .weight = 1 / (real)asked};
    at_tensor *y = at_reinforce(t, log_p, entropy, nll->value, words, &r->baseline, o);
    at_baseline_update(&r->baseline, sum, asked);
    return y;
}

/* -log p of what should have been said, on average */
static at_tensor *loss_of(classroom *r, const at_answer *a)
{
    const at_pupil *p = &r->lesson->pupil;
    const int *target = at_pupil_targets(r->tape, p, &r->batch);
    int asked = 0;
    for (int i = 0; target && i < r->batch.cases * PLACES; i++)
        asked += target[i] >= 0;
    at_tensor *nll = at_likelihood(r->tape, a->said, at_row_ids(&r->batch, target), -1);
    at_tensor *loss = at_scale(r->tape, at_sum(r->tape, nll), 1 / (real)asked);
    if (at_failed(r->tape) || !a->read.log_p || !at_how_needs_reward(&p->how))
        return loss;
    return at_add(r->tape, loss, reward(r, &a->read, nll, asked));
}

static attend_status learn(classroom *r, int step, double *loss, attend_error *err)
{
    uint64_t seed = r->lesson->seed;
    at_tape_reset(r->tape);
    at_tape_seed(r->tape, seed, (uint32_t)step, 0);
    at_batch_draw(&r->batch, r->lesson->pupil.task,
                  (at_random){seed, (uint32_t)step, 0, at_random_name("lesson")});
    at_pupil pupil = r->lesson->pupil;
    if (step < r->lesson->soft)
        pupil.how.pick = &at_pick_soft;
    at_answer a = at_pupil_answer(r->tape, &pupil, &r->batch);
    at_tensor *y = loss_of(r, &a);
    if (!at_backward(r->tape, y))
        return failure(r->tape, err);
    *loss = (double)y->value[0];
    at_gradients_clear(r->gradients);
    attend_status status = at_gradients_add(r->gradients, r->tape, 1, err);
    if (status >= 0)
        status = at_clip_norm(r->gradients, 1, 2, NULL, err);
    at_optim_set_lr(r->optim, at_rate_at(&r->rate, step));
    return status < 0 ? status : at_optim_step(r->optim, r->gradients, err);
}

/* ---- looking ------------------------------------------------------------------------------ */

/* the fraction of `cases` fresh ones that are right */
static attend_status examine(classroom *r, const char *where, int step, int cases, double *right,
                             attend_error *err)
{
    at_batch b = r->exam;
    b.cases = cases;
    at_batch_draw(&b, r->lesson->pupil.task,
                  (at_random){r->lesson->seed, (uint32_t)step, 0, at_random_name(where)});
    at_answer a = at_pupil_answer(r->look, &r->lesson->pupil, &b);
    attend_status status = at_failed(r->look) ? failure(r->look, err) : ATTEND_OK;
    if (status >= 0)
        *right = (double)at_pupil_right(&r->lesson->pupil, &b, &a) / cases;
    at_tape_reset(r->look);
    return status;
}

static attend_status teach(classroom *r, at_grade *g, attend_error *err)
{
    attend_status status = ATTEND_OK;
    double loss = 0, right = 0;
    int exam = r->lesson->exam, look = exam < LOOK ? exam : LOOK;
    for (g->steps = 0; g->steps < r->lesson->steps && status >= 0;) {
        status = learn(r, g->steps++, &loss, err);
        bool last = g->steps == r->lesson->steps;
        if (status < 0 || (g->steps % LOOK_EVERY && !last))
            continue;
        status = examine(r, "look", g->steps, look, &right, err);
        if (status >= 0 && r->lesson->progress)
            r->lesson->progress(g->steps, loss, right);
        if (status >= 0 && (right >= at_pass || last))
            status = examine(r, "exam", g->steps, exam, &g->right, err);
        if (g->right >= at_pass)
            break;
    }
    return status;
}

attend_status at_lesson_run(const at_lesson *l, at_grade *out, attend_error *err)
{
    classroom r;
    *out = (at_grade){0};
    unsigned floats = at_floats_flush();
    attend_status status = open_room(&r, l, err);
    if (status >= 0)
        status = teach(&r, out, err);
    close_room(&r);
    at_floats_restore(floats);
    return status;
}
