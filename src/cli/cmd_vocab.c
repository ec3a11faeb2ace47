/* attend vocab: learns a vocabulary, shows one, or tells how well one fits a text. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json_write.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/option_use.h"
#include "cli/stream.h"
#include "cli/table.h"

typedef struct {
    const char *kind, *model, *out, *tokenizer;
    int size, min_count, lower, strip_accents, split_chinese, pretokenised, alphabet, unknown;
    double coverage;
    bool overwrite, json;
} vocab;

/* clang-format off */
static const at_option options[] = {
    {.name = "kind", .letter = 'k', OPTION_STRING(vocab, kind), .meta = "KIND",
     .group = "For learn", .help = "A name of `attend list tokenizers`"},
    {.name = "out", .letter = 'o', OPTION_PATH(vocab, out), .meta = "FOLDER",
     .help = "Where the tokenizer's files go",
     .example = {"attend vocab learn --kind words --lower yes --out words text.txt",
                 "All words that come twice, in lower case"}},
    {.name = "overwrite", OPTION_FLAG(vocab, overwrite), .help = "Let --out replace a tokenizer"},
    {.name = "vocabulary", .letter = 'n', OPTION_COUNT(vocab, size, "0", 0, 1e7),
     .help = "Pieces at most; 0 is the kind's own: 30000 for wordpiece, all words"},
    {.name = "min-count", OPTION_INT(vocab, min_count), .value = "-1", .min = -1, .max = 1e9,
     .meta = "N", .help = "Leave out what is seen less often; -1 is the kind's own"},
    {.name = "lower", OPTION_CHOICE(vocab, lower), .choices = "auto|no|yes", .value = "auto",
     .meta = "WHETHER", .help = "Lower case"},
    {.name = "strip-accents", OPTION_CHOICE(vocab, strip_accents), .choices = "auto|no|yes",
     .value = "auto", .meta = "WHETHER", .help = "Letters without their accents"},
    {.name = "split-chinese", OPTION_CHOICE(vocab, split_chinese), .choices = "auto|no|yes",
     .value = "auto", .meta = "WHETHER", .help = "Every Chinese character is a word"},
    {.name = "pretokenised", OPTION_CHOICE(vocab, pretokenised), .choices = "auto|no|yes",
     .value = "auto", .meta = "WHETHER",
     .help = "Whether spaces separate all words already, also punctuation: \"a dog , asleep .\"; "
             "auto looks at the text"},
    {.name = "alphabet", OPTION_INT(vocab, alphabet), .value = "0", .min = 0, .max = 1e6,
     .meta = "N", .help = "Characters at most in a vocabulary of wordpiece; 0 is 1000"},
    {.name = "coverage", OPTION_REAL(vocab, coverage), .value = "0.9995", .min = 0.98,
     .max = 1, .meta = "R",
     .help = "Share of all characters that a vocabulary of sentencepiece has"},
    {.name = "model", OPTION_STRING(vocab, model), .meta = "TYPE",
     .help = "Of sentencepiece: unigram or bpe"},
    {.name = "tokenizer", .letter = 't', OPTION_PATH(vocab, tokenizer), .meta = "PATH",
     .group = "For show and coverage", .help = "A folder or a file of a tokenizer"},
    {.name = "unknown", OPTION_INT(vocab, unknown), .value = "20", .min = 0, .max = 1e6,
     .meta = "N", .help = "How many of the unknown words coverage lists",
     .example = {"attend vocab coverage -t learned --unknown 5 text.txt",
                 "The five that are missed most"}},
    {.name = "json", OPTION_FLAG(vocab, json), .help = "Write JSON"},
    {0}};
/* clang-format on */

/* ---- lines of several files ------------------------------------------------------------- */

typedef struct {
    at_cli *cli;
    char **path;
    int count, at;
    at_reader reader;
    bool open;
    unsigned long long lines, bytes;
} source;

static int stopped(const source *s, attend_error *err)
{
    return at_error(err, ATTEND_STOPPED, "stopped after %llu lines; nothing was written", s->lines);
}

static void progress(source *s)
{
    char line[80];
    if (!s->cli->bar || s->lines % 20000)
        return;
    snprintf(line, sizeof line, "%llu lines, %.1f MB", s->lines, 1e-6 * (double)s->bytes);
    at_cli_progress(s->cli, line);
}

/* a line on its way to a tokenizer that learns */
static attend_status next_line(void *user, const char **text, size_t *size, attend_error *err)
{
    source *s = user;
    *text = NULL;
    for (;;) {
        if (at_cli_signal())
            return stopped(s, err);
        if (!s->open && s->at == s->count)
            return ATTEND_OK;
        if (!s->open) {
            attend_status status = at_reader_open(&s->reader, s->cli, s->path[s->at++], err);
            s->open = true;
            if (status < 0)
                return status;
        }
        int more = at_reader_next(&s->reader, text, size, err);
        if (more != 0) {
            s->lines += more > 0;
            s->bytes += more > 0 ? *size + 1 : 0;
            progress(s);
            return more < 0 ? more : ATTEND_OK;
        }
        at_reader_close(&s->reader);
        s->open = false;
    }
}

static source source_of(at_cli *cli, int count, char **path)
{
    static char standard[] = "-";
    static char *none[] = {standard};
    at_cli_catch_signals();
    return (source){.cli = cli, .path = count ? path : none, .count = count ? count : 1};
}

static void source_close(source *s)
{
    if (s->open)
        at_reader_close(&s->reader);
    at_cli_progress_end(s->cli);
}

/* ---- learn ------------------------------------------------------------------------------ */

static attend_learn_options learning(const vocab *o)
{
    attend_learn_options l;
    attend_learn_defaults(&l);
    l.vocabulary = o->size ? o->size : l.vocabulary;
    l.min_count = o->min_count;
    l.lower = o->lower - 1;
    l.strip_accents = o->strip_accents - 1;
    l.split_chinese = o->split_chinese - 1;
    l.pretokenised = o->pretokenised - 1;
    l.alphabet = o->alphabet ? o->alphabet : l.alphabet;
    at_option_set set = {options, (void *)o};
    if (at_option_is_set(at_option_find(&set, 1, "coverage", &(void *){NULL}), o))
        l.coverage = o->coverage;
    l.model = o->model;
    return l;
}

static bool holds_tokenizer(const char *folder)
{
    static const char *const names[] = {"tokenizer.json", "vocab.txt", "vocab.json",
                                        "spiece.model"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
        char *path = at_file_join(folder, names[i]);
        found = path && at_file_exists(path);
        at_free(path);
    }
    return found;
}

static attend_status check_learn(const vocab *o, attend_error *err)
{
    if (!o->kind || !o->out)
        return at_error(err, ATTEND_OPTION, "learn needs --kind and --out");
    if (!o->overwrite && holds_tokenizer(o->out))
        return at_error(err, ATTEND_OPTION, "--out: %s has a tokenizer; --overwrite replaces it",
                        at_show(o->out).text);
    return ATTEND_OK;
}

static attend_status learn(at_cli *cli, const vocab *o, int count, char **path, attend_error *err)
{
    attend_tokenizer *t = NULL;
    attend_learn_options options_of_kind = learning(o);
    attend_status status = check_learn(o, err);
    if (status < 0)
        return status;
    source s = source_of(cli, count, path);
    status = attend_tokenizer_learn(o->kind, &options_of_kind, next_line, &s, &t, err);
    source_close(&s);
    if (status >= 0 && s.lines == 0)
        status = at_error(err, ATTEND_FORMAT, "there is no line to learn from");
    if (status >= 0)
        status = attend_tokenizer_save(t, o->out, err);
    if (status >= 0)
        at_log(ATTEND_LOG_INFO, "%d pieces from %llu line%s, in %s", attend_tokenizer_size(t),
               s.lines, s.lines == 1 ? "" : "s", at_show(o->out).text);
    attend_tokenizer_free(t);
    return status;
}

/* ---- show ------------------------------------------------------------------------------- */

static attend_status open_tokenizer(at_cli *cli, const vocab *o, attend_tokenizer **t,
                                    attend_error *err)
{
    if (!o->tokenizer)
        return at_error(err, ATTEND_OPTION, "--tokenizer is missing");
    cli->input = o->tokenizer;
    return attend_tokenizer_open(o->tokenizer, t, err);
}

static attend_status show(at_cli *cli, const vocab *o, int count, attend_error *err)
{
    attend_tokenizer *t = NULL;
    at_str out = {0};
    if (count)
        return at_error(err, ATTEND_OPTION, "show takes no file; --tokenizer names the vocabulary");
    attend_status status = open_tokenizer(cli, o, &t, err);
    int size = status < 0 ? 0 : attend_tokenizer_size(t);
    at_str_add(&out, o->json && status >= 0 ? "[" : "");
    for (int id = 0; id < size && status >= 0; id++) {
        size_t bytes;
        const char *piece = attend_tokenizer_token(t, id, &bytes);
        if (o->json) {
            at_str_add(&out, id ? ", " : "");
            at_str_add_json_bytes(&out, piece, bytes);
        } else {
            at_str_print(&out, "%d\t", id);
            at_str_add_bytes(&out, piece, bytes);
            at_str_add(&out, "\n");
        }
        status = at_cli_flush(&out, false, err);
    }
    at_str_add(&out, o->json && status >= 0 ? "]\n" : "");
    attend_tokenizer_free(t);
    if (status >= 0)
        return at_cli_write(&out, err);
    at_str_free(&out);
    return status;
}

/* ---- coverage --------------------------------------------------------------------------- */

static double share(unsigned long long part, unsigned long long whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double ratio(unsigned long long a, unsigned long long b)
{
    return b ? (double)a / (double)b : 0;
}

static void write_json(at_str *out, attend_coverage *c, const attend_coverage_info *n, int size,
                       int most)
{
    const char *text;
    size_t bytes;
    size_t count;
    at_json_out j = {.out = out};
    at_json_object(&j, NULL);
    at_json_int(&j, "lines", (long long)n->lines);
    at_json_int(&j, "bytes", (long long)n->bytes);
    at_json_int(&j, "characters", (long long)n->characters);
    at_json_int(&j, "invalid", (long long)n->invalid);
    at_json_int(&j, "words", (long long)n->words);
    at_json_int(&j, "known_words", (long long)n->known_words);
    at_json_int(&j, "pieces", (long long)n->tokens);
    at_json_int(&j, "unknown", (long long)n->unknown);
    at_json_int(&j, "used", n->used);
    at_json_int(&j, "size", size);
    at_json_int(&j, "unknown_texts", n->unknown_texts);
    at_json_array(&j, "most_unknown");
    for (int i = 0; i < most && attend_coverage_unknown(c, (size_t)i, &text, &bytes, &count); i++) {
        at_json_array(&j, NULL);
        at_json_bytes(&j, NULL, text, bytes);
        at_json_int(&j, NULL, (long long)count);
        at_json_end(&j);
    }
    at_json_end(&j);
    at_json_end(&j);
    at_str_add(out, "\n");
}

static void row(at_table *t, const char *what, size_t count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void row(at_table *t, const char *what, size_t count, const char *format, ...)
{
    at_str note = {0};
    va_list args;
    va_start(args, format);
    at_str_print_v(&note, format, args);
    va_end(args);
    at_table_cell(t, "%s", what);
    at_table_cell(t, "%zu", count);
    at_table_cell(t, "%s", at_str_text(&note));
    at_str_free(&note);
}

static void write_counts(at_str *out, const attend_coverage_info *n, int size, int columns)
{
    static const at_column titles[] = {
        {"what", 0}, {"count", ATTEND_COLUMN_NUMBER}, {"note", 0}, {0}};
    at_table t = {.columns = titles};
    row(&t, "lines", n->lines, "%.1f words in each", ratio(n->words, n->lines));
    row(&t, "words", n->words, "%.2f pieces in each", ratio(n->tokens, n->words));
    row(&t, "known words", n->known_words, "%.2f %% of them", share(n->known_words, n->words));
    row(&t, "pieces", n->tokens, "%.2f characters in each", ratio(n->characters, n->tokens));
    row(&t, "unknown pieces", n->unknown, "%.2f %% of them", share(n->unknown, n->tokens));
    row(&t, "vocabulary", (size_t)size, "%.1f %% of it is needed", share(n->used, (size_t)size));
    if (n->invalid)
        row(&t, "bytes that are no UTF-8", n->invalid, "%.4f %% of all",
            share(n->invalid, n->bytes));
    at_table_write(out, &t, ATTEND_TABLE_TEXT, columns);
    at_table_free(&t);
}

static void write_unknown(at_str *out, attend_coverage *c, const attend_coverage_info *n, int most,
                          int columns)
{
    static const at_column titles[] = {{"unknown", 0}, {"times", ATTEND_COLUMN_NUMBER}, {0}};
    at_table t = {.columns = titles};
    const char *text;
    size_t bytes;
    size_t count;
    at_str safe = {0};
    for (int i = 0; i < most && attend_coverage_unknown(c, (size_t)i, &text, &bytes, &count); i++) {
        at_str_clear(&safe);
        at_str_add_safe_bytes(&safe, text, bytes);
        at_table_cell(&t, "%.60s", at_str_text(&safe));
        at_table_cell(&t, "%zu", count);
    }
    if (t.count) {
        at_str_print(out, "\n%zu different unknown pieces; the most frequent:\n", n->unknown_texts);
        at_table_write(out, &t, ATTEND_TABLE_TEXT, columns);
    }
    at_str_free(&safe);
    at_table_free(&t);
}

static attend_status cover(source *s, attend_coverage *c, attend_error *err)
{
    const char *text;
    size_t size;
    attend_status status;
    while ((status = next_line(s, &text, &size, err)) >= 0 && text)
        if ((status = attend_coverage_add(c, text, size, err)) < 0)
            break;
    return status;
}

static attend_status coverage(at_cli *cli, const vocab *o, int count, char **path,
                              attend_error *err)
{
    attend_tokenizer *t = NULL;
    attend_coverage *c = NULL;
    attend_coverage_info n;
    at_str out = {0};
    attend_status status = open_tokenizer(cli, o, &t, err);
    if (status >= 0)
        status = attend_coverage_new(t, &c, err);
    if (status >= 0) {
        source s = source_of(cli, count, path);
        status = cover(&s, c, err);
        source_close(&s);
    }
    if (status >= 0) {
        attend_coverage_get(c, &n);
        if (o->json) {
            write_json(&out, c, &n, attend_tokenizer_size(t), o->unknown);
        } else {
            write_counts(&out, &n, attend_tokenizer_size(t), cli->columns);
            write_unknown(&out, c, &n, o->unknown, cli->columns);
        }
    }
    attend_coverage_free(c);
    attend_tokenizer_free(t);
    return status < 0 ? status : at_cli_write(&out, err);
}

/* ---- the command ------------------------------------------------------------------------ */

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    static const at_option_use uses[] = {
        {"learn", " kind out overwrite vocabulary min-count lower strip-accents split-chinese "
                  "pretokenised alphabet coverage model "},
        {"show", " tokenizer json "},
        {"coverage", " tokenizer unknown json "}};
    enum { ACTIONS = sizeof uses / sizeof *uses };
    const vocab *o = fields;
    int which = 0;
    while (which < ACTIONS && strcmp(uses[which].action, operand[0]) != 0)
        which++;
    if (which == ACTIONS)
        return at_error(err, ATTEND_OPTION, "\"%.40s\" is not one of learn, show, coverage",
                        operand[0]);
    attend_status status = at_option_use_check(options, o, uses, ACTIONS, which, err);
    if (status < 0)
        return status;
    return which == 0   ? learn(cli, o, operands - 1, operand + 1, err)
           : which == 1 ? show(cli, o, operands - 1, err)
                        : coverage(cli, o, operands - 1, operand + 1, err);
}

static const at_term examples[] = {
    {"attend vocab learn --kind wordpiece --vocabulary 200 --out learned text.txt",
     "A tokenizer of 200 pieces"},
    {"attend vocab show -t learned", "Every piece with its number"},
    {"attend vocab coverage -t learned text.txt", "What it does not know, and how long texts get"},
    {0}};

const at_command at_command_vocab = {
    .usage = {.name = "vocab",
              .summary = "Learn a vocabulary, show it, or see how well it fits a text",
              .operands = "learn|show|coverage [FILE]...",
              .words = "learn|show|coverage",
              .description = "learn reads the FILEs, or standard input, and writes a tokenizer for "
                             "`attend tokenize`. show writes its pieces. coverage counts how the "
                             "words of the FILEs are cut, and which are unknown.",
              .options = options,
              .examples = examples},
    .size = sizeof(vocab),
    .min_operands = 1,
    .max_operands = 100000,
    .run = run,
};
