/* GPT2LMHeadModel: logits, states, attention, loss and gradients of a batch; greedy and beam
 * search.
 *
 * Padding on the left is moved to the right, where causal attention never sees it, and what was
 * computed is moved back; rows of padding are not compared. */
#include "models/gpt2.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "decode/session.h"
#include "lm_case.h"
#include "store/hub.h"
#include "store/model_folder.h"

static const at_tolerance tolerance_score = {1e-5, 2e-5};

/* ---- the model ------------------------------------------------------------------------------ */

static const char *rest_of(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) == 0 ? name + n : NULL;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), e = strlen(end);
    return n >= e && strcmp(name + n - e, end) == 0;
}

static int whole(const json_t *config, const char *key, int otherwise)
{
    const json_t *value = json_object_get(config, key);
    return json_is_integer(value) ? (int)json_integer_value(value) : otherwise;
}

/* false: the key is there and says no */
static bool flag(const json_t *config, const char *key, bool otherwise)
{
    const json_t *value = json_object_get(config, key);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

/* A stored tensor becomes a parameter, unless it is a buffer or a tied copy; its gradient is
 * expected under Hugging Face's name. */
static void take_weight(at_case *c, const char *stored, bool tied)
{
    const char *rest = rest_of(stored, "transformer."), *name = rest ? rest : stored;
    bool head = strcmp(name, "lm_head.weight") == 0;
    char theirs[ATTEND_CASE_NAME];
    at_parameter *p = NULL;
    attend_error err;
    at_shape shape;
    if (ends_with(name, ".attn.bias") || ends_with(name, ".attn.masked_bias") || (head && tied))
        return;
    const real *value = at_case_reals(c, c->model, stored, &shape);
    if (!value || at_params_add(c->params, name, shape, INIT_ZERO, &p, &err) < 0) {
        at_case_fail(c, "%s: %s", stored, value ? err.message : "cannot be read");
        return;
    }
    memcpy(p->value, value, p->len * sizeof *value);
    snprintf(theirs, sizeof theirs, "param.%s%s", head ? "" : "transformer.", name);
    at_named_add(c, &c->variables, theirs, at_param(c->tape, at_root(), p->name, shape, INIT_ZERO));
}

void at_lm_close(at_lm *lm)
{
    if (lm->model)
        lm->model->params = NULL; /* the case's */
    at_model_free(lm->model);
    json_decref(lm->config);
}

static void load_model(at_case *c, at_lm *lm)
{
    char path[PATH_MAX];
    attend_error err;
    at_model *m = lm->model;
    snprintf(path, sizeof path, "%s/config.json", c->path);
    attend_status status = at_json_load(path, &lm->config, &err);
    at_gpt2_settings *s = m->settings;
    if (status >= 0)
        status = at_hub_settings(&at_hub_gpt2, path, lm->config, s, &c->memory, &err);
    s->dropout = s->embedding_dropout = s->attention_dropout = 0; /* of the runs of train/ */
    if (status < 0 || at_model_describe(m, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return;
    }
    at_params_free(m->params);
    m->params = c->params;
    for (int i = 0; c->model && i < at_safetensors_count(c->model); i++)
        take_weight(c, at_safetensors_at(c->model, i)->name, s->tied);
    at_params_seal(c->params);
}

/* ---- the batch ------------------------------------------------------------------------------ */

/* where the tokens of a row begin, and how many there are */
static void read_row(at_case *c, at_lm *lm, int b, const int *mask, const int *position)
{
    int T = lm->T, first = 0, n;
    while (mask && first < T && !mask[first])
        first++;
    for (n = 0; first + n < T && (!mask || mask[first + n]);)
        n++;
    for (int i = first + n; mask && i < T; i++)
        if (mask[i])
            at_case_unknown(c, "row %d: the mask has holes", b);
    for (int i = 0; position && i < n; i++)
        if (position[first + i] != i)
            at_case_unknown(c, "row %d: positions do not count its tokens", b);
    if (!n)
        at_case_unknown(c, "row %d has no token", b);
    lm->first[b] = first;
    lm->counts[b] = n;
}

/* logits[t] predicts labels[t+1]; those that padding would predict must not count */
static void read_targets(at_case *c, at_lm *lm, int b, const int *label)
{
    for (int i = 0; i < lm->T; i++)
        lm->targets[b * lm->T + i] = ATTEND_LM_IGNORED;
    for (int i = 1; i < lm->T; i++) {
        int at = i - 1 - lm->first[b];
        if (label[i] == ATTEND_LM_IGNORED)
            continue;
        if (at < 0 || at >= lm->counts[b])
            at_case_unknown(c, "row %d: the label %d is predicted from padding", b, i);
        else
            lm->targets[b * lm->T + at] = label[i];
        lm->n_targets++;
    }
}

static void read_batch(at_case *c, at_lm *lm)
{
    at_ids ids = at_case_ids(c, "input_ids"), mask = at_case_ids(c, "attention_mask");
    at_ids position = at_case_ids(c, "position_ids"), labels = at_case_ids(c, "labels");
    if (!ids.id || ids.shape.rank != 2) {
        at_case_fail(c, "inputs.safetensors has no proper input_ids");
        return;
    }
    int B = lm->B = ids.shape.dim[0], T = lm->T = ids.shape.dim[1];
    size_t n = (size_t)B * (size_t)T;
    int *memory = at_arena_alloc(&c->memory, (2 * n + 2 * (size_t)B) * sizeof *memory);
    if (!memory) {
        at_case_fail(c, "out of memory");
        return;
    }
    lm->ids = memory;
    lm->targets = memory + n;
    lm->first = memory + 2 * n;
    lm->counts = lm->first + B;
    lm->labels = labels.id != NULL;
    for (int b = 0; b < B; b++) {
        read_row(c, lm, b, mask.id ? mask.id + b * T : NULL,
                 position.id ? position.id + b * T : NULL);
        for (int i = 0; i < T; i++)
            lm->ids[b * T + i] = i < lm->counts[b] ? ids.id[b * T + lm->first[b] + i] : 0;
        if (labels.id)
            read_targets(c, lm, b, labels.id + b * T);
    }
}

void at_lm_open(at_case *c, at_lm *lm)
{
    *lm = (at_lm){.model = at_model_new(&at_model_gpt2, 1)};
    if (lm->model)
        load_model(c, lm);
    else
        at_case_fail(c, "out of memory");
    if (c->verdict == ATTEND_CASE_OK && c->inputs)
        read_batch(c, lm);
}

at_tensor *at_lm_loss(at_tape *t, const at_lm *lm, at_tensor *states)
{
    const at_gpt2 *net = lm->model->net;
    at_gpt2_input in = {.tokens = {SHAPE(lm->B, lm->T), lm->ids}, .counts = lm->counts};
    if (!states)
        states = at_gpt2_states(t, at_root(), net, &in);
    at_cross_entropy_options o = {.ignore = ATTEND_LM_IGNORED, .divisor = (real)lm->n_targets};
    return at_gpt2_loss(t, at_root(), net, states, (at_ids){SHAPE(lm->B, lm->T), lm->targets}, o);
}

/* ---- comparing ------------------------------------------------------------------------------ */

/* Compares [B, H, T, n], H of 1 left out where the tensor has rank 3: rows of tokens where they
 * are, with their columns moved where `columns` are positions too. */
static void compare_rows(at_case *c, const at_lm *lm, const char *name, const at_tensor *x,
                         bool columns)
{
    at_shape shape;
    const real *expected = at_case_reals(c, c->expected, name, &shape);
    if (!expected || !x || !at_shape_equal(shape, x->shape)) {
        if (expected)
            at_case_fail(c, "%s: expected %s, computed another shape", name,
                         at_shape_print(shape).text);
        return;
    }
    size_t n = (size_t)at_shape_last(shape);
    int H = shape.rank == 4 ? shape.dim[1] : 1, T = lm->T;
    real *got = at_arena_alloc(&c->memory, x->len * sizeof *got);
    if (!got) {
        at_case_fail(c, "out of memory");
        return;
    }
    memcpy(got, expected, x->len * sizeof *got);
    for (int row = 0; row < lm->B * H * T; row++) {
        int b = row / (H * T), i = row % T - lm->first[b];
        if (i < 0 || i >= lm->counts[b])
            continue;
        const real *from = x->value + (size_t)(row - lm->first[b]) * n;
        size_t first = columns ? (size_t)lm->first[b] : 0;
        memset(got + (size_t)row * n, 0, first * sizeof *got);
        memcpy(got + (size_t)row * n + first, from, (n - first) * sizeof *got);
    }
    at_case_compare(c, name, shape, got, at_tolerance_output);
}

static void compare_batch(at_case *c, const at_lm *lm)
{
    const at_gpt2 *net = lm->model->net;
    at_attention_record record = {.kinds = 1u << ATTEND_ATTENTION_DECODER, .layer = -1, .head = -1};
    at_tensor **hidden = at_scratch(c->tape, (size_t)(net->layers + 1) * sizeof *hidden);
    at_gpt2_input in = {.tokens = {SHAPE(lm->B, lm->T), lm->ids},
                        .counts = lm->counts,
                        .record = &record,
                        .hidden = hidden};
    at_tensor *states = at_gpt2_states(c->tape, at_root(), net, &in);
    at_tensor *logits = at_gpt2_logits(c->tape, at_root(), net, states);
    char name[64];
    if (at_failed(c->tape))
        return;
    compare_rows(c, lm, "logits", logits, false);
    compare_rows(c, lm, "probs", at_softmax(c->tape, logits, NULL), false);
    for (int i = 0; i <= net->layers; i++) {
        snprintf(name, sizeof name, "hidden.%d", i);
        compare_rows(c, lm, name, hidden[i], false);
    }
    for (int i = 0; i < record.count; i++) {
        snprintf(name, sizeof name, "attention.%d", record.item[i].layer);
        compare_rows(c, lm, name, record.item[i].weights, true);
    }
    if (lm->labels)
        at_case_loss(c, at_lm_loss(c->tape, lm, states));
}

/* The folder as users open it: its logits. */
static void check_folder(at_case *c, const at_lm *lm)
{
    at_gpt2_input in = {.tokens = {SHAPE(lm->B, lm->T), lm->ids}, .counts = lm->counts};
    attend_error err;
    at_model *m;
    if (at_model_open(c->path, &m, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return;
    }
    at_tape *t = at_tape_new(m->params, ATTEND_INFER);
    at_tensor *x = at_gpt2_logits(t, at_root(), m->net, at_gpt2_states(t, at_root(), m->net, &in));
    if (at_failed(t))
        at_case_fail(c, "%s", at_tape_error(t)->message);
    else
        compare_rows(c, lm, "logits", x, false);
    at_tape_free(t);
    at_model_free(m);
}

/* ---- searching ------------------------------------------------------------------------------ */

static int *ids_of(at_case *c, const json_t *list, int *n)
{
    *n = (int)json_array_size(list);
    int *ids = at_arena_alloc(&c->memory, (size_t)(*n + 1) * sizeof *ids);
    for (int i = 0; ids && i < *n; i++)
        ids[i] = (int)json_integer_value(json_array_get(list, (size_t)i));
    return ids;
}

static int largest(const real *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

/* The likeliest token each time, and the logits of every step. */
static void check_greedy(at_case *c, at_session *s, int number, const json_t *g)
{
    int P, n, V = ((const at_gpt2 *)at_session_model(s, 0)->net)->vocabulary;
    int *prompt = ids_of(c, json_object_get(g, "prompt_ids"), &P), from = 0;
    int *want = ids_of(c, json_array_get(json_object_get(g, "sequences"), 0), &n);
    real *logits = at_arena_alloc(&c->memory, (size_t)n * (size_t)V * sizeof *logits);
    at_beginning in = {.sentences = 1, .prompt = {SHAPE(1, P - 1), prompt}};
    attend_error err;
    char name[64];
    if (!prompt || !want || !logits || P < 1 || n < P) {
        at_case_fail(c, "generate.%d has no proper prompt and sequence", number);
        return;
    }
    attend_status status = at_session_start(s, &in, &err);
    for (int i = P, token = prompt[P - 1]; i < n && status >= 0; i++) {
        at_session_numbers step;
        status = at_session_step(s, 1, &from, &token, &step, &err);
        if (status < 0)
            break;
        memcpy(logits + (size_t)(i - P) * (size_t)V, step.log_p, (size_t)V * sizeof *logits);
        token = largest(step.log_p, V);
        if (token != want[i])
            at_case_fail(c, "generate.%d: token %d is %d, expected %d", number, i, token, want[i]);
    }
    if (status < 0)
        at_case_fail(c, "%s", err.message);
    snprintf(name, sizeof name, "generate.%d.step_logits", number);
    if (status >= 0 && at_case_expects(c, name))
        at_case_compare(c, name, SHAPE(n - P, V), logits, at_tolerance_output);
    c->comparisons++;
}

/* settings of a beam search; one that is not known here is a verdict */
static at_beam_options beam_options(at_case *c, const at_lm *lm, const json_t *settings, int prompt)
{
    const json_t *penalty = json_object_get(settings, "length_penalty");
    at_beam_options o = {.width = whole(settings, "num_beams", 1),
                         .most = whole(settings, "max_new_tokens", 20),
                         .end = whole(lm->config, "eos_token_id", -1),
                         .rule = ATTEND_LENGTH_RULE_AVERAGE,
                         .penalty = json_is_number(penalty) ? json_number_value(penalty) : 1,
                         .early = flag(settings, "early_stopping", false),
                         .given = prompt};
    static const char known[] = " num_beams max_new_tokens length_penalty early_stopping "
                                "num_return_sequences ";
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)settings, key, value)
    {
        char word[ATTEND_CASE_NAME];
        snprintf(word, sizeof word, " %s ", key);
        if (!strstr(known, word))
            at_case_unknown(c, "beam search with %s", key);
    }
    return o;
}

/* the tokens of a hypothesis after the prompt: its own, then the end again as padding */
static void compare_beam(at_case *c, const at_beam *b, int i, const int *want, int n)
{
    int *got = at_arena_alloc(&c->memory, (size_t)(b->options.most + 1) * sizeof *got);
    int count = got && i < b->count ? at_beam_words(b, &b->found[i], got) : -1;
    if (count < 0)
        at_case_fail(c, "%d hypotheses found, more expected", b->count);
    for (int k = 0; k < n && count >= 0; k++) {
        int token = k < count ? got[k] : b->options.end;
        if (token != want[k])
            at_case_fail(c, "hypothesis %d: token %d is %d, expected %d", i, k, token, want[k]);
    }
    if (count > n)
        at_case_fail(c, "hypothesis %d has %d tokens, expected %d", i, count, n);
    c->comparisons++;
}

static void check_beam(at_case *c, at_session *s, const at_lm *lm, const json_t *g)
{
    int P, *prompt = ids_of(c, json_object_get(g, "prompt_ids"), &P);
    const json_t *sequences = json_object_get(g, "sequences");
    const json_t *scores = json_object_get(g, "sequences_scores");
    at_search_options o = {.beam = beam_options(c, lm, json_object_get(g, "settings"), P)};
    at_beginning in = {.sentences = 1, .prompt = {SHAPE(1, P - 1), prompt}};
    at_beam beam = {.count = 0};
    at_searched all;
    attend_error err;
    attend_status status = at_session_start(s, &in, &err);
    if (status >= 0)
        status = at_session_searched(s, prompt[P - 1], o.beam.width, &all, &err);
    if (status >= 0)
        status = at_search(&all, &o, &beam, &err);
    if (status < 0)
        at_case_fail(c, "%s", err.message);
    for (size_t i = 0; status >= 0 && i < json_array_size(sequences); i++) {
        int n, *want = ids_of(c, json_array_get(sequences, i), &n);
        if (want && n >= P)
            compare_beam(c, &beam, (int)i, want + P, n - P);
        double expected = json_number_value(json_array_get(scores, i));
        if ((int)i < beam.count && i < json_array_size(scores))
            at_case_compare_numbers(c, "sequences_scores", 1, &beam.found[i].score, &expected,
                                    tolerance_score);
    }
    at_beam_free(&beam);
}

static void check_searches(at_case *c, const at_lm *lm)
{
    const at_model *m = lm->model;
    at_session *s = NULL;
    attend_error err;
    json_t *all = at_case_json(c, "generate");
    if (json_array_size(all) == 0)
        return;
    if (at_session_new(1, &m, &s, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return;
    }
    for (size_t i = 0; i < json_array_size(all) && c->verdict == ATTEND_CASE_OK; i++) {
        const json_t *g = json_array_get(all, i);
        const char *mode = json_string_value(json_object_get(g, "mode"));
        if (mode && strcmp(mode, "greedy, eos ignored") == 0)
            check_greedy(c, s, (int)i, g);
        else if (mode && strcmp(mode, "beam") == 0)
            check_beam(c, s, lm, g);
        else
            at_case_unknown(c, "no such mode: %s", mode ? mode : "none");
    }
    at_session_free(s);
}

void at_check_gpt2(at_case *c)
{
    at_lm lm;
    at_lm_open(c, &lm);
    if (c->verdict == ATTEND_CASE_OK)
        compare_batch(c, &lm);
    if (c->verdict == ATTEND_CASE_OK)
        check_folder(c, &lm);
    if (c->verdict == ATTEND_CASE_OK)
        check_searches(c, &lm);
    at_lm_close(&lm);
}

/* ---- real/gpt2_nano_sort -------------------------------------------------------------------- */

/* All 729 inputs of six letters at once: the six tokens that follow are the sorted letters. */
void at_check_sorting(at_case *c, const at_lm *lm)
{
    enum { N = 6, LETTERS = 3, ALL = 729 };
    static int ids[ALL * (N - 1)], token[ALL], from[ALL], letters[ALL][LETTERS];
    const at_model *m = lm->model;
    at_session *s = NULL;
    attend_error err;
    memset(letters, 0, sizeof letters);
    for (int i = 0; i < ALL; i++)
        for (int k = 0, rest = i; k < N; k++, rest /= LETTERS) {
            *(k < N - 1 ? &ids[i * (N - 1) + k] : &token[i]) = rest % LETTERS;
            letters[i][rest % LETTERS]++;
        }
    at_beginning in = {.sentences = ALL, .prompt = {SHAPE(ALL, N - 1), ids}};
    attend_status status = at_session_new(1, &m, &s, &err);
    if (status >= 0)
        status = at_session_start(s, &in, &err);
    for (int k = 0; k < N && status >= 0; k++) {
        at_session_numbers step;
        for (int i = 0; i < ALL; i++)
            from[i] = i;
        status = at_session_step(s, 1, from, token, &step, &err);
        for (int i = 0; i < ALL && status >= 0; i++) {
            int want = 0;
            for (int seen = letters[i][0]; seen <= k; seen += letters[i][want])
                want++;
            token[i] = largest(step.log_p + (size_t)i * LETTERS, LETTERS);
            if (token[i] != want)
                at_case_fail(c, "input %d: letter %d is %d, expected %d", i, k, token[i], want);
        }
        c->comparisons += ALL;
    }
    if (status < 0)
        at_case_fail(c, "%s", err.message);
    at_session_free(s);
}

void at_check_nano_sort(at_case *c)
{
    at_lm lm;
    at_lm_open(c, &lm);
    if (c->verdict == ATTEND_CASE_OK)
        compare_batch(c, &lm);
    if (c->verdict == ATTEND_CASE_OK)
        check_folder(c, &lm);
    if (c->verdict == ATTEND_CASE_OK)
        at_check_sorting(c, &lm);
    at_lm_close(&lm);
}
