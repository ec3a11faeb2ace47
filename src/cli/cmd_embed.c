/* attend embed: lines in, a vector for each out. */
#include <stdio.h>

#include "base/number.h"
#include "cli/line_block.h"
#include "cli/models.h"
#include "cli/truncation.h"

enum { WHEN_LONG_CUT, WHEN_LONG_ERROR };

typedef struct {
    const char *pooling;
    int normalize; /* 0 as the folder says, 1 yes, 2 no */
    bool json;
    int max_length, when_long, batch;
} embed;

/* clang-format off */
static const at_option options[] = {
    {.name = "pooling", OPTION_STRING(embed, pooling), .meta = "NAME,NAME", .group = "Vectors",
     .help = "How the states of the tokens become a vector: cls, max, mean or mean_sqrt_len; "
             "several are joined (default: as the model's folder says)",
     .example = {"attend embed model --pooling mean --normalize yes < in > out",
                 "Sentence vectors"}},
    {.name = "normalize", OPTION_CHOICE(embed, normalize), .value = "auto",
     .choices = "auto|yes|no",
     .help = "Scale vectors to length 1: yes, no, or auto as the model's folder says"},
    {.name = "json", OPTION_FLAG(embed, json), .group = "Output",
     .help = "Write an object with the line, its tokens and its vector, not the vector alone"},
    {.name = "max-length", OPTION_INT(embed, max_length), .value = "0", .min = 0, .max = 1 << 20,
     .meta = "N", .group = "Input",
     .help = "Tokens of a line that are read (default 0: as the model's folder says)"},
    {.name = "when-long", OPTION_CHOICE(embed, when_long), .value = "cut", .choices = "cut|error",
     .help = "What happens with lines of more tokens: cut the rest off, with a warning, or error"},
    {.name = "batch", OPTION_INT(embed, batch), .value = "64", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Lines at a time; changes nothing but the speed"},
    {0}};
/* clang-format on */

typedef struct {
    at_cli *cli;
    const embed *o;
    attend_model *model;
    at_reader in;
    at_line_block lines;
    at_str out; /* what is written */
    at_truncation cut;
} work;

/* ---- out ------------------------------------------------------------------------------------ */

static void add_vector(at_str *out, const attend_embedded *e)
{
    char number[64];
    for (int i = 0; i < e->width; i++) {
        at_str_add(out, i ? ", " : "[");
        at_str_add(out, at_number_print_real(number, (double)e->vector[i]));
    }
    at_str_add(out, "]");
}

static attend_status write_one(void *user, const attend_embedded *e, attend_error *err)
{
    work *w = user;
    if (e->cut && w->o->when_long == WHEN_LONG_ERROR)
        return at_error(err, ATTEND_FORMAT,
                        "line %zu has more than %d tokens; shorten it, or choose --when-long cut",
                        w->lines.before + e->line + 1, e->tokens);
    at_truncation_note(&w->cut, e->cut, e->tokens);
    if (w->o->json)
        at_str_print(&w->out, "{\"line\": %zu, \"tokens\": %d, \"embedding\": ",
                     w->lines.before + e->line + 1, e->tokens);
    add_vector(&w->out, e);
    at_str_add(&w->out, w->o->json ? "}\n" : "\n");
    return at_cli_flush(&w->out, false, err);
}

/* ---- in ------------------------------------------------------------------------------------- */

static attend_status embed_block(work *w, attend_error *err)
{
    static const int normalize[] = {-1, 1, 0};
    attend_embed_options inside;
    attend_embed_defaults(&inside);
    inside.pooling = w->o->pooling;
    inside.normalize = normalize[w->o->normalize];
    inside.max_length = w->o->max_length;
    inside.batch = w->o->batch;
    attend_status status = attend_embed(w->model, &inside, w->lines.count, w->lines.line, write_one,
                                        w, err);
    return status < 0 ? status : at_cli_flush(&w->out, true, err);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    work w = {.cli = cli, .o = fields, .in = {.file = -1}, .cut = {.of = "tokens"}};
    (void)operands;
    attend_status status = at_cli_model_open(cli, operand[0], ATTEND_CAN_EMBED, &w.model, err);
    if (status >= 0)
        status = at_reader_open(&w.in, cli, "-", err);
    w.in.no_zeros = w.in.odd.texts = true;
    while (status >= 0 && !w.lines.ended) {
        status = at_line_block_read(&w.lines, &w.in, err);
        if (status >= 0)
            status = embed_block(&w, err);
    }
    if (!cli->common.quiet)
        at_truncation_report(&w.cut, cli, "line", "what follows was left out");
    at_reader_close(&w.in);
    at_line_block_free(&w.lines);
    at_str_free(&w.out);
    attend_model_free(w.model);
    return status;
}

static const at_term examples[] = {
    {"attend embed model < texts.txt > vectors.jsonl", "A vector for each line"}, {0}};

const at_command at_command_embed = {
    .usage = {.name = "embed",
              .summary = "Compute the vector of each line of standard input",
              .operands = "MODEL",
              .description = "MODEL is a folder of BERT, RoBERTa, DistilBERT or "
                             "sentence-transformers, as on the Hugging Face hub or made by `attend "
                             "train`. A vector is a JSON array of numbers on a line of its own.",
              .options = options,
              .examples = examples},
    .size = sizeof(embed),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
