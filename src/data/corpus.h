/* A corpus: the examples of one or more files, found by number, without limit of memory
 * (record_store.h).
 *
 *     at_corpus *c;
 *     at_corpus_load(paths, count, NULL, &c, err);
 *     at_corpus_at(c, i, arena, &example);
 *     at_corpus_free(c);
 *
 * Files are read once. What is skipped is counted. */
#ifndef ATTEND_DATA_CORPUS_H
#define ATTEND_DATA_CORPUS_H

#include "data/reader.h"

typedef struct {
    at_read_options reader;
    size_t memory; /* as of a store */
} at_corpus_options;

typedef struct {
    long examples;
    long empty;    /* skipped: a part that models read has no text */
    long bad;      /* skipped by a lenient reader */
    long blank;    /* empty lines */
    long repaired; /* lines with bytes that were no UTF-8 */
    long lines;
    long documents;
} at_corpus_counts;

typedef struct at_corpus at_corpus;

/* options may be NULL. Files of one corpus have examples with the same parts. */
attend_status at_corpus_load(const char *const *paths, int count, const at_corpus_options *options,
                             at_corpus **out, attend_error *err);

/* The same of one path: a file, or a folder, whose files are read in the order of their names;
 * those whose names begin with a dot are left out. */
attend_status at_corpus_load_path(const char *path, const at_corpus_options *options,
                                  at_corpus **out, attend_error *err);

/* The same from a reader, which stays the caller's; may be called again with another one. */
attend_status at_corpus_new(size_t memory, at_corpus **out, attend_error *err);
attend_status at_corpus_read(at_corpus *c, at_example_reader *r, attend_error *err);
attend_status at_corpus_close(at_corpus *c, attend_error *err);

size_t at_corpus_size(const at_corpus *c);
unsigned at_corpus_has(const at_corpus *c); /* parts of its examples: ATTEND_HAS_... */
at_corpus_counts at_corpus_count(const at_corpus *c);
bool at_corpus_runs(const at_corpus *c); /* examples are parts of documents, in their order */
const char *at_corpus_file(const at_corpus *c, int file); /* its name, for messages */

/* Texts are borrowed from the corpus, answers from the arena, which may be NULL: then there are
 * none. False without memory. Safe from threads with an arena each. */
bool at_corpus_at(const at_corpus *c, size_t index, at_arena *arena, at_example *e);

/* "12 empty lines and 3 examples with an empty side were skipped", or nothing to say */
void at_corpus_say(const at_corpus *c, at_str *out);

void at_corpus_free(at_corpus *c); /* NULL is well */

/* The sources, and targets where there are any, one after another: for learning a vocabulary. */
typedef struct {
    const at_corpus *corpus;
    const unsigned char *part; /* of each example (split.h), or NULL: all are taken */
    bool sources, targets;
    size_t at;
    bool second;
} at_corpus_walk;

at_line_source at_corpus_lines(at_corpus_walk *walk);

#endif
