/* Alignment without a network: IBM model 1 with a diagonal prior, learned from the sentence pairs
 * themselves (Dyer, Chahuneau and Smith 2013, fast_align). A target word j of n comes from the
 * source word i of m, or from none, with the probability
 *
 *     p(i | j, m, n) t(target word | source word)
 *     p(none | j, m, n) = 0.08,   p(i | j, m, n) = 0.92 exp(-T |i / m - j / n|) / Z
 *
 * Expectation maximisation finds t, with a Dirichlet prior of 0.01, and the tension T. */
#ifndef ATTEND_DECODE_LEXICAL_MODEL_H
#define ATTEND_DECODE_LEXICAL_MODEL_H

#include "decode/word_lines.h"

/* Learns from the lines and links each target word to its likeliest source word, or to none.
 *
 * iterations   of expectation maximisation
 * out          [source->count] empty texts, which receive the links as Pharaoh writes them */
attend_status at_lexical_align(const at_word_lines *source, const at_word_lines *target,
                               int iterations, at_str *out, attend_error *err);

#endif
