/* attend: train, run and look into attention models.
 *
 *     attend_pooling *curve;
 *     attend_error err;
 *     if (attend_fit(rows, 1, x, y, NULL, &curve, &err) < 0)
 *         fprintf(stderr, "%s\n", err.message);
 *
 * Rules that hold for every function:
 *   - What you were given by a `_new`, `_load` or an `out` argument you free with the function
 *     of the same noun; everything else is borrowed.
 *   - Functions that can fail return an attend_status and fill `err`, which may be NULL.
 *   - The library never exits, aborts or prints; see attend_set_log. Figures are drawn in a child
 *     process, because GLib ends a program that runs out of memory.
 *   - Calls on different objects may run on different threads at the same time; on one object one
 *     after the other, unless the function says more. A forked process may go on using it.
 *   - Pointers are not NULL, unless it says that they may be. Options may be NULL, which stands for
 *     the defaults; others begin as their `_defaults` function sets them.
 *   - A function of yours that returns an attend_status ends the work with a negative one, which is
 *     returned; it fills the `err` that it is given.
 *   - Before version 1, a minor version may change structs, and has a library name of its own
 *     (libattend.so.0.1). C99, C++11.
 */
#ifndef ATTEND_H
#define ATTEND_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ATTEND_API __attribute__((visibility("default")))
#else
#define ATTEND_API
#endif

#define ATTEND_VERSION_MAJOR 0
#define ATTEND_VERSION_MINOR 1
#define ATTEND_VERSION_PATCH 0

/* ---- status ---------------------------------------------------------------------------- */

/* name, number, text: one list makes the codes, their names and their texts */
#define ATTEND_STATUS_LIST(X)                                \
    X(OK, 0, "no error")                                     \
    X(MEMORY, -1, "out of memory")                           \
    X(FILE, -2, "a file could not be read or written")       \
    X(FORMAT, -3, "a file does not have the form it claims") \
    X(SHAPE, -4, "tensor sizes do not fit together")         \
    X(OPTION, -5, "an option is unknown or out of range")    \
    X(NUMBER, -6, "a computation left the finite numbers")   \
    X(STOPPED, -7, "stopped by the caller")

typedef enum attend_status {
#define X(name, code, text) ATTEND_##name = code,
    ATTEND_STATUS_LIST(X)
#undef X
} attend_status;

typedef struct attend_error {
    attend_status status;
    char message[400]; /* what, where, which sizes or line, and what to do */
} attend_error;

/* What a model can do. */
typedef enum attend_capability {
    ATTEND_CAN_TRANSLATE = 1 << 0,
    ATTEND_CAN_GENERATE = 1 << 1, /* continue a text */
    ATTEND_CAN_CLASSIFY = 1 << 2,
    ATTEND_CAN_TAG = 1 << 3,    /* label each word */
    ATTEND_CAN_ANSWER = 1 << 4, /* find the answer to a question in a text */
    ATTEND_CAN_FILL = 1 << 5,   /* predict masked words */
    ATTEND_CAN_EMBED = 1 << 6,  /* a vector for a text */
    ATTEND_CAN_POINT = 1 << 7,  /* put items into order */
    ATTEND_CAN_PRETRAIN = 1 << 8,
    ATTEND_CAN_REGRESS = 1 << 9,
} attend_capability;

/* Where attention stands in a model. */
typedef enum attend_attention_kind {
    ATTEND_ATTENTION_ENCODER, /* of the input to itself */
    ATTEND_ATTENTION_DECODER, /* of the output to itself */
    ATTEND_ATTENTION_CROSS,   /* of the output to the input */
    ATTEND_ATTENTION_CONTENT, /* XLNet's two streams */
    ATTEND_ATTENTION_QUERY,
} attend_attention_kind;

/* What a search did with a continuation that it looked at. */
typedef enum attend_trace_fate {
    ATTEND_TRACE_PRUNED, /* others were better */
    ATTEND_TRACE_KEPT,   /* it runs on */
    ATTEND_TRACE_ENDED,  /* it ended, and is a result */
} attend_trace_fate;

/* "ATTEND_SHAPE" and "tensor sizes do not fit together"; never NULL */
ATTEND_API const char *attend_status_name(attend_status status);
ATTEND_API const char *attend_status_text(attend_status status);

/* ---- version and machine --------------------------------------------------------------- */

/* "0.1.0" */
ATTEND_API const char *attend_version(void);

/* Lines "name: value": version, compiler, instruction set in use and the best here, threads, loaded
 * libraries. Borrowed until the next call from the same thread. */
ATTEND_API const char *attend_build_info(void);

/* Threads for all later work; 0 asks for one per processor. Returns the number in force.
 * Results of inference do not depend on it. Not safe while other calls are running. */
ATTEND_API int attend_set_threads(int threads);
ATTEND_API int attend_threads(void);

/* ---- log ------------------------------------------------------------------------------- */

typedef enum attend_log_level {
    ATTEND_LOG_DEBUG,
    ATTEND_LOG_INFO,
    ATTEND_LOG_WARNING,
    ATTEND_LOG_ERROR
} attend_log_level;

typedef void attend_log_function(void *user, attend_log_level level, const char *message);

/* Where messages go; NULL (the start value) drops them. Not safe while other calls are running. */
ATTEND_API void attend_set_log(attend_log_function *function, void *user);

/* ---- what there is --------------------------------------------------------------------- */

typedef struct attend_entry {
    const char *name;    /* "softmax" */
    const char *formula; /* what it computes, in a line; never NULL */
    const char *source;  /* the paper and its equation, or NULL */
    /* the list "attention" alone has these; NULL elsewhere */
    const char *part;       /* "score", "scope", "pick" or "output" */
    const char *aliases;    /* other names, separated by blanks, or NULL */
    const char *values;     /* what may follow the name and a colon: "D", "m,w"; or NULL */
    const char *example;    /* the name as it may be written, with values: "window:2" */
    const char *use;        /* when to take it */
    const char *cost;       /* time and memory, for n queries and n keys of width d */
    const char *parameters; /* what is learned, or "none" */
} attend_entry;

/* The index-th entry of a list. The list "kinds" names the others.
 *
 * kind      "kinds", "attention", "presets", "kernels", "ops", "optimisers", "schedules",
 *           "measures", "tokenizers", "formats"
 * entry     receives the entry; its strings live as long as the program
 *
 * Returns 1, or 0 where there is no such list or no such entry. Thread safe. */
ATTEND_API int attend_list(const char *kind, int index, attend_entry *entry);

/* ---- tensors of a file ----------------------------------------------------------------- */

typedef struct attend_tensors attend_tensors;

typedef struct attend_tensor_info {
    const char *name;  /* borrowed until attend_tensors_free */
    const char *dtype; /* "F32", "BF16", ... */
    int rank;
    size_t shape[8];     /* rank sizes, outermost first */
    size_t count, bytes; /* numbers, and bytes in the file */
} attend_tensor_info;

/* Opens a safetensors file and checks all of its header; the numbers stay on disk.
 *
 * path      a file, or a model's folder with model.safetensors in it
 * out       receives the handle; release it with attend_tensors_free
 *
 * Thread safe; so are the functions below, on one handle too. */
ATTEND_API attend_status attend_tensors_open(const char *path, attend_tensors **out,
                                             attend_error *err);
ATTEND_API size_t attend_tensors_count(const attend_tensors *tensors);

/* The index-th tensor, in the order of the data. Returns 1, or 0 where there is none. */
ATTEND_API int attend_tensors_info(const attend_tensors *tensors, size_t index,
                                   attend_tensor_info *info);

/* The index-th of the file's notes, a name and a text, both borrowed. Returns 1, or 0. */
ATTEND_API int attend_tensors_note(const attend_tensors *tensors, size_t index, const char **name,
                                   const char **text);
ATTEND_API void attend_tensors_free(attend_tensors *tensors); /* NULL is well */

/* ---- damage ---------------------------------------------------------------------------- */

/* A file that was verified, borrowed for the call.
 *
 * checksums  0: the file, or the small files of the folder, have none: of another program
 * fault      what is wrong, NULL: nothing; a file is reported once for each damaged tensor */
typedef struct attend_verified {
    const char *path;
    int checksums;
    const char *fault;
} attend_verified;

typedef void attend_verified_function(void *user, const attend_verified *verified);

/* Verifies everything that has a checksum: of a model's folder the settings, tokenizers, weights
 * and checkpoints; or a tokenizer's folder; or a safetensors file. Nothing else needs this call:
 * a file is verified when it is used.
 *
 * path      a folder or a file
 * take      called for every file and for every fault; may be NULL
 *
 * Returns ATTEND_FORMAT, with the first fault in err, where something is damaged. Thread safe. */
ATTEND_API attend_status attend_verify(const char *path, attend_verified_function *take, void *user,
                                       attend_error *err);

/* Accepts settings and tokenizer files that were edited: their checksums become those of the
 * files as they are. Fails where a file of the list is missing, or where there is no list. Weights
 * are not concerned: programs that change those write new files.
 *
 * path      a model's or a tokenizer's folder */
ATTEND_API attend_status attend_checksums_update(const char *path, attend_error *err);

/* ---- sentences ------------------------------------------------------------------------- */

/* A sentence, borrowed, without white space around it; a result other than 0 ends the splitting. */
typedef int attend_sentence_function(void *user, const char *sentence, size_t size);

/* Splits a paragraph into sentences, by rule: marks of all scripts, abbreviations, initials,
 * numbers, quotes.
 *
 * language  whose abbreviations to know: "en", "fr", "de", "es", "it", "pt", "nl", "ru", "zh",
 *           "ja", "ko"; "auto" (or NULL) knows all
 * take      called for every sentence, in order
 *
 * Fails for a language that is not known, and with ATTEND_STOPPED where take ends it. Thread
 * safe. */
ATTEND_API attend_status attend_sentences_split(const char *text, size_t size, const char *language,
                                                attend_sentence_function *take, void *user,
                                                attend_error *err);

/* ---- data ------------------------------------------------------------------------------- */

/* Corpora: sentence pairs, aligned files, labelled text, reading comprehension, plain text, in the
 * formats of attend_list("formats", ..); packed by gzip, in a zip archive ("corpus.zip:train.tsv"
 * where it holds several), or "-" for standard input. Only \n ends a line. */

/* what becomes of bytes that are no UTF-8 */
typedef enum attend_encoding {
    ATTEND_UTF8,         /* refused, with file and line */
    ATTEND_UTF8_REPLACE, /* each becomes U+FFFD */
    ATTEND_LATIN1        /* a line with such bytes is Latin-1, or rather Windows-1252 */
} attend_encoding;

typedef struct attend_data_options {
    size_t size;        /* of this struct, set by attend_data_defaults */
    const char *format; /* a name of the list, or NULL: the first lines tell */
    const char *target; /* the second of two aligned files, or NULL */
    /* columns of a table, by name or number from 1, or keys of JSON objects; NULL: the usual ones.
     * text may be several, "title,body", which are joined; second is the translation, or the second
     * of two sentences */
    const char *text, *second, *label;
    int header;  /* does a table begin with names? 1 yes, -1 no, 0: look */
    int reverse; /* the second text is the source */
    attend_encoding encoding;
    size_t longest_line; /* bytes; 0: 1 MiB */

    const char *to; /* format of what is written; NULL: that of the first file */

    /* of a check */
    double ratio;     /* how many times longer than usual a side may be than the other */
    int longest_text; /* words */
    int places;       /* kept of each finding */

    int keep; /* a file that is there already is refused, not replaced */
} attend_data_options;

ATTEND_API void attend_data_defaults(attend_data_options *options);

/* One example; texts are UTF-8 with a zero behind them, and NULL where it has no such part. */
typedef struct attend_example {
    const char *source, *target, *label, *question, *id;
    size_t answers; /* to the question, with attend_examples_answer */
    const char *file;
    long line;
} attend_example;

typedef struct attend_examples attend_examples;

/* The examples of a file, one after another, in constant memory. */
ATTEND_API attend_status attend_examples_open(const char *path, const attend_data_options *options,
                                              attend_examples **out, attend_error *err);

/* The next one, borrowed until the call after. Returns 1, 0 at the end, or a negative status. */
ATTEND_API int attend_examples_next(attend_examples *examples, attend_example *example,
                                    attend_error *err);

/* The index-th answer to the question of the last example, and its first character in the source,
 * counted in code points from 0. Returns 1, or 0 where there is none. */
ATTEND_API int attend_examples_answer(const attend_examples *examples, size_t index,
                                      const char **text, size_t *begin);
ATTEND_API const char *attend_examples_format(const attend_examples *examples);
ATTEND_API void attend_examples_free(attend_examples *examples); /* NULL is well */

/* what was written, and what was not */
typedef struct attend_data_counts {
    long written;
    long skipped;   /* a part of the example had no text */
    long flattened; /* texts whose tabs and line ends became blanks, for the format's sake */
} attend_data_counts;

/* Writes the examples of files in another format: to one file, or to the two files out.src and
 * out.tgt (or with the ends of the names of the two that were read) for "aligned"; whole or not at
 * all. counts may be NULL. */
ATTEND_API attend_status attend_data_convert(const char *const *paths, int count, const char *out,
                                             const attend_data_options *options,
                                             attend_data_counts *counts, attend_error *err);

/* Splits a corpus into train, valid and test, which are written into a folder. A hash of the source
 * decides, blind to case, accents' encoding and white space: so no source stands on two sides, and
 * each stays on its side when the corpus grows.
 *
 * valid, test   "5%", "0.05", or at least so many examples, "1000"; NULL: none
 * counts        NULL, or receives three: of train, valid and test
 *
 * Files of these parts are replaced. One that would not be, because its part is empty now or comes
 * in another format, is refused: it would pass for a part of this split. */
ATTEND_API attend_status attend_data_split(const char *const *paths, int count, const char *folder,
                                           const char *valid, const char *test,
                                           const attend_data_options *options,
                                           attend_data_counts counts[3], attend_error *err);

typedef struct attend_check attend_check;

/* Looks files through for what spoils training.
 *
 * fix       where a clean copy goes, or NULL
 * out       receives the report; release it with attend_check_free
 *
 * Fails where a file cannot be read or the copy not be written, not because of what is found. */
ATTEND_API attend_status attend_data_check(const char *const *paths, int count, const char *fix,
                                           const attend_data_options *options, attend_check **out,
                                           attend_error *err);
ATTEND_API void attend_check_free(attend_check *check); /* NULL is well */

/* of sources, targets or questions */
typedef struct attend_text_sizes {
    long texts, words, characters;
    long half, most; /* words that half of the texts, and 99 in a hundred, do not exceed */
    long longest;    /* words, and where */
    const char *file;
    long line;
} attend_text_sizes;

/* strings are borrowed from the report */
typedef struct attend_check_summary {
    const char *format;
    int files;
    long lines, examples, documents;
    long sources; /* different ones */
    long unanswered;
    attend_text_sizes source, target, question;
    int labels, complete; /* complete: no part was too large to be looked through for duplicates */
    const char *copy, *second_copy; /* files of the clean copy, or NULL */
    /* of the copy: examples; dropped has lines that are none, too, and flattened counts texts whose
     * tabs or line ends became blanks */
    long kept, dropped, repaired, flattened;
    long refused; /* lines that training refuses */
} attend_check_summary;

ATTEND_API void attend_check_summarise(const attend_check *check, attend_check_summary *summary);

/* The name of the index-th file; NULL where there is none. */
ATTEND_API const char *attend_check_file(const attend_check *check, int index);

/* The index-th label and how many examples have it, most frequent first. Returns 1, or 0. */
ATTEND_API int attend_check_label(const attend_check *check, int index, const char **label,
                                  long *count);

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
    long count; /* of lines or examples; 0: not found */
} attend_finding;

/* The index-th of all that can be found, also where nothing was. Returns 1, or 0. */
ATTEND_API int attend_check_finding(const attend_check *check, int index, attend_finding *finding);

typedef struct attend_place {
    const char *file;
    long line;
    const char *also_file; /* of an example that this one is like, or NULL */
    long also_line;
    const char *text; /* the beginning of the line, or what is wrong with it */
} attend_place;

/* The first few places of the index-th finding. Returns 1, or 0. */
ATTEND_API int attend_check_place(const attend_check *check, int finding, int index,
                                  attend_place *place);

/* ---- one attention read ---------------------------------------------------------------- */

/* numbers row by row, and the sizes of their block, outermost first */
typedef struct attend_array {
    const double *data; /* NULL: not given */
    int rank;           /* at most 4 */
    size_t shape[4];
} attend_array;

typedef struct attend_parameter {
    const char *name; /* "score.weight" */
    attend_array array;
} attend_parameter;

typedef struct attend_read_options {
    size_t size;           /* of this struct, set by attend_read_defaults */
    const char *attention; /* SCORE/SCOPE/PICK/HEADS; NULL: the file's, or scaled-dot */
    attend_array queries;  /* [queries, width] or [batch, queries, width] */
    attend_array keys;     /* [keys, width] or [batch, keys, width] */
    attend_array values;   /* likewise, as many as keys; not given: the keys */
    attend_array mask;     /* 0: may not be seen; [keys], [queries, keys] or [batch, queries, keys],
                            * where 1 repeats */
    attend_array lengths;  /* [batch]: keys from there on are padding */
    attend_array centres;  /* [queries] or [batch, queries], whole: what the windows of the scopes
                            * lie around; not given: the query's own position */
    int causal;            /* not 0: a query sees the keys up to its own position alone */
    int first;             /* position of the first query */
    int hidden_size;       /* of the layers in additive and predicted; 0: as in the parameters, or
                            * the queries' width */
    const attend_parameter *parameters; /* those not given start as in training, from the seed */
    size_t parameter_count;
    unsigned long long seed;
    const char *const *query_labels, *const *key_labels; /* names, one for each, or NULL */
    size_t query_label_count, key_label_count; /* as many as there are in a sentence, or in all */
} attend_read_options;

typedef struct attend_reading attend_reading;

ATTEND_API void attend_read_defaults(attend_read_options *options);

/* One read of an attention: scores, weights and context, as after training (a hard pick takes the
 * highest score).
 *
 * options   what to read and how; nothing in it is needed afterwards
 * out       receives the result; release it with attend_reading_free
 *
 * Thread safe. */
ATTEND_API attend_status attend_read(const attend_read_options *options, attend_reading **out,
                                     attend_error *err);

/* The same with what a file holds: JSON, or safetensors, as `attend help read` describes them;
 * "-" is standard input. Of options the attention, causal, first, hidden_size and seed count where
 * they are not 0, before the file's; NULL for the defaults. */
ATTEND_API attend_status attend_read_file(const char *path, const attend_read_options *options,
                                          attend_reading **out, attend_error *err);

/* the attention in full: "bilinear/window:5" */
ATTEND_API const char *attend_reading_attention(const attend_reading *reading);

/* An array of the reading, borrowed; not given where there is none.
 *
 * name      "scores" [batch, heads, queries, keys], as the pick saw them, -INFINITY where it saw
 *           nothing; "weights", of the same shape; "context" [batch, queries, width]; "centre"
 *           [batch, heads, queries], the position that scope predicted looks at; "queries",
 *           "keys", "values" [batch, .., width]. One head where the attention has none. */
ATTEND_API attend_array attend_reading_array(const attend_reading *reading, const char *name);

/* The index-th parameter that the attention has, given or not. Returns 1, or 0 where none is. */
ATTEND_API int attend_reading_parameter(const attend_reading *reading, size_t index,
                                        attend_parameter *parameter);

/* The label of a query (of "queries") or key (of "keys") in a sentence, or NULL. Borrowed. */
ATTEND_API const char *attend_reading_label(const attend_reading *reading, const char *of,
                                            size_t sentence, size_t index);

/* All of it as JSON, which attend_read_file reads again; borrowed until attend_reading_free. NULL
 * without memory. */
ATTEND_API const char *attend_reading_json(attend_reading *reading);

/* The same as a file, written whole or not at all: JSON, or safetensors for *.safetensors. */
ATTEND_API attend_status attend_reading_save(attend_reading *reading, const char *path,
                                             attend_error *err);
ATTEND_API void attend_reading_free(attend_reading *reading); /* NULL is well */

/* ---- attention pooling ----------------------------------------------------------------- */

/* A curve through points, after Nadaraya and Watson (1964): attention with the points' x as keys
 * and their y as values,
 *
 *     f(x) = sum_j a_j y_j
 *
 * Without parameters, a_j = K(u_j) / sum_k K(u_k) with a kernel K and u_j = |x - x_j| / h. With
 * parameters, a = softmax_j(-1/2 sum_c (w_c (x_c - x_jc))^2), where w is learned by predicting each
 * point from all others. */
typedef struct attend_pooling attend_pooling;

typedef enum attend_pooling_kind {
    ATTEND_POOLING_AVERAGE, /* of all y */
    ATTEND_POOLING_KERNEL,  /* without parameters */
    ATTEND_POOLING_LEARNED  /* with w */
} attend_pooling_kind;

/* Called after each step, on the calling thread; a result other than 0 ends the training there. */
typedef int attend_progress_function(void *user, int step, int steps, double loss);

typedef struct attend_fit_options {
    size_t size;           /* of this struct, set by attend_fit_defaults */
    const char *attention; /* "gaussian-w:vector" learns a w for each column, "gaussian-w" one for
                              all; "gaussian" learns nothing; NULL: the first */
    const char *kernel;    /* one of attend_list("kernels", ..); NULL: "gaussian" */
    double width;          /* h of the kernel; 0: the one with the least leave-one-out error */
    int steps;
    double rate;             /* of learning, at the start; it falls to 0 in a straight line */
    int batch;               /* points predicted in a step; 0: as many as are quick, or all */
    unsigned long long seed; /* of the order of the points, where a step does not take all */
    attend_progress_function *progress; /* or NULL */
    void *user;
} attend_fit_options;

ATTEND_API void attend_fit_defaults(attend_fit_options *options);

/* Fits w to points.
 *
 * x         rows times columns numbers, row by row; copied, like y
 * y         rows numbers
 * options   NULL for the defaults
 * out       receives the fit; release it with attend_pooling_free
 *
 * The same arguments give the same bits. Thread safe. */
ATTEND_API attend_status attend_fit(size_t rows, int columns, const double *x, const double *y,
                                    const attend_fit_options *options, attend_pooling **out,
                                    attend_error *err);

/* f at rows other points, x as above; y receives rows numbers. Like the functions below, thread
 * safe on one pooling, and an error for ATTEND_POOLING_LEARNED where nothing was. */
ATTEND_API attend_status attend_pooling_predict(const attend_pooling *pooling,
                                                attend_pooling_kind kind, size_t rows,
                                                const double *x, double *y, attend_error *err);

/* The weights a there: rows times attend_pooling_rows numbers. */
ATTEND_API attend_status attend_pooling_attention(const attend_pooling *pooling,
                                                  attend_pooling_kind kind, size_t rows,
                                                  const double *x, double *weights,
                                                  attend_error *err);

/* Each point predicted from all others: y receives attend_pooling_rows numbers. */
ATTEND_API attend_status attend_pooling_left_out(const attend_pooling *pooling,
                                                 attend_pooling_kind kind, double *y,
                                                 attend_error *err);

/* The mean square of what that misses; and the same for the kernel with another width, where of
 * more than a thousand points only a sample is predicted. */
ATTEND_API attend_status attend_pooling_error(const attend_pooling *pooling,
                                              attend_pooling_kind kind, double *error,
                                              attend_error *err);
ATTEND_API attend_status attend_pooling_error_at(const attend_pooling *pooling, double width,
                                                 double *error, attend_error *err);

/* the points and w, borrowed; columns numbers in w, which is NULL where nothing was learned */
ATTEND_API size_t attend_pooling_rows(const attend_pooling *pooling);
ATTEND_API int attend_pooling_columns(const attend_pooling *pooling);
ATTEND_API const double *attend_pooling_x(const attend_pooling *pooling);
ATTEND_API const double *attend_pooling_y(const attend_pooling *pooling);
ATTEND_API const double *attend_pooling_weight(const attend_pooling *pooling);

/* What the columns are called, which its file keeps: names of all of x and then of y, UTF-8,
 * copied. */
ATTEND_API attend_status attend_pooling_set_names(attend_pooling *pooling, const char *const *names,
                                                  attend_error *err);

/* The name of a column of x, or of y, which comes after them; NULL where it is not known. */
ATTEND_API const char *attend_pooling_name(const attend_pooling *pooling, int column);

/* the kernel's name and width, and a range of widths that is worth looking at */
ATTEND_API const char *attend_pooling_kernel(const attend_pooling *pooling);
ATTEND_API double attend_pooling_width(const attend_pooling *pooling);
ATTEND_API void attend_pooling_widths(const attend_pooling *pooling, double *least, double *most);

/* The points, w, kernel, width and names as a safetensors file, written whole or not at all. */
ATTEND_API attend_status attend_pooling_save(const attend_pooling *pooling, const char *path,
                                             attend_error *err);
ATTEND_API attend_status attend_pooling_load(const char *path, attend_pooling **out,
                                             attend_error *err);
ATTEND_API void attend_pooling_free(attend_pooling *pooling); /* NULL is well */

/* ---- figures --------------------------------------------------------------------------- */

/* What is drawn is described by plain structs; a member left 0 or NULL has a sensible default. Text
 * is UTF-8 in any script that a font of the machine has. */

/* Weights as a heat map: rows from the top, columns from the left. An alignment has the target's
 * words as row labels and the source's as column labels. */
typedef struct attend_heat_map {
    const char *title;
    int rows, columns;
    const double *weights;            /* rows times columns, row by row; NaN: a blank cell */
    const char *const *row_labels;    /* rows texts, at the left; NULL: numbers */
    const char *const *column_labels; /* columns texts, on top; NULL: numbers, below */
    const char *row_title, *column_title;
    double row_range[2], column_range[2]; /* of the first and last number; {0, 0}: from 0 by 1 */
    double low, high;           /* ends of the colour scale; both 0: 0 and the largest weight */
    const unsigned char *marks; /* rows times columns: a ring where it is not 0; or NULL */
    int digits;                 /* decimals of the numbers in a figure's cells; 0: no numbers */
    int hide_scale;             /* no colour scale beside it, or below it in text */
} attend_heat_map;

typedef enum attend_series_style {
    ATTEND_SERIES_LINE,
    ATTEND_SERIES_DASHED,
    ATTEND_SERIES_DOTTED,
    ATTEND_SERIES_POINTS,
    ATTEND_SERIES_BOTH, /* a line with its points */
    ATTEND_SERIES_RULE  /* a vertical line at each x, from bottom to top; y is not looked at */
} attend_series_style;

typedef struct attend_series {
    const char *name; /* in the legend; NULL: not there */
    attend_series_style style;
    size_t count;
    const double *x, *y; /* what is not finite interrupts a line */
    int color;           /* 1 to 7 of the palette, -1 grey, -2 black; 0: the next of the palette */
} attend_series;

/* Curves and points over common axes. */
typedef struct attend_chart {
    const char *title, *x_title, *y_title;
    int count;
    const attend_series *series;   /* later ones are drawn over earlier ones */
    int log_x, log_y;              /* logarithmic axes: what is not positive is not shown */
    double x_range[2], y_range[2]; /* {0, 0}: what the series need */
} attend_chart;

/* one of both, and the size of its area inside the axes in points (1/72 inch); 0: by its content */
typedef struct attend_panel {
    const attend_heat_map *heat_map;
    const attend_chart *chart;
    double width, height;
} attend_panel;

typedef struct attend_figure {
    const char *title;
    int count;
    const attend_panel *panels;
    int across;     /* panels side by side; 0: all */
    int resolution; /* of a PNG, in pixels per inch; 0: 144 */
} attend_figure;

/* Draws a figure into a file, written whole or not at all.
 *
 * path      ends in .png, .svg or .pdf
 *
 * A child process loads the libraries that draw (cairo, pango); where one is missing, the message
 * names its package. A child that a signal ends is ATTEND_MEMORY, one that takes more than two
 * minutes ATTEND_STOPPED. Characters that no font has are reported as a warning to the log. The
 * same figure gives the same bytes of a PNG on one machine. Thread safe. */
ATTEND_API attend_status attend_figure_save(const attend_figure *figure, const char *path,
                                            attend_error *err);

/* how text for a terminal may look */
typedef struct attend_text_style {
    int columns; /* of the terminal; 0: 80 */
    int utf8;    /* more than ASCII */
    int color;   /* escape sequences of 256 colours */
} attend_text_style;

/* Is that a file name a figure can have? For programs that want to know before a long job. */
ATTEND_API attend_status attend_figure_check_path(const char *path, attend_error *err);

/* A heat map made of block characters. Labelled columns that do not fit side by side continue
 * below; of numbered ones several share a cell, which shows the largest, as a note then says.
 *
 * style     NULL for 80 columns of plain UTF-8
 * out       receives the lines; release them with attend_text_free */
ATTEND_API attend_status attend_heat_map_text(const attend_heat_map *map,
                                              const attend_text_style *style, char **out,
                                              attend_error *err);
ATTEND_API void attend_text_free(char *text); /* NULL is well */

/* ---- measures -------------------------------------------------------------------------- */

/* Lines that belong to those of other files, one by one. */
typedef struct attend_lines {
    const char *name; /* of the file, for messages: "name:line: what"; or NULL */
    size_t count;
    const char *const *line; /* UTF-8 without its newline, each ended by a zero byte */
} attend_lines;

typedef struct attend_measure_options {
    size_t size;   /* of this struct, set by attend_measure_defaults */
    int lowercase; /* bleu, chrf: 1 ignores case */

    const char *tokenize; /* bleu: "13a", "intl", "zh", "char" or "none" */
    const char *smooth;   /* bleu: "exp", "floor", "add-k" or "none" */
    double smooth_value;  /* of floor and add-k; negative: 0.1 and 1 */
    int max_order;        /* bleu: of n-grams, 1 to 10 */
    int effective_order;  /* bleu: 1 leaves out orders that a short text cannot have */

    int char_order;    /* chrf: of n-grams of characters, 1 to 10 */
    int word_order;    /* chrf: and of words, 0 to 10; negative: what the name says, 0, 1 or 2 */
    int beta;          /* chrf: how much more recall counts than precision */
    int whitespace;    /* chrf: 1 counts blanks as characters */
    int eps_smoothing; /* chrf: 1 averages F over all orders, as chrF++.py does */

    int normalized;     /* ter: 1 splits punctuation from words */
    int no_punct;       /* ter: 1 removes punctuation */
    int asian;          /* ter: 1 does both for Chinese and Japanese too */
    int case_sensitive; /* ter: 1 tells upper from lower case */

    int squad_v1; /* exact-match, f1: 1 counts as SQuAD 1.1 did, 0 as 2.0 does */

    int link_base; /* aer: the number of the first word in a hypothesis's links */
    int gold_base; /* aer: and in a reference's */

    double log_base; /* perplexity: of the logarithms; 0 is e */

    int resamples;           /* of attend_scores_interval and attend_scores_compare */
    unsigned long long seed; /* of their random numbers */
} attend_measure_options;

ATTEND_API void attend_measure_defaults(attend_measure_options *options);

/* What one measure says about one or several systems. */
typedef struct attend_scores attend_scores;

/* Compares what systems wrote with what people wrote.
 *
 * measure     its name in the list "measures": "bleu", "chrf++", "ter", "accuracy", ...
 * options     NULL for the defaults
 * systems     how many there are, at least 1
 * hypotheses  their output
 * references  how many references there are
 * reference   these; as many lines as every hypothesis
 * out         receives the scores; release it with attend_scores_free
 *
 * Nothing is kept of the lines. Thread safe, and so are the functions below on one handle, but for
 * those that return text: that is borrowed until the next such call or the end of the handle. */
ATTEND_API attend_status attend_measure(const char *measure, const attend_measure_options *options,
                                        int systems, const attend_lines *hypotheses, int references,
                                        const attend_lines *reference, attend_scores **out,
                                        attend_error *err);
ATTEND_API void attend_scores_free(attend_scores *scores); /* NULL is well */

/* The score of all lines together; 0 where there is no such system. */
ATTEND_API double attend_scores_corpus(const attend_scores *scores, int system);

/* Of one line, counted from 0 (BLEU with its effective order); of some lines together. */
ATTEND_API attend_status attend_scores_segment(const attend_scores *scores, int system,
                                               size_t segment, double *score, attend_error *err);
ATTEND_API attend_status attend_scores_subset(const attend_scores *scores, int system, size_t count,
                                              const size_t *segment, double *score,
                                              attend_error *err);

ATTEND_API size_t attend_scores_segments(const attend_scores *scores);
ATTEND_API int attend_scores_lower_is_better(const attend_scores *scores);
ATTEND_API const char *attend_scores_name(attend_scores *scores); /* "BLEU", "chrF2++" */

/* How the score came about, as sacreBLEU writes it: "nrefs:1|case:mixed|eff:no|tok:13a|..." */
ATTEND_API const char *attend_scores_signature(attend_scores *scores);

/* What stands behind a score, in a line and as a JSON object with all numbers; "" where there is
 * no more to say */
ATTEND_API const char *attend_scores_detail(attend_scores *scores, int system);
ATTEND_API const char *attend_scores_json(attend_scores *scores, int system);

typedef struct attend_interval {
    double mean, low, high; /* 95 % of the resamples lie from low to high */
} attend_interval;

/* How far the score would change with other sentences of the same kind: bootstrap resampling.
 * The same seed gives the same bits on any number of threads. */
ATTEND_API attend_status attend_scores_interval(const attend_scores *scores, int system,
                                                attend_interval *out, attend_error *err);

typedef struct attend_comparison {
    double difference;    /* score of the system minus that of the baseline */
    double bootstrap;     /* p of a difference so large by chance: paired bootstrap resampling */
    double randomisation; /* the same by approximate randomisation */
} attend_comparison;

/* Is one system better than another? */
ATTEND_API attend_status attend_scores_compare(const attend_scores *scores, int system,
                                               int baseline, attend_comparison *out,
                                               attend_error *err);

/* ---- tokenizers ------------------------------------------------------------------------ */

/* From text to numbered pieces and back. Text is any bytes with their count: what is no UTF-8 is
 * taken as U+FFFD (kinds that work on bytes keep it) and counted. */
typedef struct attend_tokenizer attend_tokenizer;

/* Opens the tokenizer of a folder or a file: our own tokenizer.json, vocab.txt, vocab.json with
 * merges.txt, a .model file of SentencePiece, tokenizer.json of Hugging Face; tokenizer_config.json
 * beside it counts too.
 *
 * out       receives it; release it with attend_tokenizer_free
 *
 * Reading a tokenizer is thread safe: all functions that take a const one. */
ATTEND_API attend_status attend_tokenizer_open(const char *path, attend_tokenizer **out,
                                               attend_error *err);
ATTEND_API void attend_tokenizer_free(attend_tokenizer *tokenizer); /* NULL is well */

/* Writes its files into a folder, which is made where it is missing; those of a tokenizer that was
 * there before go. */
ATTEND_API attend_status attend_tokenizer_save(const attend_tokenizer *tokenizer,
                                               const char *folder, attend_error *err);

/* The next line of a text, borrowed until the next call, without its end: 1; 0 at the end; a
 * negative attend_status, with err filled, to give up. */
typedef int attend_line_function(void *user, const char **text, size_t *size, attend_error *err);

/* What is left as attend_learn_defaults sets it is the kind's own default; what a kind does not
 * have must be left. */
typedef struct attend_learn_options {
    size_t struct_size; /* set by attend_learn_defaults */
    int size;           /* pieces at most, special ones included */
    int min_count;      /* what is seen less often is unknown, or is not merged */
    int lower;          /* 1: lower case */
    int strip_accents;  /* 1: without accents */
    int split_chinese;  /* 1: Chinese (and for words Japanese) characters stand alone */
    int pretokenised;   /* words: 1: spaces separate them; 0: punctuation is split off */
    int alphabet;       /* characters at most in a vocabulary of wordpiece */
    double coverage;    /* share of all characters that one of sentencepiece has */
    const char *model;  /* of sentencepiece: "unigram" or "bpe" */
} attend_learn_options;

ATTEND_API void attend_learn_defaults(attend_learn_options *options);

/* Makes a tokenizer from text; the same lines and options give the same one.
 *
 * kind      a name of attend_list("tokenizers")
 * options   NULL for the defaults
 * next      called until it returns 0 */
ATTEND_API attend_status attend_tokenizer_learn(const char *kind,
                                                const attend_learn_options *options,
                                                attend_line_function *next, void *user,
                                                attend_tokenizer **out, attend_error *err);

/* A piece and the bytes [begin,end) of the text that it stands for. */
typedef struct attend_piece {
    int id;
    unsigned word; /* which of the words between white space, from 0; ATTEND_NO_WORD: none */
    unsigned begin, end;
} attend_piece;

#define ATTEND_NO_WORD 0xFFFFFFFFu

typedef struct attend_pieces attend_pieces; /* a list that is filled again and again */

/* Cuts a text.
 *
 * framed    not 0: with the special pieces that a model wants around it, as [CLS] ... [SEP]
 * pieces    receives them; *pieces is NULL, or what an earlier call has given and is used again;
 *           release it with attend_pieces_free */
ATTEND_API attend_status attend_tokenizer_encode(const attend_tokenizer *tokenizer,
                                                 const char *text, size_t size, int framed,
                                                 attend_pieces **pieces, attend_error *err);
ATTEND_API const attend_piece *attend_pieces_items(const attend_pieces *pieces, size_t *count);

/* Prepares the pieces' texts for attend_pieces_text: as the vocabulary writes them, and unknown
 * ones as it would, so that attend_tokenizer_join gives the text back. tokenizer, text and size are
 * those of attend_tokenizer_encode, and offsets still count bytes. */
ATTEND_API attend_status attend_pieces_spell(attend_pieces *pieces,
                                             const attend_tokenizer *tokenizer, const char *text,
                                             size_t size, attend_error *err);

/* The text of the index-th piece, borrowed until the pieces change, not ended by a zero; NULL
 * without attend_pieces_spell. */
ATTEND_API const char *attend_pieces_text(const attend_pieces *pieces, size_t index, size_t *size);

/* Makes begin and end count characters of the text instead of bytes; once. */
ATTEND_API void attend_pieces_in_characters(attend_pieces *pieces, const char *text, size_t size);
ATTEND_API size_t attend_pieces_invalid(const attend_pieces *pieces); /* bytes that were no UTF-8 */
ATTEND_API void attend_pieces_free(attend_pieces *pieces);            /* NULL is well */

/* The text of ids; an id out of range is an error.
 *
 * special   not 0: special pieces show as they are called; else only the unknown one does
 * text      receives it, ended by a zero; release it with attend_text_free
 * size      receives its bytes, as it may hold zeros; may be NULL */
ATTEND_API attend_status attend_tokenizer_decode(const attend_tokenizer *tokenizer, const int *ids,
                                                 size_t count, int special, char **text,
                                                 size_t *size, attend_error *err);

/* The same from pieces as text, of sizes[i] bytes; they need not be in the vocabulary. */
ATTEND_API attend_status attend_tokenizer_join(const attend_tokenizer *tokenizer,
                                               const char *const *pieces, const size_t *sizes,
                                               size_t count, char **text, size_t *size,
                                               attend_error *err);

ATTEND_API const char *attend_tokenizer_kind(const attend_tokenizer *tokenizer);
ATTEND_API int attend_tokenizer_size(const attend_tokenizer *tokenizer); /* ids are below it */

/* The text of a piece, borrowed; NULL where there is no such id. size may be NULL. */
ATTEND_API const char *attend_tokenizer_piece(const attend_tokenizer *tokenizer, int id,
                                              size_t *size);
ATTEND_API int attend_tokenizer_id(const attend_tokenizer *tokenizer, const char *piece,
                                   size_t size); /* -1: it has none */

/* The id of "pad", "unk", "bos", "eos", "cls", "sep" or "mask"; -1 where there is none. */
ATTEND_API int attend_tokenizer_special(const attend_tokenizer *tokenizer, const char *name);
ATTEND_API int attend_tokenizer_is_special(const attend_tokenizer *tokenizer, int id);

/* How well a vocabulary fits a text that is shown to it line by line. */
typedef struct attend_coverage attend_coverage;

typedef struct attend_coverage_info {
    unsigned long long lines, bytes, characters;
    unsigned long long invalid;            /* bytes that were no UTF-8 */
    unsigned long long words, known_words; /* between white space; without an unknown piece */
    unsigned long long pieces, unknown;    /* unknown is a part of pieces */
    int used;                              /* pieces of the vocabulary that were needed */
    int unknown_texts;                     /* how many different ones */
} attend_coverage_info;

/* tokenizer must outlive it; release it with attend_coverage_free */
ATTEND_API attend_status attend_coverage_new(const attend_tokenizer *tokenizer,
                                             attend_coverage **out, attend_error *err);
ATTEND_API attend_status attend_coverage_add(attend_coverage *coverage, const char *text,
                                             size_t size, attend_error *err);
ATTEND_API void attend_coverage_get(const attend_coverage *coverage, attend_coverage_info *info);

/* The index-th most frequent unknown text, borrowed until the next attend_coverage_add, and how
 * often it came. Returns 1, or 0 where there is none. Not thread safe. */
ATTEND_API int attend_coverage_unknown(attend_coverage *coverage, int index, const char **text,
                                       size_t *size, unsigned long long *count);
ATTEND_API void attend_coverage_free(attend_coverage *coverage); /* NULL is well */

/* ---- training ------------------------------------------------------------------------------ */

/* one setting as a user writes it: {"hidden", "512"} */
typedef struct attend_setting {
    const char *name, *value;
} attend_setting;

/* what there is to set */
typedef struct attend_setting_info {
    const char *name;    /* "hidden" */
    const char *value;   /* its default; NULL: nothing */
    const char *choices; /* "rnn|lstm|gru", or NULL */
    const char *meta;    /* what stands for its value in a help text; NULL: a flag or a choice */
    const char *group;   /* the heading that starts here, or NULL */
    const char *help;
    int flag, path; /* 1: takes yes or no; names a file or folder */
    int hidden;     /* 1: not for everyday use */
    int preset;     /* 1: the default preset has its own value; 2: another preset has */
    int line_only;  /* 1: no setting of a configuration file, such as "resume" */
} attend_setting_info;

/* The index-th setting of a training run. Returns 1, or 0 where there is none. Thread safe. */
ATTEND_API int attend_train_setting(int index, attend_setting_info *info);

/* The whole configuration that settings lead to, presets and configuration files ("config") and the
 * run that goes on ("resume") included: YAML with a comment for each setting, and where its value
 * comes from. As a configuration file it gives the same run. Values that no run could begin with
 * are refused; data and folders are not looked at.
 *
 * text      receives it; release it with attend_text_free */
ATTEND_API attend_status attend_train_config(const attend_setting *settings, size_t count,
                                             char **text, attend_error *err);

typedef enum attend_train_kind {
    ATTEND_TRAIN_SAYS,      /* text: a line for the user */
    ATTEND_TRAIN_STEP,      /* a batch is done */
    ATTEND_TRAIN_VALIDATED, /* metrics and best */
    ATTEND_TRAIN_SAMPLE     /* source, reference and text: of the validation, and what was made */
} attend_train_kind;

/* a number that a validation found */
typedef struct attend_metric {
    const char *name;  /* "macro_f1": in files and settings */
    const char *title; /* "macro-F1": for people */
    double value;
    int falls; /* 1: smaller is better */
} attend_metric;

typedef struct attend_train_event {
    attend_train_kind kind;
    const char *text, *source, *reference;
    long long step, steps; /* updates done, and of the whole run */
    double epoch;          /* 2.5: in the middle of the third */
    int epochs;
    double loss, norm, rate;      /* norm of the gradient before clipping; 0 with clip=0 */
    double asked;                 /* what the loss is the mean of, in this batch */
    const char *unit;             /* of asked: "words" */
    long long validations;        /* still to come */
    double validation;            /* what each of them asks for, about */
    const attend_metric *metrics; /* the loss comes first */
    int metric_count;
    int best; /* 1: no validation was better */
} attend_train_event;

/* Called on the calling thread. A result above 0 of a step or a validation ends the run behind it,
 * with a checkpoint that it can go on from; one below 0 makes a checkpoint, and the run goes on. */
typedef int attend_train_function(void *user, const attend_train_event *event);

/* Trains a model from a file, into a folder. What is not set has its default; "preset" says what is
 * learned, "config" names a file of settings, to which the others are added; "resume" goes on with
 * the run in "out", as it was told before. ATTEND_STOPPED is returned where the function asked for
 * it.
 *
 * The same settings, number of threads and instruction set give the same bits, also when a run is
 * stopped and goes on ("resume"). The setting "threads" holds while it runs, for the whole process:
 * without it other calls may run at the same time.
 *
 * function   may be NULL */
ATTEND_API attend_status attend_train(const attend_setting *settings, size_t count,
                                      attend_train_function *function, void *user,
                                      attend_error *err);

/* ---- feature vectors ----------------------------------------------------------------------- */

/* Sequences of vectors in place of words: frames of sound, columns of pictures. In a safetensors
 * file they are tensors [frames, width], one for each sequence, in the order of their names, where
 * numbers count as numbers; or one tensor [sequences, frames, width], and lengths [sequences] where
 * not all frames are used. */
typedef struct attend_features attend_features;

/* Opens such a file and checks all of its sizes; the numbers stay on disk. */
ATTEND_API attend_status attend_features_open(const char *path, attend_features **out,
                                              attend_error *err);

/* An empty one in memory, of frames with so many numbers; sequences are added, and may be written
 * as such a file. values [frames][width] are copied. */
ATTEND_API attend_status attend_features_new(int width, attend_features **out, attend_error *err);
ATTEND_API attend_status attend_features_add(attend_features *features, size_t frames,
                                             const float *values, attend_error *err);
ATTEND_API attend_status attend_features_save(const attend_features *features, const char *path,
                                              attend_error *err);

ATTEND_API size_t attend_features_count(const attend_features *features); /* sequences */
ATTEND_API int attend_features_width(const attend_features *features);    /* numbers of a frame */
ATTEND_API void attend_features_free(attend_features *features);          /* NULL is well */

/* ---- translating --------------------------------------------------------------------------- */

typedef struct attend_translator attend_translator;

/* Opens the folder of a model. As with every kind of model, weights are used where they lie in the
 * file until the model is freed: the file may be replaced by renaming another one, or removed.
 * Where it is written to, calls fail with ATTEND_FILE; where it is cut short, reading it raises
 * SIGBUS. */
ATTEND_API attend_status attend_translator_open(const char *folder, attend_translator **out,
                                                attend_error *err);

/* Adds another model: from now on the mean of their probabilities decides, and the mean of their
 * weights is given. At most 16 models, all with the same vocabularies. */
ATTEND_API attend_status attend_translator_add(attend_translator *translator, const char *folder,
                                               attend_error *err);
ATTEND_API void attend_translator_free(attend_translator *translator); /* NULL is well */

/* Numbers of each frame where the model reads feature vectors (attend_features); 0: it reads
 * text. */
ATTEND_API int attend_translator_features(const attend_translator *translator);

/* Words and their translations: a file with a line "word<TAB>translation" for each. */
typedef struct attend_dictionary attend_dictionary;

ATTEND_API attend_status attend_dictionary_open(const char *path, attend_dictionary **out,
                                                attend_error *err);
ATTEND_API void attend_dictionary_free(attend_dictionary *dictionary); /* NULL is well */

typedef enum attend_length_rule {
    ATTEND_LENGTH_RULE_NONE,    /* the sum of the logarithms */
    ATTEND_LENGTH_RULE_AVERAGE, /* divided by length^penalty */
    ATTEND_LENGTH_RULE_WU       /* divided by ((5 + length) / 6)^penalty (Wu et al. 2016) */
} attend_length_rule;

/* what becomes of a line with more than `longest` pieces */
typedef enum attend_long_rule {
    ATTEND_LINE_CUT,   /* its beginning is translated */
    ATTEND_LINE_SKIP,  /* it is given back without a translation */
    ATTEND_LINE_REFUSE /* an error with its number */
} attend_long_rule;

typedef struct attend_translate_options {
    size_t size;      /* of this struct, set by attend_translate_defaults */
    int beam;         /* hypotheses that are followed; 1 is greedy */
    int best;         /* hypotheses of each line that are given, at most beam */
    int rule;         /* an attend_length_rule */
    double penalty;   /* of lengths */
    double coverage;  /* weight of the coverage penalty (Wu et al. 2016), for models with
                         attention; 0: none */
    int no_repeat;    /* n: no n pieces in a row come twice; 0: off */
    int longest;      /* pieces of a line that are read */
    int when_long;    /* an attend_long_rule */
    int most;         /* pieces of a translation behind its prefix, up to 2^20; 0: three for each
                         of the source, and ten; of features one for each frame, and fifty */
    int batch;        /* lines at a time */
    int attention;    /* 1: weights are wanted */
    int target_words; /* 1: target_word is wanted */
    int scores;       /* 1: score, log_p and log_ps are wanted; greedy search is faster without */

    int sample;         /* 1: words are drawn, and beam hypotheses know nothing of each other */
    double temperature; /* divides the logits before drawing */
    int top_k;          /* only so many of the likeliest words are drawn from; 0: all */
    double top_p;       /* only the fewest whose probabilities reach it; 1: all */
    double min_p;       /* only those at least this fraction as likely as the likeliest; 0: all */
    unsigned long long seed;
    size_t first; /* the number of the first line, from 0: for messages and drawing, where lines
                     come in several calls */

    const char *const *prefix; /* as many as lines: what each translation begins with; or NULL */
    int forced;                /* 1: prefix is all of it, and is only scored; beam is 1 then */

    int replace_unknown; /* 1: unknown words become what they look at, or its translation; for
                            models with attention */
    const attend_dictionary *dictionary; /* or NULL */

    /* Not NULL: sources are its sequences, from `first` on, and not lines; they are read whole, and
     * source labels are the numbers of frames, from 0 on. For models that read them. */
    const attend_features *features;
} attend_translate_options;

ATTEND_API void attend_translate_defaults(attend_translate_options *options);

/* one hypothesis of one line; all borrowed until the function returns. An empty line, and one that
 * is skipped, has no pieces, and scores of 0. */
typedef struct attend_translation {
    size_t line; /* of this call, from 0 on */
    int rank;    /* 0: the best */
    const char *text;
    double score, log_p;  /* not numbers where they were not asked for */
    int sources, targets; /* pieces of both sides, their ends included */
    const char *const *source, *const *target;
    const unsigned *source_word; /* which word of the line each piece belongs to; ATTEND_NO_WORD:
                                    none */
    const unsigned *target_word; /* the same of text; NULL where it was not asked for */
    const double *log_ps;        /* [targets]: logarithms of the pieces' probabilities; or NULL */
    const double *weights;       /* [targets][sources], or NULL */
    int cut, skipped;            /* 1: the line was longer than `longest` */
    int frames;                  /* 1: the source is feature vectors, and source has numbers */
} attend_translation;

typedef attend_status attend_translation_function(void *user, const attend_translation *translation,
                                                  attend_error *err);

/* Translates lines; the function is called for line after line, the best hypothesis first. A line's
 * translation does not depend on the others, nor on batch and threads. One call at a time on one
 * translator. line is not read, and may be NULL, where options have features. */
ATTEND_API attend_status attend_translate(attend_translator *translator,
                                          const attend_translate_options *options, size_t count,
                                          const char *const *line,
                                          attend_translation_function *function, void *user,
                                          attend_error *err);

/* Which words belong together, after the weights: "0-0 1-2", source and target, counted from 0, as
 * Pharaoh writes it.
 *
 * translation   with weights and target_word: options have attention and target_words
 * pieces        1: links between pieces; 0: between words
 * threshold     above 0: all words of the source that have so much weight; 0: the best one of every
 *               word of the target
 * out           receives the links; release them with attend_text_free */
ATTEND_API attend_status attend_translation_links(const attend_translation *translation, int pieces,
                                                  double threshold, char **out, attend_error *err);

/* How good a translator is on sentences with known translations. */
typedef struct attend_evaluate_options {
    size_t size; /* of this struct, set by attend_evaluate_defaults */
    attend_translate_options translate;
    attend_measure_options measure; /* of BLEU, chrF and AER; tokenize is NULL: as training does,
                                       zh or char where the references are Chinese or Japanese */
    const char *const *gold; /* as many as lines: links of their words, as the measure aer reads
                                them; or NULL */
    const char *gold_name;   /* of their file, for messages; or NULL */
    double threshold;        /* of the model's own, as in attend_translation_links */
    attend_translation_function *function; /* sees the translations; or NULL */
    void *user;
} attend_evaluate_options;

ATTEND_API void attend_evaluate_defaults(attend_evaluate_options *options);

enum { ATTEND_LENGTH_RANGES = 8 };

/* lines with `from` to `to` words in their source, or where that is features in their known
 * translation; `to` is 0: and more */
typedef struct attend_length_range {
    int from, to;
    size_t lines;
    double bleu;
} attend_length_range;

typedef struct attend_evaluation {
    size_t lines;
    double bleu, chrf;
    char signature[120]; /* of BLEU */
    double log_p;        /* of the known translations */
    long long pieces;    /* that these have, their ends included */
    double perplexity;   /* of a piece */
    double aer;          /* of the links of their words; not a number without gold or attention */
    double seconds;      /* that translating took */
    long long written;   /* pieces of the translations, their ends included */
    long long parameters;
    int ranges; /* those that have lines */
    attend_length_range range[ATTEND_LENGTH_RANGES];
} attend_evaluation;

/* Translates, and is led through the known translations; both as attend_translate does it. source
 * is not read, and may be NULL, where options->translate has features. */
ATTEND_API attend_status attend_evaluate(attend_translator *translator,
                                         const attend_evaluate_options *options, size_t count,
                                         const char *const *source, const char *const *reference,
                                         attend_evaluation *out, attend_error *err);

/* Makes one model from several of one training: every weight is the mean of theirs.
 *
 * paths     folders of models, or files of weights or checkpoints (training/) in them; one path
 *           makes a copy without the state of its training
 * out       the folder of the new model, which must have none; settings and tokenizers are those of
 *           the first */
ATTEND_API attend_status attend_average(const char *const *paths, size_t count, const char *out,
                                        attend_error *err);

/* ---- classifying --------------------------------------------------------------------------- */

typedef struct attend_classifier attend_classifier;

/* Opens the folder of a model. */
ATTEND_API attend_status attend_classifier_open(const char *folder, attend_classifier **out,
                                                attend_error *err);
ATTEND_API void attend_classifier_free(attend_classifier *classifier); /* NULL is well */

/* The name of the index-th class; NULL beyond the last. */
ATTEND_API const char *attend_classifier_class(const attend_classifier *classifier, int index);

typedef struct attend_classify_options {
    size_t size;   /* of this struct, set by attend_classify_defaults */
    int longest;   /* pieces of a line that are read */
    int batch;     /* lines at a time */
    int attention; /* 1: weights are wanted */
} attend_classify_options;

ATTEND_API void attend_classify_defaults(attend_classify_options *options);

/* the class of one line; all borrowed until the function returns */
typedef struct attend_classified {
    size_t line;
    int index;                   /* of the class */
    const char *name;            /* and its name */
    const double *probabilities; /* of all classes */
    int pieces;
    const char *const *piece;
    const double *weights; /* [pieces], or NULL */
    int cut;               /* 1: the line was longer than `longest` */
} attend_classified;

typedef attend_status attend_classified_function(void *user, const attend_classified *classified,
                                                 attend_error *err);

/* Classifies lines; the function is called for line after line. A line's class does not depend on
 * the others, nor on batch and threads. One call at a time on one classifier. */
ATTEND_API attend_status attend_classify(attend_classifier *classifier,
                                         const attend_classify_options *options, size_t count,
                                         const char *const *line,
                                         attend_classified_function *function, void *user,
                                         attend_error *err);

/* ---- pointer networks ---------------------------------------------------------------------- */

typedef struct attend_pointer attend_pointer;

/* Opens the folder of a model. */
ATTEND_API attend_status attend_pointer_open(const char *folder, attend_pointer **out,
                                             attend_error *err);
ATTEND_API void attend_pointer_free(attend_pointer *model); /* NULL is well */

/* Points to the items of a line: vectors of numbers, "0.7,0.3 0.5,0.5 0.6,0.2". Each item is
 * pointed to once at most, unless repeat is not 0. One call at a time on one model.
 *
 * line          size bytes, with blanks between items; a tab is refused
 * places        receives places of items in the line, from 0 on; attend_places_free it
 * count         receives how many
 * log_p         receives the logarithm of their probability */
ATTEND_API attend_status attend_point(attend_pointer *model, const char *line, size_t size,
                                      int repeat, int **places, int *count, double *log_p,
                                      attend_error *err);
ATTEND_API void attend_places_free(int *places); /* NULL is well */

/* ---- language models ----------------------------------------------------------------------- */

typedef struct attend_language attend_language;

/* Opens the folder of a model. */
ATTEND_API attend_status attend_language_open(const char *folder, attend_language **out,
                                              attend_error *err);
ATTEND_API void attend_language_free(attend_language *model); /* NULL is well */

typedef struct attend_generate_options {
    size_t size;        /* of this struct, set by attend_generate_defaults */
    int most;           /* words that are added */
    int lines;          /* stop behind so many lines; 0: not because of them */
    double repetition;  /* above 1: words that have come become less likely */
    int greedy;         /* 1: always the likeliest word; what follows does nothing then */
    double temperature; /* below 1: likely words become likelier */
    int top_k;          /* only so many of the likeliest; 0: all */
    double top_p;       /* only the likeliest whose probabilities reach this; 1: all */
    double min_p;       /* only those at least this fraction as likely as the likeliest; 0: all */
    unsigned long long seed;
    unsigned text; /* another number, another text of the same seed */
} attend_generate_options;

ATTEND_API void attend_generate_defaults(attend_generate_options *options);

/* Goes on with a prompt, which may be empty. The same options give the same text. One call at a
 * time on one model.
 *
 * text          receives the prompt and what was added; attend_text_free it */
ATTEND_API attend_status attend_generate(attend_language *model,
                                         const attend_generate_options *options, const char *prompt,
                                         char **text, attend_error *err);

#ifdef __cplusplus
}
#endif

#endif
