/* MarianMTModel, opened as a folder of the hub: logits, states, attention, loss and gradients of a
 * batch; greedy and beam search with their cross-attention. */
#include <stdio.h>
#include <string.h>

#include "decode/session.h"
#include "models/transformer.h"
#include "oracle.h"
#include "store/model_folder.h"

enum { IGNORED = -100 };

static const at_tolerance tolerance_score = {1e-5, 2e-5};

/* the model, with the weights of the case, and its batch */
typedef struct {
    at_model *m;
    at_params *own; /* of the folder; the model has the case's */
    int B, S, T, n_targets;
    int *lengths; /* [B]: tokens of the sources */
    at_ids source, before, labels;
} marian;

/* ---- the model ------------------------------------------------------------------------------ */

/* Gradients are expected under the hub's names; positions and the bias of the logits have none. */
static void take_weight(at_case *c, const marian *k, const at_parameter *from)
{
    char theirs[ATTEND_CASE_NAME + 16];
    at_parameter *p;
    attend_error err;
    const real *value = at_parameter_reals(k->own, (at_parameter *)from);
    if (!value || at_params_add(c->params, from->name, from->shape, INIT_ZERO, &p, &err) < 0) {
        at_case_fail(c, "%s: %s", from->name, value ? err.message : "out of memory");
        return;
    }
    memcpy(p->value, value, p->len * sizeof *value);
    bool head = strcmp(from->name, "lm_head.weight") == 0;
    if (strstr(from->name, "embed_positions") || strcmp(from->name, "lm_head.bias") == 0)
        return;
    snprintf(theirs, sizeof theirs, "param.%s%s", head ? "" : "model.", from->name);
    at_named_add(c, &c->variables, theirs,
                 at_param(c->tape, at_root(), p->name, p->shape, INIT_ZERO));
}

static void open_model(at_case *c, marian *k)
{
    attend_error err;
    if (at_model_open(c->path, &k->m, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return;
    }
    k->own = k->m->params;
    for (int i = 0; i < at_params_count(k->own); i++)
        take_weight(c, k, at_params_at(k->own, i));
    at_params_seal(c->params);
    k->m->params = c->params;
}

static void close_model(marian *k)
{
    if (k->m)
        k->m->params = k->own;
    at_model_free(k->m);
}

static void read_batch(at_case *c, marian *k)
{
    at_ids mask = at_case_ids(c, "attention_mask");
    k->source = at_case_ids(c, "input_ids");
    k->before = at_case_ids(c, "decoder_input_ids");
    k->labels = at_case_ids(c, "labels");
    if (!k->source.id || !k->before.id || !k->labels.id) {
        at_case_fail(c, "inputs.safetensors has no proper batch");
        return;
    }
    k->B = k->source.shape.dim[0];
    k->S = k->source.shape.dim[1];
    k->T = k->before.shape.dim[1];
    k->lengths = at_arena_alloc(&c->memory, (size_t)k->B * sizeof *k->lengths);
    for (int b = 0; k->lengths && b < k->B; b++) {
        int n = 0;
        while (n < k->S && (!mask.id || mask.id[b * k->S + n]))
            n++;
        for (int i = n; mask.id && i < k->S; i++)
            if (mask.id[b * k->S + i])
                at_case_unknown(c, "row %d: the mask has holes", b);
        k->lengths[b] = n;
    }
    for (int i = 0; i < k->B * k->T; i++)
        k->n_targets += k->labels.id[i] != IGNORED;
}

/* ---- the batch ------------------------------------------------------------------------------ */

/* x [B,T,D] of tokens with positions */
static at_tensor *embedded(at_case *c, const marian *k, const char *side, at_ids ids)
{
    const at_transformer *net = k->m->net;
    bool encoder = strcmp(side, "encoder") == 0;
    at_path s = at_in(at_root(), "%s", side);
    at_tensor *table = at_param_matrix(
        c->tape, net->shared ? at_in(at_root(), "shared") : at_in(s, "embed_tokens"), "weight",
        SHAPE(encoder ? net->source_vocabulary : net->target_vocabulary, net->width), INIT_ZERO);
    at_tensor *x = at_scale(c->tape, at_embedding(c->tape, table, ids), net->scale);
    return net->positions == ATTEND_TRANSFORMER_STORED
               ? at_add_stored_positions(c->tape, at_in(s, "embed_positions"), x, 0,
                                         net->max_positions)
               : at_add_sinusoids(c->tape, (at_sinusoids)net->positions, x, 0);
}

static void compare(at_case *c, const char *what, int layer, const at_tensor *x)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%d", what, layer);
    if (!at_failed(c->tape) && at_case_expects(c, name))
        at_case_compare(c, name, x->shape, x->value, at_tolerance_output);
}

/* The states after each layer: those of a network with as many. */
static void compare_states(at_case *c, const marian *k)
{
    const at_transformer *net = k->m->net;
    at_transformer part = *net;
    at_tensor *x = embedded(c, k, "encoder", k->source), *y = embedded(c, k, "decoder", k->before);
    compare(c, "encoder_hidden", 0, x);
    compare(c, "decoder_hidden", 0, y);
    at_tensor *states = x;
    for (part.layers = 1; part.layers <= net->layers; part.layers++) {
        states = at_transformer_encoder(c->tape, &part, x, k->lengths, NULL);
        compare(c, "encoder_hidden", part.layers, states);
    }
    for (part.decoder_layers = 1; part.decoder_layers <= net->decoder_layers;
         part.decoder_layers++) {
        at_transformer_input in = {
            .x = y,
            .memory = at_transformer_memory(c->tape, &part, states, k->lengths),
            .width = 1};
        compare(c, "decoder_hidden", part.decoder_layers,
                at_transformer_decoder(c->tape, &part, &in).features);
    }
}

static void compare_attention(at_case *c, const at_attention_record *r)
{
    for (int i = 0; i < r->count; i++)
        compare(c,
                r->item[i].kind == ATTEND_ATTENTION_ENCODER   ? "encoder_attention"
                : r->item[i].kind == ATTEND_ATTENTION_DECODER ? "decoder_self_attention"
                                                              : "cross_attention",
                r->item[i].layer, r->item[i].weights);
}

static void compare_batch(at_case *c, const marian *k)
{
    const at_decodes *d = k->m->kind->decodes;
    at_attention_record record = {.kinds = ~0u, .layer = -1, .head = -1};
    at_inputs in = {.ids = k->source, .lengths = k->lengths, .record = &record};
    void *source = d->encode(c->tape, k->m, &in);
    at_decode_input tokens = {.source = source, .tokens = k->before, .width = 1, .record = &record};
    at_decoded out = d->decode(c->tape, k->m, &tokens);
    at_tensor *logits = d->logits(c->tape, k->m, out.features);
    if (at_failed(c->tape))
        return;
    at_case_compare(c, "logits", logits->shape, logits->value, at_tolerance_output);
    compare_attention(c, &record);
    compare_states(c, k);
    at_cross_entropy_options o = {.ignore = IGNORED, .divisor = (real)k->n_targets};
    at_case_loss(c,
                 d->loss(c->tape, k->m, out.features, (at_mixed_with){.gate = NULL}, k->labels, o));
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

static int whole(const json_t *object, const char *key, int otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? (int)json_integer_value(value) : otherwise;
}

/* the rules of the folder, with those of a search */
static at_generation rules_of(at_case *c, const marian *k, const json_t *settings)
{
    at_generation g = *k->m->generation;
    const json_t *bad = json_object_get(settings, "bad_words_ids");
    size_t n = json_array_size(bad);
    g.last = whole(settings, "forced_eos_token_id", -1);
    g.bad = at_arena_alloc(&c->memory, (n + 1) * sizeof *g.bad);
    g.bad_count = 0;
    for (size_t i = 0; g.bad && i < n; i++) {
        int size, *ids = ids_of(c, json_array_get(bad, i), &size);
        if (!ids)
            break;
        ids[size] = -1;
        g.bad[g.bad_count++] = ids;
    }
    return g;
}

/* rows of step t into attention [layers, heads, steps, S] */
static void take_rows(const marian *k, at_attention_rows rows, int t, int steps, int S, real *to)
{
    int heads = ((const at_transformer *)k->m->net)->attention.heads;
    for (int i = 0; i < rows.count; i++) {
        const at_attention_row *r = &rows.row[i];
        size_t at = (((size_t)r->layer * (size_t)heads + (size_t)r->head) * (size_t)steps
                     + (size_t)t)
                    * (size_t)S;
        memcpy(to + at, r->weights, (size_t)(r->keys < S ? r->keys : S) * sizeof *to);
    }
}

static real *attention_memory(at_case *c, const marian *k, int steps, int S, at_shape *shape)
{
    const at_transformer *net = k->m->net;
    *shape = SHAPE(net->decoder_layers, net->attention.heads, steps, S);
    size_t len;
    if (!at_shape_len(*shape, &len))
        return NULL;
    real *to = at_arena_alloc(&c->memory, (len + 1) * sizeof *to);
    return to ? memset(to, 0, len * sizeof *to) : NULL;
}

static void compare_search_attention(at_case *c, const char *name, const marian *k,
                                     const at_beam *b, const at_hypothesis *h, int S)
{
    at_shape shape;
    real *to = attention_memory(c, k, h->words, S, &shape);
    for (int t = 0; to && t < h->words; t++)
        take_rows(k, at_beam_attention(b, h, t), t, h->words, S, to);
    if (to && at_case_expects(c, name))
        at_case_compare(c, name, shape, to, at_tolerance_output);
}

static attend_status start(at_session *s, at_case *c, const json_t *ids, int *S, attend_error *err)
{
    int *source = ids_of(c, ids, S), *length = at_arena_alloc(&c->memory, sizeof *length);
    if (!source || !length)
        return at_error_memory(err);
    *length = *S;
    at_beginning in = {.sentences = 1,
                       .source = {.ids = {SHAPE(1, *S), source}, .lengths = length},
                       .wanted = {.kinds = 1u << ATTEND_ATTENTION_CROSS, .layer = -1, .head = -1}};
    return at_session_start(s, &in, err);
}

/* The likeliest token each time that is not barred, and the logits of every step. */
static void check_greedy(at_case *c, at_session *s, const marian *k, int number, const json_t *g)
{
    int S, n, from = 0, V = ((const at_transformer *)k->m->net)->target_vocabulary;
    int *want = ids_of(c, json_array_get(json_object_get(g, "sequences"), 0), &n);
    at_generation rules = rules_of(c, k, json_object_get(g, "settings"));
    attend_error err;
    char name[64];
    at_shape shape;
    attend_status status = start(s, c, json_object_get(g, "source_ids"), &S, &err);
    real *logits = at_arena_alloc(&c->memory, (size_t)n * (size_t)V * sizeof *logits);
    real *weights = attention_memory(c, k, n - 1, S, &shape);
    int max = whole(json_object_get(g, "settings"), "max_length", 0);
    for (int i = 1; i < n && status >= 0 && logits && weights; i++) {
        at_session_numbers step;
        at_attention_rows rows;
        status = at_session_step(s, 1, &from, &want[i - 1], &step, &err);
        if (status >= 0)
            status = at_session_attention(s, 0, &c->memory, &rows, &err);
        if (status < 0)
            break;
        take_rows(k, rows, i - 1, n - 1, S, weights);
        memcpy(logits + (size_t)(i - 1) * (size_t)V, step.log_p, (size_t)V * sizeof *logits);
        for (int j = 0; j < rules.bad_count; j++)
            step.log_p[rules.bad[j][0]] = (real)-1e30;
        int best = 0;
        for (int v = 1; v < V; v++)
            best = step.log_p[v] > step.log_p[best] ? v : best;
        best = max && i == max - 1 && rules.last >= 0 ? rules.last : best;
        if (best != want[i])
            at_case_fail(c, "generate.%d: token %d is %d, expected %d", number, i, best, want[i]);
    }
    if (status < 0)
        at_case_fail(c, "%s", err.message);
    c->comparisons++;
    snprintf(name, sizeof name, "generate.%d.step_logits", number);
    if (status >= 0 && at_case_expects(c, name))
        at_case_compare(c, name, SHAPE(n - 1, V), logits, at_tolerance_output);
    snprintf(name, sizeof name, "generate.%d.cross_attention", number);
    if (status >= 0 && at_case_expects(c, name))
        at_case_compare(c, name, shape, weights, at_tolerance_output);
}

static at_beam_options beam_options(const marian *k, const json_t *settings)
{
    const json_t *penalty = json_object_get(settings, "length_penalty");
    return (at_beam_options){.width = whole(settings, "num_beams", 1),
                             .most = whole(settings, "max_length", 20) - 1,
                             .end = whole(settings, "eos_token_id", k->m->generation->end),
                             .rule = ATTEND_LENGTH_RULE_AVERAGE,
                             .penalty = json_is_number(penalty) ? json_number_value(penalty) : 1,
                             .early = json_is_true(json_object_get(settings, "early_stopping"))};
}

/* tokens of a hypothesis: its own, the end where it came, then padding */
static void compare_tokens(at_case *c, const marian *k, const at_beam *b, const at_hypothesis *h,
                           const json_t *list)
{
    int n, *want = ids_of(c, list, &n);
    int *got = at_arena_alloc(&c->memory, (size_t)(b->options.most + 1) * sizeof *got);
    int count = got ? at_beam_words(b, h, got) : 0;
    for (int i = 1; want && got && i < n; i++) {
        int token = i - 1 < count                ? got[i - 1]
                    : i - 1 == count && h->ended ? b->options.end
                                                 : k->m->generation->barred;
        if (token != want[i])
            at_case_fail(c, "token %d is %d, expected %d", i, token, want[i]);
    }
    c->comparisons++;
}

/* The hypotheses of one source, from number `first` of all on. */
static void check_source(at_case *c, at_session *s, const marian *k, int number, const json_t *g,
                         int source, int each)
{
    const json_t *settings = json_object_get(g, "settings");
    at_generation rules = rules_of(c, k, settings);
    at_search_options o = {.beam = beam_options(k, settings), .rules = &rules};
    at_beam beam = {.count = 0};
    at_searched all;
    attend_error err;
    int S;
    attend_status status = start(
        s, c, json_array_get(json_object_get(g, "source_ids"), (size_t)source), &S, &err);
    if (status >= 0)
        status = at_session_searched(s, rules.start, o.beam.width, &all, &err);
    if (status >= 0)
        status = at_search(&all, &o, &beam, &err);
    if (status < 0 || beam.count < each)
        at_case_fail(c, "%s", status < 0 ? err.message : "too few hypotheses");
    for (int i = 0; status >= 0 && i < each && i < beam.count; i++) {
        char name[64];
        size_t at = (size_t)(source * each + i);
        double expected = json_number_value(
            json_array_get(json_object_get(g, "sequences_scores"), at));
        snprintf(name, sizeof name, "generate.%d.cross_attention.%zu", number, at);
        compare_tokens(c, k, &beam, &beam.found[i],
                       json_array_get(json_object_get(g, "sequences"), at));
        at_case_compare_numbers(c, "sequences_scores", 1, &beam.found[i].score, &expected,
                                tolerance_score);
        compare_search_attention(c, name, k, &beam, &beam.found[i], S);
    }
    at_beam_free(&beam);
}

static void check_searches(at_case *c, const marian *k)
{
    const at_model *m = k->m;
    at_session *s = NULL;
    attend_error err;
    json_t *all = at_case_json(c, "generate");
    if (at_session_new(1, &m, &s, &err) < 0)
        at_case_fail(c, "%s", err.message);
    for (size_t i = 0; i < json_array_size(all) && c->verdict == ATTEND_CASE_OK; i++) {
        const json_t *g = json_array_get(all, i);
        const char *mode = json_string_value(json_object_get(g, "mode"));
        int each = whole(json_object_get(g, "settings"), "num_return_sequences", 1);
        size_t sources = json_array_size(json_object_get(g, "source_ids"));
        if (mode && strncmp(mode, "greedy", 6) == 0)
            check_greedy(c, s, k, (int)i, g);
        else if (mode && strcmp(mode, "beam") == 0)
            for (size_t j = 0; j < sources; j++)
                check_source(c, s, k, (int)i, g, (int)j, each);
        else
            at_case_unknown(c, "no such mode: %s", mode ? mode : "none");
    }
    at_session_free(s);
}

void at_check_marian(at_case *c)
{
    marian k = {.m = NULL};
    open_model(c, &k);
    if (c->verdict == ATTEND_CASE_OK && c->inputs)
        read_batch(c, &k);
    if (c->verdict == ATTEND_CASE_OK && c->inputs)
        compare_batch(c, &k);
    if (c->verdict == ATTEND_CASE_OK)
        check_searches(c, &k);
    close_model(&k);
}
