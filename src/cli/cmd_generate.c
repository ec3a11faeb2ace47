/* attend generate: text from a language model. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/models.h"
#include "cli/stream.h"

typedef struct {
    const char *prompt, *prompt_file, *stop;
    int most, lines, count, top_k, beam, no_repeat, context;
    bool greedy;
    double temperature, top_p, min_p, repetition, penalty;
    size_t seed;
} generate;

/* clang-format off */
static const at_option options[] = {
    {.name = "prompt", .letter = 'p', OPTION_STRING(generate, prompt), .value = "", .meta = "TEXT",
     .group = "Text", .help = "What the text begins with",
     .example = {"attend generate model --prompt 'once upon a time'", "Goes on with it"}},
    {.name = "prompt-file", OPTION_PATH(generate, prompt_file), .meta = "FILE",
     .help = "File with the prompt, without its last newline; -: standard input"},
    {.name = "max-tokens", OPTION_INT(generate, most), .value = "100", .min = 1, .max = 1 << 24,
     .meta = "N", .help = "Words that are added"},
    {.name = "lines", OPTION_INT(generate, lines), .value = "0", .min = 0, .max = 1 << 24,
     .meta = "N", .help = "Stop behind so many lines; 0: no limit"},
    {.name = "stop", OPTION_STRING(generate, stop), .meta = "TEXT",
     .help = "End a text where it would contain TEXT, which is not written"},
    {.name = "when-long", OPTION_CHOICE(generate, context), .value = "slide",
     .choices = "slide|stop|error",
     .help = "With more tokens than the model has positions: continue from the last half of them, "
             "end the text, or refuse"},
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
    {.name = "no-repeat-ngram", OPTION_INT(generate, no_repeat), .value = "0", .min = 0,
     .max = 1000, .meta = "N",
     .help = "Never write N tokens in a row twice, those of the prompt included; 0: off"},
    {.name = "beam", OPTION_INT(generate, beam), .value = "0", .min = 0, .max = 1 << 10,
     .meta = "N", .help = "Hypotheses of a beam search, which draws nothing; 0: no beam search"},
    {.name = "length-penalty", OPTION_REAL(generate, penalty), .value = "1", .min = -10, .max = 10,
     .meta = "A", .help = "Length-penalty exponent of a beam search; above 1 favours longer texts"},
    {.name = "greedy", OPTION_FLAG(generate, greedy),
     .help = "Draw nothing: the likeliest word each time"},
    {.name = "seed", OPTION_SIZE(generate, seed), .value = "1234", .meta = "N",
     .help = "The same seed gives the same text"},
    {0}};
/* clang-format on */

/* a part of a text, as it comes */
static attend_status write_piece(void *user, const char *text, size_t size, attend_error *err)
{
    at_str *out = user;
    at_str_add_bytes(out, text, size);
    attend_status status = at_cli_flush(out, true, err);
    return status >= 0 && at_cli_signal() ? ATTEND_STOPPED : status;
}

static attend_generate_options options_of(const generate *o, at_str *out)
{
    attend_generate_options inside;
    attend_generate_defaults(&inside);
    inside.beam = o->beam;
    inside.penalty = o->penalty;
    inside.no_repeat = o->no_repeat;
    inside.context = (attend_context)o->context;
    inside.stop = &o->stop;
    inside.stop_count = o->stop && *o->stop;
    inside.piece = write_piece;
    inside.user = out;
    inside.most = o->most;
    inside.lines = o->lines;
    inside.greedy = o->greedy;
    inside.temperature = o->temperature;
    inside.top_k = o->top_k;
    inside.top_p = o->top_p;
    inside.min_p = o->min_p;
    inside.repetition = o->repetition;
    inside.seed = o->seed;
    return inside;
}

/* Texts with their prompt, streamed; a text that is interrupted ends its line. */
static attend_status write_texts(const attend_model *m, const generate *o, const char *prompt,
                                 attend_error *err)
{
    at_str out = {0};
    attend_generate_options inside = options_of(o, &out);
    attend_status status = ATTEND_OK;
    for (int i = 0; i < o->count && status >= 0 && !at_cli_signal(); i++) {
        char *text;
        inside.text = (unsigned)i;
        at_str_add(&out, prompt);
        status = attend_generate(m, &inside, prompt, &text, err);
        if (status >= 0 || (status == ATTEND_STOPPED && at_cli_signal())) {
            at_str_add(&out, "\n");
            status = at_cli_flush(&out, true, err);
        }
        attend_free(text);
    }
    at_str_free(&out);
    return status;
}

static attend_status check(const generate *o, attend_error *err)
{
    if (o->prompt_file && *o->prompt)
        return at_error(err, ATTEND_OPTION,
                        "--prompt and --prompt-file are both given; leave one of them out");
    if (o->beam
        && (o->greedy || o->temperature != 1 || o->top_k != 0 || o->top_p != 1 || o->min_p != 0))
        return at_error(err, ATTEND_OPTION,
                        "--beam draws nothing: without --greedy, --temperature, --top-k, --top-p "
                        "and --min-p");
    if (!o->beam && o->penalty != 1)
        return at_error(err, ATTEND_OPTION, "--length-penalty is for a beam search; add --beam N");
    return ATTEND_OK;
}

/* the file's text without its last newline */
static attend_status read_prompt(const char *path, char **prompt, attend_error *err)
{
    enum { LARGEST = 1 << 28 };
    size_t size;
    attend_status status = at_input_read(strcmp(path, "-") == 0 ? "/dev/stdin" : path, LARGEST,
                                         prompt, &size, err);
    if (status >= 0 && memchr(*prompt, 0, size))
        return at_error(err, ATTEND_FORMAT, "%s: a zero byte; a prompt is text",
                        at_show(path).text);
    if (status >= 0 && size && (*prompt)[size - 1] == '\n')
        (*prompt)[size - 1] = '\0';
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
    char *prompt = NULL;
    attend_status status = check(o, err);
    cli->input = o->prompt_file;
    if (status >= 0 && o->prompt_file)
        status = read_prompt(o->prompt_file, &prompt, err);
    if (status >= 0)
        status = at_cli_model_open(cli, operand[0], ATTEND_CAN_GENERATE, &m, err);
    at_cli_catch_signals();
    if (status >= 0)
        status = write_texts(m, fields, prompt ? prompt : o->prompt, err);
    attend_model_free(m);
    at_free(prompt);
    if (status >= 0 && at_cli_signal())
        status = at_error(err, ATTEND_STOPPED, "stopped by a signal; the text is not complete");
    return status;
}

static const at_term examples[] = {{"attend generate model", "A hundred words"}, {0}};

const at_command at_command_generate = {
    .usage = {.name = "generate",
              .summary = "Write text with a language model",
              .operands = "MODEL",
              .description =
                  "MODEL is a language model: a folder of `attend train --preset rnn-lm` "
                  "or `gpt2-char`, or a GPT-2 folder of the Hugging Face hub.",
              .options = options,
              .examples = examples},
    .size = sizeof(generate),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
