/* The family of recurrent translators: their settings, and the model that settings describe.
 *
 *     at_translator s;
 *     at_translator_preset(&s, "bahdanau", &err);             every setting has its value
 *     at_option_assign(..at_translator_options.., &s, ..);    some are changed
 *     at_seq2seq m;
 *     at_translator_model(&s, source_words, target_words, &m, &err);
 *
 * Strings are borrowed. */
#ifndef ATTEND_MODELS_TRANSLATOR_H
#define ATTEND_MODELS_TRANSLATOR_H

#include "models/preset.h"
#include "models/seq2seq.h"

typedef struct {
    const char *preset;
    const char *from, *to; /* names of languages, for those who read them; or nothing */
    int hidden, embedding, layers, decoder_layers, cell;
    bool bidirectional, reversed, reads_padding;
    int start, place, readout;
    bool context_each_step, context_first, feeding;
    const char *attention, *output;
    int attention_size;
    double dropout;
    bool spare_readout, variational, tied, shared;
    int scaling; /* of features: 0 each number by its own mean and deviation, 1 not at all */
} at_translator;

extern const at_option at_translator_options[];

/* Every setting as the preset of that name has it. */
attend_status at_translator_preset(at_translator *s, const char *name, attend_error *err);

/* The model that the settings describe. Fails, with the setting to change, where they do not go
 * together. */
attend_status at_translator_model(const at_translator *s, int source_words, int target_words,
                                  at_seq2seq *m, attend_error *err);

/* The same of a source that is vectors of so many numbers, which are not scaled yet. */
attend_status at_translator_model_features(const at_translator *s, int width, int target_words,
                                           at_seq2seq *m, attend_error *err);

#endif
