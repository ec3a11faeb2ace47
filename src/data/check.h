/* Looks a corpus through for what spoils training, and writes a clean copy.
 *
 * The files are read once; examples are kept in a store (record_store.h) and looked at a second
 * time, when the corpus as a whole is known. Memory does not grow with the corpus but for 32 bytes
 * an example, up to a limit. */
#ifndef ATTEND_DATA_CHECK_H
#define ATTEND_DATA_CHECK_H

#include "data/finding.h"
#include "data/format.h"
#include "text/vocab.h"

typedef struct {
    at_read_options reader; /* lenient, observe, bad and user are the check's own */
    double ratio;           /* of characters, against the median ratio */
    int max_words;          /* words */
    int locations;          /* kept for each finding */
    size_t memory;          /* bytes of each of two tables of keys; 0: 512 MiB */
    const char *fix;        /* where the clean copy goes, or NULL */
    const char *to;         /* its format, or NULL: that of the first file */
    bool keep;              /* where that is there already, it is refused */
} at_check_options;

void at_check_defaults(at_check_options *o);

enum { ATTEND_EXCERPT_SIZE = 120 };

typedef struct {
    int file;
    long line;
    long also; /* the line that this one is like, or 0, and its file */
    int also_file;
    char text[ATTEND_EXCERPT_SIZE]; /* the beginning, or what is wrong; UTF-8 */
} at_finding_location;

/* of sources, targets or questions */
typedef struct {
    long texts, words, characters;
    long longest; /* words, and where */
    int longest_file;
    long longest_line;
    long percentile[2]; /* words that half of the texts (the median), and 99 of a hundred, do not
                           exceed */
} at_side_sizes;

typedef struct {
    const at_format *format; /* of the first file */
    char **file;             /* names */
    int files;
    long lines, examples, blank, documents;
    unsigned has;
    long sources;          /* different ones */
    at_side_sizes side[3]; /* source, target, question */
    long unanswered;       /* questions without an answer */
    at_vocab *labels;      /* with counts; NULL where there are none */
    long count[ATTEND_FINDINGS];
    at_finding_location *location[ATTEND_FINDINGS];
    int locations; /* kept of each, at most */
    bool full;     /* there were more examples than the tables of keys hold */
    long refused;  /* lines, or examples, with an error */
    /* of the clean copy: examples; dropped has lines that are none, too. flattened: texts whose
     * tabs or line ends became blanks */
    long kept, dropped, repaired, flattened;
    char *copy[2]; /* its files, or NULL */
} at_check;

/* Fails where a file cannot be opened or read, or the copy not be written; not because of what is
 * in it. at_check_free it. */
attend_status at_check_files(const char *const *paths, int count, const at_check_options *options,
                             at_check **out, attend_error *err);
void at_check_free(at_check *c); /* NULL is well */

#endif
