/* XLNet as a kind of model: its settings, and what its models can do by their head. */
#include <string.h>

#include "models/xlnet.h"
#include "text/sentencepiece.h"

/* ---- settings ------------------------------------------------------------------------------- */

/* clang-format off */
static const at_option options[] = {
    {.name = "preset", OPTION_STRING(at_xlnet_settings, preset), .value = "xlnet-tiny",
     .meta = "NAME", .help = "The named system to start from; attend list presets shows them"},
    {.name = "head", OPTION_CHOICE(at_xlnet_settings, head), .value = "none",
     .choices = "none|masked|pretraining|classes|tags|span",
     .help = "Output layer on the states: none, masked tokens, masked tokens and next sentence "
             "(pretraining), classes of texts, tags of words, or the span of an answer"},
    {.name = "labels", OPTION_CHOICE(at_xlnet_settings, labels), .value = "one",
     .choices = "one|several|number",
     .help = "With --head classes: one label for a text, several, or a number"},
    {.name = "hidden", OPTION_INT(at_xlnet_settings, hidden), .value = "128", .min = 2,
     .max = 1 << 16, .meta = "N", .help = "Width of the states"},
    {.name = "layers", OPTION_INT(at_xlnet_settings, layers), .value = "2", .min = 1, .max = 64,
     .meta = "N", .help = "Layers of the encoder"},
    {.name = "heads", OPTION_INT(at_xlnet_settings, heads), .value = "2", .min = 1, .max = 256,
     .meta = "N", .help = "Heads of the attention"},
    {.name = "head-width", OPTION_INT(at_xlnet_settings, head_width), .value = "0", .min = 0,
     .max = 1 << 16, .meta = "N", .group = "XLNet",
     .help = "Width of a head of the attention; 0: --hidden divided by --heads"},
    {.name = "ffn", OPTION_INT(at_xlnet_settings, ffn), .value = "512", .min = 1, .max = 1 << 18,
     .meta = "N", .help = "Width inside the feed-forward layers"},
    {.name = "attn-type", OPTION_CHOICE(at_xlnet_settings, attn_type), .value = "bi",
     .choices = "bi|uni",
     .help = "What tokens attend to: all tokens (bi), or those up to their own position (uni), as "
             "in a language model of one direction"},
    {.name = "clamp-distance", OPTION_INT(at_xlnet_settings, clamp), .value = "0", .min = 0,
     .max = 1 << 20, .meta = "N", .help = "Largest distance that is told apart; 0: all are"},
    {.name = "mem-len", OPTION_INT(at_xlnet_settings, memory), .value = "0", .min = 0,
     .max = 1 << 20, .meta = "N", .group = "XLNet",
     .help = "States of earlier text that each layer remembers in pre-training; 0: none"},
    {.name = "reuse-len", OPTION_INT(at_xlnet_settings, reuse), .value = "0", .min = 0,
     .max = 1 << 20, .meta = "N", .group = "XLNet",
     .help = "Tokens of a training example that enter the memory, after which the next example "
             "begins; 0: all"},
    {.name = "same-length", OPTION_FLAG(at_xlnet_settings, same_length), .value = "no",
     .group = "XLNet",
     .help = "With --attn-type uni, tokens attend to at most --mem-len tokens before them"},
    {.name = "bi-data", OPTION_FLAG(at_xlnet_settings, two_ways), .value = "no", .group = "XLNet",
     .help = "Half of the texts of a batch run backwards in pre-training"},
    {.name = "activation", OPTION_STRING(at_xlnet_settings, activation), .value = "gelu",
     .meta = "NAME",
     .help = "Activation of the feed-forward layers: relu, gelu, gelu_new, silu, .."},
    {.name = "norm-epsilon", OPTION_REAL(at_xlnet_settings, norm_epsilon), .value = "1e-12",
     .min = 0, .max = 1, .meta = "E", .help = "Epsilon of the layer norms"},
    {.name = "dropout", OPTION_REAL(at_xlnet_settings, dropout), .value = "0.1", .min = 0,
     .max = 0.95, .meta = "P",
     .help = "Dropout probability of embeddings and after each sub-layer"},
    {.name = "summary", OPTION_CHOICE(at_xlnet_settings, summary), .value = "last",
     .choices = "last|first|mean",
     .help = "Vector of a text: the state of its last token, of its first, or the mean"},
    {.name = "summary-projection", OPTION_FLAG(at_xlnet_settings, summary_projects), .value = "yes",
     .help = "The vector of a text goes through a linear layer"},
    {.name = "summary-activation", OPTION_STRING(at_xlnet_settings, summary_activation),
     .value = "tanh", .meta = "NAME",
     .help = "Activation of the vector of a text: tanh, gelu, relu, ..; or linear"},
    {.name = "summary-dropout", OPTION_REAL(at_xlnet_settings, summary_first_dropout),
     .value = "0", .min = 0, .max = 0.95, .meta = "P",
     .help = "Dropout probability before the linear layer of the vector of a text"},
    {.name = "head-dropout", OPTION_REAL(at_xlnet_settings, summary_last_dropout), .value = "-1",
     .min = -1, .max = 0.95, .meta = "P",
     .help = "Dropout probability before the output layer; -1: as --dropout"},
    {.name = "window", OPTION_INT(at_xlnet_settings, window), .value = "128", .min = 1,
     .max = 1 << 20, .meta = "N",
     .help = "Tokens of running text in a training example"},
    {.name = "token-rows", OPTION_INT(at_xlnet_settings, tokens), .value = "0", .min = 0,
     .max = 1 << 24, .meta = "N",
     .help = "Rows of the token embeddings; 0: as many as the tokenizer has tokens"},
    {0}};
/* clang-format on */

static attend_status check(const at_xlnet_settings *s, const at_xlnet *m, attend_error *err)
{
    if (!m->activation || !m->summary_activation)
        return at_error(err, ATTEND_OPTION,
                        "--%s: unknown activation '%s'; choose relu, gelu, gelu_new, quick_gelu, "
                        "silu, mish, tanh, sigmoid or linear",
                        m->activation ? "summary-activation" : "activation",
                        m->activation ? s->summary_activation : s->activation);
    if (s->hidden % 2 || (!s->head_width && s->hidden % s->heads))
        return at_error(err, ATTEND_OPTION,
                        "--hidden %d: the width must be even, and %d heads divide it unless "
                        "--head-width is given",
                        s->hidden, s->heads);
    if (s->head == ATTEND_XLNET_PRETRAINED)
        return at_error(err, ATTEND_OPTION,
                        "--head pretraining: an XLNet does not predict the next sentence; choose "
                        "--head masked");
    if (s->same_length && !(m->causal && s->memory))
        return at_error(err, ATTEND_OPTION,
                        "--same-length: it limits what tokens see of one direction and a memory; "
                        "choose --attn-type uni with --mem-len, or leave it out");
    if (s->reuse && !s->memory)
        return at_error(err, ATTEND_OPTION,
                        "--reuse-len %d: there is no memory; choose --mem-len too", s->reuse);
    if (s->labels != ATTEND_LABELS_ONE && m->head != ATTEND_XLNET_CLASSES)
        return at_error(err, ATTEND_OPTION,
                        "--labels: only --head classes gives %s; choose --labels one",
                        s->labels == ATTEND_LABELS_NUMBER ? "numbers" : "several labels");
    return ATTEND_OK;
}

static attend_status describe(at_model *m, attend_error *err)
{
    const at_xlnet_settings *s = m->settings;
    at_xlnet *net = m->net;
    int tokens = at_model_source_size(m);
    double last = s->summary_last_dropout;
    *net = (at_xlnet){.vocabulary = s->tokens ? s->tokens : tokens,
                      .width = s->hidden,
                      .layers = s->layers,
                      .heads = s->heads,
                      .head_width = s->head_width ? s->head_width : s->hidden / s->heads,
                      .inner = s->ffn,
                      .activation = at_activation_find(s->activation),
                      .epsilon = (real)s->norm_epsilon,
                      .dropout = (real)s->dropout,
                      .memory = s->memory,
                      .reuse = s->reuse,
                      .clamp = s->clamp,
                      .causal = s->attn_type == ATTEND_XLNET_UNI,
                      .same_length = s->same_length,
                      .two_ways = s->two_ways,
                      .head = (at_xlnet_head)s->head,
                      .labels = (at_label_use)s->labels,
                      .classes = at_model_label_count(m),
                      .cls = m->source ? m->source->special[ATTEND_SPECIAL_CLS] : -1,
                      .summary = (at_xlnet_summary)s->summary,
                      .summary_projects = s->summary_projects,
                      .summary_activation = at_activation_find(s->summary_activation),
                      .summary_first_dropout = (real)s->summary_first_dropout,
                      .summary_last_dropout = (real)(last < 0 ? s->dropout : last)};
    if (m->source && net->vocabulary < tokens)
        return at_error(err, ATTEND_OPTION,
                        "--token-rows %d: the tokenizer has %d tokens; it needs at least as many",
                        net->vocabulary, tokens);
    return check(s, net, err);
}

/* ---- encoding ------------------------------------------------------------------------------- */

static const at_xlnet *net_of(const at_model *m) { return m->net; }

/* Segments as the peer has them: 0 and 1 in the texts of a pair, 2 for the token of the whole. */
static const int *segments_of(at_tape *t, const at_xlnet *m, const at_inputs *in)
{
    int n = in->ids.shape.dim[0] * in->ids.shape.dim[1];
    int *segments = at_scratch(t, (size_t)n * sizeof *segments);
    for (int i = 0; segments && i < n; i++)
        segments[i] = in->ids.id[i] == m->cls ? 2 : in->segments ? in->segments[i] : 0;
    return segments;
}

static at_tensor *states_of(at_tape *t, const at_xlnet *m, const at_inputs *in)
{
    at_xlnet_input x = {.ids = in->ids,
                        .lengths = in->lengths,
                        .segments = segments_of(t, m, in),
                        .record = in->record,
                        .content = in->states};
    if (in->mask)
        return at_fail(t, "xlnet: a mask beside lengths is not taken here");
    return at_failed(t) ? at_poison(t) : at_xlnet_read(t, m, &x).content;
}

static int width(const at_model *m) { return net_of(m)->width; }
static int layers(const at_model *m) { return net_of(m)->layers; }

static at_tensor *encode(at_tape *t, const at_model *m, const at_inputs *in)
{
    return states_of(t, net_of(m), in);
}

static at_tensor *tags(at_tape *t, const at_model *m, at_tensor *states)
{
    return at_xlnet_tags(t, net_of(m), states);
}

static at_tensor *span(at_tape *t, const at_model *m, at_tensor *states)
{
    return at_xlnet_span(t, net_of(m), states);
}

static const at_encodes encodes = {
    .width = width, .layers = layers, .encode = encode, .tags = tags, .span = span};

/* ---- classes -------------------------------------------------------------------------------- */

/* [B,T]: the attention of the last token of each text in the last layer, the mean of the heads */
static at_tensor *last_attention(at_tape *t, at_tensor *weights, const int *lengths)
{
    at_tensor *w = at_mean_axis(t, weights, 1); /* [B,T,T] */
    if (at_failed(t))
        return at_poison(t);
    int B = w->shape.dim[0], T = w->shape.dim[1], *row = at_scratch(t, (size_t)B * sizeof *row);
    for (int b = 0; row && b < B; b++)
        row[b] = b * T + (lengths ? lengths[b] : T) - 1;
    return row ? at_take(t, at_reshape(t, w, SHAPE(B * T, T)), (at_ids){SHAPE(B), row})
               : at_poison(t);
}

static at_classified classify(at_tape *t, const at_model *m, const at_inputs *in, bool weights)
{
    const at_xlnet *net = net_of(m);
    at_attention_record own = {
        .kinds = 1u << ATTEND_ATTENTION_CONTENT, .layer = net->layers - 1, .head = -1};
    at_inputs with = *in;
    bool asked = at_attention_record_wants(in->record, ATTEND_ATTENTION_CONTENT, net->layers - 1);
    if (weights && !asked)
        with.record = &own;
    at_tensor *x = at_xlnet_summarise(t, net, states_of(t, net, &with), in->lengths);
    at_classified c = {.logits = at_xlnet_classes(t, net, x)};
    const at_attention_record *r = with.record;
    if (weights && !at_failed(t))
        c.weights = last_attention(t, r->item[r->count - 1].weights, in->lengths);
    return c;
}

/* ---- continuing texts ----------------------------------------------------------------------- */

static at_cache *cache(const at_model *m) { return at_xlnet_cache(net_of(m)); }

static at_decoded decode(at_tape *t, const at_model *m, const at_decode_input *in)
{
    at_xlnet_input x = {.ids = in->tokens,
                        .lengths = in->cache ? NULL : in->counts,
                        .cache = in->cache,
                        .counts = in->counts,
                        .record = in->record};
    return (at_decoded){.features = at_xlnet_read(t, net_of(m), &x).content};
}

static int vocabulary(const at_model *m) { return net_of(m)->vocabulary; }

static at_tensor *logits(at_tape *t, const at_model *m, at_tensor *features)
{
    return at_xlnet_logits(t, net_of(m), features);
}

static at_tensor *loss(at_tape *t, const at_model *m, at_tensor *features, at_mixed_with copying,
                       at_ids targets, at_cross_entropy_options o)
{
    (void)copying;
    return at_xlnet_loss(t, net_of(m), features, targets, o);
}

static const at_decodes decodes = {
    .cache = cache, .decode = decode, .vocabulary = vocabulary, .logits = logits, .loss = loss};

/* ---- predicting in any order ---------------------------------------------------------------- */

static int memory(const at_model *m) { return net_of(m)->memory; }
static int reuse(const at_model *m) { return net_of(m)->reuse; }
static bool two_ways(const at_model *m) { return net_of(m)->two_ways; }
static bool causal(const at_model *m) { return net_of(m)->causal; }

/* [B,M,D] of each layer */
static at_tensor **old_memory(at_tape *t, const at_xlnet *m, const at_permuted *in)
{
    at_tensor **y = in->old ? at_scratch(t, (size_t)m->layers * sizeof(at_tensor *)) : NULL;
    for (int i = 0; y && i < m->layers; i++)
        y[i] = at_input(t, SHAPE(in->ids.shape.dim[0], m->memory, m->width),
                        in->old + (size_t)i * in->layer_size);
    return y;
}

/* The newest states of a layer: those of the old memory, and of the text that enters it. */
static void remember(const at_xlnet *m, const at_permuted *in, int layer, const at_tensor *states)
{
    int M = m->memory, T = in->ids.shape.dim[1];
    int used = m->reuse > 0 && m->reuse < T ? m->reuse : T;
    int fresh = used < M ? used : M;
    size_t D = (size_t)m->width, row = (size_t)M * D, from = (size_t)layer * in->layer_size;
    for (size_t b = 0; b < (size_t)in->ids.shape.dim[0]; b++) {
        real *to = in->next + from + b * row;
        const real *text = states->value + (b * (size_t)T + (size_t)(used - fresh)) * D;
        memcpy(to, in->old + from + b * row + (size_t)fresh * D,
               (size_t)(M - fresh) * D * sizeof *to);
        memcpy(to + (size_t)(M - fresh) * D, text, (size_t)fresh * D * sizeof *to);
    }
}

static at_tensor *predict(at_tape *t, const at_model *m, const at_permuted *in)
{
    const at_xlnet *net = net_of(m);
    at_tensor **states = in->next ? at_scratch(t, (size_t)(net->layers + 1) * sizeof *states)
                                  : NULL;
    at_xlnet_input x = {.ids = in->ids,
                        .lengths = in->lengths,
                        .segments = in->segments,
                        .query_rank = in->query_rank,
                        .key_rank = in->key_rank,
                        .targets = net->causal ? NULL : in->targets,
                        .P = in->P,
                        .directions = in->directions,
                        .memory = old_memory(t, net, in),
                        .remembered = in->remembered,
                        .record = in->record,
                        .content = states};
    at_streams y = at_xlnet_read(t, net, &x);
    for (int i = 0; states && i < net->layers && !at_failed(t); i++)
        remember(net, in, i, states[i]);
    return net->causal ? y.content : y.query;
}

static at_tensor *permuted_loss(at_tape *t, const at_model *m, at_tensor *features, at_ids targets,
                                at_cross_entropy_options o)
{
    return at_xlnet_loss(t, net_of(m), features, targets, o);
}

static const at_permutes permutes = {.memory = memory,
                                     .reuse = reuse,
                                     .two_ways = two_ways,
                                     .causal = causal,
                                     .predict = predict,
                                     .logits = logits,
                                     .loss = permuted_loss};

/* ---- what it says of itself ----------------------------------------------------------------- */

static unsigned able(const at_model *m)
{
    const at_xlnet *net = net_of(m);
    switch (net->head) {
    case ATTEND_XLNET_TOKENS:
        return ATTEND_CAN_PRETRAIN | ATTEND_CAN_PERMUTE | (net->causal ? ATTEND_CAN_GENERATE : 0);
    case ATTEND_XLNET_CLASSES: return ATTEND_CAN_CLASSIFY;
    case ATTEND_XLNET_TAGS: return ATTEND_CAN_TAG;
    case ATTEND_XLNET_SPAN: return ATTEND_CAN_ANSWER;
    default: return 0;
    }
}

/* the head for a task; a text is continued in one direction */
static void aim(void *settings, unsigned can)
{
    at_xlnet_settings *s = settings;
    if (can & ATTEND_CAN_CLASSIFY)
        s->head = ATTEND_XLNET_CLASSES;
    else if (can & ATTEND_CAN_TAG)
        s->head = ATTEND_XLNET_TAGS;
    else if (can & ATTEND_CAN_ANSWER)
        s->head = ATTEND_XLNET_SPAN;
    else if (can & (ATTEND_CAN_PRETRAIN | ATTEND_CAN_PERMUTE | ATTEND_CAN_GENERATE))
        s->head = ATTEND_XLNET_TOKENS;
    if (can & ATTEND_CAN_GENERATE)
        s->attn_type = ATTEND_XLNET_UNI;
}

/* A <sep> B <sep> <cls> */
static void frame(at_tokenizer *t)
{
    if (t->kind == &at_tokenizer_kind_sentencepiece)
        at_sentencepiece_follow(
            t, ATTEND_SPIECE_XLNET,
            (at_spiece_cleaning){.remove_space = true, .keep_accents = true, .lower = false});
}

static at_label_use label_use(const at_model *m) { return net_of(m)->labels; }

/* a text of one token, which is predicted too, with a segment; through the head */
static void trial(at_tape *t, const at_model *m)
{
    static const int zero[1] = {0};
    const at_xlnet *net = net_of(m);
    at_xlnet_input in = {.ids = {SHAPE(1, 1), zero}, .segments = zero, .targets = zero, .P = 1};
    at_streams x = at_xlnet_read(t, net, &in);
    if (net->head == ATTEND_XLNET_TOKENS)
        at_xlnet_logits(t, net, x.query);
    if (net->head == ATTEND_XLNET_CLASSES)
        at_xlnet_classes(t, net, at_xlnet_summarise(t, net, x.content, NULL));
    if (net->head == ATTEND_XLNET_TAGS)
        at_xlnet_tags(t, net, x.content);
    if (net->head == ATTEND_XLNET_SPAN)
        at_xlnet_span(t, net, x.content);
}

static int attention(const at_model *m, at_attention_layout *out)
{
    out[0] = (at_attention_layout){ATTEND_ATTENTION_CONTENT, net_of(m)->layers, net_of(m)->heads};
    return 1;
}

static at_embedding_info embedding(const at_model *m)
{
    return (at_embedding_info){"transformer.word_embedding.weight", net_of(m)->width, (real)0.02};
}

static const char *unused(const void *settings, const char *name)
{
    const at_xlnet_settings *s = settings;
    bool classes = s->head == ATTEND_XLNET_CLASSES;
    if (!classes && (strcmp(name, "labels") == 0 || strncmp(name, "summary", 7) == 0))
        return "has no classes; --head classes has";
    bool spans = strcmp(name, "one-in") == 0 || strcmp(name, "max-span") == 0;
    if (spans && s->attn_type == ATTEND_XLNET_UNI)
        return "predicts every token with --attn-type uni; leave it out";
    return NULL;
}

const at_model_kind at_model_xlnet = {
    .name = "XLNet",
    .type = "attend-xlnet",
    .use = "classify",
    .can = ATTEND_CAN_CLASSIFY | ATTEND_CAN_TAG | ATTEND_CAN_ANSWER | ATTEND_CAN_GENERATE
           | ATTEND_CAN_PRETRAIN | ATTEND_CAN_PERMUTE,
    .parts = ATTEND_PART_TOKENIZER | ATTEND_PART_LABELS,
    .options = options,
    .settings_size = sizeof(at_xlnet_settings),
    .net_size = sizeof(at_xlnet),
    .describe = describe,
    .trial = trial,
    .attention = attention,
    .embedding = embedding,
    .unused = unused,
    .aim = aim,
    .able = able,
    .frame = frame,
    .label_use = label_use,
    .decodes = &decodes,
    .encodes = &encodes,
    .permutes = &permutes,
    .classify = classify,
};
