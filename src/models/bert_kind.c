/* BERT as a kind of model: its settings, and what its models can do by their head. */
#include <stdio.h>
#include <string.h>

#include "models/bert.h"

/* ---- settings ------------------------------------------------------------------------------- */

/* clang-format off */
static const at_option options[] = {
    {.name = "preset", OPTION_STRING(at_bert_settings, preset), .value = "bert-tiny",
     .meta = "NAME", .help = "The named system to start from; attend list presets shows them"},
    {.name = "family", OPTION_CHOICE(at_bert_settings, family), .value = "bert",
     .choices = "bert|roberta|distilbert", .group = "BERT",
     .help = "Variant: RoBERTa counts positions from the padding token, DistilBERT has no pooler"},
    {.name = "head", OPTION_CHOICE(at_bert_settings, head), .value = "none",
     .choices = "none|masked|pretraining|classes|tags|span",
     .help = "Output layer on the states: none, masked tokens, masked tokens and next sentence "
             "(pretraining), classes of texts, tags of words, or the span of an answer"},
    {.name = "labels", OPTION_CHOICE(at_bert_settings, labels), .value = "one",
     .choices = "one|several|number",
     .help = "With --head classes: one label for a text, several, or a number"},
    {.name = "hidden", OPTION_INT(at_bert_settings, hidden), .value = "128", .min = 1,
     .max = 1 << 16, .meta = "N", .help = "Width of the states"},
    {.name = "layers", OPTION_INT(at_bert_settings, layers), .value = "2", .min = 1, .max = 64,
     .meta = "N", .help = "Layers of the encoder"},
    {.name = "heads", OPTION_INT(at_bert_settings, heads), .value = "2", .min = 1, .max = 256,
     .meta = "N", .help = "Heads of the attention"},
    {.name = "ffn", OPTION_INT(at_bert_settings, ffn), .value = "512", .min = 1, .max = 1 << 18,
     .meta = "N", .help = "Width inside the feed-forward layers"},
    {.name = "max-positions", OPTION_INT(at_bert_settings, max_positions), .value = "512",
     .min = 1, .max = 1 << 20, .meta = "N",
     .help = "Number of positions: tokens of the longest text"},
    {.name = "segments", OPTION_INT(at_bert_settings, segments), .value = "2", .min = 0, .max = 16,
     .meta = "N", .help = "Embeddings that tell the texts of a pair apart; 0: none"},
    {.name = "activation", OPTION_STRING(at_bert_settings, activation), .value = "gelu",
     .meta = "NAME",
     .help = "Activation of the feed-forward layers: relu, gelu, gelu_new, silu, .."},
    {.name = "norm-epsilon", OPTION_REAL(at_bert_settings, norm_epsilon), .value = "1e-12",
     .min = 0, .max = 1, .meta = "E", .help = "Epsilon of the layer norms"},
    {.name = "dropout", OPTION_REAL(at_bert_settings, dropout), .value = "0.1", .min = 0,
     .max = 0.95, .meta = "P",
     .help = "Dropout probability of embeddings and after each sub-layer"},
    {.name = "attention-dropout", OPTION_REAL(at_bert_settings, attention_dropout), .value = "0.1",
     .min = 0, .max = 0.95, .meta = "P", .help = "Dropout probability of attention weights"},
    {.name = "head-dropout", OPTION_REAL(at_bert_settings, head_dropout), .value = "-1",
     .min = -1, .max = 0.95, .meta = "P",
     .help = "Dropout probability before the output layer; -1: as --dropout"},
    {.name = "tied", OPTION_FLAG(at_bert_settings, tied), .value = "yes",
     .help = "Masked tokens are predicted with the matrix of the token embeddings"},
    {.name = "pooler", OPTION_FLAG(at_bert_settings, pooler), .value = "yes",
     .help = "With --head none: the model has a pooled vector"},
    {.name = "fixed-positions", OPTION_FLAG(at_bert_settings, fixed_positions),
     .help = "The embeddings of positions do not learn"},
    {.name = "embedding-rows", OPTION_INT(at_bert_settings, embedding_rows), .value = "0",
     .min = 0, .max = 1 << 24, .meta = "N",
     .help = "Rows of the embedding; 0: one for each token of the tokenizer, never fewer"},
    {.name = "pad-token", OPTION_INT(at_bert_settings, pad), .value = "-1", .min = -1,
     .max = 1 << 24, .meta = "ID", .help = "Id of the padding token; -1: the tokenizer's"},
    {.name = "pooling", OPTION_STRING(at_bert_settings, pooling), .value = "mean",
     .meta = "NAME,NAME",
     .help = "How states become the vector of a text: cls, max, mean or mean_sqrt_len; several "
             "are joined"},
    {.name = "normalize", OPTION_FLAG(at_bert_settings, normalize),
     .help = "Vectors of texts have length 1"},
    {.name = "lower-text", OPTION_FLAG(at_bert_settings, lower),
     .help = "Texts are lower-cased before they become a vector"},
    {.name = "sentence-length", OPTION_INT(at_bert_settings, sentence_length), .value = "0",
     .min = 0, .max = 1 << 20, .meta = "N",
     .help = "Tokens of a text that its vector is made from; 0: as many as there are positions"},
    {0}};
/* clang-format on */

static bool has_pooler(const at_bert *m)
{
    if (m->head == ATTEND_BERT_NONE)
        return m->pooler && m->family != ATTEND_DISTILBERT;
    return m->head == ATTEND_BERT_CLASSES || m->head == ATTEND_BERT_PRETRAINED;
}

static attend_status check(const at_bert_settings *s, const at_bert *m, attend_error *err)
{
    if (!m->activation)
        return at_error(err, ATTEND_OPTION,
                        "--activation: unknown activation '%s'; choose relu, gelu, gelu_new, "
                        "quick_gelu, silu, mish, tanh or sigmoid",
                        s->activation);
    if (s->hidden % s->heads)
        return at_error(err, ATTEND_OPTION,
                        "--heads %d: a width of %d cannot be divided by it; choose --heads or "
                        "--hidden so that it can",
                        s->heads, s->hidden);
    if (m->head == ATTEND_BERT_PRETRAINED && m->family != ATTEND_BERT)
        return at_error(err, ATTEND_OPTION,
                        "--head pretraining: only --family bert predicts the next sentence; "
                        "choose --head masked");
    if (m->family == ATTEND_ROBERTA && (m->pad < 0 || m->pad + 1 >= m->positions))
        return at_error(err, ATTEND_OPTION,
                        "--family roberta: positions count from the padding token, which is %d of "
                        "%d positions; set --pad-token and --max-positions",
                        m->pad, m->positions);
    if (m->labels == ATTEND_LABELS_NUMBER && m->head != ATTEND_BERT_CLASSES)
        return at_error(err, ATTEND_OPTION,
                        "--labels number: only --head classes gives numbers; choose --labels one");
    return ATTEND_OK;
}

static attend_status describe(at_model *m, attend_error *err)
{
    const at_bert_settings *s = m->settings;
    at_bert *net = m->net;
    int pad = s->pad >= 0 ? s->pad : m->source ? m->source->special[ATTEND_SPECIAL_PAD] : 0;
    *net = (at_bert){.family = (at_bert_family)s->family,
                     .head = (at_bert_head)s->head,
                     .labels = (at_label_use)s->labels,
                     .vocabulary = s->embedding_rows ? s->embedding_rows : at_model_source_size(m),
                     .positions = s->max_positions,
                     .segments = s->segments,
                     .width = s->hidden,
                     .layers = s->layers,
                     .heads = s->heads,
                     .inner = s->ffn,
                     .classes = at_model_label_count(m),
                     .pad = pad,
                     .activation = at_activation_find(s->activation),
                     .epsilon = (real)s->norm_epsilon,
                     .dropout = (real)s->dropout,
                     .attention_dropout = (real)s->attention_dropout,
                     .head_dropout = (real)(s->head_dropout < 0 ? s->dropout : s->head_dropout),
                     .tied = s->tied,
                     .pooler = s->pooler,
                     .fixed_positions = s->fixed_positions};
    if (m->source && m->source->special[ATTEND_SPECIAL_CLS] < 0)
        return at_error(err, ATTEND_OPTION,
                        "the tokenizer %s has no token that stands for a text ([CLS]), which a "
                        "BERT needs; choose --tokenizer wordpiece",
                        m->source->kind->name);
    if (m->source && net->vocabulary < at_tokenizer_size(m->source))
        return at_error(
            err, ATTEND_OPTION,
            "--embedding-rows %d: the tokenizer has %d tokens; it needs at least as many",
            net->vocabulary, (int)at_tokenizer_size(m->source));
    at_sentence ignored;
    attend_status status = at_sentence_parse(&ignored, s->pooling, err);
    return status < 0 ? status : check(s, net, err);
}

/* ---- what it can do ------------------------------------------------------------------------- */

static const at_bert *net_of(const at_model *m) { return m->net; }

static unsigned able(const at_model *m)
{
    static const unsigned can[] = {
        [ATTEND_BERT_NONE] = 0,
        [ATTEND_BERT_MASKED] = ATTEND_CAN_FILL | ATTEND_CAN_PRETRAIN,
        [ATTEND_BERT_PRETRAINED] = ATTEND_CAN_FILL | ATTEND_CAN_PRETRAIN,
        [ATTEND_BERT_CLASSES] = ATTEND_CAN_CLASSIFY,
        [ATTEND_BERT_TAGS] = ATTEND_CAN_TAG,
        [ATTEND_BERT_SPAN] = ATTEND_CAN_ANSWER,
    };
    return can[net_of(m)->head] | ATTEND_CAN_EMBED;
}

/* the head for a task; pre-training goes on with the head that there is */
static void aim(void *settings, unsigned can)
{
    at_bert_settings *s = settings;
    bool masked = s->head == ATTEND_BERT_MASKED || s->head == ATTEND_BERT_PRETRAINED;
    if (can & ATTEND_CAN_CLASSIFY)
        s->head = ATTEND_BERT_CLASSES;
    else if (can & ATTEND_CAN_TAG)
        s->head = ATTEND_BERT_TAGS;
    else if (can & ATTEND_CAN_ANSWER)
        s->head = ATTEND_BERT_SPAN;
    else if (can & (ATTEND_CAN_FILL | ATTEND_CAN_PRETRAIN) && !masked)
        s->head = ATTEND_BERT_MASKED;
}

static at_label_use label_use(const at_model *m) { return net_of(m)->labels; }

static int width(const at_model *m) { return net_of(m)->width; }
static int layers(const at_model *m) { return net_of(m)->layers; }

static at_tensor *encode(at_tape *t, const at_model *m, const at_inputs *in)
{
    return at_bert_encode(t, net_of(m), in, NULL);
}

static at_tensor *pool(at_tape *t, const at_model *m, at_tensor *states)
{
    return at_bert_pool(t, net_of(m), states);
}

static at_tensor *tags(at_tape *t, const at_model *m, at_tensor *states)
{
    return at_bert_tags(t, net_of(m), states);
}

static at_tensor *span(at_tape *t, const at_model *m, at_tensor *states)
{
    return at_bert_span(t, net_of(m), states);
}

static at_tensor *tokens(at_tape *t, const at_model *m, at_tensor *states)
{
    return at_bert_tokens(t, net_of(m), states);
}

static at_tensor *tokens_loss(at_tape *t, const at_model *m, at_tensor *states, at_ids targets,
                              at_cross_entropy_options o)
{
    return at_bert_tokens_loss(t, net_of(m), states, targets, o);
}

static at_tensor *next(at_tape *t, const at_model *m, at_tensor *states)
{
    return at_bert_next(t, net_of(m), states);
}

static at_sentence sentence(const at_model *m)
{
    const at_bert_settings *s = m->settings;
    at_sentence how = {0};
    attend_error ignored; /* describe has checked it */
    at_sentence_parse(&how, s->pooling, &ignored);
    how.normalize = s->normalize;
    how.lower = s->lower;
    how.length = s->sentence_length;
    return how;
}

static const at_encodes encodes = {.width = width,
                                   .sentence = sentence,
                                   .layers = layers,
                                   .encode = encode,
                                   .pool = pool,
                                   .tags = tags,
                                   .span = span,
                                   .tokens = tokens,
                                   .tokens_loss = tokens_loss,
                                   .next = next};

/* How much a token counts: the attention of the first token to it in the last layer, from which the
 * class is decided; the mean of the heads. */
static at_tensor *first_attention(at_tape *t, at_tensor *weights)
{
    at_tensor *w = at_slice(t, at_mean_axis(t, weights, 1), 1, 0, 1); /* [B,1,T] */
    return at_failed(t) ? w : at_reshape(t, w, SHAPE(w->shape.dim[0], w->shape.dim[2]));
}

static at_classified classify(at_tape *t, const at_model *m, const at_inputs *in, bool weights)
{
    const at_bert *net = net_of(m);
    at_tensor *found = NULL;
    at_tensor *x = at_bert_encode(t, net, in, weights ? &found : NULL);
    at_classified c = {.logits = at_bert_classes(t, net, x)};
    if (weights && !at_failed(t))
        c.weights = first_attention(t, found);
    return c;
}

/* ---- what it says of itself ----------------------------------------------------------------- */

/* a text of one token through the head */
static void trial(at_tape *t, const at_model *m)
{
    static const int token[1] = {0}, length[1] = {1};
    const at_bert *net = net_of(m);
    at_inputs in = {.ids = {SHAPE(1, 1), token}, .lengths = length};
    at_tensor *x = at_bert_encode(t, net, &in, NULL);
    if (net->head == ATTEND_BERT_NONE && has_pooler(net))
        at_bert_pool(t, net, x);
    if (net->head == ATTEND_BERT_MASKED || net->head == ATTEND_BERT_PRETRAINED)
        at_bert_tokens(t, net, x);
    if (net->head == ATTEND_BERT_PRETRAINED)
        at_bert_next(t, net, x);
    if (net->head == ATTEND_BERT_CLASSES)
        at_bert_classes(t, net, x);
    if (net->head == ATTEND_BERT_TAGS)
        at_bert_tags(t, net, x);
    if (net->head == ATTEND_BERT_SPAN)
        at_bert_span(t, net, x);
}

static int max_input(const at_model *m, int limit)
{
    const at_bert *net = net_of(m);
    int n = net->positions - (net->family == ATTEND_ROBERTA ? net->pad + 1 : 0);
    return limit == 0 || n < limit ? n : limit;
}

static int attention(const at_model *m, at_attention_layout *out)
{
    *out = (at_attention_layout){ATTEND_ATTENTION_ENCODER, net_of(m)->layers, net_of(m)->heads};
    return 1;
}

static at_embedding_info embedding(const at_model *m)
{
    return (at_embedding_info){"embeddings.word_embeddings.weight", net_of(m)->width, (real)0.02};
}

static int depth(const at_model *m, const char *parameter)
{
    int layer = 0, after = 0;
    if (strncmp(parameter, "embeddings.", 11) == 0)
        return 0;
    bool inside = sscanf(parameter, "encoder.layer.%d.%n", &layer, &after) == 1 && after > 0;
    return inside ? layer + 1 : net_of(m)->layers + 1;
}

static const char *unused(const void *settings, const char *name)
{
    const at_bert_settings *s = settings;
    if (strcmp(name, "labels") == 0 && s->head != ATTEND_BERT_CLASSES)
        return "has no classes; --head classes has";
    if (strcmp(name, "tied") == 0 && s->head != ATTEND_BERT_MASKED
        && s->head != ATTEND_BERT_PRETRAINED)
        return "predicts no masked tokens; --head masked does";
    if (strcmp(name, "pooler") == 0 && s->head != ATTEND_BERT_NONE)
        return "has a pooler where its head needs one; --head none leaves the choice";
    return NULL;
}

const at_model_kind at_model_bert = {
    .name = "BERT",
    .type = "attend-bert",
    .use = "embed",
    .can = ATTEND_CAN_CLASSIFY | ATTEND_CAN_TAG | ATTEND_CAN_ANSWER | ATTEND_CAN_FILL
           | ATTEND_CAN_EMBED | ATTEND_CAN_PRETRAIN,
    .parts = ATTEND_PART_TOKENIZER | ATTEND_PART_LABELS,
    .options = options,
    .settings_size = sizeof(at_bert_settings),
    .net_size = sizeof(at_bert),
    .describe = describe,
    .trial = trial,
    .max_input = max_input,
    .attention = attention,
    .embedding = embedding,
    .depth = depth,
    .unused = unused,
    .aim = aim,
    .able = able,
    .label_use = label_use,
    .encodes = &encodes,
    .classify = classify,
};
