/* attend score: how likely a model takes given translations, or lines of text, to be. */
#include <math.h>
#include <stdio.h>

#include "cli/attention_out.h"
#include "cli/forced.h"
#include "cli/language.h"
#include "cli/truncation.h"

typedef struct {
    const char *src, *tgt;
    at_paths ensemble;
    int batch, longest, context, stride;
    bool pieces, swap;
    at_attention_settings look;
} score;

/* clang-format off */
static const at_option options[] = {
    {.name = "src", .letter = 's', OPTION_PATH(score, src), .meta = "FILE", .group = "Input",
     .help = "Sentences, one a line, or feature vectors, .safetensors",
     .example = {"attend score model --src in.txt --tgt out.txt",
                 "The log-probability of each translation"}},
    {.name = "tgt", .letter = 't', OPTION_PATH(score, tgt), .meta = "FILE",
     .help = "Their translations, line by line"},
    {.name = "swap", OPTION_FLAG(score, swap),
     .help = "The second side of the pairs is what the model translates from"},
    {.name = "ensemble", OPTION_PATHS(score, ensemble), .meta = "MODEL",
     .help = "Another model; the mean of the probabilities counts. Several times for several"},
    {.name = "max-length", OPTION_INT(score, longest), .value = "1000", .min = 1, .max = 1 << 20,
     .meta = "N", .help = "Pieces of a sentence that are read"},
    {.name = "batch", OPTION_INT(score, batch), .value = "64", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Lines at a time; changes nothing but the speed"},
    {.name = "context", OPTION_INT(score, context), .value = "0", .min = 0, .max = 1 << 24,
     .meta = "N", .group = "Language models",
     .help = "Tokens that a token is predicted from, at most (default: the model's positions, or "
             "all before it)"},
    {.name = "stride", OPTION_INT(score, stride), .value = "0", .min = 0, .max = 1 << 24,
     .meta = "N",
     .help = "Tokens that each window of the context adds to the one before it: fewer predict from "
             "more context and take longer (default: half of the context)"},
    {.name = "tokens", .letter = 'p', OPTION_FLAG(score, pieces), .group = "Output",
     .help = "And of every piece: a tab, the piece, a blank and its log-probability",
     .example = {"attend score model pairs.tsv --tokens", "Where the model was surprised"}},
    ATTENTION_OPTIONS(score, look),
    {.name = "overwrite", OPTION_FLAG(score, look.overwrite),
     .help = "Let --attention-out replace a file"},
    {0}};
/* clang-format on */

typedef struct {
    const score *o;
    at_str out;
    double log_p;
    long long pieces;
    at_truncation cut;
    size_t lines;
    at_attention_out attention;
} work;

static attend_status write_one(void *user, const attend_translation *t, attend_error *err)
{
    work *w = user;
    at_str_print(&w->out, "%.6f", t->log_p);
    for (int i = 0; i < t->targets && w->o->pieces; i++)
        at_str_print(&w->out, "\t%s %.6f", t->target[i], t->log_ps[i]);
    at_str_add(&w->out, "\n");
    w->log_p += t->log_p;
    w->pieces += t->targets;
    at_truncation_note(&w->cut, t->cut, t->sources);
    w->lines++;
    attend_status status = at_attention_out_add(&w->attention, t->line, t, err);
    return status < 0 ? status : at_cli_flush(&w->out, false, err);
}

static void say(const at_cli *cli, const work *w)
{
    if (!cli->common.quiet && w->pieces)
        fprintf(stderr, "%zu pair%s, %lld pieces, log-probability %.3f, perplexity %.4f\n",
                w->lines, w->lines == 1 ? "" : "s", w->pieces, w->log_p,
                exp(-w->log_p / (double)w->pieces));
}

static attend_status score_pairs(at_cli *cli, const void *fields, int operands, char **operand,
                                 attend_error *err)
{
    const score *o = fields;
    work w = {.o = o};
    at_forced forced = {.cli = cli,
                        .from = {operands > 1 ? operand[1] : NULL, o->src, o->tgt, o->swap},
                        .model = operand[0],
                        .ensemble = &o->ensemble,
                        .batch = o->batch,
                        .longest = o->longest,
                        .look = &o->look,
                        .write = write_one,
                        .user = &w,
                        .out = &w.out,
                        .attention = &w.attention};
    attend_status status = at_forced_run(&forced, err);
    if (status >= 0) {
        at_truncation_report(&w.cut, cli, "sentence", "what follows of the source was not read");
        say(cli, &w);
    }
    at_attention_out_free(&w.attention);
    at_str_free(&w.out);
    return status;
}

static const at_option_use uses[] = {
    {"a translator",
     " src tgt swap ensemble max-length batch tokens attention-out figure picture grid layer head "
     "kind overwrite "},
    {"a language model", " context stride tokens "}};

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const score *o = fields;
    attend_model *model;
    attend_status status = at_language_open(cli, operand[0], options, o, uses, &model, err);
    if (status < 0)
        return status;
    if (!model)
        return score_pairs(cli, fields, operands, operand, err);
    at_language_text text = {.cli = cli,
                             .model = model,
                             .text = operands > 1 ? operand[1] : "-",
                             .context = o->context,
                             .stride = o->stride,
                             .tokens = o->pieces};
    status = at_language_score(&text, err);
    attend_model_free(model);
    return status;
}

const at_command at_command_score = {
    .usage = {.name = "score",
              .summary = "Say how likely a model takes translations or texts to be",
              .operands = "MODEL [PAIRS]",
              .description = "Writes the natural logarithm of the probability of each translation, "
                             "its end included, and the perplexity of all pieces to standard "
                             "error. PAIRS is a file of sentence pairs in any of the formats of "
                             "`attend list formats`, in place of --src and --tgt. Where MODEL is a "
                             "language model, PAIRS is text, standard input by default: the "
                             "log-probability of each line.",
              .options = options},
    .size = sizeof(score),
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
