/* attend: train, run and inspect attention models.
 *
 *     static attend_status show(void *user, const attend_translation *t, attend_error *err)
 *     {
 *         puts(t->text);
 *         for (int i = 0; t->weights && i < t->targets * t->sources; i++)
 *             printf("%s %s %.2f\n", t->target[i / t->sources], t->source[i % t->sources],
 *                    t->weights[i]);
 *         return ATTEND_OK;
 *     }
 *
 *     attend_model *model;
 *     attend_error err;
 *     attend_translate_options options;
 *     const char *line = "ein Mann schläft .";
 *     attend_translate_defaults(&options);
 *     options.attention = 1;
 *     if (attend_model_open("model", &model, &err) < 0
 *         || attend_translate(model, &options, 1, &line, show, NULL, &err) < 0)
 *         fprintf(stderr, "%s\n", err.message);
 *     attend_model_free(model);
 *
 * Rules for every function:
 *   - Ownership. An object or text that is returned through an `out` argument belongs to the
 *     caller: release a handle `attend_X *` with attend_X_free, plain memory (text, arrays,
 *     structs) with attend_free. All of these accept NULL. Everything else that is returned is
 *     borrowed; it stays valid until the object that it was asked of is released, unless the
 *     function says otherwise. `_open` reads files, `_new` makes an object in memory. Where a
 *     function fails, `*out` is NULL.
 *   - Errors. Functions that can fail return an attend_status, negative for an error, and fill
 *     `err`, which may be NULL. The library never exits, aborts or prints; see attend_set_log.
 *     Figures are drawn in a child process, because GLib ends a program that runs out of memory.
 *   - Callbacks are attend_X_function: they take the caller's `user` pointer first and an `err`
 *     last, run on the calling thread and return an attend_status. A negative status ends the
 *     operation and is returned from it, with what the callback wrote to `err`. ATTEND_STOPPED is
 *     the status to return to end early without an error: results so far are kept. A callback
 *     argument may be NULL only where the function says so.
 *   - Options are structs that begin with their `size`. Initialise one with its `_defaults`
 *     function, then change members; NULL options mean the defaults. New versions add members at
 *     the end; a caller that was compiled with a shorter struct gets the defaults of the others.
 *   - Results handed to a callback, and results in plain memory, are read through the pointer that
 *     is given and may grow at the end: do not copy them by value into a struct of your own.
 *   - Counts and indexes are size_t; ids, settings and the dimensions of a model or figure are int.
 *     Indexes start at 0.
 *   - Threads. Calls on different objects may run at the same time. A model, a tokenizer and any
 *     other object that a function takes by const pointer may be used by several threads at once;
 *     other objects by one thread at a time. A forked process may continue to use the library.
 *   - Pointers must not be NULL unless the function says so. Text is UTF-8.
 *   - Before version 1, a minor version may change structs and functions, and has a library name of
 *     its own (libattend.so.0.2). C99, C++11.
 *
 * attend_data.h has corpora (reading, checking, converting), attend_pooling.h attention pooling.
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
#define ATTEND_VERSION_MINOR 2
#define ATTEND_VERSION_PATCH 0

/* ---- status ---------------------------------------------------------------------------- */

/* name, number, text: one list makes the codes, their names and their texts */
#define ATTEND_STATUS_LIST(X)                                \
    X(OK, 0, "no error")                                     \
    X(CHECKPOINT, 1, "make a checkpoint and continue")       \
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
    char message[1200]; /* what, where, which sizes or line, and what to do */
} attend_error;

/* The name of a status, "ATTEND_SHAPE", for programmers. Never NULL.
 *
 * status    any number */
ATTEND_API const char *attend_status_name(attend_status status);

/* The meaning of a status, "tensor sizes do not fit together", for users. Never NULL.
 *
 * status    any number */
ATTEND_API const char *attend_status_text(attend_status status);

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
    ATTEND_CAN_PERMUTE = 1 << 10, /* predict tokens of a text in any order */
} attend_capability;

/* Where attention stands in a model. */
typedef enum attend_attention_kind {
    ATTEND_ATTENTION_ENCODER, /* of the input to itself */
    ATTEND_ATTENTION_DECODER, /* of the output to itself */
    ATTEND_ATTENTION_CROSS,   /* of the output to the input */
    ATTEND_ATTENTION_CONTENT, /* XLNet's two streams */
    ATTEND_ATTENTION_QUERY,
} attend_attention_kind;

/* The weights of one query of one head. */
typedef struct attend_attention_row {
    attend_attention_kind kind;
    int layer, head;
    int query, keys;       /* position of the query; number of keys */
    const double *weights; /* [keys] */
} attend_attention_row;

/* What a search did with a continuation that it looked at. */
typedef enum attend_trace_fate {
    ATTEND_TRACE_PRUNED, /* others were better */
    ATTEND_TRACE_KEPT,   /* it runs on */
    ATTEND_TRACE_ENDED,  /* it ended, and is a result */
} attend_trace_fate;

/* ---- memory ---------------------------------------------------------------------------- */

/* Releases plain memory that the library returned: text, arrays and structs.
 *
 * memory    may be NULL */
ATTEND_API void attend_free(void *memory);

/* ---- version and machine --------------------------------------------------------------- */

/* The version of the library, "0.2.0". */
ATTEND_API const char *attend_version(void);

/* Lines "name: value": version, compiler, instruction set in use and the best here, threads, loaded
 * libraries. Borrowed until the next call from the same thread. */
ATTEND_API const char *attend_build_info(void);

/* Sets the number of threads for all later work. Results of inference do not depend on it. Not safe
 * while other calls are running.
 *
 * threads   0: one per processor
 *
 * Returns the number in force. */
ATTEND_API int attend_set_threads(int threads);

/* The number of threads in force. */
ATTEND_API int attend_threads(void);

/* ---- log ------------------------------------------------------------------------------- */

typedef enum attend_log_level {
    ATTEND_LOG_DEBUG,
    ATTEND_LOG_INFO,
    ATTEND_LOG_WARNING,
    ATTEND_LOG_ERROR
} attend_log_level;

/* Receives a message, borrowed for the call. The one callback that cannot end an operation. */
typedef void attend_log_function(void *user, attend_log_level level, const char *message);

/* Chooses where messages go. Not safe while other calls are running.
 *
 * function  may be NULL (the start value): messages are dropped
 * user      handed to function */
ATTEND_API void attend_set_log(attend_log_function *function, void *user);

/* ---- lists ----------------------------------------------------------------------------- */

typedef struct attend_entry {
    const char *name;    /* "softmax" */
    const char *formula; /* what it computes, in a line; never NULL */
    const char *source;  /* the paper and its equation, or NULL */
    /* only the list "attention" has these; NULL elsewhere */
    const char *part;       /* "score", "scope", "pick" or "output" */
    const char *aliases;    /* other names, separated by spaces, or NULL */
    const char *values;     /* what may follow the name and a colon: "D", "m,w"; or NULL */
    const char *example;    /* the name as it may be written, with values: "window:2" */
    const char *use;        /* when to choose it */
    const char *cost;       /* time and memory, for n queries and n keys of width d */
    const char *parameters; /* what is learned, or "none" */
} attend_entry;

/* An entry of one of the library's lists. The list "kinds" names the others. Thread safe.
 *
 * kind      "kinds", "attention", "presets", "kernels", "ops", "optimisers", "schedules",
 *           "measures", "tokenizers", "formats"
 * index     of the entry
 * entry     receives the entry; its strings live as long as the program
 *
 * Returns 1, or 0 if there is no such list or entry. */
ATTEND_API int attend_list(const char *kind, size_t index, attend_entry *entry);

/* ---- tensors of a file ----------------------------------------------------------------- */

typedef struct attend_tensors attend_tensors;

typedef struct attend_tensor_info {
    const char *name;  /* borrowed, as shape is */
    const char *dtype; /* "F32", "BF16", ... */
    int rank;
    const size_t *shape; /* rank sizes, outermost first */
    size_t count, bytes; /* numbers, and bytes in the file */
} attend_tensor_info;

/* Opens safetensors files and checks their whole headers; the numbers stay on disk.
 *
 * path      a file, or a model's folder with model.safetensors in it, or with several files and
 *           their model.safetensors.index.json
 * out       receives the handle; release it with attend_tensors_free */
ATTEND_API attend_status attend_tensors_open(const char *path, attend_tensors **out,
                                             attend_error *err);

/* Releases a file of tensors.
 *
 * tensors   may be NULL */
ATTEND_API void attend_tensors_free(attend_tensors *tensors);

/* The number of tensors in a file.
 *
 * tensors   an open file */
ATTEND_API size_t attend_tensors_count(const attend_tensors *tensors);

/* Describes a tensor.
 *
 * tensors   an open file
 * index     of the tensor, in the order of the data
 * info      receives the description
 *
 * Returns 1, or 0 if there is no such tensor. */
ATTEND_API int attend_tensors_info(const attend_tensors *tensors, size_t index,
                                   attend_tensor_info *info);

/* A note from the metadata of the file, or of the first of several.
 *
 * tensors   an open file
 * index     of the note
 * name      receives its name, borrowed
 * text      receives its text, borrowed
 *
 * Returns 1, or 0 if there is no such note. */
ATTEND_API int attend_tensors_note(const attend_tensors *tensors, size_t index, const char **name,
                                   const char **text);

/* ---- damage ---------------------------------------------------------------------------- */

/* A file that was verified. */
typedef struct attend_verified {
    const char *path;
    int checksums;     /* 0: the file, or the folder's small files, have none: another program's */
    const char *fault; /* what is wrong, or NULL; a file is reported once for each damaged tensor */
} attend_verified;

typedef attend_status attend_verified_function(void *user, const attend_verified *verified,
                                               attend_error *err);

/* Verifies everything that has a checksum: a model's settings, tokenizers, weights and checkpoints,
 * a tokenizer's folder, or a safetensors file. Calling it is optional: a file is verified when it
 * is used. Thread safe.
 *
 * path      a folder or a file
 * function  called for every file and every fault; may be NULL
 * user      handed to function
 *
 * Returns ATTEND_FORMAT, with the first fault in err, if something is damaged. */
ATTEND_API attend_status attend_verify(const char *path, attend_verified_function *function,
                                       void *user, attend_error *err);

/* Accepts settings and tokenizer files that were edited: their checksums become those of the files
 * as they are. Fails if a listed file is missing, or if there is no list. Weights are not covered:
 * programs that change those write new files.
 *
 * path      a model's or a tokenizer's folder */
ATTEND_API attend_status attend_checksums_update(const char *path, attend_error *err);

/* ---- sentences ------------------------------------------------------------------------- */

/* Receives a sentence without surrounding white space, borrowed, not ended by a zero byte. */
typedef attend_status attend_sentence_function(void *user, const char *sentence, size_t size,
                                               attend_error *err);

/* Splits a paragraph into sentences by rule: marks of all scripts, abbreviations, initials,
 * numbers, quotes. Thread safe.
 *
 * text      the paragraph
 * size      its bytes
 * language  whose abbreviations to know: "en", "fr", "de", "es", "it", "pt", "nl", "ru", "zh",
 *           "ja", "ko"; "auto" or NULL: all
 * function  called for every sentence, in order
 * user      handed to function */
ATTEND_API attend_status attend_sentences_split(const char *text, size_t size, const char *language,
                                                attend_sentence_function *function, void *user,
                                                attend_error *err);

/* ---- attention of given numbers -------------------------------------------------------- */

/* Numbers row by row, and the sizes of their block, outermost first. */
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
    attend_array mask;     /* 0: hidden; [keys], [queries, keys] or [batch, queries, keys], where 1
                              repeats */
    attend_array lengths;  /* [batch]: keys from there on are padding */
    attend_array centres;  /* [queries] or [batch, queries], integers: the centres of the windows of
                              a scope; not given: the query's own position */
    int causal;            /* not 0: a query attends only to keys up to its own position */
    int first;             /* position of the first query */
    int hidden_size;       /* of the layers in additive and predicted; 0: as in the parameters, or
                              the queries' width */
    const attend_parameter *parameters; /* others start as in training, from the seed */
    size_t parameter_count;
    unsigned long long seed;
    const char *const *query_labels, *const *key_labels; /* a name for each, or NULL */
    size_t query_label_count, key_label_count; /* as many as there are in a sentence, or in all */
} attend_read_options;

/* Scores, weights and context of one attention. */
typedef struct attend_reading attend_reading;

/* Sets options to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_read_defaults(attend_read_options *options);

/* Computes one attention: scores, weights and context, as after training (hard attention takes the
 * highest score). Thread safe.
 *
 * options   the numbers and the attention; must not be NULL; not needed afterwards
 * out       receives the result; release it with attend_reading_free */
ATTEND_API attend_status attend_read(const attend_read_options *options, attend_reading **out,
                                     attend_error *err);

/* Computes one attention of the numbers in a file.
 *
 * path      JSON or safetensors, as `attend help read` describes them; "-" is standard input
 * options   may be NULL; attention, causal, first, hidden_size and seed override those of the file
 *           if they are not 0
 * out       receives the result; release it with attend_reading_free */
ATTEND_API attend_status attend_read_file(const char *path, const attend_read_options *options,
                                          attend_reading **out, attend_error *err);

/* Releases a reading.
 *
 * reading   may be NULL */
ATTEND_API void attend_reading_free(attend_reading *reading);

/* The attention in full, "bilinear/window:5".
 *
 * reading   a result */
ATTEND_API const char *attend_reading_attention(const attend_reading *reading);

/* An array of the reading, borrowed; its data is NULL if there is none of that name.
 *
 * reading   a result
 * name      "scores" [batch, heads, queries, keys], before they are normalised, -INFINITY where a
 *           key is hidden; "weights", of the same shape; "context" [batch, queries, width];
 *           "centre" [batch, heads, queries], the position that scope predicted attends to;
 *           "queries", "keys", "values" [batch, .., width]. One head if the attention has none. */
ATTEND_API attend_array attend_reading_array(const attend_reading *reading, const char *name);

/* A parameter of the attention, given or not.
 *
 * reading    a result
 * index      of the parameter
 * parameter  receives it, borrowed
 *
 * Returns 1, or 0 if there is no such parameter. */
ATTEND_API int attend_reading_parameter(const attend_reading *reading, size_t index,
                                        attend_parameter *parameter);

/* The label of a query or key, borrowed, or NULL.
 *
 * reading   a result
 * of        "queries" or "keys"
 * sentence  of the batch
 * index     of the query or key */
ATTEND_API const char *attend_reading_label(const attend_reading *reading, const char *of,
                                            size_t sentence, size_t index);

/* The whole reading as JSON, which attend_read_file reads again; borrowed. NULL without memory.
 *
 * reading   a result */
ATTEND_API const char *attend_reading_json(attend_reading *reading);

/* Writes the whole reading into a file, completely or not at all.
 *
 * reading   a result
 * path      the file: JSON, or safetensors if it ends in .safetensors */
ATTEND_API attend_status attend_reading_save(attend_reading *reading, const char *path,
                                             attend_error *err);

/* ---- pictures and sound ---------------------------------------------------------------- */

typedef struct attend_picture {
    int width, height;
    const unsigned char *rgb; /* [height][width][3]: red, green and blue, sRGB */
} attend_picture;

/* Reads a PNG picture. 16 bits become 8, and what is transparent is laid over white. Fails if it
 * has more than 2^26 pixels.
 *
 * path      the file
 * out       receives it; release it with attend_free */
ATTEND_API attend_status attend_picture_open(const char *path, attend_picture **out,
                                             attend_error *err);

/* Writes a picture as a PNG file, completely or not at all.
 *
 * picture   the picture
 * path      the file */
ATTEND_API attend_status attend_picture_save(const attend_picture *picture, const char *path,
                                             attend_error *err);

/* Cuts a picture into a grid of patches, as a sequence for attend_features_add: of each patch, from
 * left to right and from top to bottom, side * side mean colours of 0 to 1, and its position, down
 * and across, of -1 to 1. Fails if the picture has fewer pixels than the grid has patches.
 *
 * picture   the picture
 * rows      of the grid, 1 to 256
 * columns   of the grid, 1 to 256
 * side      colours along a side of each patch, 1 to 64
 * out       receives [rows * columns][3 * side * side + 2] numbers */
ATTEND_API attend_status attend_picture_patches(const attend_picture *picture, int rows,
                                                int columns, int side, float *out,
                                                attend_error *err);

/* Makes frames of recorded sound, as a sequence for attend_features_add: logarithms of the energy
 * in bands of the mel scale, 60 to 7600 Hz, in windows of 25 ms, of the mean of all channels.
 *
 * path      WAV, FLAC, Ogg or another file that libsndfile reads
 * bands     numbers of each frame, 1 to 256
 * hop       milliseconds from frame to frame, 1 to 1000
 * out       receives [frames][bands] numbers; release them with attend_free
 * frames    receives the number of frames, at least 1 */
ATTEND_API attend_status attend_sound_frames(const char *path, int bands, double hop, float **out,
                                             size_t *frames, attend_error *err);

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

/* Attention between the tokens of any model: rows of a record, as attend_translation.attention has
 * them, and the tokens' labels. In self-attention queries and keys are the same tokens. */
typedef struct attend_attention_map {
    const char *title;
    attend_attention_kind kind; /* rows of other kinds are left out */
    int queries, keys;          /* tokens that attend, and tokens that are attended to */
    const char *const *query_labels, *const *key_labels; /* must not be NULL */
    const char *query_title, *key_title;                 /* over the two columns of a head view */
    size_t row_count;
    const attend_attention_row *rows; /* of any layers and heads, in any order */
} attend_attention_map;

/* The mean of attention over the layers and heads of its rows, as the weights of a heat map.
 *
 * map       the attention
 * weights   receives queries times keys weights; NaN where no row has the key, as in the future of
 *           causal attention */
ATTEND_API attend_status attend_attention_mean(const attend_attention_map *map, double *weights,
                                               attend_error *err);

/* Weights over a picture: a copy of it for each row of the weights, white where the row does not
 * attend, with the row's label. */
typedef struct attend_picture_map {
    const attend_picture *picture;
    int rows, columns;              /* of patches: as many as the weights have columns */
    const attend_heat_map *weights; /* with row labels */
} attend_picture_map;

/* One drawing, and the size of its area inside the axes in points (1/72 inch), of a heat map or
 * chart; 0: by its content. */
typedef struct attend_panel {
    /* one of these */
    const attend_heat_map *heat_map;
    const attend_chart *chart;
    double width, height;
    /* or of these */
    const attend_attention_map *heads; /* two columns of tokens, a line for each weight, as opaque
                                          as the weight is large, in the colour of its head;
                                          weights of several layers are averaged */
    const attend_attention_map *grid;  /* a small heat map for each layer and head */
    const attend_heat_map *steps;      /* a frame for each row: the columns' tokens, shaded by
                                          weight, and the rows' tokens up to this one */
    const attend_picture_map *picture; /* copies of a picture, shaded by the weights */
} attend_panel;

typedef struct attend_figure {
    const char *title;
    int count;
    const attend_panel *panels;
    int across;     /* panels side by side; 0: all */
    int resolution; /* of a PNG, in pixels per inch; 0: 144 */
} attend_figure;

/* Draws a figure into a file, written completely or not at all. A child process loads the libraries
 * that draw (cairo, pango); if one is missing, the message names its package. A child that a signal
 * ends is ATTEND_MEMORY, one that takes more than two minutes ATTEND_STOPPED. Characters that no
 * font has are reported as a warning to the log. The same figure gives the same bytes of a PNG on
 * one machine. Thread safe.
 *
 * figure    what to draw
 * path      the file: ends in .png, .svg or .pdf */
ATTEND_API attend_status attend_figure_save(const attend_figure *figure, const char *path,
                                            attend_error *err);

/* Draws the frames of attend_panel.steps one after the other, as an animated SVG with text that can
 * be selected. Readers that do not animate, or whose users ask for reduced motion, show the first
 * frame. Fails and is written as attend_figure_save.
 *
 * map       rows in the order of time, with row labels
 * path      the file: ends in .svg */
ATTEND_API attend_status attend_figure_save_animation(const attend_heat_map *map, const char *path,
                                                      attend_error *err);

/* Fails if a file name is not one that a figure can have: for programs that want to know before a
 * long job.
 *
 * path      the file */
ATTEND_API attend_status attend_figure_check_path(const char *path, attend_error *err);

/* How text for a terminal may look. */
typedef struct attend_text_style {
    int columns; /* of the terminal; 0: 80 */
    int utf8;    /* 1: more than ASCII */
    int color;   /* 1: escape sequences of 256 colours */
} attend_text_style;

/* Draws a heat map with block characters. Labelled columns that do not fit side by side continue
 * below; numbered ones share a cell, which shows the largest, and a note says so.
 *
 * map       what to draw
 * style     may be NULL: 80 columns of plain UTF-8
 * out       receives the lines; release them with attend_free */
ATTEND_API attend_status attend_heat_map_text(const attend_heat_map *map,
                                              const attend_text_style *style, char **out,
                                              attend_error *err);

/* ---- measures -------------------------------------------------------------------------- */

/* Lines that correspond to those of other files, one by one. */
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
    int word_order;    /* chrf: of n-grams of words, 0 to 10; negative: as the name says, 0 to 2 */
    int beta;          /* chrf: how much more recall counts than precision */
    int whitespace;    /* chrf: 1 counts spaces as characters */
    int eps_smoothing; /* chrf: 1 averages F over all orders, as chrF++.py does */

    int normalized;     /* ter: 1 splits punctuation from words */
    int no_punct;       /* ter: 1 removes punctuation */
    int asian;          /* ter: 1 does both for Chinese and Japanese too */
    int case_sensitive; /* ter: 1 distinguishes upper from lower case */

    int squad_v1; /* exact-match, f1: 1 counts as SQuAD 1.1 did, 0 as 2.0 does */

    int link_base; /* aer: the number of the first word in a hypothesis's alignment links */
    int gold_base; /* aer: the number of the first word in a reference's */

    double log_base; /* perplexity: of the logarithms; 0 is e */

    int resamples;           /* of attend_scores_interval and attend_scores_compare */
    unsigned long long seed; /* of their random numbers */
} attend_measure_options;

/* Sets options to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_measure_defaults(attend_measure_options *options);

/* The scores of one measure for one or several systems. */
typedef struct attend_scores attend_scores;

/* Compares the output of systems with references. Thread safe, like the functions below on one
 * handle, except for those that return text: that is borrowed until the next call of such a
 * function on the handle.
 *
 * measure     its name in the list "measures": "bleu", "chrf++", "ter", "accuracy", ...
 * options     may be NULL
 * systems     how many there are, at least 1
 * hypotheses  the output of each
 * references  how many there are
 * reference   as many lines as every hypothesis, for each reference
 * out         receives the scores; release it with attend_scores_free; the lines are not needed
 *             afterwards */
ATTEND_API attend_status attend_measure(const char *measure, const attend_measure_options *options,
                                        size_t systems, const attend_lines *hypotheses,
                                        size_t references, const attend_lines *reference,
                                        attend_scores **out, attend_error *err);

/* Releases scores.
 *
 * scores    may be NULL */
ATTEND_API void attend_scores_free(attend_scores *scores);

/* The score of all lines together; 0 if there is no such system.
 *
 * scores    of a measure
 * system    its index */
ATTEND_API double attend_scores_corpus(const attend_scores *scores, size_t system);

/* The score of one line; of BLEU with its effective order.
 *
 * scores    of a measure
 * system    its index
 * segment   the line, from 0
 * score     receives it */
ATTEND_API attend_status attend_scores_segment(const attend_scores *scores, size_t system,
                                               size_t segment, double *score, attend_error *err);

/* The score of some lines together.
 *
 * scores    of a measure
 * system    its index
 * count     how many lines
 * segment   which, from 0
 * score     receives it */
ATTEND_API attend_status attend_scores_subset(const attend_scores *scores, size_t system,
                                              size_t count, const size_t *segment, double *score,
                                              attend_error *err);

/* The number of lines.
 *
 * scores    of a measure */
ATTEND_API size_t attend_scores_segments(const attend_scores *scores);

/* 1 if a lower score is better, as with TER.
 *
 * scores    of a measure */
ATTEND_API int attend_scores_lower_is_better(const attend_scores *scores);

/* The name of the score, "BLEU", "chrF2++".
 *
 * scores    of a measure */
ATTEND_API const char *attend_scores_name(attend_scores *scores);

/* How the score is computed, as sacreBLEU writes it: "nrefs:1|case:mixed|eff:no|tok:13a|..."
 *
 * scores    of a measure */
ATTEND_API const char *attend_scores_signature(attend_scores *scores);

/* The components of a score in a line; "" if there are none.
 *
 * scores    of a measure
 * system    its index */
ATTEND_API const char *attend_scores_detail(attend_scores *scores, size_t system);

/* The components of a score as a JSON object; "" if there are none.
 *
 * scores    of a measure
 * system    its index */
ATTEND_API const char *attend_scores_json(attend_scores *scores, size_t system);

typedef struct attend_interval {
    double mean, low, high; /* 95 % of the resamples lie from low to high */
} attend_interval;

/* The confidence interval of a score: bootstrap resampling. The same seed gives the same bits on
 * any number of threads.
 *
 * scores    of a measure
 * system    its index
 * out       receives it */
ATTEND_API attend_status attend_scores_interval(const attend_scores *scores, size_t system,
                                                attend_interval *out, attend_error *err);

typedef struct attend_comparison {
    double difference;    /* score of the system minus that of the baseline */
    double bootstrap;     /* p of a difference so large by chance: paired bootstrap resampling */
    double randomisation; /* the same by approximate randomisation */
} attend_comparison;

/* The significance of the difference between two systems.
 *
 * scores    of a measure
 * system    the index of one
 * baseline  the index of the other
 * out       receives it */
ATTEND_API attend_status attend_scores_compare(const attend_scores *scores, size_t system,
                                               size_t baseline, attend_comparison *out,
                                               attend_error *err);

/* ---- tokenizers ------------------------------------------------------------------------ */

/* Converts text to numbered tokens and back. Text is any bytes with their count: bytes that are not
 * valid UTF-8 are read as U+FFFD (kinds that work on bytes keep them) and counted. */
typedef struct attend_tokenizer attend_tokenizer;

/* Opens a tokenizer: our own tokenizer.json, vocab.txt, vocab.json with merges.txt, a .model file
 * of SentencePiece, Hugging Face's tokenizer.json; tokenizer_config.json next to it is read too.
 *
 * path      a folder or a file
 * out       receives it; release it with attend_tokenizer_free */
ATTEND_API attend_status attend_tokenizer_open(const char *path, attend_tokenizer **out,
                                               attend_error *err);

/* Releases a tokenizer.
 *
 * tokenizer  may be NULL */
ATTEND_API void attend_tokenizer_free(attend_tokenizer *tokenizer);

/* Writes a tokenizer's files; those of another tokenizer in the folder are removed.
 *
 * tokenizer  the tokenizer
 * folder     made if it is missing */
ATTEND_API attend_status attend_tokenizer_save(const attend_tokenizer *tokenizer,
                                               const char *folder, attend_error *err);

/* Provides the next line of a text.
 *
 * text      receives the line without its end, borrowed until the next call; NULL at the end
 * size      receives its bytes */
typedef attend_status attend_line_function(void *user, const char **text, size_t *size,
                                           attend_error *err);

/* A member that attend_learn_defaults has set means the kind's own default; a member that a kind
 * does not have must keep that value. */
typedef struct attend_learn_options {
    size_t size;       /* of this struct, set by attend_learn_defaults */
    int vocabulary;    /* at most so many tokens, special ones included */
    int min_count;     /* what is seen less often is unknown, or is not merged */
    int lower;         /* 1: lower case */
    int strip_accents; /* 1: without accents */
    int split_chinese; /* 1: Chinese (and for words Japanese) characters stand alone */
    int pretokenised;  /* words: 1: spaces separate them; 0: punctuation is split off; -1: as the
                          text looks */
    int alphabet;      /* wordpiece: at most so many characters in the vocabulary */
    double coverage;   /* sentencepiece: fraction of all characters in the vocabulary */
    const char *model; /* sentencepiece: "unigram" or "bpe" */
} attend_learn_options;

/* Sets options to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_learn_defaults(attend_learn_options *options);

/* Trains a tokenizer; the same lines and options give the same one.
 *
 * kind      a name of attend_list("tokenizers", ..)
 * options   may be NULL
 * next      called for line after line until it gives NULL
 * user      handed to next
 * out       receives it; release it with attend_tokenizer_free */
ATTEND_API attend_status attend_tokenizer_learn(const char *kind,
                                                const attend_learn_options *options,
                                                attend_line_function *next, void *user,
                                                attend_tokenizer **out, attend_error *err);

/* A token and the bytes [begin, end) of the text that it stands for. */
typedef struct attend_token {
    int id;
    unsigned word; /* which of the words between white space, from 0; or ATTEND_NO_WORD */
    unsigned begin, end;
} attend_token;

#define ATTEND_NO_WORD 0xFFFFFFFFu

/* The tokens of a text; one list can be filled again and again. */
typedef struct attend_tokens attend_tokens;

/* Tokenizes a text.
 *
 * tokenizer  the tokenizer
 * text       any bytes
 * size       how many
 * framed     not 0: with the special tokens that a model expects around it, as [CLS] ... [SEP]
 * tokens     receives the list; *tokens is NULL, or a list that is filled again; release it with
 *            attend_tokens_free */
ATTEND_API attend_status attend_tokenizer_encode(const attend_tokenizer *tokenizer,
                                                 const char *text, size_t size, int framed,
                                                 attend_tokens **tokens, attend_error *err);

/* Releases a list of tokens.
 *
 * tokens    may be NULL */
ATTEND_API void attend_tokens_free(attend_tokens *tokens);

/* The tokens of a list, borrowed until it is filled again.
 *
 * tokens    a list
 * count     receives how many there are */
ATTEND_API const attend_token *attend_tokens_items(const attend_tokens *tokens, size_t *count);

/* Prepares the tokens' texts for attend_tokens_text: as the vocabulary writes them, and unknown
 * ones as it would, so that attend_tokenizer_join gives the text back. Offsets must still count
 * bytes.
 *
 * tokens     the list that attend_tokenizer_encode filled
 * tokenizer  the tokenizer that filled it
 * text       the text that was tokenized
 * size       its bytes */
ATTEND_API attend_status attend_tokens_spell(attend_tokens *tokens,
                                             const attend_tokenizer *tokenizer, const char *text,
                                             size_t size, attend_error *err);

/* The text of a token, not ended by a zero byte, borrowed until the list changes; NULL without
 * attend_tokens_spell.
 *
 * tokens    a list
 * index     of the token
 * size      receives its bytes */
ATTEND_API const char *attend_tokens_text(const attend_tokens *tokens, size_t index, size_t *size);

/* Makes begin and end count characters of the text instead of bytes; call it once.
 *
 * tokens    a list
 * text      the text that was tokenized
 * size      its bytes */
ATTEND_API void attend_tokens_in_characters(attend_tokens *tokens, const char *text, size_t size);

/* The number of bytes of the text that are not valid UTF-8.
 *
 * tokens    a list */
ATTEND_API size_t attend_tokens_invalid(const attend_tokens *tokens);

/* The text of ids; an id that is out of range is an error.
 *
 * tokenizer  the tokenizer
 * ids        of the tokens
 * count      how many
 * special    not 0: show special tokens by name; 0: only the unknown one
 * text       receives it, ended by a zero byte; release it with attend_free
 * size       receives its bytes, as it may contain zero bytes; may be NULL */
ATTEND_API attend_status attend_tokenizer_decode(const attend_tokenizer *tokenizer, const int *ids,
                                                 size_t count, int special, char **text,
                                                 size_t *size, attend_error *err);

/* The text of tokens that are given as text; they need not be in the vocabulary.
 *
 * tokenizer  the tokenizer
 * tokens     the texts
 * sizes      their bytes
 * count      how many
 * text       receives it, ended by a zero byte; release it with attend_free
 * size       receives its bytes; may be NULL */
ATTEND_API attend_status attend_tokenizer_join(const attend_tokenizer *tokenizer,
                                               const char *const *tokens, const size_t *sizes,
                                               size_t count, char **text, size_t *size,
                                               attend_error *err);

/* The kind of a tokenizer, a name of attend_list("tokenizers", ..).
 *
 * tokenizer  the tokenizer */
ATTEND_API const char *attend_tokenizer_kind(const attend_tokenizer *tokenizer);

/* The size of the vocabulary; ids are smaller.
 *
 * tokenizer  the tokenizer */
ATTEND_API int attend_tokenizer_size(const attend_tokenizer *tokenizer);

/* The text of a token of the vocabulary, borrowed; NULL if there is no such id.
 *
 * tokenizer  the tokenizer
 * id         of the token
 * size       receives its bytes; may be NULL */
ATTEND_API const char *attend_tokenizer_token(const attend_tokenizer *tokenizer, int id,
                                              size_t *size);

/* The id of a token; -1 if the vocabulary does not have it.
 *
 * tokenizer  the tokenizer
 * token      its text
 * size       its bytes */
ATTEND_API int attend_tokenizer_id(const attend_tokenizer *tokenizer, const char *token,
                                   size_t size);

/* The id of a special token; -1 if there is none.
 *
 * tokenizer  the tokenizer
 * name       "pad", "unk", "bos", "eos", "cls", "sep" or "mask" */
ATTEND_API int attend_tokenizer_special(const attend_tokenizer *tokenizer, const char *name);

/* 1 if an id is that of a special token.
 *
 * tokenizer  the tokenizer
 * id         any number */
ATTEND_API int attend_tokenizer_is_special(const attend_tokenizer *tokenizer, int id);

/* Statistics of how well a vocabulary fits a text, added line by line. */
typedef struct attend_coverage attend_coverage;

typedef struct attend_coverage_info {
    size_t lines, bytes, characters;
    size_t invalid;            /* bytes that are not valid UTF-8 */
    size_t words, known_words; /* between white space; without an unknown token */
    size_t tokens, unknown;    /* unknown is a part of tokens */
    size_t used;               /* different tokens of the vocabulary that occur */
    size_t unknown_texts;      /* different unknown texts */
} attend_coverage_info;

/* Starts the statistics of a text.
 *
 * tokenizer  must outlive them
 * out        receives them; release it with attend_coverage_free */
ATTEND_API attend_status attend_coverage_new(const attend_tokenizer *tokenizer,
                                             attend_coverage **out, attend_error *err);

/* Releases statistics.
 *
 * coverage  may be NULL */
ATTEND_API void attend_coverage_free(attend_coverage *coverage);

/* Adds a line.
 *
 * coverage  the statistics
 * text      any bytes
 * size      how many */
ATTEND_API attend_status attend_coverage_add(attend_coverage *coverage, const char *text,
                                             size_t size, attend_error *err);

/* The statistics of the lines so far.
 *
 * coverage  the statistics
 * info      receives them */
ATTEND_API void attend_coverage_get(const attend_coverage *coverage, attend_coverage_info *info);

/* An unknown text and how often it occurred.
 *
 * coverage  the statistics
 * index     0 is the most frequent
 * text      receives it, borrowed until the next attend_coverage_add
 * size      receives its bytes
 * count     receives how often it occurred
 *
 * Returns 1, or 0 if there is none. */
ATTEND_API int attend_coverage_unknown(attend_coverage *coverage, size_t index, const char **text,
                                       size_t *size, size_t *count);

/* ---- training ------------------------------------------------------------------------------ */

/* A setting as a user writes it: {"hidden", "512"}. */
typedef struct attend_setting {
    const char *name, *value;
} attend_setting;

/* A setting that a training run has. */
typedef struct attend_setting_info {
    const char *name;    /* "hidden" */
    const char *value;   /* its default, or NULL */
    const char *choices; /* "rnn|lstm|gru", or NULL */
    const char *meta;    /* the placeholder of its value in help; NULL: a flag or a choice */
    const char *group;   /* the heading that starts here, or NULL */
    const char *help;
    int flag, path; /* 1: takes yes or no; names a file or folder */
    int hidden;     /* 1: not for everyday use */
    int preset;     /* 1: the default preset has its own value; 2: another preset has */
    int line_only;  /* 1: not a setting of a configuration file, such as "resume" */
} attend_setting_info;

/* A setting of a training run. Thread safe.
 *
 * index     of the setting
 * info      receives the setting; its strings live as long as the program
 *
 * Returns 1, or 0 if there is none. */
ATTEND_API int attend_train_setting(size_t index, attend_setting_info *info);

/* The complete configuration that settings lead to, including presets, configuration files
 * ("config") and the run that is resumed ("resume"): YAML with a comment for each setting and the
 * origin of its value. As a configuration file it gives the same run. Values that no run could
 * start with are refused; data and folders are not read.
 *
 * settings  name and value of each
 * count     how many
 * text      receives it; release it with attend_free */
ATTEND_API attend_status attend_train_config(const attend_setting *settings, size_t count,
                                             char **text, attend_error *err);

typedef enum attend_train_kind {
    ATTEND_TRAIN_SAYS,      /* text: a line for the user */
    ATTEND_TRAIN_STEP,      /* a batch is done */
    ATTEND_TRAIN_VALIDATED, /* metrics and best */
    ATTEND_TRAIN_SAMPLE,    /* of the validation: source, reference, and text, the model's output */
    ATTEND_TRAIN_EXAMPLE    /* text: an example to train on, as the network sees it ("show") */
} attend_train_kind;

/* A number of a validation. */
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
    double targets;               /* in this batch, of which the loss is the mean */
    const char *unit;             /* of targets: "words" */
    long long validations;        /* still to come */
    double validation;            /* targets of each of them, about */
    const attend_metric *metrics; /* the loss comes first */
    int metric_count;
    int best; /* 1: no validation was better */
} attend_train_event;

/* Receives an event. From a step or a validation, ATTEND_STOPPED ends the run with a checkpoint
 * that it can be resumed from; ATTEND_CHECKPOINT makes a checkpoint, and the run continues. */
typedef attend_status attend_train_function(void *user, const attend_train_event *event,
                                            attend_error *err);

/* What a model that settings lead to will be able to do. Settings are taken and refused as by
 * attend_train_config.
 *
 * settings  name and value of each
 * count     how many
 * can       receives attend_capability, a bit for each */
ATTEND_API attend_status attend_train_capabilities(const attend_setting *settings, size_t count,
                                                   unsigned *can, attend_error *err);

/* Trains a model. The same settings, number of threads and instruction set give the same bits, also
 * if a run is stopped and resumed. The setting "threads" holds during the call for the whole
 * process: without it, other calls may run at the same time.
 *
 * settings  others have their defaults; "preset" chooses the model, "data" the corpus, "out" the
 *           folder; "config" names a file of settings, to which the others are added; "resume"
 *           continues the run in "out" with the settings that it was started with
 * count     how many
 * function  called for every event; may be NULL
 * user      handed to function */
ATTEND_API attend_status attend_train(const attend_setting *settings, size_t count,
                                      attend_train_function *function, void *user,
                                      attend_error *err);

/* ---- feature vectors ----------------------------------------------------------------------- */

/* Sequences of vectors in place of words: frames of sound, columns of pictures. In a safetensors
 * file they are tensors [frames, width], one for each sequence, ordered by name, numbers by value;
 * or one tensor [sequences, frames, width], with lengths [sequences] if not all frames are used. */
typedef struct attend_features attend_features;

/* Opens a file of sequences and checks all sizes; the numbers stay on disk.
 *
 * path      a safetensors file
 * out       receives them; release it with attend_features_free */
ATTEND_API attend_status attend_features_open(const char *path, attend_features **out,
                                              attend_error *err);

/* Makes an empty list of sequences in memory.
 *
 * width     numbers of each frame
 * out       receives it; release it with attend_features_free */
ATTEND_API attend_status attend_features_new(int width, attend_features **out, attend_error *err);

/* Releases sequences.
 *
 * features  may be NULL */
ATTEND_API void attend_features_free(attend_features *features);

/* Adds a sequence.
 *
 * features  of attend_features_new
 * frames    how many
 * values    [frames][width], copied */
ATTEND_API attend_status attend_features_add(attend_features *features, size_t frames,
                                             const float *values, attend_error *err);

/* Writes sequences into a file, completely or not at all.
 *
 * features  of attend_features_new
 * path      the file */
ATTEND_API attend_status attend_features_save(const attend_features *features, const char *path,
                                              attend_error *err);

/* The number of sequences.
 *
 * features  sequences */
ATTEND_API size_t attend_features_count(const attend_features *features);

/* The numbers of each frame.
 *
 * features  sequences */
ATTEND_API int attend_features_width(const attend_features *features);

/* ---- models -------------------------------------------------------------------------------- */

/* A model of any kind. It does not change once it is open: any number of threads use it at the same
 * time, each with calls or sessions of its own. */
typedef struct attend_model attend_model;

/* Opens a model. Its weights are used in place in their file until the model is released: the file
 * may be removed, or replaced by renaming another one. If it is written to, calls fail with
 * ATTEND_FILE; if it is truncated, reading it raises SIGBUS.
 *
 * path      the folder of a model
 * out       receives the model; release it with attend_model_free */
ATTEND_API attend_status attend_model_open(const char *path, attend_model **out, attend_error *err);

/* Releases a model that no call and no session uses any more.
 *
 * model     may be NULL */
ATTEND_API void attend_model_free(attend_model *model);

/* What a model is. Strings are borrowed from it. */
typedef struct attend_model_info {
    size_t size;                                   /* of this struct; set it before the call */
    const char *kind;                              /* "translator" */
    const char *preset;                            /* that it was trained with, or NULL: unknown */
    unsigned can;                                  /* attend_capability, a bit for each */
    size_t parameters;                             /* how many */
    const char *source_language, *target_language; /* as the training run had them, or NULL */
    const char *source_tokenizer, *target_tokenizer; /* their kinds; NULL: it has none */
    int source_vocabulary, target_vocabulary;        /* tokens; 0: it has none */
    int features;       /* numbers of each vector that it reads; 0: it reads text */
    unsigned attention; /* kinds that can be recorded: 1 << attend_attention_kind for each */
    int layers, heads;  /* of these, at most; 0: it has no attention */
    size_t label_count, setting_count;
    size_t bytes;            /* of the weights, in the types that they have */
    const char *hub;         /* model_type of a folder of the Hugging Face hub; NULL: of attend */
    size_t unused_key_count; /* keys of its config.json that change nothing */
} attend_model_info;

/* Describes a model.
 *
 * model     the model
 * info      its size is set to sizeof(attend_model_info); receives the rest */
ATTEND_API attend_status attend_model_describe(const attend_model *model, attend_model_info *info,
                                               attend_error *err);

/* The name of a class of a classifier, borrowed; NULL if there is no such class.
 *
 * model     the model
 * index     of the class, below attend_model_info.label_count */
ATTEND_API const char *attend_model_label(const attend_model *model, size_t index);

/* A key of the config.json of a model of the Hugging Face hub that changes nothing that the model
 * computes, borrowed; NULL if there is no such key.
 *
 * model     the model
 * index     of the key, below attend_model_info.unused_key_count */
ATTEND_API const char *attend_model_unused_key(const attend_model *model, size_t index);

/* The command that uses models with a capability: "translate"; NULL where there is none.
 *
 * can       one attend_capability */
ATTEND_API const char *attend_capability_command(attend_capability can);

/* A setting of a model, as training takes it: {"hidden", "512"}.
 *
 * model     the model
 * index     of the setting, below attend_model_info.setting_count
 * setting   receives it; strings are borrowed from the model
 *
 * Returns 1, or 0 if there is no such setting. */
ATTEND_API int attend_model_setting(const attend_model *model, size_t index,
                                    attend_setting *setting);

/* Refuses a model that lacks a capability: ATTEND_FORMAT, with what the model can do and the
 * command and function that take it. All functions that use a model do this themselves.
 *
 * model     the model
 * can       attend_capability, a bit for each that is required */
ATTEND_API attend_status attend_model_require(const attend_model *model, unsigned can,
                                              attend_error *err);

/* Refuses translators that cannot be used together (attend_translate_options.ensemble):
 * ATTEND_OPTION, with the difference. attend_translate does this itself.
 *
 * model     the first model
 * others    the other models
 * count     how many others, at most 15 */
ATTEND_API attend_status attend_model_check_ensemble(const attend_model *model,
                                                     const attend_model *const *others,
                                                     size_t count, attend_error *err);

/* ---- translating --------------------------------------------------------------------------- */

/* Words and their translations: a file with a line "word<TAB>translation" for each. */
typedef struct attend_dictionary attend_dictionary;

/* Opens a dictionary.
 *
 * path      the file
 * out       receives it; release it with attend_dictionary_free */
ATTEND_API attend_status attend_dictionary_open(const char *path, attend_dictionary **out,
                                                attend_error *err);

/* Releases a dictionary.
 *
 * dictionary  may be NULL */
ATTEND_API void attend_dictionary_free(attend_dictionary *dictionary);

typedef enum attend_length_rule {
    ATTEND_LENGTH_RULE_NONE,    /* the sum of the logarithms */
    ATTEND_LENGTH_RULE_AVERAGE, /* divided by length^penalty */
    ATTEND_LENGTH_RULE_WU       /* divided by ((5 + length) / 6)^penalty (Wu et al. 2016) */
} attend_length_rule;

/* How to handle a text with more tokens than are allowed. */
typedef enum attend_when_long {
    ATTEND_WHEN_LONG_CUT,  /* only its beginning is used */
    ATTEND_WHEN_LONG_SKIP, /* it is skipped, and reported */
    ATTEND_WHEN_LONG_ERROR /* an error with its line number */
} attend_when_long;

typedef struct attend_translate_options {
    size_t size; /* of this struct, set by attend_translate_defaults */
    int beam;    /* hypotheses that are followed; 1 is greedy; 0: as many as the model's folder
                    says (generation_config.json), with its length penalty where penalty is 1;
                    else 5 */
    int best;    /* hypotheses of each line that are given, at most beam */
    attend_length_rule rule;
    double penalty;  /* of lengths */
    double coverage; /* weight of the coverage penalty (Wu et al. 2016), for models with
                        attention; 0: none */
    int no_repeat;   /* n: no n tokens in a row come twice; 0: off */
    int longest;     /* tokens of a line that are read */
    attend_when_long when_long;
    int most;         /* tokens of a translation behind its prefix, up to 2^20; 0: three for each
                         of the source, and ten; of features one for each frame, and fifty */
    int batch;        /* lines at a time */
    int attention;    /* 1: return weights */
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

    /* Other models with the same vocabularies, at most 15: the mean of all probabilities decides,
     * and the mean of all weights is given. */
    const attend_model *const *ensemble;
    size_t ensemble_count;

    /* Attention to record, of one model: attend_translation.attention. Recording changes no result,
     * and attention that is not selected is not computed. */
    unsigned record;               /* 1 << attend_attention_kind for each kind; 0: none */
    int record_layer, record_head; /* only this one; -1: all */

    int alternatives; /* of each token, at most 1000: attend_translation.alternatives; 0: none */
    int trace;        /* 1: attend_translation.trace is wanted */

    /* The cross-attention that `weights`, unknown words and coverage are made of, counted from 0;
     * -1: the last layer, and the mean over its heads. Each model of an ensemble must have them. */
    int attention_layer, attention_head;
} attend_translate_options;

/* Sets the options for translating to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_translate_defaults(attend_translate_options *options);

/* The name of a kind of attention: "cross". Never NULL.
 *
 * kind      any number */
ATTEND_API const char *attend_attention_kind_name(attend_attention_kind kind);

/* A token that might have come, and the logarithm of its probability. */
typedef struct attend_alternative {
    int token;        /* its id */
    const char *text; /* as the vocabulary has it */
    double log_p;
} attend_alternative;

/* A continuation that a step of a search looked at. */
typedef struct attend_candidate {
    int step;         /* from 0 */
    int parent;       /* the row before the step that it continues */
    int row;          /* its row after the step, the parent of the next; -1: it does not run on */
    int token;        /* its last token, */
    const char *text; /* as the vocabulary has it */
    double log_p;     /* of all its tokens */
    double score;     /* log_p by the length rule; of one that ended, with the coverage penalty */
    attend_trace_fate fate;
} attend_candidate;

/* The name of a fate: "kept". Never NULL.
 *
 * fate      any number */
ATTEND_API const char *attend_trace_fate_name(attend_trace_fate fate);

/* one hypothesis of one line; all borrowed until the function returns. An empty line, and one that
 * is skipped, has no tokens, and scores of 0. */
typedef struct attend_translation {
    size_t line; /* of this call, from 0 on */
    int rank;    /* 0: the best */
    const char *text;
    double score, log_p;  /* not numbers where they were not asked for */
    int sources, targets; /* tokens of both sides, their ends included */
    const char *const *source, *const *target;
    const unsigned *source_word; /* which word of the line each token belongs to; ATTEND_NO_WORD:
                                    none */
    const unsigned *target_word; /* the same of text; NULL where it was not asked for */
    const double *log_ps;        /* [targets]: logarithms of the tokens' probabilities; or NULL */
    const double *weights;       /* [targets][sources] of options->attention_layer and
                                    attention_head, or NULL */
    int cut, skipped;            /* 1: the line was longer than `longest` */
    int frames;                  /* 1: the source is feature vectors, and source has numbers */
    size_t attention_count;      /* rows that were recorded, ordered by query */
    const attend_attention_row *attention; /* NULL where options have no record */
    int alternative_count; /* of each token, as in the options; those that are missing are -1 */
    const attend_alternative
        *alternatives;  /* [targets][alternative_count], the best first; or NULL */
    size_t trace_count; /* candidates of the search of this line, step by step, the best */
    const attend_candidate *trace;    /* first; of rank 0 only; NULL where it was not asked for */
    const char *const *decoder_input; /* [targets]: tokens that the decoder reads, the queries and
                                         keys of its self-attention: the start token, then target
                                         without its last */
    const int *token;                 /* [targets]: ids of target */
} attend_translation;

typedef attend_status attend_translation_function(void *user, const attend_translation *translation,
                                                  attend_error *err);

/* Translates lines. A line's translation does not depend on the other lines, the batch or the
 * number of threads.
 *
 * model     a model that can translate
 * options   may be NULL: the defaults
 * count     number of lines
 * line      the lines; not read, and may be NULL, where options have features
 * function  called for every hypothesis, line after line, the best one first
 * user      handed to function */
ATTEND_API attend_status attend_translate(const attend_model *model,
                                          const attend_translate_options *options, size_t count,
                                          const char *const *line,
                                          attend_translation_function *function, void *user,
                                          attend_error *err);

/* A translation with its weights and its recorded attention as a JSON object, without a line end:
 * {"line": 0, "rank": 0, "score": .., "log_p": .., "text": "..", "source": [..], "target": [..],
 * "decoder_input": [..], "weights": [[..]], "attention": [{"kind": "cross", "layer": 0, "head": 0,
 * "query": 0, "weights": [..]}]}. "weights" and "attention" are left out if there are none,
 * "decoder_input" without rows of the decoder's self-attention.
 *
 * translation  the translation
 * line         its number
 * sentence     its number in the line; below 0: left out
 * text         receives the object; release it with attend_free */
ATTEND_API attend_status attend_attention_json(const attend_translation *translation, size_t line,
                                               int sentence, char **text, attend_error *err);

/* A translation and its search as a JSON object, without a line end: {"line": 0, "rank": 0,
 * "score": .., "log_p": .., "text": "..", "target": [..], "alternatives": [[{"token": "..",
 * "log_p":
 * ..}]], "steps": [[{"parent": 0, "token": "..", "log_p": .., "score": .., "fate": "kept", "row":
 * 0}]]}. "alternatives" has a list for each token, "steps" one for each step of the search; both
 * are left out where there are none.
 *
 * translation  the translation, of options with scores
 * line         its number
 * text         receives the object; release it with attend_free */
ATTEND_API attend_status attend_trace_json(const attend_translation *translation, size_t line,
                                           char **text, attend_error *err);

/* Which words belong together, after the weights: "0-0 1-2", source and target, counted from 0, as
 * Pharaoh writes it.
 *
 * translation   with weights and target_word: options have attention and target_words
 * tokens        1: links between tokens; 0: between words
 * threshold     above 0: all words of the source that have so much weight; 0: the best one of every
 *               word of the target
 * out           receives the links; release them with attend_free */
ATTEND_API attend_status attend_translation_links(const attend_translation *translation, int tokens,
                                                  double threshold, char **out, attend_error *err);

/* One alignment of two in both directions. */
typedef enum attend_symmetrise {
    ATTEND_SYMMETRISE_INTERSECTION,
    ATTEND_SYMMETRISE_UNION,
    ATTEND_SYMMETRISE_GROW_DIAG_FINAL_AND /* the intersection, grown by links of the union */
} attend_symmetrise;

/* Combines the links of a sentence pair in both directions.
 *
 * forward    links of a model from source to target, "0-0 1-2", source and target
 * backward   links of a model from target to source, written as source and target, too
 * how        which links are kept
 * out        receives the links; release them with attend_free */
ATTEND_API attend_status attend_links_symmetrise(const char *forward, const char *backward,
                                                 attend_symmetrise how, char **out,
                                                 attend_error *err);

/* Aligns sentence pairs without a model: IBM model 1 with a diagonal prior (Dyer et al. 2013), by
 * expectation maximisation on the pairs themselves.
 *
 * count        number of pairs
 * source       their sources
 * target       their targets
 * iterations   of expectation maximisation; 5 is usual
 * out          receives count texts of links; release them together with attend_free */
ATTEND_API attend_status attend_links_lexical(size_t count, const char *const *source,
                                              const char *const *target, int iterations,
                                              const char ***out, attend_error *err);

/* Writes word translation probabilities, the relative frequencies of linked words: lines
 * "source<TAB>target<TAB>p(target | source)<TAB>p(source | target)<TAB>links", ordered by source,
 * the likeliest first, which attend_dictionary_open reads. Marks at the ends of words are left out.
 *
 * path     the file, written completely or not at all
 * count    number of pairs
 * source   their sources
 * target   their targets
 * links    links of each pair, "0-0 1-2" */
ATTEND_API attend_status attend_lexicon_save(const char *path, size_t count,
                                             const char *const *source, const char *const *target,
                                             const char *const *links, attend_error *err);

/* How good a translator is on sentences with known translations. */
typedef struct attend_evaluate_options {
    size_t size;                               /* of this struct, set by attend_evaluate_defaults */
    const attend_translate_options *translate; /* NULL: the defaults; a prefix is refused */
    const attend_measure_options
        *measure;            /* of BLEU, chrF and AER; NULL: the defaults; tokenize may
                                be NULL here: zh or char for Chinese or Japanese */
    const char *const *gold; /* as many as lines: links of their words, as the measure aer reads
                                them; or NULL */
    const char *gold_name;   /* of their file, for messages; or NULL */
    double threshold;        /* of the model's own, as in attend_translation_links */
    attend_translation_function *function; /* sees the translations; or NULL */
    void *user;
    int by_head; /* 1: head_aer is wanted; for gold, and one model with cross-attention */
} attend_evaluate_options;

/* Sets the options for evaluating to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_evaluate_defaults(attend_evaluate_options *options);

/* lines with `from` to `to` words in their source, or where that is features in their known
 * translation; `to` is 0: and more */
typedef struct attend_length_range {
    int from, to;
    size_t lines;
    double bleu;
} attend_length_range;

/* the alignment error rate of one layer's cross-attention */
typedef struct attend_head_aer {
    int layer;
    int head; /* -1: of the mean over all heads */
    double aer;
} attend_head_aer;

typedef struct attend_evaluation {
    size_t lines;
    double bleu, chrf;
    const char *signature; /* of BLEU */
    double log_p;          /* of the known translations */
    size_t tokens;         /* that these have, their ends included */
    double perplexity;     /* of a token */
    double aer;            /* of the links of their words; not a number without gold or attention */
    double seconds;        /* that translating took */
    size_t written;        /* tokens of the translations, their ends included */
    size_t parameters;
    size_t ranges; /* those that have lines */
    const attend_length_range *range;
    size_t head_count;               /* layers times one more than heads; 0 without by_head */
    const attend_head_aer *head_aer; /* layer by layer, the mean before the heads */
} attend_evaluation;

/* Translates, and scores the known translations; both as attend_translate does it.
 *
 * model      a model that can translate
 * options    may be NULL: the defaults
 * count      number of lines
 * source     the lines; not read, and may be NULL, where options->translate has features
 * reference  their known translations
 * out        receives the result; release it with attend_free */
ATTEND_API attend_status attend_evaluate(const attend_model *model,
                                         const attend_evaluate_options *options, size_t count,
                                         const char *const *source, const char *const *reference,
                                         attend_evaluation **out, attend_error *err);

/* Makes one model from several of one training: every weight is the mean of theirs.
 *
 * paths     folders of models, or files of weights or checkpoints (training/) in them; one path
 *           makes a copy without the state of its training
 * count     number of paths
 * out       the new folder, without a model in it; settings and tokenizers are those of the first
 */
ATTEND_API attend_status attend_average(const char *const *paths, size_t count, const char *out,
                                        attend_error *err);

typedef struct attend_export_options {
    size_t size;    /* of this struct, set by attend_export_defaults */
    int overwrite;  /* 1: a folder of another model is replaced; 0: it is an error */
    const char *to; /* kind of the hub that the folder must be of: "marian"; NULL or "hf": any */
} attend_export_options;

/* Sets the options of attend_export to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_export_defaults(attend_export_options *options);

/* Writes a model as a folder of the Hugging Face hub, whole or not at all.
 *
 * A model that was opened from such a folder keeps its settings, tokenizer and other files as they
 * are, and all weights go into one model.safetensors with checksums, with the names, types, shapes
 * and bytes that they have. Weights in formats that attend does not read, and files whose names
 * begin with a dot, are left out.
 *
 * A model that attend trained is written as the folder that transformers has for it: a Transformer
 * as Marian, GPT-2, BERT and XLNet as themselves. Where a setting has no counterpart there, the
 * error names it, and its value that has one.
 *
 * model     the model
 * options   may be NULL: the defaults
 * out       the new folder; it must be missing or empty, unless options->overwrite */
ATTEND_API attend_status attend_export(const attend_model *model,
                                       const attend_export_options *options, const char *out,
                                       attend_error *err);

/* ---- sessions ------------------------------------------------------------------------------ */

/* Texts that a model continues token by token: what a search needs of a model, for searches of your
 * own. Each text has one or several rows, its hypotheses, and all texts have the same number.
 *
 *     attend_alternative best;
 *     attend_session_start(session, 1, &line, &err);
 *     attend_session_step(session, 1, NULL, NULL, &err);
 *     while (attend_session_alternatives(session, 0, 1, &best)
 *            && best.token != attend_session_end(session)) {
 *         puts(best.text);
 *         attend_session_step(session, 1, NULL, &best.token, &err);
 *     }
 *
 * The numbers of a text do not depend on the texts beside it. A session belongs to one thread at a
 * time; the sessions of one model may run in as many threads as there are. After a call that
 * failed, a session can be started again or released. */
typedef struct attend_session attend_session;

typedef struct attend_session_options {
    size_t size; /* of this struct, set by attend_session_defaults */

    /* Other models with the same vocabularies, at most 15: the mean of all probabilities counts. */
    const attend_model *const *ensemble;
    size_t ensemble_count;

    /* Attention to record, of one model: attend_session_attention. */
    unsigned record;               /* 1 << attend_attention_kind for each kind; 0: none */
    int record_layer, record_head; /* only this one; -1: all */
} attend_session_options;

/* Sets the options of a session to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_session_defaults(attend_session_options *options);

/* Makes a session without texts.
 *
 * model     a model that can translate or generate, and that reads text; must outlive the session
 * options   may be NULL: the defaults
 * out       receives the session; release it with attend_session_free */
ATTEND_API attend_status attend_session_new(const attend_model *model,
                                            const attend_session_options *options,
                                            attend_session **out, attend_error *err);

/* Releases a session.
 *
 * session   may be NULL */
ATTEND_API void attend_session_free(attend_session *session);

/* Starts with these texts; earlier ones leave.
 *
 * session   the session
 * count     number of texts, at least 1
 * text      a line to translate each, or a prompt to continue, which may be empty; copied */
ATTEND_API attend_status attend_session_start(attend_session *session, int count,
                                              const char *const *text, attend_error *err);

/* Adds texts after those that are there, between two steps. Texts that join together are computed
 * together.
 *
 * session   the session
 * count     number of texts, at least 1
 * text      as in attend_session_start */
ATTEND_API attend_status attend_session_join(attend_session *session, int count,
                                             const char *const *text, attend_error *err);

/* Removes texts between two steps; the others move up.
 *
 * session   the session
 * count     number of texts that stay
 * which     their indexes, rising */
ATTEND_API attend_status attend_session_keep(attend_session *session, int count, const int *which,
                                             attend_error *err);

/* The number of texts in a session.
 *
 * session   the session */
ATTEND_API int attend_session_texts(const attend_session *session);

/* Continues all texts by a token. Row `text * width + k` is the k-th of a text.
 *
 * session   the session
 * width     rows of each text in this step
 * from      for each row, which row of its text it continues, counted from 0 in the step before; a
 *           text that has just joined has one row. NULL: row k continues row k, or the only one
 * token     for each row, the token that it continues with; not read for a text that has just
 *           joined, which begins with a token of its own; may be NULL if all have */
ATTEND_API attend_status attend_session_step(attend_session *session, int width, const int *from,
                                             const int *token, attend_error *err);

/* The token that ends a text.
 *
 * session   the session */
ATTEND_API int attend_session_end(const attend_session *session);

/* The likeliest tokens to follow a row, the best first.
 *
 * session      after a step, before texts join or leave
 * row          of that step
 * max          memory in alternatives
 * alternatives receives them; texts are borrowed until their text leaves the session
 *
 * Returns how many: fewer than max if no others are possible or there is no such row. */
ATTEND_API int attend_session_alternatives(const attend_session *session, int row, int max,
                                           attend_alternative *alternatives);

/* The logarithm of the probability that a token follows a row; -INFINITY if it cannot, or if there
 * is no such row or token.
 *
 * session   after a step, before texts join or leave
 * row       of that step
 * token     the token */
ATTEND_API double attend_session_log_p(const attend_session *session, int row, int token);

/* The recorded attention of a row in the last step; after the first step of a text, that of the
 * encoder too.
 *
 * session   after a step, before texts join or leave
 * row       of that step
 * rows      receives the weights, borrowed until the next step, start, join or keep
 * count     receives how many */
ATTEND_API attend_status attend_session_attention(attend_session *session, int row,
                                                  const attend_attention_row **rows, size_t *count,
                                                  attend_error *err);

/* The tokens of a text that attention to the input has as keys, or of its prompt; borrowed until
 * the text leaves the session.
 *
 * session   the session
 * text      its index
 * count     receives how many
 *
 * Returns NULL if there is no such text. */
ATTEND_API const char *const *attend_session_source(const attend_session *session, int text,
                                                    int *count);

/* The text that tokens make, without special tokens.
 *
 * session   the session
 * text      the index of the text that they continue
 * count     number of tokens
 * token     the tokens
 * out       receives it; release it with attend_free */
ATTEND_API attend_status attend_session_text(const attend_session *session, int text, int count,
                                             const int *token, char **out, attend_error *err);

/* ---- classifying --------------------------------------------------------------------------- */

typedef struct attend_classify_options {
    size_t size;   /* of this struct, set by attend_classify_defaults */
    int longest;   /* tokens of a line that are read */
    int batch;     /* lines at a time */
    int attention; /* 1: return weights */
} attend_classify_options;

/* Sets the options for classifying to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_classify_defaults(attend_classify_options *options);

/* the class of one line; all borrowed until the function returns */
typedef struct attend_classified {
    size_t line;
    int index;                   /* of the class */
    const char *name;            /* and its name */
    const double *probabilities; /* of all classes */
    int tokens;
    const char *const *token;
    const double *weights; /* [tokens], or NULL */
    int cut;               /* 1: the line was longer than `longest` */
} attend_classified;

typedef attend_status attend_classified_function(void *user, const attend_classified *classified,
                                                 attend_error *err);

/* Classifies lines. A line's class does not depend on the other lines, the batch or the number of
 * threads.
 *
 * model     a model that can classify
 * options   may be NULL: the defaults
 * count     number of lines
 * line      the lines
 * function  called for every line, in order
 * user      handed to function */
ATTEND_API attend_status attend_classify(const attend_model *model,
                                         const attend_classify_options *options, size_t count,
                                         const char *const *line,
                                         attend_classified_function *function, void *user,
                                         attend_error *err);

/* ---- masked words -------------------------------------------------------------------------- */

typedef struct attend_fill_options {
    size_t size;       /* of this struct, set by attend_fill_defaults */
    int top;           /* candidates for each mask */
    int max_length;    /* tokens of a text that are read; 0: as many as the model has positions */
    int batch;         /* texts at a time */
    int attention;     /* 1: return weights */
    size_t first_line; /* lines before the first, which messages count */
} attend_fill_options;

/* Sets the options for filling masks to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_fill_defaults(attend_fill_options *options);

/* A token that may stand for a mask. */
typedef struct attend_fill_candidate {
    const char *token; /* as it stands in text; "##ing" continues the word before it */
    int id;
    double probability;
} attend_fill_candidate;

typedef struct attend_filled_mask {
    int position;                           /* among the tokens */
    const attend_fill_candidate *candidate; /* [candidates], the likeliest first */
    const double *weights; /* [tokens]: attention of the last layer, mean of its heads; or NULL */
} attend_filled_mask;

/* the masks of one text; all borrowed until the function returns */
typedef struct attend_filled {
    size_t line;
    const char *text; /* with the likeliest token in place of each mask */
    int tokens;
    const char *const *token;
    int masks, candidates;
    const attend_filled_mask *mask;
    int cut; /* 1: the text was longer */
} attend_filled;

typedef attend_status attend_filled_function(void *user, const attend_filled *filled,
                                             attend_error *err);

/* Predicts the masked tokens of texts: "Paris is the [MASK] of France." Each mask is predicted by
 * itself, from all that is not masked. The result does not depend on the other texts, the batch or
 * the number of threads. A text without a mask is an error.
 *
 * model     a model that can fill masks
 * options   may be NULL: the defaults
 * count     number of texts
 * line      the texts; the mask is written as in the model's vocabulary: [MASK], <mask>
 * function  called for every text, in order
 * user      handed to function */
ATTEND_API attend_status attend_fill(const attend_model *model, const attend_fill_options *options,
                                     size_t count, const char *const *line,
                                     attend_filled_function *function, void *user,
                                     attend_error *err);

typedef struct attend_masked_options {
    size_t size;     /* of this struct, set by attend_masked_defaults */
    double fraction; /* of the tokens that are predicted */
    int whole_words; /* 1: all tokens of a word or none */
    unsigned long long seed;
} attend_masked_options;

/* Sets the options for evaluating masked models to their defaults, which are those of training.
 *
 * options   receives them */
ATTEND_API void attend_masked_defaults(attend_masked_options *options);

typedef struct attend_masked_result {
    size_t texts, cut;    /* of these: longer than the model has positions */
    size_t tokens, right; /* masked tokens; those that were the likeliest */
    double log_p;         /* of all masked tokens */
    double perplexity;    /* exp(-log_p / tokens) */
    double accuracy;      /* in percent */
} attend_masked_result;

/* Masks tokens of texts as training does, and compares what a model predicts with them. What is
 * masked in a text depends on seed and its number alone. Texts without tokens are an error.
 *
 * model    a model that can fill masks
 * options  may be NULL: the defaults
 * count    number of texts
 * line     the texts
 * result   receives the measures */
ATTEND_API attend_status attend_evaluate_masked(const attend_model *model,
                                                const attend_masked_options *options, size_t count,
                                                const char *const *line,
                                                attend_masked_result *result, attend_error *err);

/* ---- vectors of texts ---------------------------------------------------------------------- */

typedef struct attend_embed_options {
    size_t size;         /* of this struct, set by attend_embed_defaults */
    const char *pooling; /* "cls", "max", "mean", "mean_sqrt_len", or several, "cls,mean"; NULL: as
                            the model's folder says */
    int normalize;       /* 1: vectors have length 1; 0: they do not; -1: as the folder says */
    int max_length;      /* tokens of a text that are read; 0: as the folder says */
    int batch;           /* texts at a time */
} attend_embed_options;

/* Sets the options for vectors of texts to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_embed_defaults(attend_embed_options *options);

/* the vector of one text; all borrowed until the function returns */
typedef struct attend_embedded {
    size_t line;
    int width;           /* numbers of the vector */
    const float *vector; /* [width] */
    int tokens;          /* of the text, with the model's own */
    int cut;             /* 1: the text was longer */
} attend_embedded;

typedef attend_status attend_embedded_function(void *user, const attend_embedded *embedded,
                                               attend_error *err);

/* Computes the vectors of texts. A text's vector does not depend on the other texts, the batch or
 * the number of threads.
 *
 * model     a model that can embed
 * options   may be NULL: the defaults
 * count     number of texts
 * line      the texts; an empty one is the model's own tokens alone
 * function  called for every text, in order
 * user      handed to function */
ATTEND_API attend_status attend_embed(const attend_model *model,
                                      const attend_embed_options *options, size_t count,
                                      const char *const *line, attend_embedded_function *function,
                                      void *user, attend_error *err);

/* ---- answering questions -------------------------------------------------------------------- */

/* which text of the input a token is part of */
typedef enum attend_token_part {
    ATTEND_PART_SPECIAL, /* none: [CLS], [SEP] */
    ATTEND_PART_FIRST,   /* the text, or the first of a pair: the question */
    ATTEND_PART_SECOND,  /* the second of a pair: the context */
} attend_token_part;

/* The tokens of a text or a pair as an encoder has read them, and its self-attention. */
typedef struct attend_encoded_text {
    int tokens;
    const char *const *token;
    const unsigned char *part; /* attend_token_part of each */
    size_t attention_count;
    const attend_attention_row *attention; /* kind ATTEND_ATTENTION_ENCODER */
} attend_encoded_text;

typedef struct attend_question {
    const char *question, *context;
} attend_question;

typedef struct attend_answer_options {
    size_t size;      /* of this struct, set by attend_answer_defaults */
    int window;       /* tokens of question and context that are read at once; a longer context is
                         read in several windows */
    int stride;       /* tokens by which the next window begins later */
    int max_question; /* tokens of a question that are read */
    int max_answer;   /* tokens of an answer */
    int best;         /* answers of a question */
    int batch;        /* windows at a time */
    double threshold; /* gives no answer if its score exceeds that of the best answer by more than
                         this; INFINITY: always answers */
    int attention;    /* 1: return the encoder's attention */
    int layer, head;  /* of it; -1: all */
} attend_answer_options;

/* Sets the options for answering to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_answer_defaults(attend_answer_options *options);

/* an answer: bytes [begin, end) of the context */
typedef struct attend_answer_span {
    size_t begin, end;
    const char *text;
    double score, probability; /* a logit; and among these answers and "no answer" */
} attend_answer_span;

/* what was found for one question; all borrowed until the function returns */
typedef struct attend_answered {
    size_t index; /* of the question */
    int answered; /* 1: span[0] is the answer; 0: there is none in the context */
    int count;    /* of spans, the best first */
    const attend_answer_span *span;
    double none_score, none_probability; /* of "no answer" */
    int windows;                         /* that the context was read in */
    int cut;                             /* 1: the question was longer than max_question */
    const attend_encoded_text *encoding; /* of the window with the best answer; NULL where attention
                                        is not wanted */
} attend_answered;

typedef attend_status attend_answered_function(void *user, const attend_answered *answered,
                                               attend_error *err);

/* Finds the answers of questions in their contexts. An answer does not depend on the other
 * questions, the batch or the number of threads. An empty context is an error.
 *
 * model     a model that can answer
 * options   may be NULL: the defaults
 * count     number of questions
 * question  the questions
 * function  called for every question, in order
 * user      handed to function */
ATTEND_API attend_status attend_answer(const attend_model *model,
                                       const attend_answer_options *options, size_t count,
                                       const attend_question *question,
                                       attend_answered_function *function, void *user,
                                       attend_error *err);

/* ---- tagging words -------------------------------------------------------------------------- */

typedef struct attend_tag_options {
    size_t size;     /* of this struct, set by attend_tag_defaults */
    int max_length;  /* tokens that are read at once; a longer line is read in parts */
    int batch;       /* parts at a time */
    int attention;   /* 1: the encoder's attention is wanted */
    int layer, head; /* of it; -1: all */
} attend_tag_options;

/* Sets the options for tagging to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_tag_defaults(attend_tag_options *options);

/* the tags of one line; all borrowed until the function returns */
typedef struct attend_tagged {
    size_t line;
    int words;
    const char *const *word;             /* [words]: what spaces separate */
    const char *const *tag;              /* [words] */
    const double *probability;           /* [words]: of the tag */
    const attend_encoded_text *encoding; /* of the line's first part; NULL where attention is not
                                            wanted */
} attend_tagged;

typedef attend_status attend_tagged_function(void *user, const attend_tagged *tagged,
                                             attend_error *err);

/* Tags the words of lines, which spaces separate. A line's tags do not depend on the other lines,
 * the batch or the number of threads.
 *
 * model     a model that can tag
 * options   may be NULL: the defaults
 * count     number of lines
 * line      the lines
 * function  called for every line, in order
 * user      handed to function */
ATTEND_API attend_status attend_tag(const attend_model *model, const attend_tag_options *options,
                                    size_t count, const char *const *line,
                                    attend_tagged_function *function, void *user,
                                    attend_error *err);

/* ---- pointer networks ---------------------------------------------------------------------- */

/* Points to the items of a line: vectors of numbers, "0.7,0.3 0.5,0.5 0.6,0.2". Each item is
 * pointed to once at most, unless repeat is not 0.
 *
 * model      a model that can point
 * line       size bytes, with spaces between items; a tab is refused
 * size       its bytes
 * repeat     not 0: an item may be pointed to more than once
 * positions  receives the positions of items in the line, from 0 on; release it with attend_free
 * count      receives how many
 * log_p      receives the logarithm of their probability */
ATTEND_API attend_status attend_point(const attend_model *model, const char *line, size_t size,
                                      int repeat, int **positions, int *count, double *log_p,
                                      attend_error *err);

/* ---- language models ----------------------------------------------------------------------- */

/* What happens when a text has as many tokens as the model has positions. */
typedef enum attend_context {
    ATTEND_CONTEXT_SLIDES, /* the last half of them is read again, as the beginning of a text */
    ATTEND_CONTEXT_STOPS,  /* the text ends there; a longer prompt is refused */
    ATTEND_CONTEXT_REFUSES /* a prompt with too many tokens to add is refused */
} attend_context;

/* Receives a part of a text that is generated: whole characters, without a NUL after them. The
 * parts of a text are its continuation; of a beam search there is one part. ATTEND_STOPPED ends
 * generating without an error: what was given is the text. */
typedef attend_status attend_piece_function(void *user, const char *text, size_t size,
                                            attend_error *err);

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

    int beam;       /* above 0: a beam search of that many hypotheses, and nothing is drawn */
    double penalty; /* of lengths, in a beam search: above 1 longer texts are favoured */
    int no_repeat;  /* n: no n tokens in a row come twice, those of the prompt included; 0: off */
    const char *const *stop; /* strings that end the text, and are not part of it; may be NULL */
    size_t stop_count;
    attend_context context;
    attend_piece_function *piece; /* receives the text as it comes; may be NULL */
    void *user;                   /* of piece */

    unsigned record; /* attention that attend_generate_texts records: a bit 1 << kind for each, as
                        attend_model_info.attention has them; 0: none */
    int record_layer, record_head; /* -1: all */
} attend_generate_options;

/* Sets the options for generating text to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_generate_defaults(attend_generate_options *options);

/* Continues a prompt. The same options give the same text.
 *
 * model     a model that can generate
 * options   may be NULL: the defaults
 * prompt    may be empty or NULL
 * text      receives the prompt and its continuation; release it with attend_free */
ATTEND_API attend_status attend_generate(const attend_model *model,
                                         const attend_generate_options *options, const char *prompt,
                                         char **text, attend_error *err);

/* Continues several prompts at once, of any lengths. A text does not depend on the others: it is
 * that of attend_generate with the same number.
 *
 * model     a model that can generate
 * options   may be NULL: the defaults; piece receives the parts of a text that is alone; of several
 *           it gets no text, but is called after each token and can end the work
 * count     number of prompts
 * prompt    the prompts, which may be empty
 * number    the `text` of the options for each; NULL: that of the options
 * function  called for every text, in order: text is the prompt and its continuation, target the
 *           tokens that were added, source the tokens of the text without the last; attention rows
 *           and weights [targets][sources] say what each target was predicted from. Weights are the
 *           mean over the heads of the last layer that is recorded. line counts the prompts; score
 *           and log_p are no numbers
 * user      handed to function */
ATTEND_API attend_status attend_generate_texts(const attend_model *model,
                                               const attend_generate_options *options, size_t count,
                                               const char *const *prompt, const size_t *number,
                                               attend_translation_function *function, void *user,
                                               attend_error *err);

/* How likely a language model takes a text to be. Texts longer than the context are read in windows
 * that overlap: each adds `stride` tokens to those that the window before has predicted. */
typedef struct attend_likelihood_options {
    size_t size; /* of this struct, set by attend_likelihood_defaults */
    int context; /* tokens that one is predicted from, at most; 0: as many as the model has
                    positions, or all before it where a model has no such limit */
    int stride;  /* tokens that a window adds, at most context; 0: half of the context */
} attend_likelihood_options;

/* Sets the options for likelihoods to their defaults.
 *
 * options   receives them */
ATTEND_API void attend_likelihood_defaults(attend_likelihood_options *options);

typedef struct attend_likelihood {
    double log_p;      /* of the text: the sum of log_ps */
    size_t tokens;     /* that are predicted: all of the text, ends of lines included where the
                          model ends a text with each line */
    size_t unknown;    /* unknown tokens among these */
    size_t bytes;      /* of the text, with a newline after its last line where that has an end */
    double perplexity; /* of a token: exp(-log_p / tokens); not a number without tokens */
    double bits_per_byte;     /* -log_p / log(2) / bytes; not a number without bytes */
    int context, stride;      /* that were used; 0: the text was read at once */
    const double *log_ps;     /* [tokens]: natural logarithms */
    const char *const *token; /* [tokens]: as the vocabulary writes them; borrowed from the model */
} attend_likelihood;

/* Finds the probability of each token of a text; the first is predicted from the end of a text.
 *
 * model     a model that can generate
 * options   may be NULL: the defaults
 * text      may have several lines
 * size      its bytes
 * out       receives the result; release it with attend_free, before the model */
ATTEND_API attend_status attend_likelihood_of(const attend_model *model,
                                              const attend_likelihood_options *options,
                                              const char *text, size_t size,
                                              attend_likelihood **out, attend_error *err);

#ifdef __cplusplus
}
#endif

#endif
