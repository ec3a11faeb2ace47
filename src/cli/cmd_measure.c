/* attend measure: how good are lines, next to references? */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/measure_report.h"
#include "cli/option_use.h"

typedef struct {
    at_paths ref;
    const char *measure, *source, *baseline, *lengths, *figure;
    int tokenize, smooth, max_order, char_order, word_order, beta;
    int link_base, gold_base, log_base, squad;
    int resamples, digits;
    double smooth_value;
    size_t seed;
    bool lowercase, effective_order, whitespace, eps_smoothing;
    bool normalized, no_punct, asian, case_sensitive;
    bool sentence, by_length, confidence, json;
} measure;

/* clang-format off */
static const at_option options[] = {
    {.name = "ref", .letter = 'r', OPTION_PATHS(measure, ref), .meta = "FILE", .group = "Input",
     .help = "Reference, line by line; several times for several references",
     .example = {"attend measure --ref ref.txt hyp.txt", "BLEU of a translation"}},
    {.name = "measure", .letter = 'm', OPTION_STRING(measure, measure), .value = "bleu",
     .meta = "NAMES", .help = "One or several, as bleu,chrf,ter; squad is exact-match,f1",
     .example = {"attend measure -m bleu,chrf++,ter -r ref.txt hyp.txt", "A table of three"}},
    {.name = "baseline", OPTION_PATH(measure, baseline), .meta = "FILE",
     .help = "Another system's lines: is the difference more than chance?",
     .example = {"attend measure -r ref.txt --baseline old.txt hyp.txt",
                 "Is it better than before?"}},
    {.name = "source", OPTION_PATH(measure, source), .meta = "FILE",
     .help = "What was translated, for --by-length; else the first reference is taken"},

    {.name = "sentence", OPTION_FLAG(measure, sentence), .group = "Output",
     .help = "One score per line in place of one for all"},
    {.name = "by-length", OPTION_FLAG(measure, by_length),
     .help = "Also a table of scores by the length of lines",
     .example = {"attend measure -r ref.txt --by-length --source src.txt hyp.txt",
                 "Are long sentences worse?"}},
    {.name = "lengths", OPTION_STRING(measure, lengths), .value = "10,20,30,40,50,60",
     .meta = "N,N,...", .help = "Where one length ends and the next begins, in words"},
    {.name = "figure", OPTION_PATH(measure, figure), .meta = "FILE",
     .help = "Draw the scores by length: a .png, .svg or .pdf",
     .example = {"attend measure -r ref.txt --by-length --figure length.png hyp.txt old.txt",
                 "Two curves"}},
    {.name = "confidence", .letter = 'c', OPTION_FLAG(measure, confidence),
     .help = "95 % interval by bootstrap resampling"},
    {.name = "resamples", OPTION_INT(measure, resamples), .value = "1000", .min = 1, .max = 1e6,
     .meta = "N", .help = "Random samples for --confidence and --baseline"},
    {.name = "seed", OPTION_SIZE(measure, seed), .value = "12345", .meta = "N",
     .help = "Seed of these samples; 12345 is sacreBLEU's, so that intervals equal its own"},
    {.name = "digits", OPTION_INT(measure, digits), .value = "2", .min = 0, .max = 15, .meta = "N",
     .help = "Digits behind the point"},
    {.name = "json", OPTION_FLAG(measure, json), .help = "Write JSON, with every number"},

    {.name = "tokenize", OPTION_CHOICE(measure, tokenize), .choices = "13a|intl|zh|char|none",
     .value = "13a", .meta = "HOW", .group = "BLEU", .help = "How text is cut into words",
     .example = {"attend measure --tokenize zh -r ref.txt hyp.txt", "Chinese"}},
    {.name = "lowercase", .letter = 'l', OPTION_FLAG(measure, lowercase),
     .help = "Ignore case; of chrF too"},
    {.name = "smooth", OPTION_CHOICE(measure, smooth), .choices = "exp|floor|add-k|none",
     .value = "exp", .meta = "HOW", .help = "What a precision without matches becomes"},
    {.name = "smooth-value", OPTION_REAL(measure, smooth_value), .value = "-1", .min = -1,
     .max = 1e9, .meta = "V", .help = "Of floor and add-k; -1 is 0.1 and 1"},
    {.name = "max-order", OPTION_INT(measure, max_order), .value = "4", .min = 1, .max = 10,
     .meta = "N", .help = "Longest n-grams"},
    {.name = "effective-order", OPTION_FLAG(measure, effective_order),
     .help = "Leave out orders that the text is too short for; --sentence does so always"},

    {.name = "chrf-char-order", OPTION_INT(measure, char_order), .value = "6", .min = 1, .max = 10,
     .meta = "N", .group = "chrF", .help = "Longest n-grams of characters"},
    {.name = "chrf-word-order", OPTION_INT(measure, word_order), .value = "-1", .min = -1,
     .max = 10, .meta = "N",
     .help = "And of words; -1 is what the name says: none, 1 for +, 2 for ++"},
    {.name = "chrf-beta", OPTION_INT(measure, beta), .value = "2", .min = 1, .max = 1000,
     .meta = "N", .help = "How much more recall counts than precision"},
    {.name = "chrf-whitespace", OPTION_FLAG(measure, whitespace), .help = "Blanks count too"},
    {.name = "chrf-eps-smoothing", OPTION_FLAG(measure, eps_smoothing),
     .help = "Average F over all orders, as chrF++.py, NLTK and Moses do"},

    {.name = "ter-normalized", OPTION_FLAG(measure, normalized), .group = "TER",
     .help = "Split punctuation from words"},
    {.name = "ter-no-punct", OPTION_FLAG(measure, no_punct), .help = "Remove punctuation"},
    {.name = "ter-asian-support", OPTION_FLAG(measure, asian),
     .help = "Do both for Chinese and Japanese too"},
    {.name = "ter-case-sensitive", OPTION_FLAG(measure, case_sensitive),
     .help = "Tell upper from lower case"},

    {.name = "squad", OPTION_CHOICE(measure, squad), .choices = "auto|1.1|2.0", .value = "auto",
     .meta = "VERSION", .group = "Others",
     .help = "How exact-match and f1 count; auto is what a JSON file says, or 2.0"},
    {.name = "link-base", OPTION_INT(measure, link_base), .value = "0", .min = 0, .max = 1,
     .meta = "N", .help = "aer: the first word's number in the hypothesis"},
    {.name = "gold-base", OPTION_INT(measure, gold_base), .value = "1", .min = 0, .max = 1,
     .meta = "N", .help = "aer: and in the reference"},
    {.name = "log-base", OPTION_CHOICE(measure, log_base), .choices = "e|2|10", .value = "e",
     .meta = "BASE", .help = "perplexity: of the logarithms"},
    {0}};
/* clang-format on */

/* ---- options ---------------------------------------------------------------------------- */

/* Does the list name one of these, or one that begins so? */
static bool measures_one(const char *list, const char *names)
{
    for (const char *word = list;; word++) {
        size_t size = strcspn(word, ",");
        for (const char *name = names; *name; name += strspn(name, " ")) {
            size_t length = strcspn(name, " ");
            if (size >= length && memcmp(word, name, length) == 0)
                return true;
            name += length;
        }
        word += size;
        if (!*word)
            return false;
    }
}

/* An option without effect is a misunderstanding. */
static attend_status check_of_measures(const measure *o, attend_error *err)
{
    static const struct {
        const char *option, *measures;
    } uses[] = {{"tokenize", "bleu"},
                {"lowercase", "bleu chrf"},
                {"smooth", "bleu"},
                {"smooth-value", "bleu"},
                {"max-order", "bleu"},
                {"effective-order", "bleu"},
                {"chrf-char-order", "chrf"},
                {"chrf-word-order", "chrf"},
                {"chrf-beta", "chrf"},
                {"chrf-whitespace", "chrf"},
                {"chrf-eps-smoothing", "chrf"},
                {"ter-normalized", "ter"},
                {"ter-no-punct", "ter"},
                {"ter-asian-support", "ter"},
                {"ter-case-sensitive", "ter"},
                {"squad", "squad exact-match f1"},
                {"link-base", "aer"},
                {"gold-base", "aer"},
                {"log-base", "perplexity"}};
    at_option_set set = {options, (void *)o};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const at_option *option = at_option_find(&set, 1, uses[i].option, &(void *){NULL});
        bool by_length = o->by_length && strcmp(uses[i].option, "tokenize") == 0;
        if (at_option_is_set(option, o) && !by_length
            && !measures_one(o->measure, uses[i].measures))
            return at_error(err, ATTEND_OPTION, "--%s is for %s, not for %.40s", uses[i].option,
                            uses[i].measures, o->measure);
    }
    return ATTEND_OK;
}

static attend_status check_pairs(const measure *o, attend_error *err)
{
    const struct {
        const char *option;
        bool used;
        const char *with;
    } pairs[] = {
        {"source", o->by_length, "--by-length"},
        {"figure", o->by_length, "--by-length"},
        {"lengths", o->by_length, "--by-length"},
        {"resamples", o->confidence || o->baseline, "--confidence and --baseline"},
        {"seed", o->confidence || o->baseline, "--confidence and --baseline"},
        {"smooth-value", o->smooth == 1 || o->smooth == 2, "--smooth floor and add-k"},
    };
    at_option_set set = {options, (void *)o};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const at_option *option = at_option_find(&set, 1, pairs[i].option, &(void *){NULL});
        if (!pairs[i].used && at_option_is_set(option, o))
            return at_error(err, ATTEND_OPTION, "--%s is for %s; add that, or leave it out",
                            pairs[i].option, pairs[i].with);
    }
    return ATTEND_OK;
}

static attend_status check(const measure *o, int operands, attend_error *err)
{
    if (o->sentence && (o->by_length || o->confidence || o->baseline))
        return at_error(err, ATTEND_OPTION,
                        "--sentence goes with none of --by-length, --confidence and --baseline");
    if (o->sentence && operands > 1)
        return at_error(err, ATTEND_OPTION, "--sentence takes one hypothesis, not %d", operands);
    if (!o->ref.count && strcmp(o->measure, "perplexity") != 0)
        return at_error(err, ATTEND_OPTION, "--ref is missing: what %.40s compares with",
                        o->measure);
    attend_status status = check_pairs(o, err);
    if (status >= 0)
        status = check_of_measures(o, err);
    if (status < 0)
        return status;
    return o->figure ? attend_figure_check_path(o->figure, err) : ATTEND_OK;
}

static void fill_options(attend_measure_options *m, const measure *o, bool squad_v1)
{
    static const char *const tokenizations[] = {"13a", "intl", "zh", "char", "none"};
    static const char *const smoothings[] = {"exp", "floor", "add-k", "none"};
    static const double bases[] = {0, 2, 10};
    attend_measure_defaults(m);
    m->lowercase = o->lowercase;
    m->tokenize = tokenizations[o->tokenize];
    m->smooth = smoothings[o->smooth];
    m->smooth_value = o->smooth_value;
    m->max_order = o->max_order;
    m->effective_order = o->effective_order;
    m->char_order = o->char_order;
    m->word_order = o->word_order;
    m->beta = o->beta;
    m->whitespace = o->whitespace;
    m->eps_smoothing = o->eps_smoothing;
    m->normalized = o->normalized;
    m->no_punct = o->no_punct;
    m->asian = o->asian;
    m->case_sensitive = o->case_sensitive;
    m->squad_v1 = o->squad == 0 ? squad_v1 : o->squad == 1;
    m->link_base = o->link_base;
    m->gold_base = o->gold_base;
    m->log_base = bases[o->log_base];
    m->resamples = o->confidence || o->baseline ? o->resamples : 0;
    m->seed = o->seed;
}

static attend_status read_lengths(const measure *o, at_buckets *b, attend_error *err)
{
    b->characters = o->tokenize == 2 || o->tokenize == 3; /* zh, char */
    for (const char *word = o->lengths;; word++) {
        size_t size = strcspn(word, ",");
        long long limit;
        int before = b->limits ? b->limit[b->limits - 1] : 0;
        if (b->limits == ATTEND_BUCKETS_MOST || !at_number_whole(word, size, &limit)
            || limit <= before || limit > 1000000)
            return at_error(err, ATTEND_OPTION,
                            "--lengths: \"%.60s\" is not a list of up to %d rising numbers",
                            o->lengths, ATTEND_BUCKETS_MOST);
        b->limit[b->limits++] = (int)limit;
        word += size;
        if (!*word)
            return ATTEND_OK;
    }
}

/* Tokenized text gives a BLEU that cannot be compared with anybody else's. */
static void warn_of_tokens(const measure *o, const at_measure_input *in)
{
    enum { MANY = 100, NONE = 4 };
    for (int i = 0; i < in->systems && o->tokenize != NONE && strstr(o->measure, "bleu"); i++) {
        const attend_lines *l = &in->hypothesis[i].lines;
        int count = 0;
        for (size_t k = 0; k < l->count && count < MANY; k++) {
            size_t size = strlen(l->line[k]);
            count += size > 1 && strcmp(l->line[k] + size - 2, " .") == 0;
        }
        if (count == MANY)
            at_log(ATTEND_LOG_WARNING,
                   "%s: %d lines end in \" .\", as tokenized text does; detokenize it, or say "
                   "--tokenize none",
                   at_show(l->name).text, MANY);
    }
}

/* ---- measuring -------------------------------------------------------------------------- */

static attend_status add_measure(at_measure_report *r, const char *name,
                                 const attend_measure_options *o, attend_error *err)
{
    attend_lines hypotheses[ATTEND_SYSTEMS_MOST + 1], references[ATTEND_PATHS_MAX];
    for (int i = 0; i < r->in->systems; i++)
        hypotheses[i] = r->in->hypothesis[i].lines;
    for (int i = 0; i < r->in->references; i++)
        references[i] = r->in->reference[i].lines;
    if (r->measures == ATTEND_MEASURES_MOST)
        return at_error(err, ATTEND_OPTION, "--measure: at most %d at once", ATTEND_MEASURES_MOST);
    attend_status status = attend_measure(name, o, r->in->systems, hypotheses, r->in->references,
                                          references, &r->scores[r->measures], err);
    r->measures += status >= 0;
    return status;
}

static attend_status measure_all(at_measure_report *r, const char *list,
                                 const attend_measure_options *o, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (const char *word = list; status >= 0; word++) {
        char name[32];
        size_t size = strcspn(word, ",");
        snprintf(name, sizeof name, "%.*s", (int)size, word);
        if (strcmp(name, "squad") == 0) {
            status = add_measure(r, "exact-match", o, err);
            snprintf(name, sizeof name, "f1");
        }
        if (status >= 0)
            status = add_measure(r, name, o, err);
        word += size;
        if (!*word)
            break;
    }
    return status;
}

/* ---- the command ------------------------------------------------------------------------ */

static attend_status write_report(const measure *o, const at_measure_report *r, attend_error *err)
{
    at_str text = {0};
    at_buckets buckets = {0};
    attend_status status = o->by_length ? read_lengths(o, &buckets, err) : ATTEND_OK;
    if (status >= 0 && o->by_length && r->in->references == 0 && !o->source)
        status = at_error(err, ATTEND_OPTION, "--by-length needs --source or --ref");
    if (status >= 0 && o->by_length && r->measures > 1 && r->in->systems > 1)
        status = at_error(err, ATTEND_OPTION,
                          "--by-length takes several measures or several systems, not both");
    if (status < 0)
        return status;
    if (o->sentence)
        status = at_report_lines(&text, r, o->json, err);
    else if (o->json)
        status = at_report_json(&text, r, o->by_length ? &buckets : NULL, err);
    else
        status = at_report_text(&text, r, err);
    if (status >= 0 && o->by_length && !o->json) {
        at_str_add(&text, "\n");
        status = at_report_lengths(&text, r, &buckets, ATTEND_TABLE_TEXT, err);
    }
    if (status >= 0 && o->figure)
        status = at_report_lengths_figure(r, &buckets, o->figure, err);
    if (status >= 0)
        return at_cli_write(&text, err);
    at_str_free(&text);
    return status;
}

static attend_status read_input(at_measure_input *in, at_cli *cli, const measure *o, int operands,
                                char **operand, attend_error *err)
{
    const char *systems[ATTEND_SYSTEMS_MOST + 1] = {"-"};
    int count = operands ? operands : 1;
    for (int i = 0; i < operands; i++)
        systems[i] = operand[i];
    if (o->baseline)
        systems[count++] = o->baseline;
    if (o->ref.count == 1 && at_is_json(o->ref.item[0]))
        return at_measure_read_squad(in, cli, count, systems, o->ref.item[0], err);
    return at_measure_read(in, cli, count, systems, &o->ref, o->source, err);
}

static attend_status check_source_lines(const at_measure_input *in, attend_error *err)
{
    const attend_lines *source = &in->source.lines, *hypothesis = &in->hypothesis[0].lines;
    if (!source->name || source->count == hypothesis->count)
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT, "%s has %zu line%s, %s has %zu; they must belong together",
                    source->name, source->count, source->count == 1 ? "" : "s", hypothesis->name,
                    hypothesis->count);
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const measure *o = fields;
    at_measure_input *in = at_alloc_zero(1, sizeof *in);
    at_measure_report report = {.in = in,
                                .baseline = o->baseline != NULL,
                                .confidence = o->confidence,
                                .digits = o->digits,
                                .columns = cli->columns,
                                .right = isatty(STDOUT_FILENO) ? cli->columns : INT_MAX,
                                .utf8 = cli->utf8};
    attend_measure_options m;
    if (!in)
        return at_error_memory(err);
    attend_status status = check(o, operands, err);
    if (status >= 0 && (status = read_input(in, cli, o, operands, operand, err)) >= 0)
        status = check_source_lines(in, err);
    if (status >= 0)
        warn_of_tokens(o, in);
    fill_options(&m, o, in->squad_v1);
    if (status >= 0)
        status = measure_all(&report, o->measure, &m, err);
    if (status >= 0) {
        cli->input = NULL;
        status = write_report(o, &report, err);
    }
    for (int i = 0; i < report.measures; i++)
        attend_scores_free(report.scores[i]);
    at_measure_input_free(in);
    at_free(in);
    return status;
}

static const at_term examples[] = {
    {"attend measure --ref ref.txt < hyp.txt", "BLEU of what comes from standard input"},
    {"attend measure -c -r ref.txt hyp.txt old.txt", "Two systems with 95 % intervals"},
    {"attend measure -m accuracy,macro-f1 -r gold.txt labels.txt", "Labels, one per line"},
    {"attend measure -m squad -r answers.txt given.txt", "Answers, one per line"},
    {"attend measure -m aer -r gold.align hyp.align", "Word alignments"},
    {0}};

const at_command at_command_measure = {
    .usage = {.name = "measure",
              .summary = "Measure translations, labels, answers, alignments, perplexity",
              .operands = "[HYPOTHESIS]...",
              .description =
                  "Compares lines with the same lines of one or several references. Several "
                  "hypotheses are several systems; without one, standard input is read. Scores "
                  "of bleu, chrf, chrf+, chrf++ and ter are sacreBLEU's, with its signature. "
                  "`attend list measures` names all.\n\n"
                  "Text and labels stand one to a line. exact-match and f1 take an answer per "
                  "line (of references several, with tabs between; none where a question has no "
                  "answer), or SQuAD's own files NAME.json. aer takes links as 0-1, and in the "
                  "reference 1-2 for a sure one and 1p2 for a possible one. perplexity takes the "
                  "logarithms of the words' probabilities and no reference.",
              .options = options,
              .examples = examples},
    .size = sizeof(measure),
    .max_operands = ATTEND_SYSTEMS_MOST,
    .run = run,
};
