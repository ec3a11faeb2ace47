/* How texts are searched for by default, where the folder of a model says it: config.json and
 * generation_config.json of the hub. A caller's options come first. Rules are those of
 * transformers' generate. */
#ifndef ATTEND_MODELS_GENERATION_H
#define ATTEND_MODELS_GENERATION_H

#include <stdbool.h>

typedef struct {
    int beam;         /* 0: not said */
    int max_length;   /* tokens, the start included; 0: not said */
    int max_a, max_b; /* and max_a times the tokens of the source and max_b more; 0: not said */
    int min_length;   /* tokens before the end may come, the start included */
    int no_repeat;    /* no n tokens in a row come twice; 0: off */
    double length_penalty, repetition;
    bool early; /* a beam ends with its first `beam` hypotheses */
    bool sample;
    double temperature, top_p;
    int top_k;
    int start;       /* the token before the first; -1: that of the tokenizer */
    int end;         /* ends a text; -1: that of the tokenizer */
    int first, last; /* tokens that must come first, and at max_length; -1: none */
    int barred;      /* cannot come in a beam: its probability is shared among the others; -1 */
    int bad_count;   /* sequences of tokens that must not come: */
    const int **bad; /* each ended by -1 */
} at_generation;

#endif
