/* attend read: one attention by hand. */
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/reading.h"

typedef struct {
    const char *attention, *out, *figure;
    bool example, causal, json, overwrite, plot;
    int hidden_size;
    size_t seed;
} options_of_read;

/* clang-format off */
static const at_option options[] = {
    {.name = "attention", .letter = 'a', OPTION_STRING(options_of_read, attention),
     .meta = "SCORE/SCOPE/PICK/HEADS", .group = "Reading",
     .help = "Which attention: attend list attention names the parts, of which those at the right "
             "may be left out; without it the file's, or scaled-dot",
     .example = {"attend read --example --attention dot/window:1/sparse",
                 "Dot products, only the words around, exact zeros"}},
    {.name = "example", OPTION_FLAG(options_of_read, example),
     .help = "Read a built-in example, six German words that look for their English ones"},
    {.name = "causal", OPTION_FLAG(options_of_read, causal),
     .help = "A query sees the keys up to its own position alone",
     .example = {"attend read --example --causal", "Nothing after the own position"}},
    {.name = "seed", OPTION_SIZE(options_of_read, seed), .value = "1234", .meta = "N",
     .help = "Seed of parameters that the file does not give"},
    {.name = "hidden", OPTION_INT(options_of_read, hidden_size), .value = "0", .min = 0,
     .max = 1 << 14, .meta = "N",
     .help = "Size of the hidden layers in additive and predicted; 0 is the queries' width"},
    {.name = "out", .letter = 'o', OPTION_PATH(options_of_read, out), .meta = "FILE",
     .group = "Output",
     .help = "Save inputs, parameters, scores, weights and context: as safetensors for "
             "FILE.safetensors, else as JSON; attend read reads both again"},
    {.name = "figure", OPTION_PATH(options_of_read, figure), .meta = "FILE",
     .help = "Draw the weights as a heat map: FILE.png, FILE.svg or FILE.pdf",
     .example = {"attend read --example --figure weights.svg", "Draw the weights"}},
    {.name = "overwrite", OPTION_FLAG(options_of_read, overwrite),
     .help = "Let --out and --figure replace files"},
    {.name = "json", OPTION_FLAG(options_of_read, json),
     .help = "Write JSON instead of tables, the same as --out",
     .example = {"attend read --example --json", "A file to start from: > mine.json"}},
    {.name = "plot", OPTION_FLAG(options_of_read, plot), .value = "yes",
     .help = "Draw the weights in the terminal"},
    {0}};
/* clang-format on */

/* ---- the example -------------------------------------------------------------------------- */

/* What the numbers of a word say: how much of a creature, of an action, of a place is in it, and
 * how much of an article. */
enum { WORDS = 6, WIDTH = 4 };
static const char *const english[WORDS] = {"the", "cat", "sat", "on", "the", "mat"};
static const char *const german[WORDS] = {"Auf", "der", "Matte", "saß", "die", "Katze"};
static const double example_keys[WORDS * WIDTH] = {
    1.2, 0,   0,   2.2,  /* the */
    3,   0.2, 0,   0.4,  /* cat */
    0.4, 3,   0.3, 0,    /* sat */
    0,   0.8, 1.2, -2.2, /* on */
    0,   0,   1.2, 2.2,  /* the */
    0,   0,   3,   0.4,  /* mat */
};
static const double example_queries[WORDS * WIDTH] = {
    0,    0.8, 1.2,  -2.4, /* Auf */
    -0.4, 0,   1.2,  2.4,  /* der */
    0,    0,   3,    0.2,  /* Matte */
    0.4,  2.6, 0.3,  0,    /* saß */
    1.2,  0,   -0.4, 2.4,  /* die */
    2.8,  0.2, 0,    0.4,  /* Katze */
};

static void set_example(attend_read_options *o)
{
    o->queries = (attend_array){example_queries, 2, {WORDS, WIDTH}};
    o->keys = (attend_array){example_keys, 2, {WORDS, WIDTH}};
    o->query_labels = german;
    o->key_labels = english;
    o->query_label_count = o->key_label_count = WORDS;
}

/* ---- the command -------------------------------------------------------------------------- */

static attend_status check_target(const options_of_read *o, const char *option, const char *target,
                                  const char *source, attend_error *err)
{
    if (!target)
        return ATTEND_OK;
    if (source && strcmp(target, source) == 0)
        return at_error(err, ATTEND_OPTION, "%s: %s is what is read; give another name", option,
                        at_show(target).text);
    if (!o->overwrite && at_file_exists(target))
        return at_error(err, ATTEND_OPTION, "%s: %s exists; --overwrite replaces it", option,
                        at_show(target).text);
    return ATTEND_OK;
}

static attend_status check(const options_of_read *o, const char *source, attend_error *err)
{
    if (o->example && source)
        return at_error(err, ATTEND_OPTION, "--example has its own numbers; leave \"%.100s\" out",
                        source);
    if (!o->example && !source)
        return at_error(err, ATTEND_OPTION,
                        "which file? attend read FILE, - for standard input, or --example");
    attend_status status = o->figure ? attend_figure_check_path(o->figure, err) : ATTEND_OK;
    if (status >= 0)
        status = check_target(o, "--out", o->out, source, err);
    return status < 0 ? status : check_target(o, "--figure", o->figure, source, err);
}

static attend_status read_input(at_cli *cli, const options_of_read *o, const char *source,
                                attend_reading **reading, attend_error *err)
{
    attend_read_options how;
    attend_read_defaults(&how);
    how.attention = o->attention;
    how.causal = o->causal;
    how.seed = o->seed;
    how.hidden_size = o->hidden_size;
    if (o->example) {
        set_example(&how);
        return attend_read(&how, reading, err);
    }
    cli->input = strcmp(source, "-") == 0 ? NULL : source;
    return attend_read_file(source, &how, reading, err);
}

static attend_status write_result(at_cli *cli, const options_of_read *o, attend_reading *reading,
                                  attend_error *err)
{
    at_str text = {0};
    const char *json = o->json ? attend_reading_json(reading) : "";
    if (!json)
        return at_error_memory(err);
    at_str_add(&text, json);
    attend_status status = o->json ? ATTEND_OK
                                   : at_reading_write(&text, cli, reading, o->plot, err);
    if (status >= 0)
        return at_cli_write(&text, err);
    at_str_free(&text);
    return status;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const options_of_read *o = fields;
    const char *source = operands ? operand[0] : NULL;
    attend_reading *reading = NULL;
    attend_status status = check(o, source, err);
    if (status >= 0)
        status = read_input(cli, o, source, &reading, err);
    if (status >= 0)
        cli->input = NULL; /* from here on files are written */
    if (status >= 0 && o->out)
        status = attend_reading_save(reading, o->out, err);
    if (status >= 0 && o->figure)
        status = at_reading_draw(o->figure, reading, err);
    if (status >= 0)
        status = write_result(cli, o, reading, err);
    attend_reading_free(reading);
    return status;
}

static const at_term examples[] = {
    {"attend read --example", "Scores, weights and context of a small example"}, {0}};

const at_command at_command_read = {
    .usage =
        {.name = "read",
         .summary = "Try an attention by hand: scores, weights and context",
         .operands = "[FILE]",
         .description =
             "Runs one attention read on queries, keys and values from a JSON or a safetensors "
             "file, - for JSON on standard input, and shows what every step gives: the scores of "
             "the keys, the weights made of them, and the context, the weighted sum of the "
             "values.\n"
             "\n"
             "A JSON file is one object: {\"queries\": [[1, 0], [0, 1]], \"keys\": [[1, 0], "
             "[1, 1]]} is enough. \"values\" are the keys where they are left out. Arrays of three "
             "axes are several sentences. There can be \"labels\" ({\"queries\": [\"a\", \"b\"], "
             "\"keys\": [...]}, or one list for both), a \"mask\" (1 for what may be seen; for "
             "keys, or queries and keys) or the opposite, \"hidden\", \"lengths\" of sentences, "
             "\"causal\" (true), \"centres\" of windows, \"first\", the position of the first "
             "query, \"attention\", \"hidden_size\", and \"parameters\" by name. A safetensors "
             "file has the same names as tensors, and parameters under their own.\n"
             "\n"
             "Parameters that are not given start as in training, from --seed; the first line of "
             "the output names them. A position that the attention does not see has no score, "
             "which JSON has as null. Scope expanded shows the score of a block in each of its "
             "positions, hybrid those of its global part.",
         .options = options,
         .examples = examples},
    .size = sizeof(options_of_read),
    .max_operands = 1,
    .run = run,
};
