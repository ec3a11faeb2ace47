/* attend evaluate: how good is a translator on sentences with known translations, or a language
 * model on text? */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/attention_out.h"
#include "cli/evaluation.h"
#include "cli/language.h"
#include "cli/sentence_pairs.h"
#include "cli/truncation.h"

typedef struct {
    const char *src, *tgt, *gold, *out;
    at_paths ensemble;
    int beam, rule, batch, longest, tokenize, link_base, context, stride;
    double penalty, threshold;
    bool swap, lowercase, json, overwrite;
    at_attention_settings look; /* its layer and head */
} evaluate;

#define TOKENIZATIONS "auto|13a|intl|zh|char|none"

/* clang-format off */
static const at_option options[] = {
    {.name = "src", .letter = 's', OPTION_PATH(evaluate, src), .meta = "FILE", .group = "Input",
     .help = "Sentences, one a line, or feature vectors, .safetensors; in place of TEST",
     .example = {"attend evaluate model --src test.de --tgt test.en", "Two files, line by line"}},
    {.name = "tgt", .letter = 't', OPTION_PATH(evaluate, tgt), .meta = "FILE",
     .help = "Their translations, line by line"},
    {.name = "swap", OPTION_FLAG(evaluate, swap),
     .help = "The second side of the pairs is what the model translates from"},
    {.name = "gold", OPTION_PATH(evaluate, gold), .meta = "FILE",
     .help = "Links of their words, counted from 1, as 1-1 2p3, for the alignment error rate"},
    {.name = "gold-base", OPTION_INT(evaluate, link_base), .value = "1", .min = 0, .max = 1,
     .meta = "N", .help = "The number of the first word in these"},
    {.name = "threshold", OPTION_REAL(evaluate, threshold), .value = "0", .min = 0, .max = 1,
     .meta = "W", .help = "Of the model's links: all with so much weight; 0 is the one with most"},
    ATTENTION_CHOICE(evaluate, look, "the links of --gold come from"),
    {.name = "ensemble", OPTION_PATHS(evaluate, ensemble), .meta = "MODEL",
     .help = "Another model; the mean of the probabilities counts. Several times for several"},

    {.name = "beam", .letter = 'b', OPTION_INT(evaluate, beam), .min = 1, .max = 1000,
     .meta = "N", .group = "Search",
     .help = "Hypotheses that are followed; 1 is greedy (default: what the model's folder says, or "
             "5)"},
    {.name = "length-rule", OPTION_CHOICE(evaluate, rule), .choices = "none|average|wu",
     .value = "average", .help = "How hypotheses of different length are compared"},
    {.name = "length-penalty", OPTION_REAL(evaluate, penalty), .value = "1", .min = -10, .max = 10,
     .meta = "A", .help = "Of that rule: above 1 likes longer ones"},
    {.name = "batch", OPTION_INT(evaluate, batch), .value = "64", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Lines at a time; changes nothing but the speed"},
    {.name = "max-length", OPTION_INT(evaluate, longest), .value = "1000", .min = 1, .max = 1 << 20,
     .meta = "N", .help = "Pieces of a line that are read"},

    {.name = "context", OPTION_INT(evaluate, context), .value = "0", .min = 0, .max = 1 << 24,
     .meta = "N", .group = "Language models",
     .help = "Tokens that a token is predicted from, at most (default: the model's positions, or "
             "all before it)"},
    {.name = "stride", OPTION_INT(evaluate, stride), .value = "0", .min = 0, .max = 1 << 24,
     .meta = "N",
     .help = "Tokens that each window of the context adds to the one before it: fewer predict from "
             "more context and take longer (default: half of the context)",
     .example = {"attend evaluate writer text.txt --context 64 --stride 32",
                 "Perplexity and bits per byte of a language model"}},

    {.name = "tokenize", OPTION_CHOICE(evaluate, tokenize), .choices = TOKENIZATIONS,
     .value = "auto", .group = "Output",
     .help = "How BLEU cuts words; auto is 13a, of Chinese zh, of Japanese char, and none where "
             "words were cut before"},
    {.name = "lowercase", OPTION_FLAG(evaluate, lowercase), .help = "BLEU and chrF ignore case"},
    {.name = "json", OPTION_FLAG(evaluate, json), .help = "Write JSON"},
    {.name = "out", .letter = 'o', OPTION_PATH(evaluate, out), .meta = "FILE",
     .help = "Where the translations go"},
    {.name = "overwrite", OPTION_FLAG(evaluate, overwrite), .help = "Replace that file"},
    {0}};
/* clang-format on */

typedef struct {
    const evaluate *o;
    at_sentence_pairs pairs;
    at_lines gold;
    at_models models;
    at_writer *file; /* of translations, or NULL */
    at_truncation cut;
} work;

static attend_status check(const evaluate *o, attend_error *err)
{
    if (!o->gold && (o->threshold > 0 || o->link_base != 1))
        return at_error(err, ATTEND_OPTION, "--threshold and --gold-base are for --gold");
    if (!o->gold && (o->look.layer >= 0 || o->look.head >= 0))
        return at_error(err, ATTEND_OPTION,
                        "--layer and --head choose the attention that links come from, for --gold "
                        "FILE, which is missing");
    if (o->rule == ATTEND_LENGTH_RULE_NONE && o->penalty != 1)
        return at_error(err, ATTEND_OPTION,
                        "--length-penalty is for --length-rule average and wu, not for none");
    if (o->out && !o->overwrite && at_file_exists(o->out))
        return at_error(err, ATTEND_OPTION, "--out: %s exists; --overwrite replaces it",
                        at_show(o->out).text);
    return ATTEND_OK;
}

static attend_status see_line(void *user, const attend_translation *t, attend_error *err)
{
    work *w = user;
    (void)err;
    at_truncation_note(&w->cut, t->cut, t->sources);
    if (w->file) {
        at_writer_write(w->file, t->text, strlen(t->text));
        at_writer_write(w->file, "\n", 1);
    }
    return ATTEND_OK; /* commit tells */
}

static attend_status open_all(work *w, at_cli *cli, int operands, char **operand, attend_error *err)
{
    const evaluate *o = w->o;
    at_sentence_pairs_from from = {operands > 1 ? operand[1] : NULL, o->src, o->tgt, o->swap};
    attend_status status = check(o, err);
    if (status < 0)
        return status;
    status = at_models_add(&w->models, cli, operand[0], err);
    if (status >= 0 && (status = at_models_add_all(&w->models, cli, &o->ensemble, err)) >= 0)
        status = at_sentence_pairs_read(&w->pairs, cli, &from, err);
    if (status >= 0 && o->gold)
        status = at_lines_read(&w->gold, cli, o->gold, err);
    if (status >= 0 && o->gold && w->gold.lines.count != w->pairs.count)
        return at_error(err, ATTEND_FORMAT, "%s has %zu line%s, and the pairs are %zu",
                        at_show(o->gold).text, w->gold.lines.count,
                        w->gold.lines.count == 1 ? "" : "s", w->pairs.count);
    cli->input = status < 0 ? cli->input : NULL;
    return status >= 0 && o->out ? at_writer_open(&w->file, o->out, err) : status;
}

static attend_status work_on(work *w, attend_evaluation **e, attend_error *err)
{
    static const char *const tokenizations[] = {NULL, "13a", "intl", "zh", "char", "none"};
    attend_evaluate_options inside;
    attend_translate_options how;
    attend_measure_options measures;
    attend_evaluate_defaults(&inside);
    attend_translate_defaults(&how);
    attend_measure_defaults(&measures);
    inside.translate = &how;
    inside.measure = &measures;
    how.beam = w->o->beam;
    how.rule = (attend_length_rule)w->o->rule;
    how.penalty = w->o->penalty;
    how.batch = w->o->batch;
    how.longest = w->o->longest;
    how.scores = 0;
    measures.tokenize = tokenizations[w->o->tokenize];
    measures.lowercase = w->o->lowercase;
    measures.gold_base = w->o->link_base;
    inside.gold = w->o->gold ? w->gold.lines.line : NULL;
    inside.gold_name = w->o->gold;
    inside.threshold = w->o->threshold;
    inside.by_head = w->o->gold && w->models.count == 1;
    inside.function = see_line;
    inside.user = w;
    attend_status status = at_sentence_pairs_give(&w->pairs, &w->models, &how, err);
    w->cut.of = how.features ? "frames" : NULL;
    how.attention_layer = w->o->look.layer;
    how.attention_head = w->o->look.head;
    if (status >= 0 && w->o->gold)
        status = at_models_need_attention(&w->models, "--gold", err);
    return status < 0 ? status
                      : attend_evaluate(w->models.model[0], &inside, w->pairs.count,
                                        w->pairs.source, w->pairs.target, e, err);
}

static attend_status evaluate_pairs(at_cli *cli, const void *fields, int operands, char **operand,
                                    attend_error *err)
{
    work w = {.o = fields};
    attend_evaluation *e = NULL;
    at_str out = {0};
    attend_status status = open_all(&w, cli, operands, operand, err);
    if (status >= 0)
        status = work_on(&w, &e, err);
    if (status >= 0 && w.file) {
        status = at_writer_commit(w.file, err);
        w.file = NULL;
    }
    if (status >= 0 && w.o->json) {
        at_evaluation_json(&(at_json_out){.out = &out}, NULL, e);
        at_str_add(&out, "\n");
    } else if (status >= 0) {
        at_evaluation_text(&out, e, cli->columns, cli->utf8);
    }
    if (status >= 0)
        at_truncation_report(&w.cut, cli, "line", "what follows of the source was not read");
    if (status >= 0)
        status = at_cli_write(&out, err);
    attend_free(e);
    at_writer_abort(w.file);
    at_models_free(&w.models);
    at_lines_free(&w.gold);
    at_sentence_pairs_free(&w.pairs);
    return status;
}

static const at_option_use uses[] = {
    {"a translator", " src tgt swap gold gold-base threshold layer head ensemble beam length-rule "
                     "length-penalty batch max-length tokenize lowercase json out overwrite "},
    {"a language model", " context stride json "}};

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const evaluate *o = fields;
    attend_model *model;
    attend_status status = at_language_open(cli, operand[0], options, o, uses, &model, err);
    if (status < 0)
        return status;
    if (!model)
        return evaluate_pairs(cli, fields, operands, operand, err);
    at_language_text text = {.cli = cli,
                             .model = model,
                             .text = operands > 1 ? operand[1] : "-",
                             .context = o->context,
                             .stride = o->stride,
                             .json = o->json};
    status = at_language_evaluate(&text, err);
    attend_model_free(model);
    return status;
}

static const at_term examples[] = {
    {"attend evaluate model test.tsv", "BLEU, chrF, perplexity, and BLEU by the sources' length"},
    {"attend evaluate model pairs.txt --gold pairs.gold --beam 1",
     "And the alignment error rate, of every layer and head"},
    {0}};

const at_command at_command_evaluate = {
    .usage = {.name = "evaluate",
              .summary = "Say how good a translator or a language model is on a test set",
              .operands = "MODEL [TEST]",
              .description = "TEST is a file of sentence pairs in any of the formats of `attend "
                             "list formats`. Its sources are translated and compared with its "
                             "targets; perplexity and links are those of the targets themselves. "
                             "`attend measure` compares lines of any system. Where MODEL is a "
                             "language model, TEST is running text, standard input by default: its "
                             "perplexity, bits per byte, and unknown tokens.",
              .options = options,
              .examples = examples},
    .size = sizeof(evaluate),
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
