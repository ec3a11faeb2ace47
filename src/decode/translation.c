/* Hypotheses as the caller gets them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "decode/attention_rows.h"
#include "decode/detokenize.h"
#include "decode/translate_job.h"
#include "text/counting.h"

/* one hypothesis on its way; all of it is in the arena of words */
typedef struct {
    const at_translate_job *job;
    const at_translate_item *item;
    const at_hypothesis *hypothesis; /* NULL: of an empty line or one that is skipped */
    at_detokenizer words;
    at_text *piece;       /* [out.targets] */
    const real **weights; /* likewise, of the source's positions; NULL: the beam has none */
    attend_translation out;
} giving;

/* ---- the source ----------------------------------------------------------------------------- */

/* Its tokens, and the words of the line that they are in. Numbers of frames are words of their own.
 * False without memory. */
static bool take_source(giving *g)
{
    const at_translate_item *i = g->item;
    const at_tokenizer *tokenizer = g->job->with->source;
    at_arena *memory = g->words.memory;
    int n = g->out.sources;
    const char **text = at_arena_alloc(memory, ((size_t)n + 1) * sizeof *text);
    unsigned *word = at_arena_alloc(memory, ((size_t)n + 1) * sizeof *word);
    bool alone = !g->out.frames && at_words_stand_alone(i->line.text, i->line.size);
    if (!text || !word)
        return false;
    for (int k = 0; k < n; k++) {
        char digits[12];
        if (g->out.frames) {
            int size = snprintf(digits, sizeof digits, "%d", k);
            text[k] = at_arena_text(memory, digits, (size_t)size);
            word[k] = (unsigned)k;
        } else {
            bool end = i->cut && k + 1 == n;
            at_token piece = i->pieces.item[end ? i->pieces.count - 1 : (size_t)k];
            text[k] = at_token_label(memory, tokenizer, i->line, piece);
            word[k] = alone ? at_word_of(i->line.text, i->line.size, &piece) : piece.word;
        }
        if (!text[k])
            return false;
    }
    g->out.source = text;
    g->out.source_word = word;
    return true;
}

/* ---- the target ----------------------------------------------------------------------------- */

/* texts of the target's tokens: given ones as they were given, unknown ones replaced */
static at_text *texts(const giving *g)
{
    const at_translate_item *i = g->item;
    int unknown = g->job->with->target->special[ATTEND_SPECIAL_UNK], given = (int)i->given.count;
    at_text *piece = at_detokenizer_tokens(&g->words, g->out.targets, g->out.token);
    for (int k = 0; piece && k < g->out.targets; k++) {
        if (g->out.token[k] != unknown)
            continue;
        if (k < given && i->given.item[k].id == unknown)
            piece[k] = (at_text){i->prefix.text + i->given.item[k].begin,
                                 i->given.item[k].end - i->given.item[k].begin};
        else if (g->job->o->replace_unknown && g->weights
                 && !at_detokenizer_replace(&g->words, g->weights[k], &piece[k]))
            return NULL;
    }
    return piece;
}

/* the labels of the target, and what the decoder reads: the start, then all but the last */
static bool take_labels(giving *g)
{
    const at_tokenizer *target = g->job->with->target;
    size_t n = (size_t)g->out.targets;
    const char **label = at_arena_alloc(g->words.memory, (n + 1) * sizeof *label);
    const char **input = at_arena_alloc(g->words.memory, (n + 1) * sizeof *input);
    if (!label || !input)
        return false;
    input[0] = at_vocab_text(target->vocab, target->special[ATTEND_SPECIAL_BOS], NULL);
    for (size_t k = 0; k < n; k++) {
        label[k] = at_arena_text(g->words.memory, g->piece[k].text, g->piece[k].size);
        if (!label[k])
            return false;
        if (k + 1 < n)
            input[k + 1] = label[k];
    }
    g->out.target = label;
    g->out.decoder_input = input;
    return true;
}

/* false without memory */
static bool take_target(giving *g)
{
    const at_beam *beam = &g->item->beam;
    const at_hypothesis *h = g->hypothesis;
    at_arena *memory = g->words.memory;
    size_t n = (size_t)h->words + 1;
    int *id = at_arena_alloc(memory, n * sizeof *id);
    const real **weights = at_arena_alloc(memory, n * sizeof *weights);
    double *log_ps = at_arena_alloc(memory, n * sizeof *log_ps);
    if (!id || !weights || !log_ps)
        return false;
    int count = at_beam_words(beam, h, id);
    if (h->ended)
        id[count++] = beam->options.end;
    for (int k = 0; k < count; k++) {
        weights[k] = at_beam_weights(beam, h, k);
        log_ps[k] = at_beam_log_p(beam, h, k);
    }
    g->out.targets = count;
    g->out.token = id;
    g->out.log_ps = g->job->o->scores ? log_ps : NULL;
    g->weights = beam->source ? weights : NULL;
    return (g->piece = texts(g)) && take_labels(g);
}

/* ---- what was asked for --------------------------------------------------------------------- */

static bool take_weights(giving *g)
{
    int n = g->out.sources;
    size_t all = (size_t)g->out.targets * (size_t)n;
    double *w = at_arena_alloc(g->words.memory, (all + 1) * sizeof *w);
    for (int k = 0; w && k < g->out.targets; k++)
        for (int s = 0; s < n; s++)
            w[k * n + s] = (double)g->weights[k][s];
    g->out.weights = w;
    return w;
}

/* rows of all tokens, in their order */
static bool take_attention(giving *g)
{
    size_t n = 1;
    for (int k = 0; k < g->out.targets; k++)
        n += (size_t)at_beam_attention(&g->item->beam, g->hypothesis, k).count;
    attend_attention_row *row = at_arena_alloc(g->words.memory, n * sizeof *row);
    for (int k = 0; row && k < g->out.targets; k++) {
        at_attention_rows of = at_beam_attention(&g->item->beam, g->hypothesis, k);
        if (!at_attention_rows_add(&of, k, g->out.sources, g->words.memory, row,
                                   &g->out.attention_count))
            return false;
    }
    g->out.attention = row;
    return row;
}

/* of the vocabulary, or of the words that can be copied; NULL without memory */
static const char *token_text(const giving *g, int token)
{
    const at_tokenizer *target = g->job->with->target;
    int known = at_tokenizer_size(target);
    if (token < known)
        return at_vocab_text(target->vocab, token, NULL);
    at_text word = at_copied_text(&g->item->copied, token - known);
    return at_arena_text(g->words.memory, word.text, word.size);
}

static bool take_alternatives(giving *g)
{
    int n = g->job->o->alternatives;
    size_t size = (size_t)g->out.targets * (size_t)n + 1;
    attend_alternative *all = at_arena_alloc(g->words.memory, size * sizeof *all);
    for (int i = 0; all && i < g->out.targets * n; i++) {
        const at_alternative *a = at_beam_alternatives(&g->item->beam, g->hypothesis, i / n);
        const char *text = a[i % n].word < 0 ? "" : token_text(g, a[i % n].word);
        if (!text)
            return false;
        all[i] = (attend_alternative){a[i % n].word, text, a[i % n].log_p};
    }
    g->out.alternative_count = n;
    g->out.alternatives = all;
    return all;
}

static bool take_trace(giving *g)
{
    const at_beam *beam = &g->item->beam;
    size_t total = 0;
    int n;
    for (int step = 0; step < beam->steps; step++, total += (size_t)n)
        at_beam_trace(beam, step, &n);
    attend_candidate *all = at_arena_alloc(g->words.memory, (total + 1) * sizeof *all);
    for (int step = 0; all && step < beam->steps; step++) {
        const at_beam_candidate *c = at_beam_trace(beam, step, &n);
        for (int i = 0; i < n; i++) {
            const char *text = token_text(g, c[i].word);
            if (!text)
                return false;
            all[g->out.trace_count++] = (attend_candidate){step, c[i].from,  c[i].row,   c[i].word,
                                                           text, c[i].log_p, c[i].score, c[i].fate};
        }
    }
    g->out.trace = all;
    return all;
}

static bool take_record(giving *g)
{
    const attend_translate_options *o = g->job->o;
    return (!o->attention || !g->weights || take_weights(g))
           && (!g->job->wanted.kinds || take_attention(g))
           && (!o->alternatives || take_alternatives(g))
           && (!o->trace || g->out.rank > 0 || take_trace(g));
}

/* which words the tokens are in: those of what was given, or of the text they make */
static attend_status number_words(giving *g, attend_error *err)
{
    const at_translate_item *i = g->item;
    size_t n = (size_t)g->out.targets;
    unsigned *word = at_arena_alloc(g->words.memory, (n + 1) * sizeof *word);
    if (!word)
        return at_error_memory(err);
    g->out.target_word = word;
    if (!g->job->o->forced)
        return at_detokenizer_words(&g->words, (int)n, g->out.token, g->piece, word, err);
    bool alone = at_words_stand_alone(i->prefix.text, i->prefix.size);
    for (size_t k = 0; k < n; k++) {
        const at_token *piece = k < i->given.count ? &i->given.item[k] : NULL;
        word[k] = !piece  ? ATTEND_NO_WORD
                  : alone ? at_word_of(i->prefix.text, i->prefix.size, piece)
                          : piece->word;
    }
    return ATTEND_OK;
}

/* ---- giving --------------------------------------------------------------------------------- */

static attend_status give_hypothesis(giving *g, attend_translation_function *function, void *user,
                                     attend_error *err)
{
    const attend_translate_options *o = g->job->o;
    at_str text = {0};
    attend_status status = ATTEND_OK;
    g->out.score = o->scores ? g->hypothesis->score : NAN;
    g->out.log_p = o->scores ? g->hypothesis->log_p : NAN;
    if (!take_source(g) || !take_target(g) || !take_record(g))
        return at_error_memory(err);
    if (o->forced)
        at_str_add_bytes(&text, g->item->prefix.text, g->item->prefix.size);
    else
        status = at_detokenizer_join(&g->words, g->out.targets, g->out.token, g->piece, &text, err);
    if (status >= 0 && o->target_words)
        status = number_words(g, err);
    g->out.text = at_str_text(&text);
    if (status >= 0)
        status = text.failed ? at_error_memory(err) : function(user, &g->out, err);
    at_str_free(&text);
    return status;
}

static attend_status give_nothing(giving *g, attend_translation_function *function, void *user,
                                  attend_error *err)
{
    g->out.text = "";
    g->out.sources = 0;
    g->out.cut = 0;
    g->out.skipped = g->item->skipped;
    if (!take_source(g) || !take_labels(g))
        return at_error_memory(err);
    return function(user, &g->out, err);
}

attend_status at_translate_give(const at_translate_job *j, size_t line,
                                attend_translation_function *function, void *user,
                                attend_error *err)
{
    const at_translate_item *i = &j->items[line];
    at_arena memory = {.first_size = 0};
    attend_status status = ATTEND_OK;
    giving start = {
        .job = j,
        .item = i,
        .words = {.target = j->with->target,
                  .dictionary = j->o->dictionary,
                  .source = &i->pieces,
                  .copied = &i->copied,
                  .line = i->line,
                  .words = !j->o->features && strcmp(j->with->source->kind->name, "words") == 0,
                  .positions = i->cut ? i->length - 1 : i->length, /* without its end */
                  .memory = &memory},
        .out = {.line = j->base + line,
                .sources = i->length,
                .cut = i->cut,
                .frames = j->o->features != NULL}};
    if (i->beam.count == 0)
        status = give_nothing(&start, function, user, err);
    for (int rank = 0; rank < i->beam.count && rank < j->o->best && status >= 0; rank++) {
        giving g = start;
        g.hypothesis = &i->beam.found[rank];
        g.out.rank = rank;
        status = give_hypothesis(&g, function, user, err);
    }
    at_arena_free(&memory);
    return status;
}
