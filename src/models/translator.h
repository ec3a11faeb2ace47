/* A recurrent translator in words: the settings that the command line, a configuration file and
 * config.json share, and the named systems of the papers as values of them.
 *
 *     at_translator s;
 *     at_translator_preset(&s, "bahdanau", &err);             every setting has its value
 *     at_option_assign(..at_translator_options.., &s, ..);    some are changed
 *     at_seq2seq m;
 *     at_translator_model(&s, source_words, target_words, &m, &err);
 *
 * Strings are borrowed: from the lists here, or from whoever assigned them. */
#ifndef ATTEND_MODELS_TRANSLATOR_H
#define ATTEND_MODELS_TRANSLATOR_H

#include "base/option.h"
#include "models/seq2seq.h"

typedef struct {
    const char *preset;
    int hidden, embedding, layers, decoder_layers, cell;
    bool bidirectional, reversed, reads_padding;
    int start, place, readout;
    bool context_each_step, context_first, feeding;
    const char *attention, *output;
    int attention_size;
    double dropout;
    bool variational, tied, shared;
} at_translator;

extern const at_option at_translator_options[];

typedef struct {
    const char *name, *formula; /* what it is */
    const char *source;
    const char *attention; /* NULL: it has none */
    const char *settings;  /* "cell=gru bidirectional=yes": what differs from the defaults */
} at_preset;

#define PRESET(name) extern const at_preset at_preset_##name;
#include "models/presets.def"
#undef PRESET
extern const at_preset *const at_presets[];
extern const int at_preset_count;

/* The preset of that name, or NULL with an error that suggests one. */
const at_preset *at_preset_find(const char *name, attend_error *err);

/* Every setting as the preset has it. */
attend_status at_translator_preset(at_translator *s, const char *name, attend_error *err);

/* The model that the settings describe. Fails, with the setting to change, where they do not go
 * together. */
attend_status at_translator_model(const at_translator *s, int source_words, int target_words,
                                  at_seq2seq *m, attend_error *err);

#endif
