/* attend align: which word of given translations belongs to which, by a model's attention. */
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/attention_out.h"
#include "cli/forced.h"
#include "cli/option_use.h"
#include "cli/truncation.h"

typedef struct {
    const char *src, *tgt, *with, *lexicon;
    int level, batch, longest, symmetrise, iterations;
    double threshold;
    bool swap, lexical;
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
    {.name = "with", OPTION_PATH(align, with), .meta = "MODEL",
     .help = "Model of the other direction, for --symmetrise",
     .example = {"attend align model pairs.tsv --with back --symmetrise grow-diag-final-and",
                 "One alignment of two models, one for each direction"}},
    {.name = "lexical", OPTION_FLAG(align, lexical),
     .help = "Align without a MODEL: IBM model 1 with a diagonal prior, learned from PAIRS",
     .example = {"attend align --lexical pairs.tsv --symmetrise intersection",
                 "Links without a model, sure ones only"}},
    {.name = "iterations", OPTION_INT(align, iterations), .value = "5", .min = 1, .max = 1000,
     .meta = "N", .help = "Iterations of expectation maximisation of --lexical"},
    {.name = "max-length", OPTION_INT(align, longest), .value = "1000", .min = 1, .max = 1 << 20,
     .meta = "N", .help = "Pieces of a line that are read; words behind them have no links"},
    {.name = "batch", OPTION_INT(align, batch), .value = "64", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Lines at a time; changes nothing but the speed"},
    {.name = "level", .letter = 'l', OPTION_CHOICE(align, level), .choices = "word|token",
     .value = "word", .group = "Output", .help = "What is linked"},
    {.name = "threshold", OPTION_REAL(align, threshold), .value = "0", .min = 0, .max = 1,
     .meta = "W", .help = "Link all with so much weight; 0 links the one with most",
     .example = {"attend align model pairs.tsv --threshold 0.2", "Several links of a word"}},
    {.name = "symmetrise", OPTION_CHOICE(align, symmetrise), .value = "none",
     .choices = "none|intersection|union|grow-diag-final-and",
     .help = "Combine the links of both directions, of MODEL and --with or of --lexical: those "
             "that both have, that either has, or the intersection grown by links of the union"},
    {.name = "lexicon", OPTION_PATH(align, lexicon), .meta = "FILE",
     .help = "Write word translation probabilities by the links: source, target, p(target | "
             "source), p(source | target) and number of links, tabs between them",
     .example = {"attend align model pairs.tsv --lexicon words.tsv > links",
                 "A dictionary of the words that are linked"}},
    ATTENTION_OPTIONS(align, look),
    {.name = "overwrite", OPTION_FLAG(align, look.overwrite),
     .help = "Let --attention-out and --lexicon replace a file"},
    {0}};
/* clang-format on */

typedef struct {
    const align *o;
    at_cli *cli;
    at_str out;
    at_attention_out attention;
    at_truncation cut;
    at_sentence_pairs pairs;
    at_arena memory;
    const char **links, **back; /* of each pair, forward and in the other direction */
} work;

static attend_status write_links(work *w, const char *links, attend_error *err)
{
    at_str_add(&w->out, links);
    at_str_add(&w->out, "\n");
    return at_cli_flush(&w->out, false, err);
}

/* ---- links of models ------------------------------------------------------------------------ */

static attend_status keep(work *w, const char **links, const attend_translation *t,
                          attend_error *err)
{
    char *text;
    attend_status status = attend_translation_links(t, w->o->level, w->o->threshold, &text, err);
    if (status < 0)
        return status;
    links[t->line] = at_arena_strdup(&w->memory, text);
    attend_free(text);
    return links[t->line] ? ATTEND_OK : at_error_memory(err);
}

/* Links go out as they come where they need nothing more. */
static attend_status take_forward(void *user, const attend_translation *t, attend_error *err)
{
    work *w = user;
    at_truncation_note(&w->cut, t->cut, t->sources);
    attend_status status = keep(w, w->links, t, err);
    if (status >= 0)
        status = at_attention_out_add(&w->attention, t->line, t, err);
    if (status >= 0 && !w->o->with)
        status = write_links(w, w->links[t->line], err);
    if (status >= 0 && !w->o->with && !w->o->lexicon)
        at_arena_reset(&w->memory);
    return status;
}

/* "0-1 2-0" as "1-0 0-2" */
static char *turned(at_arena *memory, const char *links)
{
    char *text = at_arena_strdup(memory, links), *to = text;
    for (const char *from = links; text && *from;) {
        size_t size = strcspn(from, " "), first = strcspn(from, "-"), second = size - first - 1;
        memcpy(to, from + first + 1, second);
        to[second] = '-';
        memcpy(to + second + 1, from, first);
        from += size;
        to += size;
        if (*from)
            from++, to++;
    }
    return text;
}

static attend_status take_backward(void *user, const attend_translation *t, attend_error *err)
{
    work *w = user;
    at_truncation_note(&w->cut, t->cut, t->sources);
    attend_status status = keep(w, w->back, t, err);
    if (status < 0)
        return status;
    w->back[t->line] = turned(&w->memory, w->back[t->line]);
    return w->back[t->line] ? ATTEND_OK : at_error_memory(err);
}

static attend_status run_model(work *w, const char *model, bool back, attend_error *err)
{
    static const at_attention_settings nothing = {.layer = -1, .head = -1};
    at_sentence_pairs turned_pairs = w->pairs;
    turned_pairs.source = w->pairs.target;
    turned_pairs.target = w->pairs.source;
    at_attention_out none = {.cli = w->cli};
    at_forced led = {.cli = w->cli,
                     .pairs = back ? &turned_pairs : &w->pairs,
                     .model = model,
                     .batch = w->o->batch,
                     .longest = w->o->longest,
                     .links = true,
                     .look = back ? &nothing : &w->o->look,
                     .write = back ? take_backward : take_forward,
                     .user = w,
                     .out = &w->out,
                     .attention = back ? &none : &w->attention};
    return at_forced_run(&led, err);
}

static attend_status align_by_models(work *w, const char *model, attend_error *err)
{
    const align *o = w->o;
    attend_status status = run_model(w, model, false, err);
    if (status >= 0 && o->with)
        status = run_model(w, o->with, true, err);
    if (status >= 0)
        at_truncation_report(&w->cut, w->cli, "line", "what follows of the source has no links");
    return status;
}

/* ---- links without a model ------------------------------------------------------------------ */

static attend_status align_by_words(work *w, attend_error *err)
{
    const at_sentence_pairs *p = &w->pairs;
    attend_status status = attend_links_lexical(p->count, p->source, p->target, w->o->iterations,
                                                &w->links, err);
    if (status >= 0 && w->o->symmetrise)
        status = attend_links_lexical(p->count, p->target, p->source, w->o->iterations, &w->back,
                                      err);
    for (size_t i = 0; i < p->count && w->back && status >= 0; i++)
        if (!(w->back[i] = turned(&w->memory, w->back[i])))
            status = at_error_memory(err);
    for (size_t i = 0; i < p->count && !w->back && status >= 0; i++)
        status = write_links(w, w->links[i], err);
    return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

static attend_status symmetrise(work *w, attend_error *err)
{
    attend_symmetrise how = (attend_symmetrise)(w->o->symmetrise - 1);
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < w->pairs.count && status >= 0; i++) {
        char *links;
        status = attend_links_symmetrise(w->links[i], w->back[i], how, &links, err);
        if (status < 0)
            return status;
        w->links[i] = at_arena_strdup(&w->memory, links);
        attend_free(links);
        status = w->links[i] ? write_links(w, w->links[i], err) : at_error_memory(err);
    }
    return status;
}

static const at_option_use uses[] = {
    {"a model", " src tgt swap with max-length batch level threshold symmetrise lexicon "
                "attention-out figure picture grid kind layer head overwrite "},
    {"--lexical", " src tgt swap lexical iterations symmetrise lexicon overwrite "}};

static attend_status check(const align *o, int operands, attend_error *err)
{
    attend_status status = at_option_use_check(options, o, uses, 2, o->lexical, err);
    if (status < 0)
        return status;
    if (!o->lexical && operands < 1)
        return at_error(err, ATTEND_OPTION,
                        "MODEL is missing: the folder of a translator, or --lexical to align "
                        "without one");
    if (o->lexical && operands > 1)
        return at_error(err, ATTEND_OPTION, "--lexical takes no MODEL: PAIRS alone");
    if (o->with && !o->symmetrise)
        return at_error(err, ATTEND_OPTION,
                        "--with needs --symmetrise: intersection, union or grow-diag-final-and");
    if (o->symmetrise && !o->with && !o->lexical)
        return at_error(err, ATTEND_OPTION,
                        "--symmetrise combines two directions: --with MODEL is the other one");
    if (o->level == 1 && (o->with || o->lexicon))
        return at_error(err, ATTEND_OPTION, "--level token: --with and --lexicon are for words");
    if (o->lexicon && !o->look.overwrite && at_file_exists(o->lexicon))
        return at_error(err, ATTEND_OPTION, "--lexicon: %s exists; --overwrite replaces it",
                        at_show(o->lexicon).text);
    return ATTEND_OK;
}

static attend_status read_pairs(work *w, const char *path, attend_error *err)
{
    const align *o = w->o;
    at_sentence_pairs_from from = {path, o->src, o->tgt, o->swap};
    attend_status status = at_sentence_pairs_read(&w->pairs, w->cli, &from, err);
    if (status >= 0 && w->pairs.features && (o->lexical || o->with || o->lexicon))
        return at_error(err, ATTEND_OPTION,
                        "--lexical, --with and --lexicon are for words on both sides, not for "
                        "feature vectors");
    if (status < 0 || o->lexical)
        return status;
    w->links = at_alloc_zero(w->pairs.count + 1, sizeof *w->links);
    w->back = o->with ? at_alloc_zero(w->pairs.count + 1, sizeof *w->back) : NULL;
    return w->links && (w->back || !o->with) ? ATTEND_OK : at_error_memory(err);
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const align *o = fields;
    work w = {.o = o, .cli = cli};
    attend_status status = check(o, operands, err);
    if (status < 0)
        return status;
    int first = o->lexical ? 0 : 1;
    status = read_pairs(&w, operands > first ? operand[first] : NULL, err);
    if (status >= 0)
        status = o->lexical ? align_by_words(&w, err) : align_by_models(&w, operand[0], err);
    if (status >= 0 && w.back)
        status = symmetrise(&w, err);
    if (status >= 0)
        status = at_cli_flush(&w.out, true, err);
    if (status >= 0 && o->lexicon)
        status = attend_lexicon_save(o->lexicon, w.pairs.count, w.pairs.source, w.pairs.target,
                                     w.links, err);
    at_attention_out_free(&w.attention);
    at_sentence_pairs_free(&w.pairs);
    at_arena_free(&w.memory);
    at_free(w.links);
    at_free(w.back);
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
              .operands = "[MODEL] [PAIRS]",
              .description = "PAIRS is a file of sentence pairs in any of the formats of `attend "
                             "list formats`, in place of --src and --tgt. The model reads a "
                             "sentence and is led through its translation; every word of that is "
                             "linked to the words it looks at. Words are what stands between "
                             "blanks, of Chinese and Japanese without blanks the characters, "
                             "counted from 0.\n"
                             "\n"
                             "With --lexical, leave out MODEL: IBM model 1 with a diagonal prior, "
                             "trained on PAIRS, aligns the words. --symmetrise makes one "
                             "alignment of two directions.",
              .options = options,
              .examples = examples},
    .size = sizeof(align),
    .min_operands = 0,
    .max_operands = 2,
    .run = run,
};
