/* attend data: looks corpora through, shows how they are read, converts, splits and makes them. */
#include <string.h>

#include "attend_data.h"
#include "base/file.h"
#include "base/guess.h"
#include "base/json_write.h"
#include "base/log.h"
#include "cli/data_convert.h"
#include "cli/data_features.h"
#include "cli/data_make.h"
#include "cli/data_report.h"
#include "cli/option_use.h"

typedef struct {
    const char *src, *tgt, *format, *text, *second, *label;
    int header, encoding;
    size_t longest_line;
    bool reverse;
    const char *fix, *out, *gold, *pictures, *grid, *to, *valid, *test;
    double ratio;
    int longest_text, places, first, count, seed, size, patch, bands;
    double hop;
    bool overwrite, json;
} data;

/* clang-format off */
static const at_option options[] = {
    {.name = "src", .letter = 's', OPTION_PATH(data, src), .meta = "FILE", .group = "Input",
     .help = "The first of two aligned files, in place of FILEs"},
    {.name = "tgt", .letter = 't', OPTION_PATH(data, tgt), .meta = "FILE",
     .help = "The second: line n is the translation of line n",
     .example = {"attend data check --src train.en --tgt train.de", "Two aligned files"}},
    {.name = "format", .letter = 'f', OPTION_STRING(data, format), .meta = "NAME",
     .help = "One of `attend list formats`; without it the first lines tell"},
    {.name = "text", OPTION_STRING(data, text), .meta = "COLUMN",
     .help = "Name or number of the column (or JSON key) of the text; several are joined: 2,3"},
    {.name = "second", OPTION_STRING(data, second), .meta = "COLUMN",
     .help = "The same of the translation, or the second of two sentences"},
    {.name = "label", OPTION_STRING(data, label), .meta = "COLUMN", .help = "The same of the label",
     .example = {"attend data show --text title,body --label kind news.csv", "Other names"}},
    {.name = "header", OPTION_CHOICE(data, header), .choices = "auto|yes|no", .value = "auto",
     .meta = "WHETHER", .help = "Whether a table begins with a row of names"},
    {.name = "encoding", OPTION_CHOICE(data, encoding), .choices = "utf-8|replace|latin-1",
     .value = "utf-8", .meta = "HOW",
     .help = "Of bytes that are no UTF-8: refuse, write U+FFFD, or take their line as Latin-1"},
    {.name = "max-line", OPTION_SIZE(data, longest_line), .value = "1M", .min = 1, .max = 1e9,
     .meta = "BYTES", .help = "Longer ones are refused"},
    {.name = "swap", OPTION_FLAG(data, reverse),
     .help = "The second text is the source: French to English from English-French pairs"},

    {.name = "fix", OPTION_PATH(data, fix), .meta = "OUT", .group = "For check",
     .help = "Write a clean copy; of aligned files two, OUT.en and OUT.de",
     .example = {"attend data check pairs.tsv --fix clean.tsv", "A copy without what was found"}},
    {.name = "ratio", OPTION_REAL(data, ratio), .value = "9", .min = 1, .max = 1e6, .meta = "R",
     .help = "Report pairs with a side over R times longer than the corpus' median ratio has it"},
    {.name = "max-words", OPTION_INT(data, longest_text), .value = "250", .min = 1, .max = 1e9,
     .meta = "WORDS", .help = "Texts of more words are noted"},
    {.name = "places", OPTION_INT(data, places), .value = "3", .min = 0, .max = 1e6, .meta = "N",
     .help = "How many lines of each finding are shown",
     .example = {"attend data check pairs.tsv --places 100", "More of each"}},
    {.name = "json", OPTION_FLAG(data, json),
     .help = "Write the report, or what show shows, as JSON"},

    {.name = "out", .letter = 'o', OPTION_PATH(data, out), .meta = "PATH",
     .group = "For convert, split, make, patches and frames",
     .help = "convert, make: the file, - for standard output; split: the folder of its parts; "
             "patches, frames: the .safetensors file"},
    {.name = "to", OPTION_STRING(data, to), .meta = "NAME",
     .help = "Format of what is written, also by --fix; without it that of the first file",
     .example = {"attend data convert pairs.tsv --to jsonl --out pairs.jsonl", "Another format"}},
    {.name = "valid", OPTION_STRING(data, valid), .value = "1%", .meta = "SHARE",
     .help = "Share of the sources for validation, 1% or 0.01, or number of examples"},
    {.name = "test", OPTION_STRING(data, test), .value = "1%", .meta = "SHARE",
     .help = "The same for the test",
     .example = {"attend data split pairs.tsv --valid 50 --test 50 --out parts",
                 "At least 50 examples in each"}},
    {.name = "overwrite", OPTION_FLAG(data, overwrite),
     .help = "Let --fix and --out replace files"},
    {.name = "count", OPTION_INT(data, count), .value = "1000", .min = 1, .max = 1e9, .meta = "N",
     .group = "For make", .help = "How many examples; no source comes twice",
     .example = {"attend data make en-fr --count 20000 --out french.tsv",
                 "English and French sentences, from a small grammar"}},
    {.name = "seed", OPTION_INT(data, seed), .value = "1234", .min = 0, .max = 2147483647,
     .meta = "N", .help = "Another one gives other examples"},
    {.name = "size", OPTION_INT(data, size), .value = "0", .min = 0, .max = 1e6, .meta = "N",
     .help = "Of an example, where it has one; 0 is the maker's own",
     .example = {"attend data make sort --size 8 --count 5", "Eight numbers, to be sorted"}},
    {.name = "gold", OPTION_PATH(data, gold), .meta = "FILE",
     .help = "Write the alignment links of en-fr, for `attend evaluate --gold`: words counted from "
             "1, 1-1 for a sure link, 1p2 for a possible one",
     .example = {"attend data make en-fr --out linked.tsv --gold linked.gold",
                 "Sentence pairs with the true alignment of their words"}},
    {.name = "pictures", OPTION_PATH(data, pictures), .meta = "FOLDER",
     .help = "Write the pictures of scenes: FOLDER/0.png, FOLDER/1.png and so on",
     .example = {"attend data make scenes --count 20 --out scenes --pictures scenes",
                 "Patches, captions and pictures of two coloured shapes"}},
    {.name = "grid", OPTION_STRING(data, grid), .value = "8x8", .meta = "COLUMNSxROWS",
     .group = "For patches", .help = "Patches that each picture is cut into",
     .example = {"attend data patches *.png --grid 8x8 --out photos.safetensors",
                 "Feature vectors of pictures"}},
    {.name = "patch", OPTION_INT(data, patch), .value = "4", .min = 1, .max = 64, .meta = "N",
     .help = "Mean colours along a side of each patch"},
    {.name = "bands", OPTION_INT(data, bands), .value = "40", .min = 1, .max = 256, .meta = "N",
     .group = "For frames", .help = "Mel bands of each frame",
     .example = {"attend data frames *.wav --out speech.safetensors",
                 "Log-mel frames of recorded sound"}},
    {.name = "hop", OPTION_REAL(data, hop), .value = "10", .min = 1, .max = 1000, .meta = "MS",
     .help = "Milliseconds from frame to frame"},
    {.name = "first", .letter = 'n', OPTION_INT(data, first), .value = "3", .min = 1, .max = 1e9,
     .meta = "N", .group = "For show", .help = "How many examples"},
    {0}};
/* clang-format on */

static attend_data_options options_of(const data *o)
{
    attend_data_options d;
    attend_data_defaults(&d);
    d.format = o->format;
    d.target = o->tgt;
    d.text = o->text;
    d.second = o->second;
    d.label = o->label;
    d.header = o->header == 1 ? 1 : o->header == 2 ? -1 : 0;
    d.reverse = o->reverse;
    d.encoding = (attend_encoding)o->encoding;
    d.longest_line = o->longest_line;
    d.to = o->to;
    d.ratio = o->ratio;
    d.longest_text = o->longest_text;
    d.places = o->places;
    d.keep = !o->overwrite;
    return d;
}

/* ---- check ------------------------------------------------------------------------------ */

static attend_status may_write(const data *o, const char *option, const char *path,
                               attend_error *err)
{
    if (strcmp(path, "-") == 0)
        return at_error(err, ATTEND_OPTION, "%s: - is no file; name one", option);
    if (!o->overwrite && at_file_exists(path))
        return at_error(err, ATTEND_OPTION, "%s: %s exists; --overwrite replaces it", option,
                        at_show(path).text);
    return ATTEND_OK;
}

static attend_status check(at_cli *cli, const data *o, int count, const char *const *path,
                           attend_error *err)
{
    attend_data_options d = options_of(o);
    attend_check *report;
    at_str text = {0};
    attend_status status = o->fix ? may_write(o, "--fix", o->fix, err) : ATTEND_OK;
    if (status >= 0)
        status = attend_data_check(path, count, o->fix, &d, &report, err);
    if (status < 0)
        return status;
    if (o->json)
        at_data_report_json(&text, report);
    else
        at_data_report_text(&text, report, cli->columns);
    attend_check_summary sum;
    attend_check_summarise(report, &sum);
    long errors = sum.refused;
    bool empty = sum.examples == 0;
    attend_check_free(report);
    status = at_cli_write(&text, err);
    if (status >= 0 && empty)
        return at_error(err, ATTEND_FORMAT, "there is no example to train on");
    if (status >= 0 && errors && !o->fix)
        status = at_error(err, ATTEND_FORMAT,
                          "%ld line%s that training refuses; --fix OUT writes a clean copy", errors,
                          errors == 1 ? "" : "s");
    return status;
}

/* ---- show ------------------------------------------------------------------------------- */

static void part(at_str *out, at_json_out *j, const char *name, const char *text)
{
    if (!text)
        return;
    if (j)
        at_json_string(j, name, text);
    else {
        at_str_print(out, "  %-9s ", name);
        at_str_add_safe(out, text);
        at_str_add(out, "\n");
    }
}

static void answers_text(at_str *out, const attend_examples *x)
{
    const char *text;
    size_t begin;
    for (size_t i = 0; attend_examples_answer(x, i, &text, &begin); i++) {
        at_str_print(out, "  answer    at %zu: ", begin);
        at_str_add_safe(out, text);
        at_str_add(out, "\n");
    }
}

static void answers_json(at_json_out *j, const attend_examples *x)
{
    const char *text;
    size_t begin;
    at_json_array(j, "answers");
    for (size_t i = 0; attend_examples_answer(x, i, &text, &begin); i++) {
        at_json_object(j, NULL);
        at_json_int(j, "begin", (long long)begin);
        at_json_string(j, "text", text);
        at_json_end(j);
    }
    at_json_end(j);
}

/* the texts of an example, as JSON where j is not NULL */
static void parts(at_str *out, at_json_out *j, const attend_examples *x, const attend_example *e)
{
    bool alone = !e->target && !e->question;
    part(out, j, alone ? "text" : "source", e->source);
    part(out, j, "target", e->target);
    part(out, j, "label", e->label);
    part(out, j, "question", e->question);
    part(out, j, "id", e->id);
    if (e->question && j)
        answers_json(j, x);
    else if (e->question)
        answers_text(out, x);
}

static void show_example(at_str *out, const attend_examples *x, const attend_example *e, bool json)
{
    if (!json) {
        at_str_add_safe(out, e->file);
        at_str_print(out, ":%ld: %s\n", e->line, attend_examples_format(x));
        parts(out, NULL, x, e);
        return;
    }
    at_json_out j = {.out = out};
    at_json_object(&j, NULL);
    at_json_string(&j, "file", e->file);
    at_json_int(&j, "line", e->line);
    parts(out, &j, x, e);
    at_json_end(&j);
    at_str_add(out, "\n");
}

static attend_status show_file(const data *o, const char *path, attend_error *err)
{
    attend_data_options d = options_of(o);
    attend_examples *x;
    attend_example e;
    at_str text = {0};
    int more = 1;
    bool empty = true;
    attend_status status = attend_examples_open(path, &d, &x, err);
    for (int i = 0; i < o->first && status >= 0; i++) {
        more = attend_examples_next(x, &e, err);
        if (more <= 0)
            break;
        show_example(&text, x, &e, o->json);
        empty = false;
    }
    if (status >= 0)
        attend_examples_free(x);
    if (status >= 0)
        status = at_cli_write(&text, err);
    if (status >= 0 && more == 0 && empty)
        return at_error(err, ATTEND_FORMAT, "%s: there is no example in it", at_show(path).text);
    return status < 0 ? status : more < 0 ? (attend_status)more : ATTEND_OK;
}

static attend_status show(at_cli *cli, const data *o, int count, const char *const *path,
                          attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < count && status >= 0; i++) {
        cli->input = path[i];
        status = show_file(o, path[i], err);
    }
    return status;
}

/* ---- convert and split ------------------------------------------------------------------ */

static void say_counts(const char *what, const attend_data_counts *c)
{
    at_log(ATTEND_LOG_INFO, "%s%ld example%s", what, c->written, c->written == 1 ? "" : "s");
    if (c->skipped)
        at_log(ATTEND_LOG_WARNING, "%ld with an empty side %s skipped", c->skipped,
               c->skipped == 1 ? "was" : "were");
    if (c->flattened)
        at_log(ATTEND_LOG_WARNING, "tabs and line ends in %ld text%s became blanks", c->flattened,
               c->flattened == 1 ? "" : "s");
}

static attend_status convert(at_cli *cli, const data *o, int count, const char *const *path,
                             attend_error *err)
{
    attend_data_options d = options_of(o);
    attend_data_counts counts;
    (void)cli;
    if (!o->out)
        return at_error(err, ATTEND_OPTION, "convert needs --out");
    bool piped = strcmp(o->out, "-") == 0;
    attend_status status = piped ? ATTEND_OK : may_write(o, "--out", o->out, err);
    if (status >= 0)
        status = at_data_convert(path, count, o->out, &d, &counts, err);
    if (status >= 0)
        say_counts("", &counts);
    return status;
}

static attend_status split(at_cli *cli, const data *o, int count, const char *const *path,
                           attend_error *err)
{
    static const char *const names[] = {"train: ", "valid: ", "test: "};
    attend_data_options d = options_of(o);
    attend_data_counts counts[3];
    (void)cli;
    if (!o->out)
        return at_error(err, ATTEND_OPTION, "split needs --out, a folder");
    attend_status status = may_write(o, "--out", o->out, err);
    if (status >= 0)
        status = attend_data_split(path, count, o->out, o->valid, o->test, &d, counts, err);
    for (int i = 0; i < 3 && status >= 0; i++)
        say_counts(names[i], &counts[i]);
    return status;
}

/* ---- make ------------------------------------------------------------------------------- */

static attend_status make(at_cli *cli, const data *o, int count, const char *const *name,
                          attend_error *err)
{
    const char *out = o->out && strcmp(o->out, "-") != 0 ? o->out : NULL;
    cli->input = NULL;
    if (count != 1 || strcmp(name[0], "-") == 0)
        return at_error(err, ATTEND_OPTION, "make needs one NAME; attend list makers has them");
    at_making making = {name[0], o->count, o->seed,     o->size,
                        out,     o->gold,  o->pictures, o->overwrite};
    return at_data_make(&making, err);
}

/* ---- patches and frames ---------------------------------------------------------------- */

static at_feature_settings features_of(const data *o)
{
    return (at_feature_settings){.out = o->out,
                                 .overwrite = o->overwrite,
                                 .grid = o->grid,
                                 .patch = o->patch,
                                 .bands = o->bands,
                                 .hop = o->hop};
}

static attend_status patches(at_cli *cli, const data *o, int count, const char *const *path,
                             attend_error *err)
{
    at_feature_settings s = features_of(o);
    return at_data_patches(cli, &s, count, path, err);
}

static attend_status frames(at_cli *cli, const data *o, int count, const char *const *path,
                            attend_error *err)
{
    at_feature_settings s = features_of(o);
    return at_data_frames(cli, &s, count, path, err);
}

/* ---- the command ------------------------------------------------------------------------ */

typedef attend_status action(at_cli *cli, const data *o, int count, const char *const *path,
                             attend_error *err);

#define INPUT " src tgt format text second label header encoding max-line swap "
static const at_option_use uses[] = {
    {"check", INPUT "fix ratio max-words places json to overwrite "},
    {"show", INPUT "json first "},
    {"convert", INPUT "out to overwrite "},
    {"split", INPUT "out to valid test overwrite "},
    {"make", " out overwrite count seed size gold pictures "},
    {"patches", " out overwrite grid patch "},
    {"frames", " out overwrite bands hop "}};
#undef INPUT

static action *const actions[] = {check, show, convert, split, make, patches, frames};

enum { ACTIONS = sizeof actions / sizeof *actions };

static attend_status no_action(const char *word, attend_error *err)
{
    at_guess guess = {.word = word};
    for (int i = 0; i < ACTIONS; i++)
        at_guess_consider(&guess, uses[i].action, strlen(uses[i].action));
    return at_error(
        err, ATTEND_OPTION,
        "\"%.40s\" is not one of check, show, convert, split, make, patches, frames%s%s%s", word,
        *guess.best ? "; did you mean " : "", guess.best, *guess.best ? "?" : "");
}

/* options that the action does not have must not be given */
static attend_status check_options(int which, const data *o, attend_error *err)
{
    if (o->out && actions[which] == check)
        return at_error(err, ATTEND_OPTION,
                        "--out is for convert, split and make; check writes a clean copy with "
                        "--fix");
    if (o->to && actions[which] == check && !o->fix)
        return at_error(err, ATTEND_OPTION, "--to is for convert, split and --fix");
    if (o->overwrite && actions[which] == check && !o->fix)
        return at_error(err, ATTEND_OPTION, "--overwrite is for --fix and --out");
    return at_option_use_check(options, o, uses, ACTIONS, which, err);
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const data *o = fields;
    int which = 0;
    while (which < ACTIONS && strcmp(uses[which].action, operand[0]) != 0)
        which++;
    if (which == ACTIONS)
        return no_action(operand[0], err);
    if (!o->src != !o->tgt)
        return at_error(err, ATTEND_OPTION, "--src and --tgt go together: two aligned files");
    if (o->src && operands > 1)
        return at_error(err, ATTEND_OPTION, "--src and --tgt, or FILEs; not both");
    attend_status status = check_options(which, o, err);
    if (status < 0)
        return status;
    static const char *const standard[] = {"-"};
    const char *const *path = o->src         ? &o->src
                              : operands > 1 ? (const char *const *)(operand + 1)
                                             : standard;
    int count = operands > 1 ? operands - 1 : 1;
    cli->input = count == 1 ? path[0] : NULL;
    if (o->tgt && !at_file_exists(o->tgt))
        cli->input = o->tgt;
    return actions[which](cli, o, count, path, err);
}

static const at_term examples[] = {
    {"attend data check pairs.tsv", "What is wrong with it, with line numbers"},
    {"attend data show pairs.tsv", "How it is read: the first examples"},
    {"attend data split pairs.tsv --out split", "No source stands on two sides"},
    {"attend data make en-zh --count 5", "Five sentences and their translations, made by rule"},
    {0}};

const at_command at_command_data = {
    .usage = {.name = "data",
              .summary = "Check corpora, show how they are read, convert, split or make them",
              .operands = "ACTION [FILE]...",
              .words = "check|show|convert|split|make|patches|frames",
              .description =
                  "ACTION is check, show, convert, split, make, patches or frames.\n"
                  "\n"
                  "FILEs are sentence pairs, labelled text, questions on texts, or plain text, in "
                  "any of the formats of `attend list formats`; packed by gzip, in a zip archive "
                  "(corpus.zip:train.tsv where it holds several files), or - for standard input. "
                  "Only \\n ends a line.\n"
                  "\n"
                  "check looks for what spoils training: lines in another form, bytes that are no "
                  "UTF-8, empty sides, duplicates, sides that are swapped or do not fit in length, "
                  "characters that other programs take for line ends, and more. It ends with code "
                  "65 where training would refuse a line.\n"
                  "\n"
                  "split decides by a hash of the source, which does not see case and blanks; so "
                  "each source stays on its side when the corpus grows.\n"
                  "\n"
                  "make NAME writes examples that a rule of `attend list makers` makes: sentence "
                  "pairs of a small grammar, or tasks such as sorting; lines SOURCE, a tab, "
                  "TARGET, to --out or standard output. Where sources are feature vectors, --out "
                  "NAME makes NAME.safetensors and NAME.txt, for `attend train --src --tgt`.\n"
                  "\n"
                  "patches and frames make such vectors of your own PNG pictures and of recorded "
                  "sound (WAV, FLAC, Ogg and others): a sequence for each FILE, in their order.",
              .options = options,
              .examples = examples},
    .size = sizeof(data),
    .min_operands = 1,
    .max_operands = 100000,
    .run = run,
};
