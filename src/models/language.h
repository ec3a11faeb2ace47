/* The family of recurrent language models: what word comes next (Mikolov et al. 2010).
 *
 *     h_t = rnn(e(x_t), h_{t-1})          layers on top of each other
 *     p(x_{t+1} | x_1 .. x_t) = softmax(W h_t + b)
 *
 * Sizes: B texts, T words, V words of the vocabulary, H units. */
#ifndef ATTEND_MODELS_LANGUAGE_H
#define ATTEND_MODELS_LANGUAGE_H

#include "attention/cache.h"
#include "models/preset.h"
#include "nn/layers.h"

typedef struct {
    const char *preset;
    int hidden, embedding, layers, cell, window, newline;
    double dropout;
    bool tied;
} at_language_settings;

extern const at_option at_language_options[];

typedef struct {
    int vocabulary, embedding, hidden, layers;
    at_cell cell;
    real dropout; /* of words' vectors, between layers, and of what is predicted from */
    bool tied;    /* the output layer is the words' vectors */
} at_language;

/* The model that the settings describe. Fails, with the setting to change, where they do not go
 * together. */
attend_status at_language_model(const at_language_settings *s, int vocabulary, at_language *m,
                                attend_error *err);

/* The parameter that has the words' vectors, [V, embedding], and their spread at first. */
#define ATTEND_LANGUAGE_WORDS "embedding.weight"
#define ATTEND_LANGUAGE_WORDS_SCALE ((real)0.1)

/* A cache for the recurrent states of texts; NULL without memory. */
at_cache *at_language_cache(const at_language *m);

/* Reads words [B,T] of texts that continue the B rows of the cache, whose states are replaced, or
 * that begin here where it is NULL or the rows are empty; counts [B] words of each (NULL: T). The
 * next words are predicted from the result, [B,T,H]. */
at_tensor *at_language_read(at_tape *t, const at_language *m, at_ids words, const int *counts,
                            at_cache *cache);

/* [B,T,V] */
at_tensor *at_language_logits(at_tape *t, const at_language *m, at_tensor *read);

/* The mean negative log-likelihood of the targets [B,T]. */
at_tensor *at_language_loss(at_tape *t, const at_language *m, at_tensor *read, at_ids targets,
                            at_cross_entropy_options options);

#endif
