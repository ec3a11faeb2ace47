/* How BLEU cuts text into words. One small file each, listed in tokenizations.def. All of them do
 * what sacreBLEU's tokenizers of the same names do, character for character. */
#ifndef ATTEND_MEASURE_TOKENIZATION_H
#define ATTEND_MEASURE_TOKENIZATION_H

#include "measure/chars.h"

typedef struct {
    const char *name;
    const char *what; /* a line for help */
    /* text becomes its words with spaces between them; spare is memory to work in */
    void (*run)(at_chars *text, at_chars *spare);
} at_tokenization;

extern const at_tokenization *const at_tokenizations[];
extern const int at_tokenizations_count;

/* by name, or NULL */
const at_tokenization *at_tokenization_find(const char *name);

/* ---- what several of them share ---- */

/* &quot; &amp; &lt; &gt; become characters */
void at_mteval_entities(at_chars *text, at_chars *spare);

/* spaces around ASCII symbols; around full stops, commas and dashes that are not inside numbers */
void at_mteval_symbols(at_chars *text, at_chars *spare);
void at_mteval_stops(at_chars *text, at_chars *spare);

#endif
