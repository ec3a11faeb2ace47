/* Text to text through translators: lines are cut into pieces, translated in batches of
 * like length, and given back in their order. So are sequences of feature vectors, which are read
 * whole where the models can.
 *
 * A line's translation, its score and its weights do not depend on the batch it was in. */
#ifndef ATTEND_DECODE_TRANSLATE_H
#define ATTEND_DECODE_TRANSLATE_H

#include "decode/session.h"
#include "store/features.h"
#include "text/copying.h"
#include "text/dictionary.h"
#include "text/tokenizer.h"

typedef struct {
    at_beam_options beam; /* most: words of a translation at most; 0: three for each of the source,
                             and ten; of features one for each frame, and fifty */
    int no_repeat;
    int best;    /* hypotheses of each line that are given; at least 1 */
    int batch;   /* lines at a time */
    int longest; /* pieces of a line that are read; fewer where a model can read no more */
    attend_when_long when_long;
    bool weights;
    at_attention_choice weights_of; /* what weights, unknown words and coverage are made of */
    at_attention_record wanted;     /* attention to record, of one model; kinds 0: none */
    bool words;                     /* numbers of the target's words are wanted */
    bool words_alone; /* scores and probabilities are not: greedy search is faster then */

    const at_sampling *sampling; /* words are drawn; or NULL */
    uint64_t seed;
    size_t first; /* number of the first line: for messages, and for drawing */

    const at_features *features; /* lines are these of its sequences, not texts; or NULL */
    const uint32_t *sequence;    /* [lines]; NULL: from `first` on */

    const at_text *prefix; /* [lines]: what each translation begins with; or NULL */
    bool forced;           /* the prefix is all of it */

    bool replace_unknown;            /* by the word that is most looked at, or its translation */
    const at_dictionary *dictionary; /* or NULL */
} at_translate_options;

/* one hypothesis of one line; nothing but line, text "", source, cut and skipped where the line is
 * empty or skipped */
typedef struct {
    size_t line;
    int rank; /* 0: the best */
    const char *text;
    double score, log_p;  /* not numbers where options have words_alone */
    int count;            /* pieces of the target, with the end where it came */
    const int *words;     /* their numbers */
    const at_text *piece; /* and texts: unknown ones as they are replaced, copied or were given */
    const unsigned *word; /* which word of text each belongs to, or NULL; ATTEND_NO_WORD: none */
    const double *log_ps; /* the logarithm of each one's probability; NULL: likewise */
    at_text read;         /* the line itself; empty of features */
    const at_tokens *source;    /* pieces of the line; the end of the source is one more position;
                                   of features there are none */
    const real *const *weights; /* [count] of [positions], or NULL */
    int positions;
    const at_attention_rows *attention;       /* [count], where it is recorded; else NULL */
    const at_alternative *const *alternative; /* [count] of [options.beam.alternatives], or NULL */
    const at_beam *beam;                      /* of its search, for a trace */
    const at_copied *copied;                  /* words of the source that it can copy */
    bool cut, skipped;                        /* the line was too long */
} at_translated;

/* Called for line after line, the best hypothesis first; a negative status ends the work. */
typedef attend_status at_translated_function(void *user, const at_translated *t, attend_error *err);

/* Through the models of a session, which have the same tokenizers and output. line may be NULL
 * where there are features. */
attend_status at_translate(at_session *session, const at_translate_options *options, size_t lines,
                           const at_text *line, at_translated_function *give, void *user,
                           attend_error *err);

#endif
