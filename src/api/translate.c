#include <string.h>

#include "attend.h"
#include "base/memory.h"
#include "decode/translate.h"
#include "store/translator_folder.h"

struct attend_translator {
    at_translator_folder folder;
    at_continuation *continuation;
};

attend_status attend_translator_open(const char *folder, attend_translator **out, attend_error *err)
{
    attend_translator *t = *out = at_alloc_zero(1, sizeof *t);
    if (!t)
        return at_error_memory(err);
    attend_status status = at_translator_folder_open(folder, &t->folder, err);
    if (status >= 0)
        status = at_translator_folder_weights(&t->folder, folder, NULL, err);
    if (status >= 0)
        status = at_continuation_new(&t->folder.model, t->folder.params, &t->continuation, err);
    if (status < 0) {
        attend_translator_free(t);
        *out = NULL;
    }
    return status;
}

void attend_translator_free(attend_translator *t)
{
    if (!t)
        return;
    at_continuation_free(t->continuation);
    at_translator_folder_free(&t->folder);
    at_free(t);
}

void attend_translate_defaults(attend_translate_options *o)
{
    *o = (attend_translate_options){.size = sizeof *o,
                                    .beam = 5,
                                    .best = 1,
                                    .rule = ATTEND_LENGTH_RULE_AVERAGE,
                                    .penalty = 1,
                                    .longest = 200,
                                    .batch = 64};
}

static attend_status check(const attend_translate_options *o, attend_error *err)
{
    if (o->size != sizeof *o)
        return at_error(err, ATTEND_OPTION, "attend_translate_defaults sets the options' size");
    if (o->beam < 1 || o->best < 1 || o->best > o->beam || o->batch < 1 || o->longest < 1
        || o->most < 0)
        return at_error(err, ATTEND_OPTION,
                        "beam %d, best %d, batch %d, longest %d: all at least 1, best at most beam",
                        o->beam, o->best, o->batch, o->longest);
    return ATTEND_OK;
}

/* ---- what is given --------------------------------------------------------------------------- */

typedef struct {
    attend_translator *t;
    attend_translation_function *function;
    void *user;
} giving;

static const char **texts(at_arena *memory, const at_tokenizer *t, int n, const int *id)
{
    const char **text = at_arena_alloc(memory, (size_t)(n ? n : 1) * sizeof *text);
    for (int i = 0; text && i < n; i++)
        text[i] = at_vocab_text(t->vocab, id[i], NULL);
    return text;
}

/* the source's pieces: their own texts, words and numbers */
typedef struct {
    int *id;
    unsigned *word;
} source_pieces;

static source_pieces pieces_of(at_arena *memory, const at_translated *t)
{
    size_t n = (size_t)(t->positions ? t->positions : 1);
    source_pieces p = {at_arena_alloc(memory, n * sizeof *p.id),
                       at_arena_alloc(memory, n * sizeof *p.word)};
    for (int i = 0; p.id && p.word && i < t->positions; i++) {
        at_piece piece =
            t->source->item[t->cut && i + 1 == t->positions ? t->source->count - 1 : (size_t)i];
        p.id[i] = piece.id;
        p.word[i] = piece.word;
    }
    return p;
}

static double *weights_of(at_arena *memory, const at_translated *t)
{
    size_t n = (size_t)t->count * (size_t)t->positions;
    double *w = at_arena_alloc(memory, (n ? n : 1) * sizeof *w);
    for (int i = 0; w && i < t->count; i++)
        for (int j = 0; j < t->positions; j++)
            w[i * t->positions + j] = (double)t->weights[i][j];
    return w;
}

static attend_status give(void *user, const at_translated *t, attend_error *err)
{
    const giving *g = user;
    at_arena memory = {.first_size = 0};
    source_pieces p = pieces_of(&memory, t);
    attend_translation out = {.line = t->line,
                              .rank = t->rank,
                              .text = t->text,
                              .score = t->score,
                              .log_p = t->log_p,
                              .sources = t->positions,
                              .targets = t->count,
                              .source_word = p.word,
                              .weights = t->weights ? weights_of(&memory, t) : NULL,
                              .cut = t->cut};
    attend_status status = ATTEND_OK;
    if (p.id && p.word) {
        out.source = texts(&memory, g->t->folder.source, t->positions, p.id);
        out.target = texts(&memory, g->t->folder.target, t->count, t->words);
    }
    if (!p.id || !p.word || !out.source || !out.target || (t->weights && !out.weights))
        status = at_error_memory(err);
    if (status >= 0)
        status = g->function(g->user, &out, err);
    at_arena_free(&memory);
    return status;
}

attend_status attend_translate(attend_translator *t, const attend_translate_options *options,
                               size_t count, const char *const *line,
                               attend_translation_function *function, void *user, attend_error *err)
{
    attend_translate_options defaults;
    attend_translate_defaults(&defaults);
    const attend_translate_options *o = options ? options : &defaults;
    attend_status status = check(o, err);
    at_text *text = at_alloc((count ? count : 1) * sizeof *text);
    if (status >= 0 && !text)
        status = at_error_memory(err);
    for (size_t i = 0; i < count && status >= 0; i++)
        text[i] = (at_text){line[i], strlen(line[i])};
    at_translate_options inside = {.beam = {.width = o->beam,
                                            .most = o->most,
                                            .rule = (at_length_rule)o->rule,
                                            .penalty = o->penalty,
                                            .coverage = o->coverage},
                                   .no_repeat = o->no_repeat,
                                   .best = o->best,
                                   .batch = o->batch,
                                   .longest = o->longest,
                                   .weights = o->attention != 0};
    giving g = {t, function, user};
    if (status >= 0)
        status = at_translate(t->continuation, t->folder.source, t->folder.target, &inside, count,
                              text, give, &g, err);
    at_free(text);
    return status;
}
