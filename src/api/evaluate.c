#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/head_links.h"
#include "api/model.h"
#include "api/options.h"
#include "attend.h"
#include "base/log.h"
#include "base/memory.h"
#include "text/counting.h"
#include "train/score.h"

void attend_evaluate_defaults(attend_evaluate_options *o)
{
    *o = (attend_evaluate_options){.size = sizeof *o};
}

enum { RANGES = 8 };

typedef struct {
    const attend_model *model;
    attend_evaluate_options o;
    attend_translate_options how;
    attend_measure_options measures;
    size_t count;
    const char *const *source, *const *reference;
    attend_evaluation *out;
    attend_length_range *range;
    at_arena memory;
    const char **translation, **links; /* [count] */
    at_head_links heads;               /* where options have by_head */
    bool looks;                        /* the model has attention */
    bool warned;                       /* of links to words that are not there */
} work;

/* ---- translating ---------------------------------------------------------------------------- */

static attend_status take(void *user, const attend_translation *t, attend_error *err)
{
    work *w = user;
    if (t->rank == 0) {
        w->out->written += t->targets;
        if (!(w->translation[t->line] = at_arena_strdup(&w->memory, t->text)))
            return at_error_memory(err);
    }
    return w->o.function ? w->o.function(w->o.user, t, err) : ATTEND_OK;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static attend_status translate(work *w, attend_error *err)
{
    double since = now();
    attend_status status = attend_translate(w->model, &w->how, w->count, w->source, take, w, err);
    w->out->seconds = now() - since;
    return status;
}

/* ---- what the model thinks of the references ----------------------------------------------- */

static long words_of(const unsigned *word, int pieces)
{
    long n = 0;
    for (int i = 0; i < pieces; i++)
        if (word[i] != ATTEND_NO_WORD && (long)word[i] >= n)
            n = (long)word[i] + 1;
    return n;
}

/* Warns of the first link to a word that is not there: links of other sentences, or other words. */
static void check_gold(work *w, const attend_translation *t)
{
    long sources = words_of(t->source_word, t->sources);
    long targets = words_of(t->target_word, t->targets);
    long base = w->measures.gold_base, from, to;
    const char *at = w->o.gold[t->line];
    char end[3];
    for (int size; !w->warned && sscanf(at, " %9ld%1[-p]%9ld%n", &from, end, &to, &size) == 3;
         at += size) {
        if (t->cut || t->skipped || (from - base < sources && to - base < targets))
            continue;
        at_log(ATTEND_LOG_WARNING,
               "%s:%zu: link %ld%s%ld, but the sentences have %ld and %ld words; are they the same "
               "sentences, cut alike?",
               w->o.gold_name ? w->o.gold_name : "links", t->line + 1, from, end, to, sources,
               targets);
        w->warned = true;
    }
}

static attend_status take_forced(void *user, const attend_translation *t, attend_error *err)
{
    work *w = user;
    char *links;
    w->out->log_p += t->log_p;
    w->out->tokens += t->targets;
    if (!w->o.gold)
        return ATTEND_OK;
    w->looks = w->looks || t->weights;
    w->links[t->line] = "";
    if (!t->weights)
        return ATTEND_OK;
    check_gold(w, t);
    attend_status status = attend_translation_links(t, 0, w->o.threshold, &links, err);
    if (status >= 0 && t->attention
        && (status = at_head_links_take(&w->heads, t, w->o.threshold, err)) < 0)
        attend_free(links);
    if (status < 0)
        return status;
    w->links[t->line] = at_arena_strdup(&w->memory, links);
    attend_free(links);
    return w->links[t->line] ? ATTEND_OK : at_error_memory(err);
}

static attend_status force(work *w, attend_error *err)
{
    attend_translate_options o = w->how;
    o.beam = o.best = o.forced = o.scores = 1;
    o.sample = 0;
    o.prefix = w->reference;
    o.attention = o.target_words = w->o.gold != NULL;
    o.record = w->heads.layers ? 1u << ATTEND_ATTENTION_CROSS : 0;
    o.record_layer = o.record_head = -1;
    attend_status status = attend_translate(w->model, &o, w->count, w->source, take_forced, w, err);
    w->out->perplexity = exp(-w->out->log_p / (double)(w->out->tokens ? w->out->tokens : 1));
    return status;
}

/* ---- measures ------------------------------------------------------------------------------ */

static attend_status measure(const work *w, const char *name, const char *const *lines,
                             const char *const *references, attend_scores **out, attend_error *err)
{
    bool gold = references == w->o.gold;
    attend_lines hypothesis = {"translations", w->count, lines};
    attend_lines reference = {gold && w->o.gold_name ? w->o.gold_name : "references", w->count,
                              references};
    attend_measure_options o = w->measures;
    if (!o.tokenize)
        o.tokenize = at_tokenization_of(&reference);
    return attend_measure(name, &o, 1, &hypothesis, 1, &reference, out, err);
}

static attend_status one_score(const work *w, const char *name, const char *const *lines,
                               const char *const *references, double *score, attend_error *err)
{
    attend_scores *scores;
    attend_status status = measure(w, name, lines, references, &scores, err);
    if (status < 0)
        return status;
    *score = attend_scores_corpus(scores, 0);
    attend_scores_free(scores);
    return ATTEND_OK;
}

static int count_words(const char *text)
{
    size_t size = strlen(text);
    return (int)at_words_count(text, size, at_words_stand_alone(text, size));
}

static attend_status by_length(const work *w, const attend_scores *scores, attend_error *err)
{
    static const int limit[RANGES] = {5, 10, 15, 20, 30, 40, 50, 0};
    size_t *line = at_alloc((w->count + 1) * sizeof *line);
    attend_status status = line ? ATTEND_OK : at_error_memory(err);
    for (int i = 0; i < RANGES && status >= 0; i++) {
        attend_length_range r = {.from = i ? limit[i - 1] + 1 : 0, .to = limit[i]};
        for (size_t k = 0; k < w->count; k++) {
            int n = count_words(w->how.features ? w->reference[k] : w->source[k]);
            if (n >= r.from && (r.to == 0 || n <= r.to))
                line[r.lines++] = k;
        }
        if (!r.lines)
            continue;
        status = attend_scores_subset(scores, 0, r.lines, line, &r.bleu, err);
        w->range[w->out->ranges++] = r;
    }
    at_free(line);
    return status;
}

static attend_status measure_heads(work *w, attend_error *err)
{
    size_t n = at_head_links_count(&w->heads);
    attend_head_aer *all = at_arena_alloc(&w->memory, n * sizeof *all);
    attend_lines gold = {w->o.gold_name ? w->o.gold_name : "references", w->count, w->o.gold};
    attend_measure_options o = w->measures;
    if (!all)
        return at_error_memory(err);
    o.tokenize = "none"; /* links are not words */
    w->out->head_count = n;
    w->out->head_aer = all;
    return at_head_links_measure(&w->heads, &o, &gold, all, err);
}

static attend_status measure_all(work *w, attend_error *err)
{
    attend_scores *bleu;
    attend_status status = measure(w, "bleu", w->translation, w->reference, &bleu, err);
    if (status < 0)
        return status;
    w->out->bleu = attend_scores_corpus(bleu, 0);
    if (!(w->out->signature = at_arena_strdup(&w->memory, attend_scores_signature(bleu))))
        status = at_error_memory(err);
    if (status >= 0)
        status = by_length(w, bleu, err);
    attend_scores_free(bleu);
    if (status >= 0)
        status = one_score(w, "chrf", w->translation, w->reference, &w->out->chrf, err);
    if (status >= 0 && w->looks)
        status = one_score(w, "aer", w->links, w->o.gold, &w->out->aer, err);
    return status >= 0 && w->heads.layers ? measure_heads(w, err) : status;
}

/* The caller's options, and those inside them. */
static attend_status take_options(work *w, const attend_evaluate_options *given, attend_error *err)
{
    attend_evaluate_defaults(&w->o);
    attend_status status = at_options_accept(&w->o, sizeof w->o, given, "attend_evaluate_defaults",
                                             err);
    if (status < 0)
        return status;
    attend_translate_defaults(&w->how);
    attend_measure_defaults(&w->measures);
    w->measures.tokenize = NULL;
    status = at_options_accept(&w->how, sizeof w->how, w->o.translate, "attend_translate_defaults",
                               err);
    if (status < 0)
        return status;
    status = at_options_accept(&w->measures, sizeof w->measures, w->o.measure,
                               "attend_measure_defaults", err);
    if (status < 0)
        return status;
    if (w->o.by_head && (!w->o.gold || w->how.ensemble_count))
        return at_error(err, ATTEND_OPTION,
                        "by_head needs gold links, and one model: layers and heads are its own");
    if (w->how.prefix || w->how.forced)
        return at_error(err, ATTEND_OPTION, "an evaluation translates freely, without a prefix");
    return ATTEND_OK;
}

/* The result and what it points to, in one block. */
static attend_status give(const attend_evaluation *found, const attend_length_range *range,
                          attend_evaluation **out, attend_error *err)
{
    size_t ranges = found->ranges * sizeof *range, text = strlen(found->signature) + 1;
    size_t heads = found->head_count * sizeof *found->head_aer;
    char *block = at_alloc(sizeof *found + ranges + heads + text), *end = block + sizeof *found;
    if (!block)
        return at_error_memory(err);
    *out = (attend_evaluation *)block;
    **out = *found;
    (*out)->range = memcpy(end, range, ranges);
    if (heads)
        (*out)->head_aer = memcpy(end + ranges, found->head_aer, heads);
    (*out)->signature = memcpy(end + ranges + heads, found->signature, text);
    return ATTEND_OK;
}

attend_status attend_evaluate(const attend_model *model, const attend_evaluate_options *options,
                              size_t count, const char *const *source, const char *const *reference,
                              attend_evaluation **out, attend_error *err)
{
    attend_length_range range[RANGES];
    attend_evaluation found = {.lines = count, .aer = NAN, .signature = ""};
    work w = {.model = model,
              .count = count,
              .source = source,
              .reference = reference,
              .range = range,
              .out = &found};
    *out = NULL;
    attend_status status = take_options(&w, options, err);
    if (status < 0)
        return status;
    if (count == 0)
        return at_error(err, ATTEND_FORMAT, "there are no sentences to evaluate with");
    found.parameters = at_params_len(model->inside->params);
    for (size_t i = 0; i < w.how.ensemble_count; i++)
        found.parameters += at_params_len(w.how.ensemble[i]->inside->params);
    w.translation = at_arena_alloc(&w.memory, count * sizeof *w.translation);
    w.links = at_arena_alloc(&w.memory, count * sizeof *w.links);
    bool made = w.translation && w.links;
    if (made && w.o.by_head)
        made = at_head_links_new(&w.heads, model->inside, count, &w.memory);
    status = made ? translate(&w, err) : at_error_memory(err);
    if (status >= 0 && (status = force(&w, err)) >= 0 && (status = measure_all(&w, err)) >= 0)
        status = give(&found, range, out, err);
    at_arena_free(&w.memory);
    return status;
}
