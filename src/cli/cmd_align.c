/* attend align: which word of given translations belongs to which, by a model's attention. */
#include "cli/attention_out.h"
#include "cli/forced.h"
#include "cli/truncation.h"

typedef struct {
    const char *src, *tgt;
    int level, batch, longest;
    double threshold;
    bool swap;
    at_attention_settings look;
} align;

/* clang-format off */
static const at_option options[] = {
    {.name = "src", .letter = 's', OPTION_PATH(align, src), .meta = "FILE", .group = "Input",
     .help = "Sentences, one a line, or feature vectors, .safetensors",
     .example = {"attend align model --src in.txt --tgt out.txt > links",
                 "Links 0-0 1-2 of words, source and target, a line for each pair"}},
    {.name = "tgt", .letter = 't', OPTION_PATH(align, tgt), .meta = "FILE",
     .help = "Their translations, line by line"},
    {.name = "swap", OPTION_FLAG(align, swap),
     .help = "The second side of the pairs is what the model translates from"},
    {.name = "max-length", OPTION_INT(align, longest), .value = "1000", .min = 1, .max = 1 << 20,
     .meta = "N", .help = "Pieces of a line that are read; words behind them have no links"},
    {.name = "batch", OPTION_INT(align, batch), .value = "64", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Lines at a time; changes nothing but the speed"},
    {.name = "level", .letter = 'l', OPTION_CHOICE(align, level), .choices = "word|token",
     .value = "word", .group = "Output", .help = "What is linked"},
    {.name = "threshold", OPTION_REAL(align, threshold), .value = "0", .min = 0, .max = 1,
     .meta = "W", .help = "Link all with so much weight; 0 links the one with most",
     .example = {"attend align model pairs.tsv --threshold 0.2", "Several links of a word"}},
    ATTENTION_OPTIONS(align, look),
    {.name = "overwrite", OPTION_FLAG(align, look.overwrite),
     .help = "Let --attention-out replace a file"},
    {0}};
/* clang-format on */

typedef struct {
    const align *o;
    at_str out;
    at_attention_out attention;
    at_truncation cut;
} work;

static attend_status write_one(void *user, const attend_translation *t, attend_error *err)
{
    work *w = user;
    char *links;
    at_truncation_note(&w->cut, t->cut, t->sources);
    attend_status status = attend_translation_links(t, w->o->level, w->o->threshold, &links, err);
    if (status < 0)
        return status;
    at_str_add(&w->out, links);
    at_str_add(&w->out, "\n");
    attend_free(links);
    status = at_attention_out_add(&w->attention, t->line, t, err);
    return status < 0 ? status : at_cli_flush(&w->out, false, err);
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const align *o = fields;
    work w = {.o = o};
    at_forced forced = {.cli = cli,
                        .from = {operands > 1 ? operand[1] : NULL, o->src, o->tgt, o->swap},
                        .model = operand[0],
                        .batch = o->batch,
                        .longest = o->longest,
                        .links = true,
                        .look = &o->look,
                        .write = write_one,
                        .user = &w,
                        .out = &w.out,
                        .attention = &w.attention};
    attend_status status = at_forced_run(&forced, err);
    if (status >= 0)
        at_truncation_report(&w.cut, cli, "line", "what follows of the source has no links");
    at_attention_out_free(&w.attention);
    at_str_free(&w.out);
    return status;
}

static const at_term examples[] = {
    {"attend align model pairs.tsv --layer 0 > links", "Links by the attention of the first layer"},
    {"attend align model pairs.tsv --attention-out heads.svg --figure heads > links",
     "And draw what each head attends to"},
    {0}};

const at_command at_command_align = {
    .usage = {.name = "align",
              .summary = "Link the words of sentence pairs by a model's attention",
              .operands = "MODEL [PAIRS]",
              .description = "PAIRS is a file of sentence pairs in any of the formats of `attend "
                             "list formats`, in place of --src and --tgt. The model reads a "
                             "sentence and is led through its translation; every word of that is "
                             "linked to the words it looks at. Words are what stands between "
                             "blanks, of Chinese and Japanese without blanks the characters, "
                             "counted from 0.",
              .options = options,
              .examples = examples},
    .size = sizeof(align),
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
