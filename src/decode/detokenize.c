#include "decode/detokenize.h"

#include <string.h>

#include "attend.h"
#include "base/utf8.h"
#include "text/counting.h"
#include "text/unicode.h"

at_text *at_detokenizer_tokens(const at_detokenizer *w, int count, const int *id)
{
    at_text *piece = at_arena_alloc(w->memory, (size_t)(count + 1) * sizeof *piece);
    int known = at_tokenizer_size(w->target);
    for (int i = 0; piece && i < count; i++)
        if (id[i] < known)
            piece[i].text = at_vocab_text(w->target->vocab, id[i], &piece[i].size);
        else /* an id without a text leaves none */
            piece[i] = w->copied ? at_copied_text(w->copied, id[i] - known) : (at_text){"", 0};
    return piece;
}

/* of the line, without the blank that some tokenizers begin a word with */
static at_text shown(const at_detokenizer *w, const at_token *first, const at_token *last)
{
    return at_trimmed(w->line.text + first->begin, last->end - first->begin);
}

static bool is_mark(const at_detokenizer *w, const at_token *p)
{
    uint32_t code;
    at_text text = shown(w, p, p);
    return at_utf8_get(text.text, text.size, &code) > 0 && at_is_punctuation(code);
}

/* the word of the line that the piece at that position belongs to, without punctuation around */
static at_text word_at(const at_detokenizer *w, size_t at)
{
    const at_token *all = w->source->item;
    while (shown(w, &all[at], &all[at]).size == 0 && at + 1 < w->source->count
           && all[at + 1].word == all[at].word)
        at++; /* a blank alone is the begin of what follows */
    size_t first = at, last = at;
    bool alone = w->words || is_mark(w, &all[at]);
    while (!alone && first > 0 && all[first - 1].word == all[at].word
           && !is_mark(w, &all[first - 1]))
        first--;
    while (!alone && last + 1 < w->source->count && all[last + 1].word == all[at].word
           && !is_mark(w, &all[last + 1]))
        last++;
    return shown(w, &all[first], &all[last]);
}

bool at_detokenizer_replace(const at_detokenizer *w, const real *weights, at_text *piece)
{
    int best = -1;
    for (int j = 0; j < w->positions && (size_t)j < w->source->count; j++)
        if (w->source->item[j].end > w->source->item[j].begin
            && (best < 0 || weights[j] > weights[best]))
            best = j;
    if (best < 0)
        return true;
    at_text from = word_at(w, (size_t)best);
    if (from.size == 0)
        return true;
    const char *known = w->dictionary ? at_dictionary_find(w->dictionary, from.text, from.size)
                                      : NULL;
    at_text with = known ? at_text_of(known) : from;
    *piece = (at_text){at_arena_text(w->memory, with.text, with.size), with.size};
    return piece->text;
}

/* Does a token show? An unknown one always does where another text takes its place. */
static bool shows(const at_detokenizer *w, int id, at_text piece)
{
    bool unknown = id == w->target->special[ATTEND_SPECIAL_UNK];
    return at_tokenizer_shows(w->target, id)
           || (unknown && piece.text != at_vocab_text(w->target->vocab, id, NULL));
}

attend_status at_detokenizer_join(const at_detokenizer *w, int count, const int *id,
                                  const at_text *piece, at_str *out, attend_error *err)
{
    at_text *shown = at_arena_alloc(w->memory, (size_t)(count + 1) * sizeof *shown);
    size_t n = 0;
    if (!shown)
        return at_error_memory(err);
    for (int i = 0; i < count; i++)
        if (shows(w, id[i], piece[i]))
            shown[n++] = piece[i];
    return n ? at_join(w->target, shown, n, out, err) : ATTEND_OK;
}

/* A piece is in the last word of the text that ends with it; where characters are words, and it has
 * several, in the first that it adds. */
attend_status at_detokenizer_words(const at_detokenizer *w, int count, const int *id,
                                   const at_text *piece, unsigned *word, attend_error *err)
{
    at_str text = {0};
    attend_status status = at_detokenizer_join(w, count, id, piece, &text, err);
    bool alone = at_words_stand_alone(at_str_text(&text), text.length);
    unsigned before = 0;
    for (int i = 0; i < count && status >= 0; i++) {
        at_str_clear(&text);
        status = at_detokenizer_join(w, i + 1, id, piece, &text, err);
        unsigned words = at_words_count(at_str_text(&text), text.length, alone);
        unsigned first = alone && words > before ? before : words - 1;
        word[i] = shows(w, id[i], piece[i]) && words ? first : ATTEND_NO_WORD;
        before = words;
    }
    at_str_free(&text);
    return status;
}
