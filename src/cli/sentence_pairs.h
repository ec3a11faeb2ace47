/* Sentence pairs for a command: two files that belong together line by line, or one of pairs; or
 * feature vectors, a file that ends in .safetensors, and the lines that belong to them. */
#ifndef ATTEND_CLI_SENTENCE_PAIRS_H
#define ATTEND_CLI_SENTENCE_PAIRS_H

#include "cli/lines.h"
#include "cli/models.h"

typedef struct {
    const char *data;      /* a file of pairs in any format, or NULL: */
    const char *src, *tgt; /* lines and their translations */
    bool swap;             /* the second side is the source */
} at_sentence_pairs_from;

typedef struct {
    size_t count;
    const char *const *source, *const *target;
    attend_features *features; /* the sources, in place of texts; or NULL */
    /* inside */
    at_lines lines[2];
    at_str text;
    const char **item;
} at_sentence_pairs;

/* Pairs keep their order; of two files none is left out. */
attend_status at_sentence_pairs_read(at_sentence_pairs *p, at_cli *cli,
                                     const at_sentence_pairs_from *from, attend_error *err);

/* The sources as attend_translate takes them, for models that read such ones, and the models after
 * the first. */
attend_status at_sentence_pairs_give(const at_sentence_pairs *p, const at_models *m,
                                     attend_translate_options *o, attend_error *err);
void at_sentence_pairs_free(at_sentence_pairs *p); /* also after a failed read */

#endif
