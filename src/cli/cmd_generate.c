/* attend generate: text from a language model. */
#include "cli/models.h"
#include "cli/stream.h"

typedef struct {
    const char *prompt;
    int most, lines, count, top_k;
    bool greedy;
    double temperature, top_p, min_p, repetition;
    size_t seed;
} generate;

/* clang-format off */
static const at_option options[] = {
    {.name = "prompt", .letter = 'p', OPTION_STRING(generate, prompt), .value = "", .meta = "TEXT",
     .group = "Text", .help = "What the text begins with",
     .example = {"attend generate model --prompt 'once upon a time'", "Goes on with it"}},
    {.name = "max-tokens", OPTION_INT(generate, most), .value = "100", .min = 1, .max = 1 << 24,
     .meta = "N", .help = "Words that are added"},
    {.name = "lines", OPTION_INT(generate, lines), .value = "0", .min = 0, .max = 1 << 24,
     .meta = "N", .help = "Stop behind so many lines; 0: no limit"},
    {.name = "count", .letter = 'n', OPTION_INT(generate, count), .value = "1", .min = 1,
     .max = 1 << 20, .meta = "N", .help = "Texts, each behind the other",
     .example = {"attend generate model --lines 1 --count 10", "Ten lines, each on its own"}},
    {.name = "temperature", OPTION_REAL(generate, temperature), .value = "1", .min = 1e-3,
     .max = 1000, .meta = "T", .group = "Drawing",
     .help = "Below 1, likely words become likelier",
     .example = {"attend generate model --temperature 0.7 --top-p 0.9", "Less daring"}},
    {.name = "top-k", OPTION_INT(generate, top_k), .value = "0", .min = 0, .max = 1 << 24,
     .meta = "K", .help = "Draw from so many of the likeliest words; 0 is all"},
    {.name = "top-p", OPTION_REAL(generate, top_p), .value = "1", .min = 1e-6, .max = 1,
     .meta = "P", .help = "Draw from the likeliest words whose probabilities reach this"},
    {.name = "min-p", OPTION_REAL(generate, min_p), .value = "0", .min = 0, .max = 1, .meta = "P",
     .help = "Draw from the words at least P times as likely as the likeliest; 0 is all"},
    {.name = "repetition", OPTION_REAL(generate, repetition), .value = "1", .min = 0.01, .max = 100,
     .meta = "R", .help = "Above 1, words that have come become less likely"},
    {.name = "greedy", OPTION_FLAG(generate, greedy),
     .help = "Draw nothing: the likeliest word each time"},
    {.name = "seed", OPTION_SIZE(generate, seed), .value = "1234", .meta = "N",
     .help = "The same seed gives the same text"},
    {0}};
/* clang-format on */

static attend_status write_texts(const attend_model *m, const generate *o, attend_error *err)
{
    attend_generate_options inside;
    attend_generate_defaults(&inside);
    inside.most = o->most;
    inside.lines = o->lines;
    inside.greedy = o->greedy;
    inside.temperature = o->temperature;
    inside.top_k = o->top_k;
    inside.top_p = o->top_p;
    inside.min_p = o->min_p;
    inside.repetition = o->repetition;
    inside.seed = o->seed;
    attend_status status = ATTEND_OK;
    at_str out = {0};
    for (int i = 0; i < o->count && status >= 0 && !at_cli_signal(); i++) {
        char *text;
        inside.text = (unsigned)i;
        status = attend_generate(m, &inside, o->prompt, &text, err);
        if (status < 0)
            break;
        at_str_add(&out, text);
        at_str_add(&out, "\n");
        attend_free(text);
        status = at_cli_flush(&out, true, err);
    }
    at_str_free(&out);
    return status;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    attend_model *m = NULL;
    const generate *o = fields;
    (void)operands;
    if (o->greedy && (o->temperature != 1 || o->top_k != 0 || o->top_p != 1 || o->min_p != 0))
        return at_error(err, ATTEND_OPTION,
                        "--greedy draws nothing: without --temperature, --top-k, --top-p and "
                        "--min-p");
    attend_status status = at_cli_model_open(cli, operand[0], ATTEND_CAN_GENERATE, &m, err);
    if (status >= 0)
        status = write_texts(m, fields, err);
    attend_model_free(m);
    return status;
}

static const at_term examples[] = {{"attend generate model", "A hundred words"}, {0}};

const at_command at_command_generate = {
    .usage = {.name = "generate",
              .summary = "Write text with a language model",
              .operands = "MODEL",
              .description = "MODEL is the folder that `attend train --preset rnn-lm` has made "
                             "from a file of text.",
              .options = options,
              .examples = examples},
    .size = sizeof(generate),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
