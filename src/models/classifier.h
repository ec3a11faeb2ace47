/* The family of text classifiers: words are encoded, one read looks at all of them, and what it saw
 * is a class.
 *
 *     h_1 .. h_T = encoder(x_1 .. x_T)     states of a recurrent network in both directions, or
 *                                          convolutions over windows of words (Kim 2014)
 *     c = read(q, h)                       attention with a query q that is learned, or that is the
 *                                          encoder's last states; or the maximum over time
 *     y = softmax(W [q; c] + b)            the output `module`; W c + b where there is no query
 *
 * The weights of the read say which words a decision comes from. Of the maximum, a word's weight is
 * its share of those maxima that are not 0. Sizes: B texts, T words, C channels of the encoder, K
 * classes. */
#ifndef ATTEND_MODELS_CLASSIFIER_H
#define ATTEND_MODELS_CLASSIFIER_H

#include "attention/attention.h"
#include "models/preset.h"
#include "nn/layers.h"

/* ---- settings ------------------------------------------------------------------------------ */

typedef struct {
    const char *preset;
    int encoder, hidden, embedding, layers, cell;
    bool bidirectional;
    const char *widths; /* "3,4,5" */
    int pool, query;
    const char *attention;
    int attention_size;
    double dropout, word_dropout;
    bool frozen;
} at_classifier_settings;

extern const at_option at_classifier_options[];

/* ---- model --------------------------------------------------------------------------------- */

typedef enum { ATTEND_ENCODER_RNN, ATTEND_ENCODER_CNN } at_encoder;
typedef enum { ATTEND_POOL_ATTENTION, ATTEND_POOL_MAX } at_pooled;
typedef enum { ATTEND_QUERY_LEARNED, ATTEND_QUERY_ENDS } at_query_kind;

enum { ATTEND_WIDTHS_MOST = 8 };

typedef struct {
    int vocabulary, classes;
    at_encoder encoder;
    int embedding, hidden;                 /* hidden: units of a direction, or filters of a width */
    int layers;                            /* recurrent */
    at_cell cell;                          /* recurrent */
    bool bidirectional;                    /* recurrent */
    int widths, width[ATTEND_WIDTHS_MOST]; /* of windows of words */
    at_pooled pool;
    at_query_kind query;
    at_how attention;
    real dropout;      /* of words' vectors, between layers, and of what is decided from */
    real word_dropout; /* of whole words */
} at_classifier;

/* The model that the settings describe. Fails, with the setting to change, where they do not go
 * together. */
attend_status at_classifier_model(const at_classifier_settings *s, int vocabulary, int classes,
                                  at_classifier *m, attend_error *err);

/* The parameter that has the words' vectors, [vocabulary, embedding], and their spread at first. */
#define ATTEND_CLASSIFIER_WORDS "embedding.weight"
static inline real at_classifier_words_scale(const at_classifier *m)
{
    return 1 / real_sqrt((real)m->embedding);
}

/* Words of a text that it can read, of `longest` at most (0: any number). */
static inline int at_classifier_longest(const at_classifier *m, int longest)
{
    return m->pool == ATTEND_POOL_MAX ? longest : at_how_max_length(&m->attention, longest);
}

/* words [B,T] with lengths [B]; the caller's memory, alive until the tape is reset. */
at_classified at_classify(at_tape *t, const at_classifier *m, at_ids words, const int *lengths,
                          bool weights, at_attention_record *record);

#endif
