/* Masked language modelling, with or without next sentences: masked_loss.h has the loss.
 *
 * Without next sentences every line is an example, [CLS] A [SEP]; with them sentences of documents
 * become pairs (data/next_sentence.h). Masks depend on seed, step and position alone, so a run that
 * resumes masks what it would have masked. A validation masks the same tokens every time. */
#include <math.h>
#include <string.h>

#include "data/next_sentence.h"
#include "train/masked_loss.h"
#include "train/run_parts.h"

typedef struct {
    double share;
    bool whole_words, next_sentence;
} settings;

static const at_option options[] = {
    {.name = "mask-fraction",
     OPTION_NUMBER(settings, share, "0.15", 0.001, 0.9, "P"),
     .group = "Masked tokens",
     .help = "Fraction of the tokens to predict: of these 80% are replaced by the mask, 10% by a "
             "random token, and 10% are kept"},
    {.name = "whole-words",
     OPTION_FLAG(settings, whole_words),
     .help = "Mask all tokens of a word or none"},
    {.name = "next-sentence",
     OPTION_FLAG(settings, next_sentence),
     .help = "Learn as well whether the second text of a pair follows the first; empty lines "
             "separate the documents that pairs are made of"},
    {0}};

typedef struct {
    at_masked_loss loss;
    at_next_sentences *pairs[2]; /* to train on, to validate with; NULL: lines */
} state;

static state *state_of(const at_run *r) { return r->task_state; }
static const settings *settings_of(const at_run *r) { return r->task_settings; }

/* ---- settings ------------------------------------------------------------------------------ */

/* A model that learns next sentences has a head for them. */
static attend_status choose(const at_run_settings *run, void *own, const at_model_kind *kind,
                            void *model, attend_error *err)
{
    const settings *s = own;
    at_option_set set = {kind->options, model};
    void *fields;
    const at_option *head = at_option_find(&set, 1, "head", &fields);
    (void)run;
    if (!s->next_sentence || !head || at_choice_find(head->choices, "pretraining") < 0)
        return ATTEND_OK;
    return at_option_assign(head, "pretraining", fields, "--head", err);
}

/* ---- before the first step ------------------------------------------------------------------- */

static attend_status tokenizer(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    attend_status status = ATTEND_OK;
    if (!m->source) {
        status = at_run_learn(r, true, false, at_run_preset(r), &m->source, err);
        m->target = m->source;
    }
    if (status >= 0 && m->source->special[ATTEND_SPECIAL_MASK] < 0)
        status = at_error(err, ATTEND_OPTION,
                          "--tokenizer %s: the tokenizer has no mask; choose --tokenizer wordpiece",
                          m->source->kind->name);
    return status;
}

static attend_status make_pairs(at_run *r, int which, attend_error *err)
{
    state *t = state_of(r);
    at_pairing pairing;
    attend_error why;
    int limit = at_model_max_input(r->model, r->settings.max_length);
    at_pairing_defaults(&pairing, r->model->source, limit);
    pairing.seed = r->settings.seed;
    attend_status status = at_next_sentences_new(r->ids[which], &pairing, &t->pairs[which], &why);
    if (status == ATTEND_FORMAT)
        return at_error(err, status, "--next-sentence: %s: %s%s, or leave --next-sentence out",
                        which ? "the text to validate with" : "the text to train on", why.message,
                        which ? ", give more with --valid FILE" : "");
    if (status < 0)
        return at_error(err, status, "--next-sentence: %s", why.message);
    r->supply[which] = at_next_sentences_supply(t->pairs[which]);
    return ATTEND_OK;
}

static attend_status make_examples(at_run *r, attend_error *err)
{
    bool pairs = settings_of(r)->next_sentence;
    at_encode_options o = {.source = r->model->source,
                           .source_frame = pairs ? ATTEND_FRAME_NONE : ATTEND_FRAME_INPUT,
                           .max_source = at_model_max_input(r->model, 0)};
    attend_status status = ATTEND_OK;
    for (int which = 0; which < 2 && status >= 0; which++) {
        status = at_run_encode(r, which, &o, err);
        if (status >= 0 && pairs)
            status = make_pairs(r, which, err);
    }
    return status;
}

static attend_status prepare(at_run *r, attend_error *err)
{
    const settings *s = settings_of(r);
    state *t = state_of(r);
    at_model *m = r->model;
    attend_status status = tokenizer(r, err);
    if (status >= 0)
        status = at_model_describe(m, err);
    if (status >= 0)
        status = make_examples(r, err);
    if (status >= 0)
        status = at_run_vectors(r, err);
    if (status < 0)
        return status;
    t->loss.model = m;
    t->loss.pairs = s->next_sentence;
    at_masking_defaults(&t->loss.masking, m->source);
    t->loss.masking.share = s->share;
    t->loss.masking.whole_words = s->whole_words;
    t->loss.masking.seed = r->settings.seed;
    m->adapts = m->adapts || (r->settings.init_from && !r->settings.resume && s->next_sentence);
    at_run_say(r, "%zu tokens to train on, %zu to validate with; a vocabulary of %d",
               at_encoded_count(r->ids[0]).tokens[0], at_encoded_count(r->ids[1]).tokens[0],
               (int)at_tokenizer_size(m->source));
    return ATTEND_OK;
}

/* ---- batches and validation ---------------------------------------------------------------- */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    at_masked_loss *l = &state_of(r)->loss;
    if (batch->index == 0)
        at_masked_loss_clear(l);
    attend_status status = at_masked_loss_take(l, batch, shards, &r->memory, err);
    r->shards = l->shards;
    r->n_targets = l->count ? l->count : 1;
    return status;
}

static at_tensor *loss(void *run, at_tape *tape, int shard)
{
    return at_masked_loss_of(&state_of(run)->loss, tape, shard);
}

static double percent(size_t right, size_t of) { return of ? 100 * (double)right / (double)of : 0; }

static attend_status validate(at_run *r, at_metrics *metrics, attend_error *err)
{
    const at_masked_loss *l = &state_of(r)->loss;
    double mean = l->tokens ? l->nll / (double)l->tokens : 0;
    (void)err;
    at_metrics_add(metrics, (attend_metric){"perplexity", "masked perplexity", exp(mean), 1});
    at_metrics_add(metrics,
                   (attend_metric){"accuracy", "masked accuracy", percent(l->right, l->tokens), 0});
    if (l->pairs)
        at_metrics_add(metrics, (attend_metric){"next_accuracy", "next-sentence accuracy",
                                                percent(l->pairs_right, l->pair_count), 0});
    return ATTEND_OK;
}

static void show(const at_run *r, int row, at_str *out)
{
    at_masked_loss_show(&state_of(r)->loss, row, out);
}

static void free_state(at_run *r)
{
    at_next_sentences_free(state_of(r)->pairs[0]);
    at_next_sentences_free(state_of(r)->pairs[1]);
}

const at_task at_task_masked = {
    .name = "masked",
    .can = ATTEND_CAN_FILL | ATTEND_CAN_PRETRAIN,
    .pretrains = true,
    .metrics = "perplexity loss accuracy next_accuracy",
    .use = {"fill", " < FILE"},
    .unit = "masked tokens",
    .shared = {at_text_options, at_length_options, at_pretrain_options},
    .options = options,
    .settings_size = sizeof(settings),
    .state_size = sizeof(state),
    .choose = choose,
    .prepare = prepare,
    .take = take,
    .loss = loss,
    .validate = validate,
    .show = show,
    .free = free_state,
};
