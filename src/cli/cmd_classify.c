/* attend classify: lines in, classes out, and which words they came from. */
#include <math.h>
#include <stdio.h>

#include "cli/attention_out.h"
#include "cli/line_block.h"
#include "cli/models.h"
#include "cli/truncation.h"

typedef struct {
    bool probabilities, show;
    at_attention_settings look;
    int longest, batch;
} classify;

/* clang-format off */
static const at_option options[] = {
    {.name = "probabilities", .letter = 'p', OPTION_FLAG(classify, probabilities),
     .group = "Output", .help = "Write a tab and NAME=PROBABILITY of every class behind each class",
     .example = {"attend classify model --probabilities < in > out", "How sure it is"}},
    {.name = "show", OPTION_FLAG(classify, show), .help = "Draw the attention of each line",
     .example = {"echo 'a fine film' | attend classify model --show", "See what it looked at"}},
    {.name = "attention-out", OPTION_PATH(classify, look.path), .meta = "FILE",
     .help = "Write the weights: .jsonl and .txt have all lines, .png, .svg and .pdf draw the "
             "first"},
    {.name = "overwrite", OPTION_FLAG(classify, look.overwrite),
     .help = "Let --attention-out replace a file"},
    {.name = "max-length", OPTION_INT(classify, longest), .value = "1000", .min = 1, .max = 1 << 20,
     .meta = "N", .group = "Input",
     .help = "Pieces of a line that are read; the rest is left out, with a warning"},
    {.name = "batch", OPTION_INT(classify, batch), .value = "64", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Lines at a time; changes nothing but the speed"},
    {0}};
/* clang-format on */

typedef struct {
    at_cli *cli;
    const classify *o;
    attend_model *model;
    at_reader in;
    at_attention_out attention;
    at_line_block lines;
    at_str out; /* what is written */
    at_truncation cut;
} work;

/* ---- out ----------------------------------------------------------------------------------- */

/* The figures of translations take it as one: the class is a target of one piece. */
static attend_translation as_translation(const attend_classified *c)
{
    double p = c->probabilities[c->index];
    return (attend_translation){.text = c->name,
                                .score = p,
                                .log_p = log(p),
                                .sources = c->tokens,
                                .targets = 1,
                                .source = c->token,
                                .target = &c->name,
                                .weights = c->weights};
}

static void add_probabilities(work *w, const attend_classified *c)
{
    const char *name;
    for (size_t i = 0; (name = attend_model_label(w->model, i)); i++)
        at_str_print(&w->out, "\t%s=%.6f", name, c->probabilities[i]);
}

static attend_status write_one(void *user, const attend_classified *c, attend_error *err)
{
    work *w = user;
    attend_translation t = as_translation(c);
    attend_text_style style = {w->cli->columns, w->cli->utf8, w->cli->color};
    attend_status status = ATTEND_OK;
    at_truncation_note(&w->cut, c->cut, c->tokens);
    at_str_add(&w->out, c->name);
    if (w->o->probabilities)
        add_probabilities(w, c);
    at_str_add(&w->out, "\n");
    if (w->o->show)
        status = at_attention_text(&w->out, &t, style, err);
    return status < 0 ? status
                      : at_attention_out_add(&w->attention, w->lines.before + c->line, &t, err);
}

/* ---- in ------------------------------------------------------------------------------------ */

static attend_status classify_block(work *w, attend_error *err)
{
    attend_classify_options inside;
    attend_classify_defaults(&inside);
    inside.longest = w->o->longest;
    inside.batch = w->o->batch;
    inside.attention = w->o->show || w->o->look.path;
    attend_status status = attend_classify(w->model, &inside, w->lines.count, w->lines.line,
                                           write_one, w, err);
    return status < 0 ? status : at_cli_flush(&w->out, true, err);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static attend_status open_all(work *w, const char *model, attend_error *err)
{
    attend_status status = at_attention_out_check(&w->o->look, true, err);
    if (status < 0)
        return status;
    status = at_cli_model_open(w->cli, model, ATTEND_CAN_CLASSIFY, &w->model, err);
    if (status >= 0)
        status = at_attention_out_open(&w->attention, w->cli, &w->o->look, err);
    if (status >= 0)
        status = at_reader_open(&w->in, w->cli, "-", err);
    w->in.no_zeros = true; /* a tab stands between the texts of a pair */
    return status;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    work w = {.cli = cli, .o = fields, .in = {.file = -1}};
    if (operands > 1)
        return at_error(err, ATTEND_OPTION,
                        "\"%.100s\" is one operand too many; lines come from standard input: "
                        "attend classify %.100s < %.100s",
                        operand[1], operand[0], operand[1]);
    attend_status status = open_all(&w, operand[0], err);
    while (status >= 0 && !w.lines.ended) {
        status = at_line_block_read(&w.lines, &w.in, err);
        if (status >= 0 && w.lines.count > 0)
            status = classify_block(&w, err);
    }
    if (status >= 0)
        status = at_attention_out_commit(&w.attention, err);
    if (!cli->common.quiet)
        at_truncation_report(&w.cut, cli, "line", "what follows was left out");
    at_attention_out_free(&w.attention);
    at_reader_close(&w.in);
    at_line_block_free(&w.lines);
    at_str_free(&w.out);
    attend_model_free(w.model);
    return status;
}

static const at_term examples[] = {
    {"attend classify model < texts.txt > classes.txt", "A class for each line"}, {0}};

const at_command at_command_classify = {
    .usage = {.name = "classify",
              .summary = "Find the class of each line of standard input",
              .operands = "MODEL",
              .description = "MODEL is the folder that `attend train` with a classifier's preset "
                             "has made.",
              .options = options,
              .examples = examples},
    .size = sizeof(classify),
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
