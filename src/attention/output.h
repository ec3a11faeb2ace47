/* OUTPUT: what a model predicts from a context. outputs.def lists them.
 *
 * words and module are layers; pointer and copy turn attention weights into a distribution, whose
 * negative log-likelihood is at_likelihood. */
#ifndef ATTEND_ATTENTION_OUTPUT_H
#define ATTEND_ATTENTION_OUTPUT_H

#include "attention/attention.h"

typedef struct {
    at_about about;
    /* why an attention cannot feed this output, or NULL when it can */
    const char *(*refuses)(const at_how *how);
} at_output;

#define OUTPUT(name) extern const at_output at_output_##name;
#include "attention/outputs.def"
#undef OUTPUT
extern const at_output *const at_outputs[];
extern const int at_output_count;

/* The output of that name, which takes what `how` gives (NULL: no attention); else an error with
 * the reason. */
attend_status at_output_parse(const at_output **output, const char *name, const at_how *how,
                              attend_error *err);

/* words: logits [..,V] = W h + b, softmax over the vocabulary */
at_tensor *at_output_word_logits(at_tape *t, at_path s, at_tensor *h, int vocabulary);

/* pointer: weights [B,H,Q,K] averaged over the heads, the distribution over positions [B,Q,K] */
at_tensor *at_output_point(at_tape *t, at_tensor *weights);

/* copy: p = g softmax(logits) + (1 - g) sum of the weights of each word's positions, with
 * g = sigmoid(gate). logits [R,V], weights [R,K], gate [R,1]; source[R*K] are word numbers below
 * V + extra, those from V on being words of the source that the vocabulary lacks: [R,V+extra] */
at_tensor *at_output_copied(at_tape *t, at_tensor *logits, at_tensor *weights, at_tensor *gate,
                            const int *source, int extra);

/* what sentences have to be copied */
typedef struct {
    at_ids source;    /* [B,S]: words of the sources as numbers of the target's words, from V on for
                         those it lacks; -1 from a sentence's end on */
    const int *extra; /* [B]: how many numbers from V on each sentence has */
    int max;          /* the largest of them */
} at_copies;

/* copy, for a loss: what copying gives the targets [B,T], the sum of the weights [B,T,S] of their
 * places: [B,T]; 0 for targets below 0. To be mixed with the softmax by at_linear_mixture. */
at_tensor *at_output_copied_mass(at_tape *t, at_tensor *weights, at_ids source, at_ids targets);

/* copy, for searching: log p of logits [R,V], weights [R,K] and gate [R,1] as in at_output_copied,
 * R / B rows of each sentence one after the other: [R,V+most], without a gradient. A sentence's
 * words from V on are not below log 1e-37; numbers that it does not have are -infinity, so that
 * nothing depends on the sentences beside it. */
at_tensor *at_output_copied_log(at_tape *t, at_tensor *logits, at_tensor *weights, at_tensor *gate,
                                const at_copies *copies);

/* the gate's input, from context, state and input of the step: [.., 1] */
at_tensor *at_output_gate(at_tape *t, at_path s, at_tensor *context, at_tensor *state,
                          at_tensor *input);

/* module: f(W [q; c] + b), [.., out]; f may be NULL for none */
at_tensor *at_output_module_apply(at_tape *t, at_path s, at_tensor *query, at_tensor *context,
                                  int out, at_activation *f);

/* -log p[target] of each row of a distribution [..,V]: [..]; a target of `ignore` gives 0. It is
 * finite even where p is 0: what is less likely than 1e-37 counts as that, without a gradient. */
at_tensor *at_likelihood(at_tape *t, at_tensor *p, at_ids targets, int ignore);

#endif
