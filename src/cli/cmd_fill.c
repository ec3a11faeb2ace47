/* attend fill: the words that masks stand for. */
#include <math.h>
#include <stdio.h>

#include "base/json_write.h"
#include "cli/attention_out.h"
#include "cli/line_block.h"
#include "cli/models.h"
#include "cli/truncation.h"

enum { WHEN_LONG_CUT, WHEN_LONG_ERROR };

typedef struct {
    int top, max_length, when_long, batch;
    bool json, show;
    at_attention_settings look;
} fill;

/* clang-format off */
static const at_option options[] = {
    {.name = "top", .letter = 'n', OPTION_INT(fill, top), .value = "1", .min = 1, .max = 1 << 16,
     .meta = "N", .group = "Output",
     .help = "Candidates for each mask; above 1 each mask adds a tab and its candidates with their "
             "probabilities (default 1, with --json 5)",
     .example = {"attend fill model --top 5 \"Paris is the [MASK] of France.\"",
                 "The five likeliest words"}},
    {.name = "json", OPTION_FLAG(fill, json),
     .help = "Write an object with the line, its text and the candidates of each mask"},
    {.name = "show", OPTION_FLAG(fill, show), .help = "Draw the attention of each mask"},
    {.name = "attention-out", OPTION_PATH(fill, look.path), .meta = "FILE",
     .help = "Write the weights: .jsonl and .txt have all lines, .png, .svg and .pdf draw the "
             "first"},
    {.name = "overwrite", OPTION_FLAG(fill, look.overwrite),
     .help = "Let --attention-out replace a file"},
    {.name = "max-length", OPTION_INT(fill, max_length), .value = "0", .min = 0, .max = 1 << 20,
     .meta = "N", .group = "Input",
     .help = "Tokens of a line that are read (default 0: as many as the model has positions)"},
    {.name = "when-long", OPTION_CHOICE(fill, when_long), .value = "cut", .choices = "cut|error",
     .help = "What happens with lines of more tokens: cut the rest off, with a warning, or error"},
    {.name = "batch", OPTION_INT(fill, batch), .value = "64", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Lines at a time; changes nothing but the speed"},
    {0}};
/* clang-format on */

typedef struct {
    at_cli *cli;
    const fill *o;
    attend_model *model;
    at_reader in;
    at_attention_out attention;
    size_t before; /* lines before those that are filled */
    at_str out;    /* what is written */
    at_truncation cut;
} work;

/* ---- out ------------------------------------------------------------------------------------ */

static void add_json(work *w, const attend_filled *f)
{
    at_json_out j = {.out = &w->out};
    at_json_object(&j, NULL);
    at_json_int(&j, "line", (long long)(w->before + f->line + 1));
    at_json_string(&j, "text", f->text);
    at_json_array(&j, "masks");
    for (int i = 0; i < f->masks; i++) {
        at_json_object(&j, NULL);
        at_json_int(&j, "position", f->mask[i].position);
        at_json_array(&j, "candidates");
        for (int k = 0; k < f->candidates; k++) {
            at_json_object(&j, NULL);
            at_json_string(&j, "token", f->mask[i].candidate[k].token);
            at_json_int(&j, "id", f->mask[i].candidate[k].id);
            at_json_real(&j, "probability", f->mask[i].candidate[k].probability, 8);
            at_json_end(&j);
        }
        at_json_end(&j);
        at_json_end(&j);
    }
    at_json_end(&j);
    at_json_end(&j);
    at_str_add(&w->out, "\n");
}

static void add_text(work *w, const attend_filled *f)
{
    at_str_add(&w->out, f->text);
    for (int i = 0; w->o->top > 1 && i < f->masks; i++)
        for (int k = 0; k < f->candidates; k++)
            at_str_print(&w->out, "%s%s %.4f", k ? ", " : "\t", f->mask[i].candidate[k].token,
                         f->mask[i].candidate[k].probability);
    at_str_add(&w->out, "\n");
}

/* The figures of translations take it as one: the masks are its targets. */
static attend_status add_attention(work *w, const attend_filled *f, attend_error *err)
{
    size_t n = (size_t)f->masks, S = (size_t)f->tokens;
    at_arena memory = {.first_size = 0};
    const char **target = at_arena_alloc(&memory, n * sizeof *target);
    double *weights = at_arena_alloc(&memory, n * S * sizeof *weights), log_p = 0;
    attend_text_style style = {w->cli->columns, w->cli->utf8, w->cli->color};
    attend_status status = target && weights ? ATTEND_OK : at_error_memory(err);
    for (size_t i = 0; status >= 0 && i < n; i++) {
        target[i] = f->mask[i].candidate[0].token;
        log_p += log(f->mask[i].candidate[0].probability);
        for (size_t k = 0; k < S; k++)
            weights[i * S + k] = f->mask[i].weights[k];
    }
    attend_translation t = {.text = f->text,
                            .score = log_p,
                            .log_p = log_p,
                            .sources = f->tokens,
                            .targets = f->masks,
                            .source = f->token,
                            .target = target,
                            .weights = weights};
    if (status >= 0 && w->o->show)
        status = at_attention_text(&w->out, &t, style, err);
    if (status >= 0)
        status = at_attention_out_add(&w->attention, w->before + f->line, &t, err);
    at_arena_free(&memory);
    return status;
}

static attend_status write_one(void *user, const attend_filled *f, attend_error *err)
{
    work *w = user;
    if (f->cut && w->o->when_long == WHEN_LONG_ERROR)
        return at_error(err, ATTEND_FORMAT,
                        "line %zu has more than %d tokens; shorten it, or choose --when-long cut",
                        w->before + f->line + 1, f->tokens);
    at_truncation_note(&w->cut, f->cut, f->tokens);
    if (w->o->json)
        add_json(w, f);
    else
        add_text(w, f);
    if (f->mask[0].weights)
        return add_attention(w, f, err);
    return at_cli_flush(&w->out, false, err);
}

/* ---- in ------------------------------------------------------------------------------------- */

static attend_status fill_lines(work *w, size_t count, const char *const *line, attend_error *err)
{
    attend_fill_options inside;
    attend_fill_defaults(&inside);
    inside.top = w->o->json && w->o->top == 1 ? inside.top : w->o->top;
    inside.max_length = w->o->max_length;
    inside.batch = w->o->batch;
    inside.attention = w->o->show || w->o->look.path;
    inside.first_line = w->before;
    attend_status status = attend_fill(w->model, &inside, count, line, write_one, w, err);
    attend_error ignored;
    attend_status written = at_cli_flush(&w->out, true, status < 0 ? &ignored : err);
    return status < 0 ? status : written;
}

static attend_status fill_input(work *w, attend_error *err)
{
    at_line_block lines = {.count = 0};
    attend_status status = at_reader_open(&w->in, w->cli, "-", err);
    w->in.no_zeros = w->in.odd.texts = true;
    while (status >= 0 && !lines.ended) {
        status = at_line_block_read(&lines, &w->in, err);
        w->before = lines.before;
        if (status >= 0 && lines.count > 0)
            status = fill_lines(w, lines.count, lines.line, err);
    }
    at_reader_close(&w->in);
    at_line_block_free(&lines);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    work w = {.cli = cli, .o = fields, .in = {.file = -1}, .cut = {.of = "tokens"}};
    attend_status status = at_attention_out_check(&w.o->look, true, err);
    if (status >= 0)
        status = at_cli_model_open(cli, operand[0], ATTEND_CAN_FILL, &w.model, err);
    if (status >= 0)
        status = at_attention_out_open(&w.attention, cli, &w.o->look, err);
    if (status >= 0 && operands > 1)
        status = fill_lines(&w, (size_t)(operands - 1), (const char *const *)(operand + 1), err);
    else if (status >= 0)
        status = fill_input(&w, err);
    if (status >= 0)
        status = at_attention_out_commit(&w.attention, err);
    if (!cli->common.quiet)
        at_truncation_report(&w.cut, cli, "line", "what follows was left out");
    at_attention_out_free(&w.attention);
    at_str_free(&w.out);
    attend_model_free(w.model);
    return status;
}

static const at_term examples[] = {
    {"attend fill model \"Paris is the [MASK] of France.\"", "The likeliest word"},
    {"attend fill model --json < texts.txt > filled.jsonl", "Candidates for all masks of a file"},
    {0}};

const at_command at_command_fill = {
    .usage = {.name = "fill",
              .summary = "Predict the masked words of texts",
              .operands = "MODEL [TEXT]...",
              .description = "MODEL is a folder of BERT, RoBERTa or DistilBERT with a head for "
                             "masked words, as on the Hugging Face hub or made by `attend "
                             "pretrain`. The mask is written as in its vocabulary: [MASK], or "
                             "<mask>. Without TEXT, lines come from standard input.",
              .options = options,
              .examples = examples},
    .size = sizeof(fill),
    .min_operands = 1,
    .max_operands = 100,
    .run = run,
};
