/* Pointer networks: an encoder-decoder whose output is places of its input (Vinyals et al. 2015).
 *
 *     e_1 .. e_n = W x_1 + b ..            items are vectors
 *     h_1 .. h_n = encoder(e_1 .. e_n)     h_0, learned: the end
 *     d_t = decoder(d_{t-1}, e of the place before; at first a learned vector)
 *     p(place_t = j) = read(d_t, h)_j      the weights of the read, j = 0 .. n
 *
 * Sizes: B sequences, S items, T places, F numbers of an item, E and H widths. */
#ifndef ATTEND_MODELS_POINTER_H
#define ATTEND_MODELS_POINTER_H

#include "attention/attention.h"
#include "models/preset.h"
#include "nn/layers.h"

typedef struct {
    const char *preset;
    int hidden, embedding, cell;
    bool bidirectional;
    const char *attention;
    int attention_size;
    double dropout;
} at_pointer_settings;

extern const at_option at_pointer_options[];

typedef struct {
    int width; /* F */
    int embedding, hidden;
    at_cell cell;
    bool bidirectional; /* the encoder */
    at_how attention;
    real dropout; /* of items' vectors and of states */
} at_pointer;

/* The model that the settings describe. Fails, with the setting to change, where they do not go
 * together. */
attend_status at_pointer_model(const at_pointer_settings *s, int width, at_pointer *m,
                               attend_error *err);

/* Are so many items, and their end, places that the attention knows? */
attend_status at_pointer_check_items(const at_pointer *m, size_t items, attend_error *err);

/* what the decoder points into, and its state */
typedef struct {
    int items;        /* S */
    at_tensor *table; /* [1 + B*S, E]: what the decoder takes; row 0 at first */
    at_memory memory; /* of the end and the items: [B, 1 + S, ..] */
    at_tensor *h, *c; /* [B,H]; c: NULL unless the cell is an LSTM */
    int position;     /* steps done */
} at_pointing;

/* items [B,S,F] with lengths [B] */
at_pointing at_pointer_read(at_tape *t, const at_pointer *m, at_tensor *items, const int *lengths);

/* T steps: before [B,T] are the places that were pointed to before each, 0 at the first. Gives the
 * probabilities of places [B,T,1+S] and moves the state on. */
at_tensor *at_pointer_point(at_tape *t, const at_pointer *m, at_pointing *p, at_ids before);

#endif
