/* attend point: lines of items in, those that a pointer network points to out. */
#include <string.h>

#include "cli/models.h"
#include "cli/stream.h"

typedef struct {
    bool places, score, repeat;
} point;

static const at_option options[] = {
    {.name = "places",
     OPTION_FLAG(point, places),
     .group = "Output",
     .help = "Write places in the line, from 0 on, instead of the items there",
     .example = {"attend point model --places < in", "Which items, not what they are"}},
    {.name = "score",
     OPTION_FLAG(point, score),
     .help = "Write the logarithm of the probability and a tab before each line"},
    {.name = "repeat",
     OPTION_FLAG(point, repeat),
     .help = "An item may be pointed to more than once"},
    {0}};

typedef struct {
    const point *o;
    attend_model *model;
    at_reader in;
    at_str out;
} work;

/* the n-th item of a line that has as many */
static void add_item(at_str *out, const char *text, size_t size, int n)
{
    size_t at = 0, begin = 0;
    for (int i = 0; i <= n; i++) {
        while (at < size && text[at] == ' ')
            at++;
        begin = at;
        while (at < size && text[at] != ' ')
            at++;
    }
    at_str_add_bytes(out, text + begin, at - begin);
}

static attend_status point_line(work *w, const char *text, size_t size, attend_error *err)
{
    attend_error why;
    int *places, count;
    double log_p;
    attend_status status = attend_point(w->model, text, size, w->o->repeat, &places, &count, &log_p,
                                        &why);
    if (status < 0)
        return at_error(err, status, "%s:%ld: %s", w->in.name, w->in.line, why.message);
    if (w->o->score)
        at_str_print(&w->out, "%.6f\t", log_p);
    for (int i = 0; i < count; i++) {
        at_str_add(&w->out, i ? " " : "");
        if (w->o->places)
            at_str_print(&w->out, "%d", places[i]);
        else
            add_item(&w->out, text, size, places[i]);
    }
    at_str_add(&w->out, "\n");
    attend_free(places);
    return at_cli_flush(&w->out, !at_reader_ready(&w->in), err);
}

static attend_status point_lines(work *w, attend_error *err)
{
    attend_status status = ATTEND_OK;
    const char *text;
    size_t size;
    int got = 1;
    while (status >= 0 && !at_cli_signal() && (got = at_reader_next(&w->in, &text, &size, err)) > 0)
        status = point_line(w, text, size, err);
    if (status >= 0 && got < 0)
        status = (attend_status)got;
    return status < 0 ? status : at_cli_flush(&w->out, true, err);
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    work w = {.o = fields};
    attend_status status = at_cli_model_open(cli, operand[0], ATTEND_CAN_POINT, &w.model, err);
    if (status >= 0)
        status = at_reader_open(&w.in, cli, operands > 1 ? operand[1] : "-", err);
    if (status >= 0)
        status = point_lines(&w, err);
    at_reader_close(&w.in);
    at_str_free(&w.out);
    attend_model_free(w.model);
    return status;
}

static const at_term examples[] = {
    {"attend data make sort --count 20000 > sort.tsv", "Numbers, and the same in order"},
    {"attend train --preset pointer-net --data sort.tsv --out model", "Learns to sort"},
    {"echo 31 4 15 92 65 | attend point model", "4 15 31 65 92"},
    {0}};

const at_command at_command_point = {
    .usage = {.name = "point",
              .summary = "Point to items of the input with a pointer network",
              .operands = "MODEL [FILE]",
              .description = "MODEL is the folder that `attend train --preset pointer-net` has "
                             "made. A line of FILE, or of standard input, has items with blanks "
                             "between them; an item is a number, or several with commas between "
                             "them.",
              .options = options,
              .examples = examples},
    .size = sizeof(point),
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
