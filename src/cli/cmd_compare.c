/* attend compare: several mechanisms trained on the same data, in one table. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attend_data.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/compared.h"
#include "cli/compared_reuse.h"

typedef struct {
    const char *presets, *out, *data, *src, *tgt, *swap, *valid, *valid_tgt, *test, *test_tgt;
    const char *gold, *figure;
    const char *config, *tokenizer, *vocabulary, *min_count, *lower, *pretokenised;
    const char *epochs, *steps, *batch, *hidden, *embedding, *layers, *dropout, *lr, *patience,
        *seed;
    int beam, gold_base, tokenize;
    bool json, markdown, overwrite;
} compare;

#define TOKENIZATIONS "auto|13a|intl|zh|char|none"

/* clang-format off */
static const at_option options[] = {
    {.name = "presets", .letter = 'p', OPTION_STRING(compare, presets), .meta = "NAMES",
     .value = "rnn-encdec,bahdanau,luong", .group = "Comparison",
     .help = "Presets with commas between them; PRESET+NAME=VALUE changes a setting of one",
     .example = {"attend compare --data pairs.tsv --out new --presets luong,luong+attention=dot",
                 "Two scores of one model"}},
    {.name = "out", .letter = 'o', OPTION_PATH(compare, out), .meta = "FOLDER",
     .help = "Where models and results go; what is there already is not done again"},
    {.name = "overwrite", OPTION_FLAG(compare, overwrite),
     .help = "Train anew what is there already, with other settings or data"},
    {.name = "beam", .letter = 'b', OPTION_INT(compare, beam), .value = "1", .min = 1, .max = 1000,
     .meta = "N", .help = "Hypotheses that are followed; 1 is greedy"},
    {.name = "tokenize", OPTION_CHOICE(compare, tokenize), .choices = TOKENIZATIONS,
     .value = "auto",
     .help = "How BLEU cuts words; auto is 13a, of Chinese zh, of Japanese char, and none where "
             "words were cut before"},
    {.name = "figure", OPTION_PATH(compare, figure), .meta = "FILE",
     .help = "Draw BLEU by length and against speed here, too: .png, .svg or .pdf"},
    {.name = "json", OPTION_FLAG(compare, json), .help = "Write JSON"},
    {.name = "markdown", OPTION_FLAG(compare, markdown), .help = "Write tables of Markdown"},

    {.name = "data", OPTION_PATH(compare, data), .meta = "FILE", .group = "Data",
     .help = "Sentence pairs: a table with tabs, JSONL, or a .zip or .gz of them"},
    {.name = "src", OPTION_PATH(compare, src), .meta = "FILE",
     .help = "Source sentences, one a line; --tgt has their translations"},
    {.name = "tgt", OPTION_PATH(compare, tgt), .meta = "FILE",
     .help = "Translations of --src, line by line"},
    {.name = "swap", .type = ATTEND_OPTION_SWITCH, .offset = offsetof(compare, swap),
     .help = "Translate from the second side to the first"},
    {.name = "valid", OPTION_STRING(compare, valid), .meta = "SHARE|FILE",
     .help = "What the runs are judged by (2%)"},
    {.name = "valid-tgt", OPTION_PATH(compare, valid_tgt), .meta = "FILE",
     .help = "Translations of --valid, where that is a file of sources"},
    {.name = "test", OPTION_STRING(compare, test), .value = "5%", .meta = "SHARE|FILE",
     .help = "What the models are compared on: pairs that training does not see"},
    {.name = "test-tgt", OPTION_PATH(compare, test_tgt), .meta = "FILE",
     .help = "Translations of --test, where that is a file of sources"},
    {.name = "gold", OPTION_PATH(compare, gold), .meta = "FILE",
     .help = "Links of the words of --test, as 1-1 2p3, for the alignment error rate"},
    {.name = "gold-base", OPTION_INT(compare, gold_base), .value = "1", .min = 0, .max = 1,
     .meta = "N", .help = "The number of the first word in these"},

    {.name = "config", OPTION_PATH(compare, config), .meta = "FILE",
     .group = "Training, as of train",
     .help = "Settings in YAML: those of `attend train --dump-config`"},
    {.name = "tokenizer", OPTION_STRING(compare, tokenizer), .meta = "KIND",
     .help = "How text is cut"},
    {.name = "vocabulary", OPTION_STRING(compare, vocabulary), .meta = "N",
     .help = "Pieces on each side at most"},
    {.name = "min-count", OPTION_STRING(compare, min_count), .meta = "N",
     .help = "Words that come less often are unknown"},
    {.name = "lower", .type = ATTEND_OPTION_SWITCH, .offset = offsetof(compare, lower),
     .help = "Write everything small"},
    {.name = "pretokenised", OPTION_STRING(compare, pretokenised), .meta = "WHETHER",
     .help = "Whether spaces separate all words already: auto, no or yes"},
    {.name = "epochs", OPTION_STRING(compare, epochs), .meta = "N", .help = "Times over the data"},
    {.name = "steps", OPTION_STRING(compare, steps), .meta = "N", .help = "Updates at most"},
    {.name = "batch", OPTION_STRING(compare, batch), .meta = "N", .help = "Sentences in a step"},
    {.name = "hidden", OPTION_STRING(compare, hidden), .meta = "N", .help = "Width of states"},
    {.name = "embedding", OPTION_STRING(compare, embedding), .meta = "N", .help = "Width of words"},
    {.name = "layers", OPTION_STRING(compare, layers), .meta = "N",
     .help = "Layers of encoder and decoder"},
    {.name = "dropout", OPTION_STRING(compare, dropout), .meta = "P",
     .help = "Share of numbers that training leaves out"},
    {.name = "lr", OPTION_STRING(compare, lr), .meta = "R", .help = "Learning rate"},
    {.name = "patience", OPTION_STRING(compare, patience), .meta = "N",
     .help = "Validations without a better one that end a run"},
    {.name = "seed", OPTION_STRING(compare, seed), .meta = "N", .help = "Of all random numbers"},
    {0}};
/* clang-format on */

typedef struct {
    at_cli *cli;
    const compare *o;
    at_comparing with;
    at_sentence_pairs test;
    at_lines gold;
    char *train_file, *valid_file, *test_file; /* of a split that was made here */
    char threads[16], measured[64];
    json_t *data;
    int count;
    at_compared all[ATTEND_COMPARED_MOST];
    char *names;
} work;

static void set(work *w, const char *name, const char *value)
{
    if (value)
        w->with.setting[w->with.count++] = (attend_setting){name, value};
}

/* ---- data ----------------------------------------------------------------------------------- */

/* a number, or a share: "5%", "0.05", "200" */
static bool is_share(const char *text)
{
    size_t n = strspn(text, "0123456789.");
    return n > 0 && (text[n] == '\0' || strcmp(text + n, "%") == 0) && !at_file_exists(text);
}

static attend_status know_data(work *w, attend_error *err)
{
    const compare *o = w->o;
    const attend_setting parts[] = {{"data", o->data},
                                    {"src", o->src},
                                    {"tgt", o->tgt},
                                    {"valid", o->valid ? o->valid : "2%"},
                                    {"valid-tgt", o->valid_tgt},
                                    {"test", o->test},
                                    {"test-tgt", o->test_tgt}};
    return at_compared_data(&w->data, parts, sizeof parts / sizeof *parts, err);
}

/* Makes OUT/data/train.tsv, valid.tsv and test.tsv; OUT/data.json, what they are from, goes first:
 * parts that are there without it are of nothing that is known. */
static attend_status make_parts(work *w, const char *record, const char *folder, attend_error *err)
{
    const compare *o = w->o;
    const char *from = o->data ? o->data : o->src;
    bool own = !o->valid || is_share(o->valid);
    attend_data_options data;
    attend_data_defaults(&data);
    data.target = o->data ? NULL : o->tgt;
    data.to = "pairs";
    w->cli->input = from;
    if (access(from, R_OK) < 0) /* what is there from before stays */
        return at_file_fail(err, from, "cannot open");
    unlink(w->test_file);
    attend_status status = at_folder_make(folder, err);
    if (status >= 0)
        status = at_json_save(record, w->data, err);
    if (status >= 0)
        status = attend_data_split(&from, 1, folder,
                                   !own       ? NULL
                                   : o->valid ? o->valid
                                              : "2%",
                                   o->test, &data, NULL, err);
    w->cli->input = status < 0 ? w->cli->input : NULL;
    if (status >= 0 && !at_file_exists(w->test_file))
        status = at_error(err, ATTEND_FORMAT, "--test %s is no pair of %s; ask for more", o->test,
                          at_show(from).text);
    if (status < 0)
        unlink(record);
    return status;
}

/* the parts of the data; made once, and anew from other data only when asked to */
static attend_status split(work *w, attend_error *err)
{
    const char *out = w->o->out;
    char *folder = at_file_join(out, "data"), *record = at_file_join(out, "data.json");
    attend_status status = folder && record ? ATTEND_OK : at_error_memory(err);
    if (status >= 0) {
        w->train_file = at_file_join(folder, "train.tsv");
        w->valid_file = at_file_join(folder, "valid.tsv");
        w->test_file = at_file_join(folder, "test.tsv");
        if (!w->train_file || !w->valid_file || !w->test_file)
            status = at_error_memory(err);
    }
    bool there = status >= 0 && !w->o->overwrite && at_file_exists(w->train_file)
                 && at_file_exists(w->test_file);
    if (status >= 0)
        status = there ? at_compared_check_data(w->data, record, at_show(out).text, err)
                       : make_parts(w, record, folder, err);
    at_free(folder);
    at_free(record);
    return status;
}

static attend_status take_data(work *w, attend_error *err)
{
    enum { FEW = 200 };
    const compare *o = w->o;
    bool swap = o->swap && strcmp(o->swap, "yes") == 0;
    attend_status status = know_data(w, err);
    if (status < 0)
        return status;
    if (is_share(o->test)) {
        bool own = !o->valid || is_share(o->valid);
        if ((status = split(w, err)) < 0)
            return status;
        set(w, "data", w->train_file);
        set(w, "valid", own ? w->valid_file : o->valid);
    } else {
        set(w, "data", o->data);
        set(w, "src", o->src);
        set(w, "tgt", o->tgt);
        set(w, "valid", o->valid ? o->valid : "2%");
    }
    set(w, "valid-tgt", o->valid_tgt);
    set(w, "swap", o->swap);
    at_sentence_pairs_from from = {.data = w->test_file, .swap = swap};
    if (!w->test_file)
        from = o->test_tgt ? (at_sentence_pairs_from){NULL, o->test, o->test_tgt, swap}
                           : (at_sentence_pairs_from){o->test, NULL, NULL, swap};
    if ((status = at_sentence_pairs_read(&w->test, w->cli, &from, err)) < 0)
        return status;
    if (w->test.count < FEW)
        at_log(ATTEND_LOG_WARNING,
               "%zu pairs to compare on are few: a few points mean nothing; --test takes more",
               w->test.count);
    if (!o->gold)
        return ATTEND_OK;
    if ((status = at_lines_read(&w->gold, w->cli, o->gold, err)) < 0)
        return status;
    if (w->gold.lines.count != w->test.count)
        return at_error(err, ATTEND_FORMAT, "%s has %zu lines, and the test %zu pairs",
                        at_show(o->gold).text, w->gold.lines.count, w->test.count);
    return ATTEND_OK;
}

/* ---- mechanisms ----------------------------------------------------------------------------- */

/* a name that a folder can have: what is no letter, digit, '-', '+', '=', ',' or '.' becomes '_' */
static char *folder_name(const char *out, const char *name)
{
    char plain[200];
    size_t n = strlen(name) < sizeof plain ? strlen(name) : sizeof plain - 1;
    for (size_t i = 0; i < n; i++)
        plain[i] = strchr("/:\\ ", name[i]) ? '_' : name[i];
    plain[n] = '\0';
    return at_file_join(out, plain);
}

static attend_status take_names(work *w, attend_error *err)
{
    w->names = at_strdup(w->o->presets);
    if (!w->names)
        return at_error_memory(err);
    char *rest = w->names;
    for (char *name; (name = strsep(&rest, ","));) {
        if (*name == '\0')
            continue;
        if (w->count == ATTEND_COMPARED_MOST)
            return at_error(err, ATTEND_OPTION, "at most %d are compared", ATTEND_COMPARED_MOST);
        at_compared *c = &w->all[w->count++];
        c->name = name;
        if (!(c->folder = folder_name(w->o->out, name)))
            return at_error_memory(err);
        for (const at_compared *other = w->all; other < c; other++)
            if (strcmp(other->folder, c->folder) == 0)
                return at_error(err, ATTEND_OPTION,
                                "--presets has %s twice; leave one of them out, or change it: "
                                "%s+seed=2",
                                at_show(name).text, at_show(name).text);
    }
    return w->count ? ATTEND_OK : at_error(err, ATTEND_OPTION, "--presets names nothing");
}

static void take_settings(work *w)
{
    const compare *o = w->o;
    set(w, "config", o->config);
    set(w, "tokenizer", o->tokenizer);
    set(w, "vocabulary", o->vocabulary);
    set(w, "min-count", o->min_count);
    set(w, "lower", o->lower);
    set(w, "pretokenised", o->pretokenised);
    set(w, "epochs", o->epochs);
    set(w, "steps", o->steps);
    set(w, "batch", o->batch);
    set(w, "hidden", o->hidden);
    set(w, "embedding", o->embedding);
    set(w, "layers", o->layers);
    set(w, "dropout", o->dropout);
    set(w, "lr", o->lr);
    set(w, "patience", o->patience);
    set(w, "seed", o->seed);
    snprintf(w->threads, sizeof w->threads, "%d", w->cli->common.threads);
    set(w, "threads", w->cli->common.threads ? w->threads : NULL);
}

/* how the models are measured: results of other ways are not used */
static attend_status take_measure(work *w, attend_error *err)
{
    static const char *const tokenizations[] = {NULL, "13a", "intl", "zh", "char", "none"};
    char print[17] = "";
    attend_status status = w->o->gold ? at_file_print(print, w->o->gold, err) : ATTEND_OK;
    w->with.test = &w->test;
    w->with.gold = w->o->gold ? w->gold.lines.line : NULL;
    w->with.gold_name = w->o->gold;
    w->with.gold_base = w->o->gold_base;
    w->with.beam = w->o->beam;
    w->with.tokenize = tokenizations[w->o->tokenize];
    const char *way = w->with.tokenize ? w->with.tokenize : "auto";
    snprintf(w->measured, sizeof w->measured, "%s", way);
    if (w->o->gold)
        snprintf(w->measured, sizeof w->measured, "%s %d %s", way, w->o->gold_base, print);
    w->with.measured = w->measured;
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static attend_status check_out(const char *out, attend_error *err)
{
    char *config = at_file_join(out, "config.json");
    bool model = config && at_file_exists(config);
    at_free(config);
    return model ? at_error(err, ATTEND_OPTION,
                            "--out %s: it is the folder of a model; choose another, for all models",
                            at_show(out).text)
                 : ATTEND_OK;
}

static attend_status check(const compare *o, attend_error *err)
{
    if (!o->out)
        return at_error(err, ATTEND_OPTION, "--out FOLDER is missing: where models and results go");
    if (o->data ? o->src || o->tgt : !o->src || !o->tgt)
        return at_error(err, ATTEND_OPTION,
                        "what to learn from is --data FILE, or --src FILE and --tgt FILE");
    if (o->json && o->markdown)
        return at_error(err, ATTEND_OPTION, "--json and --markdown: one of them");
    if (o->gold && is_share(o->test))
        return at_error(err, ATTEND_OPTION, "--gold needs --test FILE, whose words it links");
    attend_status status = check_out(o->out, err);
    return status >= 0 && o->figure ? attend_figure_check_path(o->figure, err) : status;
}

/* OUT/compared.md, and OUT/compared.svg where figures can be drawn */
static attend_status keep(const work *w, attend_error *err)
{
    char *table = at_file_join(w->o->out, "compared.md");
    char *figure = at_file_join(w->o->out, "compared.svg");
    at_str text = {0};
    at_compared_tables(&text, w->all, w->count, ATTEND_TABLE_MARKDOWN, 0);
    attend_status status = figure ? at_file_write(table, &text, err) : at_error_memory(err);
    if (status >= 0 && at_compared_draw(w->all, w->count, figure, err) < 0)
        fprintf(stderr, "attend compare: no figure: %s\n", err->message);
    at_str_free(&text);
    at_free(table);
    at_free(figure);
    return status;
}

static attend_status report(const work *w, attend_error *err)
{
    at_str out = {0};
    if (w->o->json)
        at_compared_json(&out, w->all, w->count);
    else
        at_compared_tables(&out, w->all, w->count,
                           w->o->markdown ? ATTEND_TABLE_MARKDOWN : ATTEND_TABLE_TEXT,
                           w->cli->columns);
    attend_status status = keep(w, err);
    if (status >= 0 && w->o->figure)
        status = at_compared_draw(w->all, w->count, w->o->figure, err);
    if (status >= 0)
        status = at_cli_write(&out, err);
    if (status >= 0 && !w->cli->common.quiet)
        fprintf(stderr, "attend compare: %s has this as compared.md and compared.svg\n",
                at_show(w->o->out).text);
    at_str_free(&out);
    return status;
}

/* mechanisms, settings and data */
static attend_status take_all(work *w, attend_error *err)
{
    attend_status status = take_names(w, err);
    if (status < 0)
        return status;
    take_settings(w);
    for (int i = 0; i < w->count; i++)
        if ((status = at_compared_understand(&w->all[i], &w->with, err)) < 0)
            return status;
    if ((status = take_data(w, err)) < 0)
        return status;
    w->with.cli = w->cli;
    w->with.data = w->data;
    w->with.overwrite = w->o->overwrite;
    return take_measure(w, err);
}

static attend_status compare_all(work *w, attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_cli_catch_signals();
    at_cli_ignore_pipes();
    for (int i = 0; i < w->count && status >= 0; i++)
        status = at_compared_check(&w->all[i], &w->with, err);
    for (int i = 0; i < w->count && status >= 0; i++)
        status = at_compared_get(&w->all[i], &w->with, err);
    return status < 0 ? status : report(w, err);
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    work w = {.cli = cli, .o = fields};
    (void)operands, (void)operand;
    attend_status status = check(w.o, err);
    if (status >= 0 && (status = take_all(&w, err)) >= 0)
        status = compare_all(&w, err);
    for (int i = 0; i < w.count; i++) {
        at_free(w.all[i].folder);
        attend_free(w.all[i].found);
    }
    at_sentence_pairs_free(&w.test);
    at_lines_free(&w.gold);
    at_free(w.train_file);
    at_free(w.valid_file);
    at_free(w.test_file);
    at_free(w.names);
    json_decref(w.data);
    return status;
}

static const at_term examples[] = {
    {"attend compare --data pairs.tsv --out compared --epochs 5 --figure curves.svg",
     "A fixed context against two attentions"},
    {"attend compare --data pairs.tsv --out compared --markdown",
     "Again, for a page: nothing is trained twice"},
    {0}};

const at_command at_command_compare = {
    .usage = {.name = "compare",
              .summary = "Train several mechanisms on the same data, and compare them",
              .description = "Every mechanism is trained in a folder of its own and evaluated on "
                             "the same pairs: BLEU, chrF, perplexity, the alignment error rate "
                             "where --gold is given, parameters, words per second and megabytes of "
                             "training, and BLEU by the length of sources. Table and figure are "
                             "kept as compared.md and compared.svg in --out. A comparison that was "
                             "stopped goes on when it is asked for again; what was trained with "
                             "other settings or on other data is refused.",
              .options = options,
              .examples = examples},
    .size = sizeof(compare),
    .max_operands = 0,
    .run = run,
};
