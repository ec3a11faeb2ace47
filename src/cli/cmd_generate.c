/* attend generate: text from a language model. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/attention_out.h"
#include "cli/lines.h"
#include "cli/models.h"
#include "cli/stream.h"

typedef struct {
    const char *prompt, *prompt_file, *prompts;
    at_paths stop;
    int most, lines, count, batch, top_k, beam, no_repeat, context;
    bool greedy, show;
    at_attention_settings look;
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
    {.name = "prompts", OPTION_PATH(generate, prompts), .meta = "FILE",
     .help = "File with a prompt on each line; -: standard input",
     .example = {"attend generate model --prompts lines.txt --batch 16", "A text for each line"}},
    {.name = "max-tokens", OPTION_INT(generate, most), .value = "100", .min = 1, .max = 1 << 24,
     .meta = "N", .help = "Maximum number of tokens to add"},
    {.name = "lines", OPTION_INT(generate, lines), .value = "0", .min = 0, .max = 1 << 24,
     .meta = "N", .help = "Stop after N lines; 0: no limit"},
    {.name = "stop", OPTION_TEXTS(generate, stop), .meta = "TEXT",
     .help = "End a text before TEXT; may be given several times"},
    {.name = "when-long", OPTION_CHOICE(generate, context), .value = "slide",
     .choices = "slide|stop|error",
     .help = "With more tokens than the model has positions: continue from the last half of them, "
             "end the text, or refuse"},
    {.name = "count", .letter = 'n', OPTION_INT(generate, count), .value = "1", .min = 1,
     .max = 1 << 20, .meta = "N", .help = "Number of texts for each prompt",
     .example = {"attend generate model --lines 1 --count 10", "Ten lines, each on its own"}},
    {.name = "batch", OPTION_INT(generate, batch), .value = "1", .min = 1, .max = 1 << 12,
     .meta = "N", .help = "Texts generated at a time, which changes nothing but the speed; 1: a "
     "text is written token by token"},
    {.name = "temperature", OPTION_REAL(generate, temperature), .value = "1", .min = 1e-3,
     .max = 1000, .meta = "T", .group = "Sampling",
     .help = "Sampling temperature; below 1, likely tokens become likelier",
     .example = {"attend generate model --temperature 0.7 --top-p 0.9", "Less daring"}},
    {.name = "top-k", OPTION_INT(generate, top_k), .value = "0", .min = 0, .max = 1 << 24,
     .meta = "K", .help = "Sample from the K likeliest tokens; 0: all"},
    {.name = "top-p", OPTION_REAL(generate, top_p), .value = "1", .min = 1e-6, .max = 1,
     .meta = "P", .help = "Sample from the fewest likeliest tokens whose probabilities sum to P"},
    {.name = "min-p", OPTION_REAL(generate, min_p), .value = "0", .min = 0, .max = 1, .meta = "P",
     .help = "Sample from tokens at least P times as likely as the likeliest; 0: all"},
    {.name = "repetition", OPTION_REAL(generate, repetition), .value = "1", .min = 0.01, .max = 100,
     .meta = "R",
     .help = "Repetition penalty; above 1, tokens of the text so far become less likely"},
    {.name = "no-repeat-ngram", OPTION_INT(generate, no_repeat), .value = "0", .min = 0,
     .max = 1000, .meta = "N",
     .help = "Never write N tokens in a row twice, those of the prompt included; 0: off"},
    {.name = "beam", OPTION_INT(generate, beam), .value = "0", .min = 0, .max = 1 << 10,
     .meta = "N", .help = "Beam search with N hypotheses, without sampling; 0: no beam search"},
    {.name = "length-penalty", OPTION_REAL(generate, penalty), .value = "1", .min = -10, .max = 10,
     .meta = "A", .help = "Length-penalty exponent of a beam search; above 1 favours longer texts"},
    {.name = "greedy", OPTION_FLAG(generate, greedy),
     .help = "Take the likeliest token each time, without sampling"},
    {.name = "seed", OPTION_SIZE(generate, seed), .value = "1234", .meta = "N",
     .help = "Random seed; the same seed gives the same text"},
    {.name = "show", OPTION_FLAG(generate, show), .group = "Attention",
     .help = "Draw which tokens each new token was predicted from",
     .example = {"attend generate model --prompt 'once upon' --max-tokens 1 --show --layer 0",
                 "What the next token attends to"}},
    ATTENTION_FILE(generate, look),
    ATTENTION_WHICH(generate, look),
    {.name = "overwrite", OPTION_FLAG(generate, look.overwrite),
     .help = "Let --attention-out replace a file"},
    {0}};
/* clang-format on */

typedef struct {
    at_cli *cli;
    const generate *o;
    attend_model *model;
    attend_generate_options inside;
    char *prompt;   /* of a file */
    at_lines lines; /* prompts */
    const char *const *prompts;
    size_t count;
    at_str out;
    at_attention_out attention;
    size_t first; /* text of the batch: prompt by prompt, o->count of each */
} work;

/* A part of a text, as it comes; of a batch, texts are written when they are complete. */
static attend_status write_piece(void *user, const char *text, size_t size, attend_error *err)
{
    work *w = user;
    attend_status status = ATTEND_OK;
    if (w->o->batch == 1) {
        at_str_add_bytes(&w->out, text, size);
        status = at_cli_flush(&w->out, true, err);
    }
    return status >= 0 && at_cli_signal() ? ATTEND_STOPPED : status;
}

static attend_generate_options options_of(const generate *o, work *w)
{
    attend_generate_options inside;
    attend_generate_defaults(&inside);
    inside.beam = o->beam;
    inside.penalty = o->penalty;
    inside.no_repeat = o->no_repeat;
    inside.context = (attend_context)o->context;
    inside.stop = o->stop.item;
    inside.stop_count = (size_t)o->stop.count;
    inside.piece = write_piece;
    inside.user = w;
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

/* ---- attention ------------------------------------------------------------------------------ */

static attend_status ask_attention(work *w, attend_error *err)
{
    attend_model_info info = {.size = sizeof info};
    at_attention_settings look = w->o->look;
    if (!w->o->show && !look.path)
        return ATTEND_OK;
    attend_status status = attend_model_describe(w->model, &info, err);
    unsigned kinds = info.attention
                     & (1u << ATTEND_ATTENTION_DECODER | 1u << ATTEND_ATTENTION_CONTENT);
    if (status >= 0 && !kinds)
        return at_error(err, ATTEND_OPTION,
                        "the model has no attention: leave out --show and --attention-out");
    w->inside.record = kinds;
    w->inside.record_layer = look.layer;
    w->inside.record_head = look.head;
    look.text = true;
    look.of_text = kinds >> ATTEND_ATTENTION_DECODER & 1 ? ATTEND_ATTENTION_DECODER
                                                         : ATTEND_ATTENTION_CONTENT;
    return status < 0 ? status : at_attention_out_open(&w->attention, w->cli, &look, err);
}

/* ---- texts ---------------------------------------------------------------------------------- */

static attend_status write_text(void *user, const attend_translation *t, attend_error *err)
{
    work *w = user;
    size_t text = w->first + t->line, samples = (size_t)w->o->count;
    attend_translation own = *t;
    own.rank = (int)(text % samples);
    if (w->o->batch > 1)
        at_str_add(&w->out, t->text);
    at_str_add(&w->out, "\n");
    attend_status status = ATTEND_OK;
    if (w->o->show && t->weights) {
        attend_text_style style = {w->cli->columns, w->cli->utf8, w->cli->color};
        status = at_attention_text(&w->out, &own, style, err);
    }
    if (status >= 0)
        status = at_cli_flush(&w->out, true, err);
    return status < 0 ? status : at_attention_out_add(&w->attention, text / samples, &own, err);
}

/* The next texts, at most o->batch; a text that is interrupted ends its line. */
static attend_status write_batch(work *w, size_t count, attend_error *err)
{
    const char **prompt = at_alloc(count * sizeof *prompt);
    size_t *number = at_alloc(count * sizeof *number), samples = (size_t)w->o->count;
    attend_status status = prompt && number ? ATTEND_OK : at_error_memory(err);
    for (size_t i = 0; i < count && status >= 0; i++) {
        prompt[i] = w->prompts[(w->first + i) / samples];
        number[i] = (w->first + i) % samples;
    }
    if (status >= 0 && w->o->batch == 1)
        at_str_add(&w->out, prompt[0]);
    if (status >= 0)
        status = attend_generate_texts(w->model, &w->inside, count, prompt, number, write_text, w,
                                       err);
    if (status == ATTEND_STOPPED && at_cli_signal() && w->o->batch == 1) {
        at_str_add(&w->out, "\n");
        status = at_cli_flush(&w->out, true, err);
    }
    at_free(prompt);
    at_free(number);
    return status;
}

static attend_status write_texts(work *w, attend_error *err)
{
    size_t all = w->count * (size_t)w->o->count, batch = (size_t)w->o->batch;
    attend_status status = ATTEND_OK;
    for (w->first = 0; w->first < all && status >= 0 && !at_cli_signal(); w->first += batch)
        status = write_batch(w, all - w->first < batch ? all - w->first : batch, err);
    if (status >= 0 || at_cli_signal())
        status = at_attention_out_commit(&w->attention, err);
    return status;
}

/* ---- options and prompts -------------------------------------------------------------------- */

static attend_status check(const generate *o, attend_error *err)
{
    if ((o->prompt_file != NULL) + (o->prompts != NULL) + (*o->prompt != '\0') > 1)
        return at_error(err, ATTEND_OPTION,
                        "--prompt, --prompt-file and --prompts exclude each other; leave one of "
                        "them out");
    if (o->greedy && (o->temperature != 1 || o->top_k != 0 || o->top_p != 1 || o->min_p != 0))
        return at_error(err, ATTEND_OPTION,
                        "--greedy draws nothing: without --temperature, --top-k, --top-p and "
                        "--min-p");
    if (o->beam
        && (o->greedy || o->temperature != 1 || o->top_k != 0 || o->top_p != 1 || o->min_p != 0))
        return at_error(err, ATTEND_OPTION,
                        "--beam draws nothing: without --greedy, --temperature, --top-k, --top-p "
                        "and --min-p");
    if (!o->beam && o->penalty != 1)
        return at_error(err, ATTEND_OPTION, "--length-penalty is for a beam search; add --beam N");
    return at_attention_out_check(&o->look, o->show, err);
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

static attend_status read_prompts(work *w, attend_error *err)
{
    const generate *o = w->o;
    attend_status status = ATTEND_OK;
    w->prompts = &o->prompt;
    w->count = 1;
    w->cli->input = o->prompts ? o->prompts : o->prompt_file;
    if (o->prompt_file) {
        status = read_prompt(o->prompt_file, &w->prompt, err);
        w->prompts = (const char *const *)&w->prompt;
    }
    if (o->prompts) {
        status = at_lines_read(&w->lines, w->cli, o->prompts, err);
        w->prompts = w->lines.lines.line;
        w->count = w->lines.lines.count;
    }
    return status;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    work w = {.cli = cli, .o = fields};
    (void)operands;
    attend_status status = check(fields, err);
    if (status >= 0)
        status = read_prompts(&w, err);
    if (status >= 0)
        status = at_cli_model_open(cli, operand[0], ATTEND_CAN_GENERATE, &w.model, err);
    w.inside = options_of(fields, &w);
    if (status >= 0)
        status = ask_attention(&w, err);
    at_cli_catch_signals();
    if (status >= 0)
        status = write_texts(&w, err);
    at_attention_out_free(&w.attention);
    attend_model_free(w.model);
    at_lines_free(&w.lines);
    at_str_free(&w.out);
    at_free(w.prompt);
    if (status >= 0 && at_cli_signal())
        status = at_error(err, ATTEND_STOPPED, "stopped by a signal; the text is not complete");
    return status;
}

static const at_term examples[] = {{"attend generate model", "A hundred tokens"}, {0}};

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
