/* What can be set of a classifier, and what goes together. */
#include <string.h>

#include "base/number.h"
#include "models/classifier.h"

const at_option at_classifier_options[] = {
    {.name = "preset",
     OPTION_STRING(at_classifier_settings, preset),
     .value = "rnn-classifier",
     .meta = "NAME",
     .help = "The named system to start from; attend list presets shows them"},
    {.name = "encoder",
     OPTION_CHOICE(at_classifier_settings, encoder),
     .value = "rnn",
     .choices = "rnn|cnn",
     .group = "Classifiers",
     .help = "What reads the words: a recurrent network, or convolutions over windows of them"},
    {.name = "hidden",
     OPTION_COUNT(at_classifier_settings, hidden, "128", 1, 1 << 16),
     .help = "Width of the recurrent states, or filters for each width of windows"},
    {.name = "embedding",
     OPTION_COUNT(at_classifier_settings, embedding, "128", 1, 1 << 16),
     .help = "Width of the words' vectors"},
    {.name = "layers",
     OPTION_COUNT(at_classifier_settings, layers, "1", 1, 16),
     .help = "Recurrent layers"},
    {.name = "cell",
     OPTION_CHOICE(at_classifier_settings, cell),
     .value = "gru",
     .choices = "rnn|relu|lstm|gru",
     .help = "What a recurrent layer is made of"},
    {.name = "bidirectional",
     OPTION_FLAG(at_classifier_settings, bidirectional),
     .help = "The text is read in both directions"},
    {.name = "widths",
     OPTION_STRING(at_classifier_settings, widths),
     .value = "3,4,5",
     .meta = "N,N",
     .help = "Words in the windows of convolutions"},
    {.name = "pool",
     OPTION_CHOICE(at_classifier_settings, pool),
     .value = "attention",
     .choices = "attention|max",
     .help = "How the words become one: by attention, or the maximum over time"},
    {.name = "query",
     OPTION_CHOICE(at_classifier_settings, query),
     .value = "learned",
     .choices = "learned|ends",
     .help = "What asks: a vector that is learned, or the last states of both directions"},
    {.name = "attention",
     OPTION_STRING(at_classifier_settings, attention),
     .value = "additive",
     .meta = "SCORE/SCOPE/PICK/HEADS",
     .help = "How it reads; attend list attention shows what there is"},
    {.name = "attention-size",
     OPTION_COUNT(at_classifier_settings, attention_size, "0", 0, 1 << 16),
     .help = "Width inside the additive score; 0 is that of the states"},
    {.name = "dropout",
     OPTION_NUMBER(at_classifier_settings, dropout, "0.5", 0, 0.95, "P"),
     .help = "Share of numbers that training leaves out"},
    {.name = "word-dropout",
     OPTION_NUMBER(at_classifier_settings, word_dropout, "0", 0, 0.95, "P"),
     .help = "Share of words that training leaves out"},
    {.name = "frozen",
     OPTION_FLAG(at_classifier_settings, frozen),
     .help = "The words' vectors stay as they were at first"},
    {0}};

/* ---- the model ----------------------------------------------------------------------------- */

static bool has_width(const at_classifier *m, long long width)
{
    for (int i = 0; i < m->widths; i++)
        if (m->width[i] == width)
            return true;
    return false;
}

/* "3,4,5" */
static attend_status parse_widths(at_classifier *m, const char *text, attend_error *err)
{
    for (const char *next = text;; next++) {
        size_t n = strcspn(next, ",");
        long long width;
        if (m->widths == ATTEND_WIDTHS_MOST || !at_number_whole(next, n, &width) || width < 1
            || width > 100 || has_width(m, width))
            return at_error(err, ATTEND_OPTION,
                            "--widths %.40s: up to %d different numbers of words, as in 3,4,5",
                            text, ATTEND_WIDTHS_MOST);
        m->width[m->widths++] = (int)width;
        next += n;
        if (*next != ',')
            return ATTEND_OK;
    }
}

static attend_status check_read(const at_classifier *m, attend_error *err)
{
    const at_how *how = &m->attention;
    if (at_how_local(how)->needs_position)
        return at_error(err, ATTEND_OPTION,
                        "--attention: a window lies around a word, and the one question of a "
                        "classifier has none; global, predicted or hybrid:predicted");
    if (at_how_needs_reward(how))
        return at_error(err, ATTEND_OPTION,
                        "--attention: hard picks of a classifier are learned "
                        "straight-through only; hard:straight-through");
    if (m->query == ATTEND_QUERY_ENDS && m->encoder == ATTEND_ENCODER_CNN)
        return at_error(err, ATTEND_OPTION,
                        "--query ends: convolutions have no last states; --query learned");
    int parts = m->encoder == ATTEND_ENCODER_CNN ? m->widths : m->bidirectional ? 2 : 1;
    return at_how_check_width(how, parts * m->hidden, err);
}

static attend_status check_maximum(const at_classifier *m, attend_error *err)
{
    if (m->query == ATTEND_QUERY_ENDS)
        return at_error(err, ATTEND_OPTION,
                        "--query ends: a maximum over time asks nothing; --pool attention does");
    return ATTEND_OK;
}

attend_status at_classifier_model(const at_classifier_settings *s, int vocabulary, int classes,
                                  at_classifier *m, attend_error *err)
{
    *m = (at_classifier){.vocabulary = vocabulary,
                         .classes = classes,
                         .encoder = (at_encoder)s->encoder,
                         .embedding = s->embedding,
                         .hidden = s->hidden,
                         .layers = s->layers,
                         .cell = at_model_cell(s->cell),
                         .bidirectional = s->bidirectional,
                         .pool = (at_pooled)s->pool,
                         .query = (at_query_kind)s->query,
                         .dropout = (real)s->dropout,
                         .word_dropout = (real)s->word_dropout};
    attend_status status = parse_widths(m, s->widths, err);
    if (status >= 0)
        status = at_how_parse(&m->attention, s->attention, err);
    m->attention.size = s->attention_size;
    if (status < 0)
        return status;
    return m->pool == ATTEND_POOL_ATTENTION ? check_read(m, err) : check_maximum(m, err);
}

/* ---- the kind ------------------------------------------------------------------------------- */

static attend_status describe(at_model *m, attend_error *err)
{
    return at_classifier_model(m->settings, at_model_source_size(m), at_model_label_count(m),
                               m->net, err);
}

/* a text of one word */
static void trial(at_tape *t, const at_model *m)
{
    static const int word[1] = {0}, length[1] = {1};
    at_classify(t, m->net, (at_ids){SHAPE(1, 1), word}, length, false, NULL);
}

static int max_input(const at_model *m, int limit) { return at_classifier_longest(m->net, limit); }

static int attention(const at_model *m, at_attention_layout *out)
{
    const at_classifier *net = m->net;
    int heads = net->attention.heads;
    *out = (at_attention_layout){ATTEND_ATTENTION_ENCODER, 1, heads > 0 ? heads : 1};
    return net->pool == ATTEND_POOL_ATTENTION;
}

static at_embedding_info embedding(const at_model *m)
{
    const at_classifier *net = m->net;
    return (at_embedding_info){ATTEND_CLASSIFIER_WORDS, net->embedding,
                               at_classifier_words_scale(net)};
}

static at_classified classify(at_tape *t, const at_model *m, const at_inputs *in, bool weights)
{
    return at_classify(t, m->net, in->ids, in->lengths, weights, in->record);
}

static const char *unused(const void *settings, const char *name)
{
    const at_classifier_settings *s = settings;
    bool size = strcmp(name, "attention-size") == 0, cnn = s->encoder == ATTEND_ENCODER_CNN;
    if ((size || strcmp(name, "attention") == 0) && s->pool == ATTEND_POOL_MAX)
        return "has no attention; --pool attention gives it one";
    if (size)
        return at_model_unused_size(s->attention);
    if (cnn && at_choice_find("layers|cell|bidirectional", name) >= 0)
        return "with a cnn has no use for it; --encoder rnn has";
    if (!cnn && strcmp(name, "widths") == 0)
        return "with an rnn has no use for it; --encoder cnn has";
    return NULL;
}

const at_model_kind at_model_classifier = {
    .name = "classifier",
    .type = "attend-classifier",
    .use = "classify",
    .can = ATTEND_CAN_CLASSIFY,
    .parts = ATTEND_PART_TOKENIZER | ATTEND_PART_LABELS,
    .options = at_classifier_options,
    .settings_size = sizeof(at_classifier_settings),
    .net_size = sizeof(at_classifier),
    .describe = describe,
    .trial = trial,
    .max_input = max_input,
    .attention = attention,
    .embedding = embedding,
    .unused = unused,
    .classify = classify,
};
