/* transformer_aren: names from Arabic to Latin letters, a test model of CTranslate2, pre-norm, with
 * OpenNMT's positions. States, logits and attention of a batch; and of the published results the
 * scores of names, greedy and forced translations, and the five best of a beam. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "decode/session.h"
#include "models/transformer.h"
#include "real_case.h"

enum { START = 1, END = 2, MAX_LENGTH = 40 };

typedef struct {
    at_case *c;
    at_model *m;
    at_vocab *source, *target;
} aren;

/* ---- the model ------------------------------------------------------------------------------ */

static at_vocab *read_vocabulary(at_case *c, const char *name)
{
    attend_error err;
    size_t size;
    char *path = at_file_join(c->path, name), *text = NULL;
    at_vocab *v = at_vocab_new();
    if (!path || !v || at_file_read(path, 1 << 20, &text, &size, &err) < 0)
        at_case_fail(c, "%s cannot be read", name);
    for (char *line = text; line && *line;) {
        size_t n = strcspn(line, "\n");
        at_vocab_append(v, line, n);
        line += n + (line[n] == '\n');
    }
    at_free(text);
    at_free(path);
    return v;
}

/* rows first .. first+n-1 of a tensor of the file as a parameter */
static void take(const aren *a, const char *ours, const char *theirs, int first, int n)
{
    at_shape shape;
    at_parameter *p;
    attend_error err;
    const real *from = at_case_reals(a->c, a->c->model, theirs, &shape);
    if (!from) {
        at_case_fail(a->c, "%s is missing", theirs);
        return;
    }
    shape.dim[0] = n ? n : shape.dim[0];
    if (at_params_add(a->m->params, ours, shape, INIT_ZERO, &p, &err) < 0)
        at_case_fail(a->c, "%s: %s", ours, err.message);
    else
        memcpy(p->value, from + (size_t)first * (p->len / (size_t)shape.dim[0]),
               p->len * sizeof *p->value);
}

static void take_pair(const aren *a, const char *ours, const char *theirs, int first, int n)
{
    static const char *const part[] = {"weight", "bias"};
    char here[ATTEND_CASE_NAME + 8], there[ATTEND_CASE_NAME + 8];
    for (int i = 0; i < 2; i++) {
        snprintf(here, sizeof here, "%s.%s", ours, part[i]);
        snprintf(there, sizeof there, "%s%s%s", theirs, n ? "_" : ".", part[i]);
        take(a, here, there, first, n);
    }
}

/* in_proj_weight is [Wq;Wk;Wv] */
static void take_attention(const aren *a, const char *ours, const char *theirs)
{
    static const char *const which[] = {"q", "k", "v"};
    const int D = ((const at_transformer *)a->m->net)->width;
    char here[ATTEND_CASE_NAME], there[ATTEND_CASE_NAME];
    for (int i = 0; i < 3; i++) {
        snprintf(here, sizeof here, "%s.%s_proj", ours, which[i]);
        snprintf(there, sizeof there, "%s.in_proj", theirs);
        take_pair(a, here, there, i * D, D);
    }
    snprintf(here, sizeof here, "%s.out_proj", ours);
    snprintf(there, sizeof there, "%s.out_proj", theirs);
    take_pair(a, here, there, 0, 0);
}

static void take_layer(const aren *a, const char *stack, int i, bool decoder)
{
    static const char *const pairs[][2] = {{"fc1", "linear1"},
                                           {"fc2", "linear2"},
                                           {"self_attn_layer_norm", "norm1"},
                                           {"encoder_attn_layer_norm", "norm2"}};
    char here[ATTEND_CASE_NAME], there[ATTEND_CASE_NAME];
    for (int k = 0; k < 3 + decoder; k++) {
        snprintf(here, sizeof here, "%s.layers.%d.%s", stack, i, pairs[k][0]);
        snprintf(there, sizeof there, "%s.layers.%d.%s", stack, i, pairs[k][1]);
        take_pair(a, here, there, 0, 0);
    }
    snprintf(here, sizeof here, "%s.layers.%d.final_layer_norm", stack, i);
    snprintf(there, sizeof there, "%s.layers.%d.norm%d", stack, i, 2 + decoder);
    take_pair(a, here, there, 0, 0);
    snprintf(here, sizeof here, "%s.layers.%d.self_attn", stack, i);
    take_attention(a, here, here);
    snprintf(here, sizeof here, "%s.layers.%d.encoder_attn", stack, i);
    snprintf(there, sizeof there, "%s.layers.%d.multihead_attn", stack, i);
    if (decoder)
        take_attention(a, here, there);
}

static bool make_model(aren *a)
{
    attend_error err;
    at_case *c = a->c;
    a->m = at_model_new(&at_model_transformer, 0);
    if (!a->m || at_options_defaults(a->m->kind->options, a->m->settings, &err) < 0)
        return false;
    at_transformer_settings *s = a->m->settings;
    s->hidden = at_case_int(c, "config.d", 0);
    s->layers = at_case_int(c, "config.Le", 0);
    s->decoder_layers = at_case_int(c, "config.Ld", 0);
    s->heads = at_case_int(c, "config.A", 0);
    s->ffn = at_case_int(c, "config.ff", 0);
    s->norm = json_is_true(at_case_json(c, "config.norm_first"));
    s->positions = ATTEND_SINUSOIDS_OPENNMT;
    a->m->source_size = at_vocab_size(a->source) + 1; /* the last row is of unknown tokens */
    a->m->target_size = at_vocab_size(a->target) + 1;
    if (at_model_describe(a->m, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return false;
    }
    for (int i = 0; i < s->layers; i++)
        take_layer(a, "encoder", i, false);
    for (int i = 0; i < s->decoder_layers; i++)
        take_layer(a, "decoder", i, true);
    take_pair(a, "encoder.layer_norm", "encoder.norm", 0, 0);
    take_pair(a, "decoder.layer_norm", "decoder.norm", 0, 0);
    take(a, "encoder.embed_tokens.weight", "src_embed.weight", 0, 0);
    take(a, "decoder.embed_tokens.weight", "tgt_embed.weight", 0, 0);
    take_pair(a, "lm_head", "generator", 0, 0);
    at_params_seal(a->m->params);
    return true;
}

/* ---- the batch ------------------------------------------------------------------------------ */

static void compare_attention(at_case *c, const at_attention_record *r)
{
    char name[64];
    for (int i = 0; i < r->count; i++) {
        const at_tensor *w = r->item[i].weights;
        snprintf(name, sizeof name, "decoder.%s.%d",
                 r->item[i].kind == ATTEND_ATTENTION_CROSS ? "cross" : "self", r->item[i].layer);
        if (r->item[i].kind != ATTEND_ATTENTION_ENCODER && at_case_expects(c, name))
            at_case_compare(c, name, w->shape, w->value, at_tolerance_output);
    }
}

static void check_batch(const aren *a)
{
    at_case *c = a->c;
    const at_decodes *d = a->m->kind->decodes;
    const at_transformer *net = a->m->net;
    at_attention_record record = {.kinds = ~0u, .layer = -1, .head = -1};
    at_ids source = at_case_ids(c, "src"), target = at_case_ids(c, "tgt");
    const int *lengths = at_case_lengths(c, "src_key_padding_mask");
    at_tape *t = at_tape_new(a->m->params, ATTEND_INFER);
    if (!source.id || !target.id || !t) {
        at_case_fail(c, "inputs.safetensors has no proper batch");
        return;
    }
    at_tensor *x = at_scale(
        t,
        at_embedding(t,
                     at_param_matrix(t, at_in(at_root(), "encoder.embed_tokens"), "weight",
                                     SHAPE(net->source_vocabulary, net->width), INIT_ZERO),
                     source),
        net->scale);
    x = at_transformer_encoder(t, net, at_add_sinusoids(t, ATTEND_SINUSOIDS_OPENNMT, x, 0), lengths,
                               NULL);
    at_inputs in = {.ids = source, .lengths = lengths, .record = &record};
    at_decode_input tokens = {.source = d->encode(t, a->m, &in),
                              .tokens = target,
                              .counts = at_case_lengths(c, "tgt_key_padding_mask"),
                              .width = 1,
                              .record = &record};
    at_tensor *output = d->decode(t, a->m, &tokens).features, *logits = d->logits(t, a->m, output);
    if (at_failed(t))
        at_case_fail(c, "%s", at_tape_error(t)->message);
    else {
        at_case_compare(c, "memory", x->shape, x->value, at_tolerance_output);
        at_case_compare(c, "output", output->shape, output->value, at_tolerance_output);
        at_case_compare(c, "logits", logits->shape, logits->value, at_tolerance_output);
        compare_attention(c, &record);
    }
    at_tape_free(t);
}

/* ---- published results ---------------------------------------------------------------------- */

/* tokens between spaces -> ids, then -1; the last row stands for unknown ones */
static int read_ids(const at_vocab *v, const char *text, int ids[MAX_LENGTH])
{
    int n = 0;
    for (; text && *text && n < MAX_LENGTH - 2; n++) {
        size_t size = strcspn(text, " ");
        int32_t id = at_vocab_find(v, text, size);
        ids[n] = id < 0 ? at_vocab_size(v) : id;
        text += size + (text[size] == ' ');
    }
    ids[n] = -1;
    return n;
}

/* The hypotheses of a beam for a name; begin: tokens that come first, or NULL. */
static bool search(const aren *a, const char *name, int width, const int *begin, at_beam *beam)
{
    int source[MAX_LENGTH], length = read_ids(a->source, name, source);
    const at_model *m = a->m;
    at_session *s = NULL;
    at_searched all;
    attend_error err;
    at_beginning in = {.sentences = 1,
                       .source = {.ids = {SHAPE(1, length), source}, .lengths = &length}};
    at_search_options o = {.beam = {.width = width, .end = END, .most = MAX_LENGTH - 2},
                           .prefix = begin ? &begin : NULL};
    attend_status status = at_session_new(1, &m, &s, &err);
    if (status >= 0)
        status = at_session_start(s, &in, &err);
    if (status >= 0)
        status = at_session_searched(s, START, width, &all, &err);
    memset(beam, 0, sizeof *beam);
    if (status >= 0)
        status = at_search(&all, &o, beam, &err);
    at_session_free(s);
    if (status < 0)
        at_case_fail(a->c, "%s: %s", name, err.message);
    return status >= 0;
}

/* The hypothesis of this text, or -1. */
static int find(const aren *a, const at_beam *b, const char *text)
{
    int want[MAX_LENGTH], got[MAX_LENGTH], n = read_ids(a->target, text, want);
    for (int i = 0; i < b->count; i++)
        if (at_beam_words(b, &b->found[i], got) == n
            && memcmp(want, got, (size_t)n * sizeof *want) == 0)
            return i;
    return -1;
}

/* Is the best hypothesis this text? */
static void compare_best(const aren *a, const char *name, const at_beam *b, const char *text)
{
    if (find(a, b, text) != 0)
        at_case_fail(a->c, "%s: another translation is the best", name);
    a->c->comparisons++;
}

/* Their beam is narrower: hypotheses that ended take room in it. Each of theirs has the same
 * log-probability here, or all of ours are better. */
static void compare_sum(const aren *a, const char *name, const at_beam *b, const char *text,
                        double expected)
{
    int i = find(a, b, text);
    if (i >= 0)
        at_case_compare_numbers(a->c, name, 1, &b->found[i].log_p, &expected, at_tolerance_loss);
    else if (!b->count || b->found[b->count - 1].log_p < expected)
        at_case_fail(a->c, "%s: '%s' is not found", name, text);
}

static const char *text_of(const json_t *row, size_t i)
{
    return json_string_value(json_array_get(row, i));
}

/* ["name", "translation"], ["name", "first tokens", "translation"] */
static void check_translations(const aren *a, const char *list, bool prefixed)
{
    size_t i;
    json_t *row;
    json_array_foreach(at_case_json(a->c, list), i, row)
    {
        at_beam b;
        int begin[MAX_LENGTH];
        if (prefixed)
            read_ids(a->target, text_of(row, 1), begin);
        if (search(a, text_of(row, 0), 1, prefixed ? begin : NULL, &b))
            compare_best(a, text_of(row, 0), &b, text_of(row, 1 + prefixed));
        at_beam_free(&b);
    }
}

static void check_beams(const aren *a)
{
    const char *name;
    json_t *found;
    json_object_foreach(at_case_json(a->c, "beam5_sum_logprob"), name, found)
    {
        at_beam b;
        if (search(a, name, (int)json_array_size(found), NULL, &b)) {
            compare_best(a, name, &b, text_of(json_array_get(found, 0), 0));
            for (size_t i = 0; i < json_array_size(found); i++) {
                const json_t *one = json_array_get(found, i);
                compare_sum(a, name, &b, text_of(one, 0),
                            json_number_value(json_array_get(one, 1)));
            }
        }
        at_beam_free(&b);
    }
}

/* Scores of the tokens of given translations, which are forced. */
static void check_scores(const aren *a)
{
    size_t i, k;
    json_t *row, *number;
    json_array_foreach(at_case_json(a->c, "score"), i, row)
    {
        at_beam b;
        int given[MAX_LENGTH], n = read_ids(a->target, text_of(row, 1), given);
        double sum = 0;
        json_array_foreach(json_array_get(row, 2), k, number) sum += json_number_value(number);
        given[n] = END;
        given[n + 1] = -1;
        if (search(a, text_of(row, 0), 1, given, &b) && b.count)
            at_case_compare_numbers(a->c, text_of(row, 0), 1, &b.found[0].log_p, &sum,
                                    at_tolerance_loss);
        at_beam_free(&b);
    }
}

void at_check_aren(at_case *c)
{
    aren a = {.c = c,
              .source = read_vocabulary(c, "source_vocabulary.txt"),
              .target = read_vocabulary(c, "target_vocabulary.txt")};
    if (a.source && a.target && make_model(&a)) {
        check_batch(&a);
        check_translations(&a, "translate", false);
        check_translations(&a, "prefix", true);
        check_beams(&a);
        check_scores(&a);
    }
    at_model_free(a.m);
    if (a.source)
        at_vocab_free(a.source);
    if (a.target)
        at_vocab_free(a.target);
}
