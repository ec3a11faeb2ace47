#include "models/translator.h"

const at_option at_translator_options[] = {
    {.name = "preset",
     OPTION_STRING(at_translator, preset),
     .value = "bahdanau",
     .meta = "NAME",
     .group = "Model",
     .help = "The named system to start from; attend list presets shows them"},
    {.name = "from",
     OPTION_STRING(at_translator, from),
     .meta = "LANGUAGE",
     .help = "Of the sources: en, eng or English; decides the direction where files tell theirs"},
    {.name = "to",
     OPTION_STRING(at_translator, to),
     .meta = "LANGUAGE",
     .help = "Of the translations"},
    {.name = "hidden",
     OPTION_COUNT(at_translator, hidden, "256", 1, 1 << 16),
     .help = "Width of the recurrent states"},
    {.name = "embedding",
     OPTION_COUNT(at_translator, embedding, "256", 1, 1 << 16),
     .help = "Width of the words' vectors"},
    {.name = "layers",
     OPTION_COUNT(at_translator, layers, "1", 1, 16),
     .help = "Recurrent layers on each side"},
    {.name = "decoder-layers",
     OPTION_COUNT(at_translator, decoder_layers, "0", 0, 16),
     .help = "Recurrent layers of the decoder, when fewer; 0 is as many"},
    {.name = "cell",
     OPTION_CHOICE(at_translator, cell),
     .value = "gru",
     .choices = "rnn|relu|lstm|gru",
     .help = "What a recurrent layer is made of"},
    {.name = "bidirectional",
     OPTION_FLAG(at_translator, bidirectional),
     .help = "The encoder reads the source in both directions"},
    {.name = "reversed",
     OPTION_FLAG(at_translator, reversed),
     .help = "The encoder reads the source from its end"},
    {.name = "encoder-reads-padding",
     OPTION_FLAG(at_translator, reads_padding),
     .help =
         "The encoder runs over padding, as some tutorials do; results then depend on the batch"},
    {.name = "start",
     OPTION_CHOICE(at_translator, start),
     .value = "copy",
     .choices = "copy|backward|both",
     .help = "The decoder's first state: the encoder's last, or made from its backward or both"},
    {.name = "place",
     OPTION_CHOICE(at_translator, place),
     .value = "none",
     .choices = "none|before|after",
     .help = "Where the decoder reads: nowhere, before its step, or after it"},
    {.name = "attention",
     OPTION_STRING(at_translator, attention),
     .value = "additive",
     .meta = "SCORE/SCOPE/PICK/HEADS",
     .help = "How it reads; attend list attention shows what there is"},
    {.name = "attention-size",
     OPTION_COUNT(at_translator, attention_size, "0", 0, 1 << 16),
     .help = "Width inside the additive score; 0 is the hidden width"},
    {.name = "output",
     OPTION_STRING(at_translator, output),
     .value = "words",
     .meta = "NAME",
     .help = "What it predicts: words, or copy to take words of the source too"},
    {.name = "readout",
     OPTION_CHOICE(at_translator, readout),
     .value = "state",
     .choices = "state|deep|maxout|all",
     .help =
         "What the prediction is made from: the state, or state, context and last word, through "
         "tanh, maxout or as they are"},
    {.name = "context-each-step",
     OPTION_FLAG(at_translator, context_each_step),
     .help = "Without attention: the source's state joins every input"},
    {.name = "context-first",
     OPTION_FLAG(at_translator, context_first),
     .help = "Inputs are context and word, not word and context"},
    {.name = "input-feeding",
     OPTION_FLAG(at_translator, feeding),
     .help = "With place after: what was read joins the next input"},
    {.name = "dropout",
     OPTION_NUMBER(at_translator, dropout, "0.3", 0, 0.95, "P"),
     .help = "Share of numbers that training leaves out"},
    {.name = "spare-readout",
     OPTION_FLAG(at_translator, spare_readout),
     .help = "Not of those that words are predicted from"},
    {.name = "variational",
     OPTION_FLAG(at_translator, variational),
     .help = "Dropout leaves out the same numbers at all steps of a sentence"},
    {.name = "tied",
     OPTION_FLAG(at_translator, tied),
     .help = "The output layer is the target's embedding"},
    {.name = "shared",
     OPTION_FLAG(at_translator, shared),
     .help = "Source and target have one vocabulary and one embedding"},
    {.name = "feature-scaling",
     OPTION_CHOICE(at_translator, scaling),
     .value = "each",
     .choices = "each|none",
     .help = "Of a source of feature vectors: each number by its mean and deviation, or not"},
    {0}};

attend_status at_translator_preset(at_translator *s, const char *name, attend_error *err)
{
    const at_preset *p = at_preset_find(name, err);
    if (p && p->kind != &at_model_translator)
        return at_error(err, ATTEND_OPTION, "the preset %s is no translator", name);
    return p ? at_preset_settings(p, s, err) : ATTEND_OPTION;
}

/* ---- the model ----------------------------------------------------------------------------- */

static attend_status network(const at_translator *s, int source_words, int features,
                             int target_words, at_seq2seq *m, attend_error *err)
{
    *m = (at_seq2seq){.source_vocabulary = source_words,
                      .source_features = features,
                      .target_vocabulary = target_words,
                      .embedding = s->embedding,
                      .hidden = s->hidden,
                      .layers = s->layers,
                      .decoder_layers = s->decoder_layers ? s->decoder_layers : s->layers,
                      .cell = at_model_cell(s->cell),
                      .bidirectional = s->bidirectional,
                      .reversed = s->reversed,
                      .reads_padding = s->reads_padding,
                      .context_each_step = s->context_each_step,
                      .context_first = s->context_first,
                      .feeding = s->feeding,
                      .start = (at_start)s->start,
                      .place = (at_place)s->place,
                      .readout = (at_readout)s->readout,
                      .dropout = (real)s->dropout,
                      .spare_readout = s->spare_readout,
                      .variational = s->variational,
                      .tied = s->tied,
                      .shared = s->shared};
    attend_status status = ATTEND_OK;
    bool reads = m->place != ATTEND_PLACE_NONE;
    if (reads)
        status = at_how_parse(&m->attention, s->attention, err);
    m->attention.size = s->attention_size;
    if (status >= 0)
        status = at_output_parse(&m->output, s->output, reads ? &m->attention : NULL, err);
    if (status >= 0 && m->output != &at_output_words && m->output != &at_output_copy)
        status = at_error(err, ATTEND_OPTION, "a translator's output is words or copy, not %s",
                          s->output);
    return status < 0 ? status : at_seq2seq_check(m, err);
}

attend_status at_translator_model(const at_translator *s, int source_words, int target_words,
                                  at_seq2seq *m, attend_error *err)
{
    return network(s, source_words, 0, target_words, m, err);
}

attend_status at_translator_model_features(const at_translator *s, int width, int target_words,
                                           at_seq2seq *m, attend_error *err)
{
    return network(s, 0, width, target_words, m, err);
}
