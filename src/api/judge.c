#include "api/judge.h"

#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "decode/translate.h"
#include "text/cut_before.h"
#include "train/job_classification.h"
#include "train/job_pointing.h"
#include "train/job_translation.h"

const char *at_tokenization_of(const attend_lines *reference)
{
    size_t chinese = 0, kana = 0, all = 0;
    at_cut_marks marks = {0};
    for (size_t i = 0; i < reference->count; i++) {
        const char *text = reference->line[i];
        uint32_t code;
        at_cut_marks_count(&marks, text, strlen(text));
        for (size_t left = strlen(text); left; all++) {
            int used = at_utf8_get(text, left, &code);
            used = used > 0 ? used : 1;
            kana += code >= 0x3040 && code < 0x3100;
            chinese += code >= 0x3400 && code < 0xA000;
            text += used;
            left -= (size_t)used;
        }
    }
    if (2 * (chinese + kana) >= all && all)
        return 10 * kana > all ? "char" : "zh";
    return at_cut_before(&marks) ? "none" : "13a";
}

static attend_status score(const char *measure, const attend_lines *made,
                           const attend_lines *reference, double *value, attend_error *err)
{
    attend_measure_options o;
    attend_measure_defaults(&o);
    o.tokenize = at_tokenization_of(reference);
    attend_scores *scores;
    attend_status status = attend_measure(measure, &o, 1, made, 1, reference, &scores, err);
    if (status >= 0) {
        *value = attend_scores_corpus(scores, 0);
        attend_scores_free(scores);
    }
    return status;
}

/* ---- translation: BLEU of greedy output ---------------------------------------------------- */

enum { MOST_JUDGED = 1000, SAMPLES = 3 };

typedef struct {
    const at_judge *judge;
    at_text source[MOST_JUDGED];
    uint32_t sequence[MOST_JUDGED]; /* where sources are feature vectors */
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

/* Pieces of bytes may make no UTF-8 until they are learned; measures take nothing else. */
static void repair(at_str *out, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        uint32_t code;
        int used = at_utf8_get(text, left, &code);
        size_t size = used > 0 ? (size_t)used : 1;
        at_str_add_bytes(out, used > 0 ? text : "\xEF\xBF\xBD", used > 0 ? size : 3);
        text += size;
        left -= size;
    }
}

static attend_status take(void *user, const at_translated *t, attend_error *err)
{
    judged *j = user;
    at_str text = {0};
    repair(&text, t->text);
    char *kept = text.failed ? NULL : at_arena_alloc_small(&j->memory, text.length + 1);
    if (kept)
        strcpy(kept, at_str_text(&text));
    at_str_free(&text);
    j->translation[t->line] = kept;
    return kept ? ATTEND_OK : at_error_memory(err);
}

static bool gather(judged *j, at_run *run)
{
    at_example e;
    at_item_view numbers;
    for (; j->count < MOST_JUDGED && at_run_valid_at(run, j->count, &e, &numbers); j->count++) {
        const char *source = copy(&j->memory, e.source);
        j->source[j->count] = (at_text){source, e.source.size};
        j->sequence[j->count] = at_run_sequence(run, numbers.example);
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

static attend_status translate(at_run *run, judged *j, attend_error *err)
{
    const at_model *model = at_run_model(run);
    at_translate_options o = {.beam = {.width = 1},
                              .best = 1,
                              .batch = at_run_valid_batch(run),
                              .longest = 1000,
                              .words_alone = true,
                              .features = at_run_features(run),
                              .sequence = j->sequence};
    at_session *session; /* a new one: the parameters have changed since the last time */
    attend_status status = at_session_new(1, &model, &session, err);
    if (status >= 0)
        status = at_translate(session, &o, j->count, j->source, take, j, err);
    at_session_free(session);
    return status;
}

static attend_status judge_translation(at_judge *judge, at_run *run, at_metrics *metrics,
                                       attend_error *err)
{
    judged *j = at_alloc_zero(1, sizeof *j);
    double bleu;
    if (!j)
        return at_error_memory(err);
    j->judge = judge;
    attend_status status = gather(j, run) ? translate(run, j, err) : at_error_memory(err);
    attend_lines made = {"translations", j->count, (const char *const *)j->translation};
    attend_lines reference = {"references", j->count, j->reference};
    if (status >= 0)
        status = score("bleu", &made, &reference, &bleu, err);
    if (status >= 0) {
        at_metrics_add(metrics, (attend_metric){"bleu", "BLEU", bleu, .falls = 0});
        show_samples(j);
    }
    at_arena_free(&j->memory);
    at_free(j);
    return status;
}

/* ---- classification ------------------------------------------------------------------------ */

/* names of classes */
static attend_lines names(at_arena *memory, const at_vocab *labels, size_t count, const int *class,
                          const char *name)
{
    const char **line = at_arena_alloc(memory, (count ? count : 1) * sizeof *line);
    for (size_t i = 0; line && i < count; i++)
        line[i] = at_vocab_text(labels, class[i], NULL);
    return (attend_lines){name, count, line};
}

static attend_status judge_classification(at_run *run, at_metrics *metrics, attend_error *err)
{
    static const attend_metric found[] = {{"accuracy", "accuracy", 0, 0},
                                          {"macro_f1", "macro-F1", 0, 0}};
    static const char *const measures[] = {"accuracy", "macro-f1"};
    const at_classification_task *task = at_run_task(run);
    const at_vocab *labels = at_run_model(run)->labels;
    at_arena memory = {.first_size = 0};
    size_t n = task->loss.count;
    attend_lines made = names(&memory, labels, n, task->loss.predicted, "classes");
    attend_lines right = names(&memory, labels, n, task->loss.right, "labels");
    attend_status status = made.line && right.line ? ATTEND_OK : at_error_memory(err);
    for (int i = 0; i < 2 && status >= 0; i++) {
        attend_metric m = found[i];
        status = score(measures[i], &made, &right, &m.value, err);
        at_metrics_add(metrics, m);
    }
    at_arena_free(&memory);
    return status;
}

/* ---- pointing ------------------------------------------------------------------------------ */

static attend_status judge_pointing(at_run *run, at_metrics *metrics)
{
    const at_pointing_task *task = at_run_task(run);
    double share = task->seen ? 100 * (double)task->right / (double)task->seen : 0;
    at_metrics_add(metrics, (attend_metric){"exact", "sequences all right, %", share, .falls = 0});
    return ATTEND_OK;
}

/* ---- every job ----------------------------------------------------------------------------- */

attend_status at_judge_run(void *judge, at_run *run, at_metrics *metrics, attend_error *err)
{
    if (at_run_job(run) == &at_job_translation)
        return judge_translation(judge, run, metrics, err);
    if (at_run_job(run) == &at_job_classification)
        return judge_classification(run, metrics, err);
    if (at_run_job(run) == &at_job_pointing)
        return judge_pointing(run, metrics);
    return ATTEND_OK;
}
