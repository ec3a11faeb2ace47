#include "api/judge.h"

#include <string.h>

#include "base/memory.h"
#include "decode/translate.h"
#include "train/job_translation.h"

/* ---- translation: BLEU of greedy output ------------------------------------------------------ */

enum { MOST_JUDGED = 1000, SAMPLES = 3 };

typedef struct {
    const at_judge *judge;
    at_text source[MOST_JUDGED];
    const char *reference[MOST_JUDGED];
    char *translation[MOST_JUDGED];
    size_t count;
    at_arena memory;
} judged;

static const char *copy(at_arena *memory, at_text t)
{
    char *c = at_arena_alloc_small(memory, t.size + 1);
    if (c) {
        memcpy(c, t.text, t.size);
        c[t.size] = '\0';
    }
    return c;
}

static attend_status take(void *user, const at_translated *t, attend_error *err)
{
    judged *j = user;
    j->translation[t->line] = at_arena_alloc_small(&j->memory, strlen(t->text) + 1);
    if (!j->translation[t->line])
        return at_error_memory(err);
    strcpy(j->translation[t->line], t->text);
    return ATTEND_OK;
}

static bool gather(judged *j, at_run *run)
{
    at_example e;
    at_item_view numbers;
    for (; j->count < MOST_JUDGED && at_run_valid_at(run, j->count, &e, &numbers); j->count++) {
        const char *source = copy(&j->memory, e.source);
        j->source[j->count] = (at_text){source, e.source.size};
        j->reference[j->count] = copy(&j->memory, e.target);
        if (!source || !j->reference[j->count])
            return false;
    }
    return true;
}

static void show_samples(const judged *j)
{
    for (size_t i = 0; i < SAMPLES && i < j->count && j->judge->function; i++) {
        attend_train_event e = {.kind = ATTEND_TRAIN_SAMPLE,
                                .source = j->source[i].text,
                                .reference = j->reference[i],
                                .text = j->translation[i]};
        j->judge->function(j->judge->user, &e);
    }
}

static attend_status score(const judged *j, double *bleu, attend_error *err)
{
    attend_measure_options o;
    attend_measure_defaults(&o);
    attend_lines hypothesis = {"translations", j->count, (const char *const *)j->translation};
    attend_lines reference = {"references", j->count, j->reference};
    attend_scores *scores;
    attend_status status = attend_measure("bleu", &o, 1, &hypothesis, 1, &reference, &scores, err);
    if (status >= 0) {
        *bleu = attend_scores_corpus(scores, 0);
        attend_scores_free(scores);
    }
    return status;
}

static attend_status translate(at_judge *judge, at_run *run, judged *j, attend_error *err)
{
    const at_translator_folder *f = &((at_translation_task *)at_run_task(run))->folder;
    at_translate_options o = {.beam = {.width = 1}, .best = 1, .batch = 64, .longest = 1000};
    attend_status status = ATTEND_OK;
    if (!judge->continuation)
        status = at_continuation_new(&f->model, f->params, &judge->continuation, err);
    at_translating with = {&judge->continuation, 1, f->source, f->target};
    return status < 0 ? status : at_translate(&with, &o, j->count, j->source, take, j, err);
}

static attend_status judge_translation(at_judge *judge, at_run *run, at_metrics *metrics,
                                       attend_error *err)
{
    judged *j = at_alloc_zero(1, sizeof *j);
    double bleu;
    if (!j)
        return at_error_memory(err);
    j->judge = judge;
    attend_status status = gather(j, run) ? translate(judge, run, j, err) : at_error_memory(err);
    if (status >= 0)
        status = score(j, &bleu, err);
    if (status >= 0) {
        at_metrics_add(metrics, (attend_metric){"bleu", "BLEU", bleu, .falls = 0});
        show_samples(j);
    }
    at_arena_free(&j->memory);
    at_free(j);
    return status;
}

/* ---- every job ------------------------------------------------------------------------------- */

attend_status at_judge_run(void *judge, at_run *run, at_metrics *metrics, attend_error *err)
{
    if (at_run_job(run) == &at_job_translation)
        return judge_translation(judge, run, metrics, err);
    return ATTEND_OK;
}

void at_judge_free(at_judge *j) { at_continuation_free(j->continuation); }
