/* attend translate: lines in, translations out, and which piece looked at which. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cli/attention_out.h"
#include "cli/lines.h"
#include "cli/models.h"
#include "cli/stream.h"
#include "cli/truncation.h"

typedef struct {
    int beam, nbest, rule, no_repeat, longest, when_long, most, batch, top_k, alignment,
        alternatives;
    double penalty, coverage, temperature, top_p, min_p, threshold;
    size_t seed;
    bool sample, split, replace_unknown, show, score;
    const char *src, *prefix, *forced, *dictionary, *trace;
    at_attention_settings look;
} translate;

enum { ALIGN_NOT, ALIGN_WORDS, ALIGN_PIECES };
enum { BEAM = 5, LONGEST = 200, SEED = 1234 }; /* the defaults */

/* clang-format off */
static const at_option options[] = {
    {.name = "beam", .letter = 'b', OPTION_INT(translate, beam), .min = 1, .max = 1000,
     .meta = "N", .group = "Search",
     .help = "Hypotheses that are followed; 1 is greedy (default: what the model's folder says, or "
             "5)",
     .example = {"attend translate model --beam 1 < in > out", "Greedy, the fastest"}},
    {.name = "length-rule", OPTION_CHOICE(translate, rule), .choices = "none|average|wu",
     .value = "average", .help = "How hypotheses of different length are compared"},
    {.name = "length-penalty", OPTION_REAL(translate, penalty), .value = "1", .min = -10, .max = 10,
     .meta = "A", .help = "Of that rule: above 1 likes longer ones"},
    {.name = "coverage", OPTION_REAL(translate, coverage), .value = "0", .min = 0, .max = 10,
     .meta = "B", .help = "Punish what of the source was not looked at; 0 is off"},
    {.name = "no-repeat-ngram", OPTION_INT(translate, no_repeat), .value = "0", .min = 0,
     .max = 100, .meta = "N", .help = "Let no N pieces in a row come twice"},
    {.name = "max-tokens", OPTION_INT(translate, most), .value = "0", .min = 0, .max = 1 << 20,
     .meta = "N", .help = "Pieces of a translation at most; 0: three times the source's plus ten "
     "(features: frames plus fifty)"},
    {.name = "batch", OPTION_INT(translate, batch), .value = "64", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Lines at a time; changes nothing but the speed"},
    {.name = "prefix", OPTION_PATH(translate, prefix), .meta = "FILE",
     .help = "Lines that the translations must begin with; an empty one leaves its line free"},
    {.name = "forced", OPTION_PATH(translate, forced), .meta = "FILE",
     .help = "The translations themselves: they are scored, aligned and drawn, not searched",
     .example = {"attend translate model --forced out --score < in",
                 "The model's log-probability of given translations"}},

    {.name = "sample", OPTION_FLAG(translate, sample), .group = "Sampling",
     .help = "Draw the words by their probabilities; --nbest is how many translations",
     .example = {"attend translate model --sample --nbest 3 --top-p 0.9 < in",
                 "Three draws for each line"}},
    {.name = "temperature", OPTION_REAL(translate, temperature), .value = "1", .min = 0.001,
     .max = 1000, .meta = "T", .help = "Below 1 sharpens the probabilities, above 1 flattens them"},
    {.name = "top-k", OPTION_INT(translate, top_k), .value = "0", .min = 0, .max = 1 << 24,
     .meta = "K", .help = "Draw from the K likeliest words; 0 is all"},
    {.name = "top-p", OPTION_REAL(translate, top_p), .value = "1", .min = 1e-6, .max = 1,
     .meta = "P", .help = "Draw from the fewest words that have so much probability together"},
    {.name = "min-p", OPTION_REAL(translate, min_p), .value = "0", .min = 0, .max = 1, .meta = "P",
     .help = "Draw from the words at least P times as likely as the likeliest; 0 is all"},
    {.name = "seed", OPTION_SIZE(translate, seed), .value = "1234", .meta = "N",
     .help = "Of drawing; the same seed gives the same lines, or sentences, in any batch"},

    {.name = "src", .letter = 's', OPTION_PATH(translate, src), .meta = "FILE", .group = "Input",
     .help = "Lines in place of standard input, or feature vectors, .safetensors",
     .example = {"attend translate spoken --src sound.safetensors",
                 "A model of sound, or pictures: a line for each sequence"}},
    {.name = "max-length", OPTION_INT(translate, longest), .value = "200", .min = 1, .max = 1 << 20,
     .meta = "N", .help = "Pieces of a line that are read"},
    {.name = "when-long", OPTION_CHOICE(translate, when_long), .choices = "cut|skip|error",
     .value = "cut", .help = "What becomes of longer lines: their beginning is translated, they "
     "stay empty, or the work ends there"},
    {.name = "split", OPTION_FLAG(translate, split),
     .help = "A line is a paragraph: it is split into sentences, which are translated one by one",
     .example = {"attend translate model --split < text", "Long lines, sentence by sentence"}},

    {.name = "nbest", .letter = 'n', OPTION_INT(translate, nbest), .value = "1", .min = 1,
     .max = 1000, .meta = "N", .group = "Output",
     .help = "Several hypotheses of each line, as Moses writes them, with their scores",
     .example = {"attend translate model --nbest 5 < in",
                 "Line ||| hypothesis ||| LogP= log-probability ||| score"}},
    {.name = "score", OPTION_FLAG(translate, score),
     .help = "Write the log-probability before each translation, and a tab; -inf where the line "
             "was skipped. --nbest has it always"},
    {.name = "replace-unknown", OPTION_FLAG(translate, replace_unknown),
     .help = "Put the word that was looked at where the model has no word"},
    {.name = "dictionary", OPTION_PATH(translate, dictionary), .meta = "FILE",
     .help = "And its translation: lines of a word, a tab and its translation"},
    {.name = "alignment", .letter = 'a', OPTION_CHOICE(translate, alignment),
     .choices = "none|word|token", .value = "none",
     .help = "Write a tab and what belongs together: 0-0 1-2, source and target",
     .example = {"attend translate model --alignment word < in", "Which word became which"}},
    {.name = "threshold", OPTION_REAL(translate, threshold), .value = "0", .min = 0, .max = 1,
     .meta = "W", .help = "Of the alignment: all with so much weight; 0 is the one with most"},
    {.name = "show", OPTION_FLAG(translate, show),
     .help = "Draw the attention of each line",
     .example = {"echo 'ein Mann .' | attend translate model --show", "See what looked at what"}},
    {.name = "trace", OPTION_PATH(translate, trace), .meta = "FILE",
     .help = "Write the search of each line as JSONL: every step's candidates with their parent, "
             "score and fate (kept, pruned, ended)",
     .example = {"attend translate model --trace search.jsonl --alternatives 3 < in",
                 "Why the beam chose what it chose"}},
    {.name = "alternatives", OPTION_INT(translate, alternatives), .value = "0", .min = 0,
     .max = 1000, .meta = "N",
     .help = "Likeliest tokens of every position that --trace writes, with log-probabilities"},
    ATTENTION_OPTIONS(translate, look),
    {.name = "overwrite", OPTION_FLAG(translate, look.overwrite),
     .help = "Let --attention-out and --trace replace a file"},
    {0}};
/* clang-format on */

typedef struct {
    at_cli *cli;
    const translate *o;
    at_models models;
    attend_translate_options inside;
    at_reader in;
    attend_features *features; /* the sources, in place of lines; or NULL */
    at_lines prefix;           /* or those that are forced */
    at_str out;
    at_attention_out attention;
    at_writer *trace; /* or NULL */
    /* the block that is at work */
    at_str text;                      /* lines, or their sentences, each ended by a zero */
    size_t count, lines;              /* texts, and lines */
    size_t texts_before, before;      /* the same of earlier blocks */
    const char **item, **item_prefix; /* [count] */
    size_t *line_of;                  /* [count] */
    at_truncation cut;
    long skipped;
    bool weights; /* of any line so far */
} work;

/* ---- out ----------------------------------------------------------------------------------- */

static attend_status add_alignment(work *w, const attend_translation *t, attend_error *err)
{
    char *links;
    attend_status status = attend_translation_links(t, w->o->alignment == ALIGN_PIECES,
                                                    w->o->threshold, &links, err);
    if (status < 0)
        return status;
    at_str_print(&w->out, "%s%s", w->o->nbest > 1 ? " ||| " : "\t", links);
    attend_free(links);
    return ATTEND_OK;
}

/* does the text end in a script that has no blanks between sentences? */
static bool ends_wide(const at_str *s)
{
    uint32_t code = 0;
    size_t n = s->length, back = 1;
    while (back < n && back < 4 && ((unsigned char)s->text[n - back] & 0xC0) == 0x80)
        back++;
    return n > 0 && at_utf8_get(s->text + n - back, back, &code) > 0 && at_utf8_columns(code) == 2;
}

/* a sentence of a paragraph: a line is over when the next begins, or a picture follows */
static void write_sentence(work *w, const attend_translation *t)
{
    if (w->o->show) {
        at_str_print(&w->out, "%s\n", t->text);
        return;
    }
    bool begun = w->out.length > 0 && w->out.text[w->out.length - 1] != '\n';
    if (t->line > 0 && w->line_of[t->line] != w->line_of[t->line - 1])
        at_str_add(&w->out, "\n");
    else if (begun && *t->text && !ends_wide(&w->out))
        at_str_add(&w->out, " ");
    at_str_add(&w->out, t->text);
    if (t->line + 1 == w->count)
        at_str_add(&w->out, "\n");
}

static void write_text(work *w, size_t line, const attend_translation *t)
{
    double log_p = t->skipped ? -INFINITY : t->log_p, score = t->skipped ? -INFINITY : t->score;
    if (w->o->nbest > 1)
        at_str_print(&w->out, "%zu ||| %s ||| LogP= %.6f ||| %.6f", line, t->text, log_p, score);
    else if (w->o->score)
        at_str_print(&w->out, "%.6f\t%s", log_p, t->text);
    else
        at_str_add(&w->out, t->text);
}

static attend_status write_trace(work *w, size_t line, const attend_translation *t,
                                 attend_error *err)
{
    char *text;
    attend_status status = attend_trace_json(t, line, &text, err);
    if (status < 0)
        return status;
    at_writer_write(w->trace, text, strlen(text));
    at_writer_write(w->trace, "\n", 1);
    attend_free(text);
    return ATTEND_OK;
}

static attend_status write_one(void *user, const attend_translation *t, attend_error *err)
{
    work *w = user;
    size_t line = w->before + w->line_of[t->line];
    attend_status status = ATTEND_OK;
    if (t->skipped && w->o->when_long == ATTEND_WHEN_LONG_ERROR)
        return at_error(err, ATTEND_FORMAT,
                        "line %zu has a sentence that is too long, more than %d pieces or more "
                        "than the model can read; --max-length changes the first",
                        line + 1, w->o->longest);
    at_truncation_note(&w->cut, t->cut && t->rank == 0, t->sources);
    w->skipped += t->skipped;
    if (w->o->split) {
        write_sentence(w, t);
    } else {
        write_text(w, line, t);
        if (w->o->alignment != ALIGN_NOT)
            status = add_alignment(w, t, err);
        at_str_add(&w->out, "\n");
    }
    w->weights |= t->weights != NULL;
    if (status >= 0 && w->o->show && t->weights) {
        attend_text_style style = {w->cli->columns, w->cli->utf8, w->cli->color};
        status = at_attention_text(&w->out, t, style, err);
    }
    if (status >= 0 && w->trace)
        status = write_trace(w, line, t, err);
    return status < 0 ? status : at_attention_out_add(&w->attention, line, t, err);
}

/* ---- in ------------------------------------------------------------------------------------ */

static attend_status add_sentence(void *user, const char *text, size_t size, attend_error *err)
{
    (void)err;
    work *w = user;
    at_str_add_bytes(&w->text, text, size);
    at_str_add_bytes(&w->text, "", 1);
    w->count++;
    return ATTEND_OK;
}

static attend_status add_line(work *w, const char *text, size_t size, attend_error *err)
{
    size_t before = w->count;
    attend_status status = ATTEND_OK;
    if (w->o->split)
        status = attend_sentences_split(text, size, NULL, add_sentence, w, err);
    if (w->count == before)
        add_sentence(w, text, w->o->split ? 0 : size, err);
    size_t *more = at_realloc(w->line_of, before * sizeof *more, w->count * sizeof *more);
    if (!more)
        return at_error_memory(err);
    w->line_of = more;
    for (size_t i = before; i < w->count; i++)
        w->line_of[i] = w->lines;
    w->lines++;
    return status;
}

/* the next sequences: each is a line without text */
static attend_status number_sequences(work *w, size_t most, bool *ended, attend_error *err)
{
    size_t left = attend_features_count(w->features) - w->before;
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < left && i < most && status >= 0; i++)
        status = add_line(w, "", 0, err);
    *ended = w->lines == left;
    return status;
}

/* As many lines as there are without waiting; *ended: no more come. */
static attend_status read_block(work *w, bool *ended, attend_error *err)
{
    enum { BLOCK = 4096 };
    size_t most = w->o->batch == 1 ? 1 : BLOCK;
    attend_status status = ATTEND_OK;
    at_str_clear(&w->text);
    w->texts_before += w->count;
    w->before += w->lines;
    w->count = w->lines = 0;
    if (w->features)
        return number_sequences(w, most, ended, err);
    do {
        const char *text;
        size_t size;
        int got = at_reader_next(&w->in, &text, &size, err);
        *ended = got == 0;
        status = got < 0 ? (attend_status)got : got == 0 ? ATTEND_OK : add_line(w, text, size, err);
    } while (status >= 0 && !*ended && w->lines < most && at_reader_ready(&w->in));
    if (status >= 0 && w->text.failed)
        status = at_error_memory(err);
    return status;
}

static const char *source_name(const work *w) { return w->o->src ? w->o->src : "standard input"; }

/* the lines of this block that translations begin with */
static attend_status take_prefixes(work *w, attend_error *err)
{
    const attend_lines *p = &w->prefix.lines;
    for (size_t i = 0; i < w->count; i++) {
        if (w->before + i >= p->count)
            return at_error(err, ATTEND_FORMAT,
                            "%s has %zu lines, and %s has more; they belong together", p->name,
                            p->count, source_name(w));
        w->item_prefix[i] = p->line[w->before + i];
    }
    return ATTEND_OK;
}

static attend_status translate_block(work *w, attend_error *err)
{
    bool prefixes = w->o->prefix || w->o->forced;
    attend_status status = ATTEND_OK;
    w->item = at_alloc((w->count + 1) * sizeof *w->item);
    w->item_prefix = at_alloc((w->count + 1) * sizeof *w->item_prefix);
    if (!w->item || !w->item_prefix)
        status = at_error_memory(err);
    const char *at = at_str_text(&w->text);
    for (size_t i = 0; i < w->count && status >= 0; i++, at += strlen(at) + 1)
        w->item[i] = at;
    if (status >= 0 && prefixes)
        status = take_prefixes(w, err);
    w->inside.prefix = prefixes ? w->item_prefix : NULL;
    w->inside.first = w->texts_before;
    if (status >= 0)
        status = attend_translate(w->models.model[0], &w->inside, w->count, w->item, write_one, w,
                                  err);
    at_free(w->item);
    at_free(w->item_prefix);
    return status < 0 ? status : at_cli_flush(&w->out, true, err);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static attend_status check_search(const translate *o, attend_error *err)
{
    int beam = o->beam ? o->beam : BEAM;
    if (o->nbest > beam && !o->sample)
        return at_error(err, ATTEND_OPTION,
                        "--nbest %d: a beam of %d has no more than %d; --beam makes it wider",
                        o->nbest, beam, beam);
    if (o->sample && o->beam)
        return at_error(err, ATTEND_OPTION,
                        "--sample draws, --beam searches: leave one of them out; --nbest is how "
                        "many are drawn");
    if (o->sample && o->coverage != 0)
        return at_error(err, ATTEND_OPTION,
                        "--sample draws, --coverage ranks what a search found: leave one of them "
                        "out");
    if (!o->sample
        && (o->temperature != 1 || o->top_k != 0 || o->top_p != 1 || o->min_p != 0
            || o->seed != SEED))
        return at_error(err, ATTEND_OPTION,
                        "--temperature, --top-k, --top-p, --min-p and --seed are for drawing: "
                        "--sample asks for it");
    if (o->rule == ATTEND_LENGTH_RULE_NONE && o->penalty != 1)
        return at_error(err, ATTEND_OPTION,
                        "--length-penalty is for --length-rule average and wu, not for none");
    return ATTEND_OK;
}

static attend_status check_forced(const translate *o, attend_error *err)
{
    if (o->prefix || o->sample || o->nbest > 1 || o->beam > 1)
        return at_error(err, ATTEND_OPTION,
                        "--forced leaves no choice: without --prefix, --sample, --nbest and "
                        "--beam");
    if (o->no_repeat || o->most || o->replace_unknown)
        return at_error(err, ATTEND_OPTION,
                        "--forced changes nothing of what is given: without --no-repeat-ngram, "
                        "--max-tokens and --replace-unknown");
    return ATTEND_OK;
}

/* besides --attention-out */
static bool uses_weights(const translate *o)
{
    return o->show || o->alignment != ALIGN_NOT || o->replace_unknown || o->coverage != 0;
}

static attend_status check(const translate *o, attend_error *err)
{
    attend_status status = o->forced ? check_forced(o, err) : ATTEND_OK;
    if (status >= 0)
        status = check_search(o, err);
    if (status < 0)
        return status;
    if (o->split
        && (o->forced || o->prefix || o->nbest > 1 || o->score || o->alignment != ALIGN_NOT))
        return at_error(err, ATTEND_OPTION,
                        "--split writes paragraphs: without --forced, --prefix, --nbest, --score "
                        "and --alignment");
    if (o->dictionary && !o->replace_unknown)
        return at_error(err, ATTEND_OPTION, "--dictionary is for --replace-unknown");
    if (o->alternatives && !o->trace)
        return at_error(err, ATTEND_OPTION, "--alternatives is for --trace");
    if (o->trace && !o->look.overwrite && at_file_exists(o->trace))
        return at_error(err, ATTEND_OPTION, "--trace: %s exists; --overwrite replaces it",
                        at_show(o->trace).text);
    if (o->threshold > 0 && o->alignment == ALIGN_NOT)
        return at_error(err, ATTEND_OPTION, "--threshold is for --alignment");
    return at_attention_out_check(&o->look, uses_weights(o), err);
}

static void set_options(work *w, const translate *o)
{
    attend_translate_defaults(&w->inside);
    w->inside.beam = o->forced ? 1 : o->sample ? o->nbest : o->beam;
    w->inside.best = o->nbest;
    w->inside.rule = o->rule;
    w->inside.penalty = o->penalty;
    w->inside.coverage = o->coverage;
    w->inside.no_repeat = o->no_repeat;
    w->inside.longest = o->longest;
    w->inside.when_long = o->when_long;
    if (o->split && o->when_long == ATTEND_WHEN_LONG_ERROR)
        w->inside.when_long = ATTEND_WHEN_LONG_SKIP; /* write_one knows the line and refuses it */
    w->inside.most = o->most;
    w->inside.batch = o->batch;
    w->inside.attention = o->alignment != ALIGN_NOT || o->show || o->look.path;
    w->inside.target_words = o->alignment != ALIGN_NOT;
    w->inside.scores = o->score || o->nbest > 1 || o->show || o->look.path || o->trace;
    w->inside.alternatives = o->alternatives;
    w->inside.trace = o->trace != NULL;
    w->inside.sample = o->sample;
    w->inside.temperature = o->temperature;
    w->inside.top_k = o->top_k;
    w->inside.top_p = o->top_p;
    w->inside.min_p = o->min_p;
    w->inside.seed = o->seed;
    w->inside.forced = o->forced != NULL;
    w->inside.replace_unknown = o->replace_unknown;
}

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static attend_status open_source(work *w, attend_error *err)
{
    const char *src = w->o->src;
    int width = at_models_features(&w->models);
    bool vectors = src && at_file_ends(src, ".safetensors");
    if (width && !vectors)
        return at_error(err, ATTEND_OPTION,
                        "the model reads feature vectors: --src FILE.safetensors has them");
    if (vectors && (w->o->split || w->o->replace_unknown))
        return at_error(err, ATTEND_OPTION, "%s is for sources of words, not for feature vectors",
                        w->o->split ? "--split" : "--replace-unknown");
    if (vectors && (w->o->longest != LONGEST || w->o->when_long != ATTEND_WHEN_LONG_CUT))
        return at_error(
            err, ATTEND_OPTION,
            "--max-length and --when-long are for lines; feature vectors are read whole");
    if (!vectors) {
        attend_status opened = at_reader_open(&w->in, w->cli, src ? src : "-", err);
        w->in.no_zeros = w->in.odd.texts = true;
        return opened;
    }
    w->cli->input = src;
    attend_status status = attend_features_open(src, &w->features, err);
    w->inside.features = w->features;
    w->cut.of = "frames";
    return status;
}

/* what has no meaning without weights is refused before the first line */
static attend_status check_looks(work *w, attend_error *err)
{
    if (w->o->look.path || w->o->alignment != ALIGN_NOT)
        return at_models_need_attention(&w->models,
                                        w->o->look.path ? "--attention-out" : "--alignment", err);
    return ATTEND_OK;
}

static attend_status open_all(work *w, int models, char **model, attend_dictionary **dictionary,
                              attend_error *err)
{
    const translate *o = w->o;
    const char *prefix = o->forced ? o->forced : o->prefix;
    attend_status status = at_models_add(&w->models, w->cli, model[0], err);
    for (int i = 1; i < models && status >= 0; i++) {
        if (is_file(model[i]))
            return at_error(err, ATTEND_OPTION,
                            "%s is a file, not a model; lines come from standard input: attend "
                            "translate %s %s %s",
                            at_show(model[i]).text, at_show(model[0]).text,
                            at_file_ends(model[i], ".safetensors") ? "--src" : "<",
                            at_show(model[i]).text);
        status = at_models_add(&w->models, w->cli, model[i], err);
    }
    at_models_use(&w->models, &w->inside);
    if (status >= 0)
        status = at_attention_out_ask(&o->look, &w->models, &w->inside, err);
    if (status >= 0 && o->dictionary) {
        w->cli->input = o->dictionary;
        status = attend_dictionary_open(o->dictionary, dictionary, err);
        w->inside.dictionary = *dictionary;
    }
    if (status >= 0 && prefix)
        status = at_lines_read(&w->prefix, w->cli, prefix, err);
    if (status >= 0)
        status = at_attention_out_open(&w->attention, w->cli, &o->look, err);
    w->attention.sentences = o->split;
    if (status >= 0 && o->trace)
        status = at_writer_open(&w->trace, o->trace, err);
    if (status >= 0)
        status = open_source(w, err);
    return status < 0 ? status : check_looks(w, err);
}

/* Lines without weights may be empty ones: the model is asked. */
static void say_blind(const work *w)
{
    attend_error ignored;
    if (w->o->show && !w->weights && w->before + w->lines > 0
        && at_models_need_attention(&w->models, "--show", &ignored) < 0)
        fprintf(stderr, "attend translate: --show: the model has no attention to draw\n");
}

static void say_lengths(const work *w)
{
    say_blind(w);
    const char *unit = w->o->split ? "sentence" : "line";
    at_truncation_report(&w->cut, w->cli, unit, "what follows was left out");
    if (w->skipped)
        fprintf(stderr,
                "attend translate: %ld %s%s too long, more than %d pieces or more than "
                "the model can read, and %s skipped\n",
                w->skipped, unit, w->skipped == 1 ? " is" : "s are", w->o->longest,
                w->skipped == 1 ? "was" : "were");
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const translate *o = fields;
    work w = {.cli = cli, .o = o, .in = {.file = -1}};
    attend_dictionary *dictionary = NULL;
    bool ended = false;
    set_options(&w, o);
    attend_status status = check(o, err);
    if (status >= 0)
        status = open_all(&w, operands, operand, &dictionary, err);
    while (status >= 0 && !ended) {
        status = read_block(&w, &ended, err);
        if (status >= 0 && w.count > 0)
            status = translate_block(&w, err);
    }
    if (status >= 0 && w.before + w.lines < w.prefix.lines.count)
        status = at_error(err, ATTEND_FORMAT, "%s has %zu lines, and %s %zu; they belong together",
                          w.prefix.lines.name, w.prefix.lines.count, source_name(&w),
                          w.before + w.lines);
    if (status >= 0)
        status = at_attention_out_commit(&w.attention, err);
    if (status >= 0 && w.trace) {
        status = at_writer_commit(w.trace, err);
        w.trace = NULL;
    }
    say_lengths(&w);
    at_attention_out_free(&w.attention);
    at_writer_abort(w.trace);
    at_reader_close(&w.in);
    at_lines_free(&w.prefix);
    at_str_free(&w.text);
    at_str_free(&w.out);
    at_free(w.line_of);
    attend_features_free(w.features);
    attend_dictionary_free(dictionary);
    at_models_free(&w.models);
    return status;
}

static const at_term examples[] = {
    {"attend translate model < source.txt > target.txt", "A line for each line"},
    {"attend translate model1 model2 model3 < source.txt", "An ensemble: their mean decides"},
    {0}};

const at_command at_command_translate = {
    .usage = {.name = "translate",
              .summary = "Translate lines of standard input, or a file of features",
              .operands = "MODEL...",
              .options = options,
              .examples = examples},
    .size = sizeof(translate),
    .min_operands = 1,
    .max_operands = 16,
    .run = run,
};
