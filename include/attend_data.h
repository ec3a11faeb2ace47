/* Corpora: reading, checking, converting and splitting. The rules of attend.h hold.
 *
 * Sentence pairs, aligned files, labelled text, reading comprehension and plain text, in the
 * formats of attend_list("formats", ..); compressed by gzip, in a zip archive
 * ("corpus.zip:train.tsv" if it holds several), or "-" for standard input. Only \n ends a line. */
#ifndef ATTEND_DATA_H
#define ATTEND_DATA_H

#include "attend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options --------------------------------------------------------------------------- */

/* How to handle bytes that are not valid UTF-8. */
typedef enum attend_encoding {
    ATTEND_ENCODING_UTF8,    /* an error, with file and line */
    ATTEND_ENCODING_REPLACE, /* each becomes U+FFFD */
    ATTEND_ENCODING_LATIN1   /* a line with such bytes is Windows-1252, which includes Latin-1 */
} attend_encoding;

typedef struct attend_data_options {
    size_t size;        /* of this struct, set by attend_data_defaults */
    const char *format; /* a name of the list "formats"; NULL: guessed from the first lines */
    const char *target; /* the second of two aligned files, or NULL */
    /* columns of a table, by name or number from 1, or keys of JSON objects; NULL: the usual ones.
     * text may be several, "title,body", which are joined; second is the translation, or the second
     * of two sentences */
    const char *text, *second, *label;
    int header;  /* 1: a table begins with names; -1: it does not; 0: guessed */
    int reverse; /* 1: the second text is the source */
    attend_encoding encoding;
    size_t longest_line; /* bytes; 0: 1 MiB */

    const char *to; /* the format to write; NULL: that of the first file */

    /* of a check */
    double ratio;     /* how many times longer than usual a side may be than the other */
    int longest_text; /* words */
    int places;       /* lines that are reported for each finding */

    int keep; /* 1: refuse to replace an existing file */
} attend_data_options;

/* Sets options to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_data_defaults(attend_data_options *options);

/* ---- examples -------------------------------------------------------------------------- */

/* An example; texts are ended by a zero byte, and NULL if it has no such part. */
typedef struct attend_example {
    const char *source, *target, *label, *question, *id;
    size_t answers; /* to the question, with attend_examples_answer */
    const char *file;
    size_t line; /* from 1 */
} attend_example;

/* The examples of a file, one after another, in constant memory. */
typedef struct attend_examples attend_examples;

/* Opens a corpus.
 *
 * path      a file
 * options   may be NULL
 * out       receives the examples; release it with attend_examples_free */
ATTEND_API attend_status attend_examples_open(const char *path, const attend_data_options *options,
                                              attend_examples **out, attend_error *err);

/* Releases a corpus.
 *
 * examples  may be NULL */
ATTEND_API void attend_examples_free(attend_examples *examples);

/* The next example.
 *
 * examples  an open corpus
 * example   receives it, borrowed until the next call
 *
 * Returns 1, 0 at the end, or a negative attend_status. */
ATTEND_API int attend_examples_next(attend_examples *examples, attend_example *example,
                                    attend_error *err);

/* An answer to the question of the last example.
 *
 * examples  an open corpus
 * index     of the answer
 * text      receives it, borrowed until the next call
 * begin     receives the position of its first character in the source, in code points
 *
 * Returns 1, or 0 if there is none. */
ATTEND_API int attend_examples_answer(const attend_examples *examples, size_t index,
                                      const char **text, size_t *begin);

/* The name of the format of a corpus.
 *
 * examples  an open corpus */
ATTEND_API const char *attend_examples_format(const attend_examples *examples);

/* ---- converting and splitting ---------------------------------------------------------- */

typedef struct attend_data_counts {
    size_t written;
    size_t skipped;   /* examples with a part that has no text */
    size_t flattened; /* texts whose tabs and line ends became spaces, as the format requires */
} attend_data_counts;

/* Writes the examples of files in another format, completely or not at all.
 *
 * paths     files to read
 * count     how many
 * out       the file to write; for the format "aligned" two files, out.src and out.tgt, or with the
 *           suffixes of the two that were read
 * options   may be NULL
 * counts    receives what was written; may be NULL */
ATTEND_API attend_status attend_data_convert(const char *const *paths, size_t count,
                                             const char *out, const attend_data_options *options,
                                             attend_data_counts *counts, attend_error *err);

/* Splits a corpus into train, valid and test. A hash of the source decides, which ignores case, the
 * encoding of accents and white space: so no source is in two parts, and each stays in its part
 * when the corpus grows. Files of these parts are replaced. One that would not be, because its part
 * is empty now or has another format, is refused: it would look like a part of this split.
 *
 * paths     files to read
 * count     how many
 * folder    where the parts are written
 * valid     "5%", "0.05", or at least so many examples, "1000"; NULL: none
 * test      likewise
 * options   may be NULL
 * counts    receives three: of train, valid and test; may be NULL */
ATTEND_API attend_status attend_data_split(const char *const *paths, size_t count,
                                           const char *folder, const char *valid, const char *test,
                                           const attend_data_options *options,
                                           attend_data_counts counts[3], attend_error *err);

/* ---- checking -------------------------------------------------------------------------- */

/* The report of a check. */
typedef struct attend_check attend_check;

/* Searches files for problems that harm training. Fails if a file cannot be read or the copy cannot
 * be written, not because of its findings.
 *
 * paths     files to read
 * count     how many
 * fix       the file for a clean copy, or NULL
 * options   may be NULL
 * out       receives the report; release it with attend_check_free */
ATTEND_API attend_status attend_data_check(const char *const *paths, size_t count, const char *fix,
                                           const attend_data_options *options, attend_check **out,
                                           attend_error *err);

/* Releases a report.
 *
 * check     may be NULL */
ATTEND_API void attend_check_free(attend_check *check);

/* Sizes of sources, targets or questions. */
typedef struct attend_text_sizes {
    size_t texts, words, characters;
    size_t half, most; /* words that 50 % and 99 % of the texts do not exceed */
    size_t longest;    /* words of the longest text, which is on this line of this file */
    const char *file;
    size_t line;
} attend_text_sizes;

/* strings are borrowed from the report */
typedef struct attend_check_summary {
    const char *format;
    size_t files;
    size_t lines, examples, documents;
    size_t sources; /* different ones */
    size_t unanswered;
    attend_text_sizes source, target, question;
    size_t labels;
    int complete;                   /* 0: a part was too large to be searched for duplicates */
    const char *copy, *second_copy; /* files of the clean copy, or NULL */
    /* examples of the copy; dropped includes lines that are not examples, and flattened counts
     * texts whose tabs or line ends became spaces */
    size_t kept, dropped, repaired, flattened;
    size_t refused; /* lines that training refuses */
} attend_check_summary;

/* The summary of a report.
 *
 * check     a report
 * summary   receives it */
ATTEND_API void attend_check_summarise(const attend_check *check, attend_check_summary *summary);

/* The name of a file that was checked; NULL if there is none.
 *
 * check     a report
 * index     of the file */
ATTEND_API const char *attend_check_file(const attend_check *check, size_t index);

/* A label and its number of examples.
 *
 * check     a report
 * index     0 is the most frequent
 * label     receives it, borrowed
 * count     receives how many examples have it
 *
 * Returns 1, or 0 if there is none. */
ATTEND_API int attend_check_label(const attend_check *check, size_t index, const char **label,
                                  size_t *count);

typedef enum attend_level {
    ATTEND_LEVEL_NOTE,    /* worth knowing */
    ATTEND_LEVEL_WARNING, /* training works, and would be better without */
    ATTEND_LEVEL_ERROR    /* training refuses it */
} attend_level;

typedef struct attend_finding {
    const char *name;   /* "not-utf8" */
    const char *what;   /* in a few words */
    const char *remedy; /* a sentence */
    const char *fix;    /* what a clean copy does: "dropped", "repaired", or "" */
    attend_level level;
    size_t count; /* of lines or examples; 0: not found */
} attend_finding;

/* A finding; all that exist are listed, including those with no occurrence.
 *
 * check     a report
 * index     of the finding
 * finding   receives it
 *
 * Returns 1, or 0 if there is none. */
ATTEND_API int attend_check_finding(const attend_check *check, size_t index,
                                    attend_finding *finding);

typedef struct attend_place {
    const char *file;
    size_t line;
    const char *also_file; /* of an example that this one is like, or NULL */
    size_t also_line;
    const char *text; /* the beginning of the line, or what is wrong with it */
} attend_place;

/* One of the first lines of a finding.
 *
 * check     a report
 * finding   its index
 * index     of the line
 * place     receives file and line
 *
 * Returns 1, or 0 if there is none. */
ATTEND_API int attend_check_place(const attend_check *check, size_t finding, size_t index,
                                  attend_place *place);

#ifdef __cplusplus
}
#endif

#endif
