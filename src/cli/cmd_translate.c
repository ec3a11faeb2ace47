/* attend translate: lines in, translations out, and which piece looked at which. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/cli.h"

typedef struct {
    int beam, nbest, rule, no_repeat, longest, most, batch;
    double penalty, coverage;
    bool alignment, show, score;
    const char *attention_out;
} translate;

static const at_option options[] = {
    {.name = "beam", .letter = 'b', OPTION_INT(translate, beam), .value = "5", .min = 1,
     .max = 1000, .meta = "N", .group = "Search",
     .help = "Hypotheses that are followed; 1 is greedy",
     .example = {"attend translate model --beam 1 < in > out", "Greedy, the fastest"}},
    {.name = "length-rule", OPTION_CHOICE(translate, rule), .choices = "none|average|wu",
     .value = "average", .help = "How hypotheses of different length are compared"},
    {.name = "penalty", OPTION_REAL(translate, penalty), .value = "1", .min = -10, .max = 10,
     .meta = "A", .help = "Of that rule: above 1 likes longer ones"},
    {.name = "coverage", OPTION_REAL(translate, coverage), .value = "0", .min = 0, .max = 10,
     .meta = "B", .help = "Punish what of the source was not looked at; 0 is off"},
    {.name = "ngram-once", OPTION_INT(translate, no_repeat), .value = "0", .min = 0, .max = 100,
     .meta = "N", .help = "Let no N pieces in a row come twice"},
    {.name = "longest", OPTION_INT(translate, longest), .value = "200", .min = 1, .max = 1 << 20,
     .meta = "N", .help = "Pieces of a line that are read; the rest is left out, with a warning"},
    {.name = "most", OPTION_INT(translate, most), .value = "0", .min = 0, .max = 1 << 20,
     .meta = "N", .help = "Pieces of a translation; 0 is three for each of the source, and ten"},
    {.name = "batch", OPTION_INT(translate, batch), .value = "64", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Lines at a time; changes nothing but the speed"},
    {.name = "nbest", .letter = 'n', OPTION_INT(translate, nbest), .value = "1", .min = 1,
     .max = 1000, .meta = "N", .group = "Output",
     .help = "Several hypotheses of each line, as Moses writes them",
     .example = {"attend translate model --nbest 5 < in", "Line ||| hypothesis ||| score"}},
    {.name = "score", OPTION_FLAG(translate, score),
     .help = "Write the log-probability before each translation, and a tab"},
    {.name = "alignment", .letter = 'a', OPTION_FLAG(translate, alignment),
     .help = "Write a tab and which pieces belong together: 0-0 1-2, source and target"},
    {.name = "show", OPTION_FLAG(translate, show),
     .help = "Draw the attention of each line",
     .example = {"echo 'ein Mann .' | attend translate model --show", "See what looked at what"}},
    {.name = "attention-out", OPTION_PATH(translate, attention_out), .meta = "FILE",
     .help = "Write the weights: .jsonl has all lines, .png, .svg and .pdf draw the first"},
    {0}};

typedef struct {
    at_cli *cli;
    const translate *o;
    at_str out, weights; /* weights: lines of JSON */
    size_t before;       /* lines of earlier blocks */
    bool drawn;
    long cut;
} writer;

/* ---- attention ------------------------------------------------------------------------------ */

static attend_heat_map map_of(const attend_translation *t)
{
    return (attend_heat_map){.rows = t->targets,
                             .columns = t->sources,
                             .weights = t->weights,
                             .row_labels = t->target,
                             .column_labels = t->source,
                             .high = 1};
}

static void add_alignment(at_str *out, const attend_translation *t)
{
    const char *space = "\t";
    for (int i = 0; i + 1 < t->targets; i++) {
        int best = 0;
        for (int j = 1; j + 1 < t->sources; j++)
            if (t->weights[i * t->sources + j] > t->weights[i * t->sources + best])
                best = j;
        at_str_print(out, "%s%d-%d", space, best, i);
        space = " ";
    }
}

static void add_texts(at_str *out, const char *name, int n, const char *const *text)
{
    at_str_print(out, ", \"%s\": [", name);
    for (int i = 0; i < n; i++) {
        at_str_add(out, i ? ", " : "");
        at_str_add_json(out, text[i]);
    }
    at_str_add(out, "]");
}

static void add_json(at_str *out, size_t line, const attend_translation *t)
{
    at_str_print(out, "{\"line\": %zu, \"rank\": %d, \"score\": %.9g, \"text\": ", line, t->rank,
                 t->score);
    at_str_add_json(out, t->text);
    add_texts(out, "source", t->sources, t->source);
    add_texts(out, "target", t->targets, t->target);
    at_str_add(out, ", \"weights\": [");
    for (int i = 0; i < t->targets; i++) {
        at_str_add(out, i ? ", [" : "[");
        for (int j = 0; j < t->sources; j++)
            at_str_print(out, "%s%.6g", j ? ", " : "", t->weights[i * t->sources + j]);
        at_str_add(out, "]");
    }
    at_str_add(out, "]}\n");
}

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

static attend_status draw(writer *w, const attend_translation *t, attend_error *err)
{
    attend_heat_map map = map_of(t);
    attend_panel panel = {.heat_map = &map};
    attend_figure figure = {.count = 1, .panels = &panel};
    w->drawn = true;
    return attend_figure_save(&figure, w->o->attention_out, err);
}

static attend_status show(writer *w, const attend_translation *t, attend_error *err)
{
    attend_heat_map map = map_of(t);
    attend_text_style style = {w->cli->columns, w->cli->utf8, w->cli->color};
    char *text;
    attend_status status = attend_heat_map_text(&map, &style, &text, err);
    if (status >= 0) {
        at_str_add(&w->out, text);
        at_str_add(&w->out, "\n");
        attend_text_free(text);
    }
    return status;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static attend_status write_one(void *user, const attend_translation *t, attend_error *err)
{
    writer *w = user;
    const translate *o = w->o;
    w->cut += t->cut && t->rank == 0;
    if (o->nbest > 1)
        at_str_print(&w->out, "%zu ||| %s ||| %.6f", w->before + t->line, t->text, t->score);
    else if (o->score)
        at_str_print(&w->out, "%.6f\t%s", t->log_p, t->text);
    else
        at_str_add(&w->out, t->text);
    if (o->alignment && t->weights)
        add_alignment(&w->out, t);
    at_str_add(&w->out, "\n");
    attend_status status = ATTEND_OK;
    if (t->weights && o->show)
        status = show(w, t, err);
    if (!t->weights || !o->attention_out)
        return status;
    if (ends_in(o->attention_out, ".jsonl"))
        add_json(&w->weights, w->before + t->line, t);
    else if (status >= 0 && !w->drawn)
        status = draw(w, t, err);
    return status;
}

/* Lines of standard input, a block at a time: one line where somebody is typing. */
static attend_status read_block(at_str *text, size_t *count, bool *ended, attend_error *err)
{
    enum { BLOCK = 4096 };
    size_t most = isatty(STDIN_FILENO) ? 1 : BLOCK, room = 0;
    char *line = NULL;
    at_str_clear(text);
    for (*count = 0; *count < most;) {
        ssize_t n = getline(&line, &room, stdin);
        if (n < 0) {
            *ended = true;
            break;
        }
        if (memchr(line, 0, (size_t)n)) {
            free(line);
            return at_error(err, ATTEND_FORMAT, "standard input: a zero byte; is this text?");
        }
        n -= n > 0 && line[n - 1] == '\n';
        n -= n > 0 && line[n - 1] == '\r';
        at_str_add_bytes(text, line, (size_t)n);
        at_str_add_bytes(text, "", 1);
        ++*count;
    }
    free(line);
    if (ferror(stdin))
        return at_error(err, ATTEND_FILE, "standard input: %s", strerror(errno));
    return text->failed ? at_error(err, ATTEND_MEMORY, "out of memory") : ATTEND_OK;
}

static attend_status translate_block(writer *w, attend_translator *t,
                                     const attend_translate_options *o, const at_str *text,
                                     size_t count, attend_error *err)
{
    const char **line = at_alloc((count ? count : 1) * sizeof *line);
    if (!line)
        return at_error(err, ATTEND_MEMORY, "out of memory");
    const char *at = at_str_text(text);
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
        line[i] = at;
    attend_status status = attend_translate(t, o, count, line, write_one, w, err);
    at_free(line);
    if (status >= 0)
        status = at_cli_write(&w->out, err);
    w->out = (at_str){0};
    w->before += count;
    return status;
}

static attend_status save_weights(writer *w, attend_error *err)
{
    at_writer *file;
    attend_status status = at_writer_open(&file, w->o->attention_out, err);
    if (status < 0)
        return status;
    at_writer_write(file, at_str_text(&w->weights), w->weights.length);
    return at_writer_commit(file, err);
}

static attend_status check(const translate *o, attend_error *err)
{
    if (o->nbest > o->beam)
        return at_error(err, ATTEND_OPTION,
                        "--nbest %d: a beam of %d has no more than %d; --beam makes it wider",
                        o->nbest, o->beam, o->beam);
    if (o->attention_out && !ends_in(o->attention_out, ".jsonl"))
        return attend_figure_check_path(o->attention_out, err);
    return ATTEND_OK;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const translate *o = fields;
    attend_translate_options inside;
    attend_translator *t = NULL;
    writer w = {.cli = cli, .o = o};
    at_str text = {0};
    bool ended = false;
    (void)operands;
    attend_translate_defaults(&inside);
    inside.beam = o->beam;
    inside.best = o->nbest;
    inside.rule = o->rule;
    inside.penalty = o->penalty;
    inside.coverage = o->coverage;
    inside.no_repeat = o->no_repeat;
    inside.longest = o->longest;
    inside.most = o->most;
    inside.batch = o->batch;
    inside.attention = o->alignment || o->show || o->attention_out;
    attend_status status = check(o, err);
    cli->input = operand[0];
    if (status >= 0)
        status = attend_translator_open(operand[0], &t, err);
    cli->input = status < 0 ? cli->input : NULL;
    while (status >= 0 && !ended) {
        size_t count;
        status = read_block(&text, &count, &ended, err);
        if (status >= 0 && count > 0)
            status = translate_block(&w, t, &inside, &text, count, err);
    }
    if (status >= 0 && w.weights.length)
        status = save_weights(&w, err);
    if (w.cut && status >= 0)
        fprintf(stderr, "attend translate: %ld lines have more than %d pieces; what follows was "
                "left out\n", w.cut, o->longest);
    at_str_free(&text);
    at_str_free(&w.weights);
    attend_translator_free(t);
    return status;
}

static const at_term examples[] = {
    {"attend translate model < source.txt > target.txt", "A line for each line"}, {0}};

const at_command at_command_translate = {
    .usage = {.name = "translate",
              .summary = "Translate lines of standard input",
              .operands = "MODEL",
              .options = options,
              .examples = examples},
    .size = sizeof(translate),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
