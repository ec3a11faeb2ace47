#include "train/guided_alignment.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "data/key.h"

typedef struct {
    uint32_t source, target; /* words */
} link;

struct at_guided_alignment {
    at_guided_data what;
    link *links;
    size_t count, room;
    size_t *first;  /* [items + 1]: of each item with ids */
    uint32_t *item; /* of each example of the corpus, or NONE */
};

enum { LIMIT = 1 << 30 };
#define NONE 0xFFFFFFFFu

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct {
    at_guided_alignment *g;
    const char *path;
    char **line; /* of the file; ended by zeros */
    long lines;
    attend_error *err;
} reading;

static unsigned words_in(at_text t)
{
    unsigned words = 0;
    for (size_t i = 0; i < t.size; i++)
        words += !isspace((unsigned char)t.text[i])
                 && (i == 0 || isspace((unsigned char)t.text[i - 1]));
    return words;
}

static bool add(at_guided_alignment *g, link l)
{
    if (g->count == g->room) {
        size_t room = g->room ? 2 * g->room : 1024;
        link *more = at_alloc(room * sizeof *more);
        if (!more)
            return false;
        if (g->count)
            memcpy(more, g->links, g->count * sizeof *more);
        at_free(g->links);
        g->links = more;
        g->room = room;
    }
    g->links[g->count++] = l;
    return true;
}

/* a whole number, or false */
static bool number(const char **text, uint32_t *value)
{
    const char *c = *text;
    uint64_t sum = 0;
    while (isdigit((unsigned char)*c) && sum < NONE)
        sum = sum * 10 + (uint64_t)(*c++ - '0');
    if (c == *text || sum >= NONE)
        return false;
    *text = c;
    *value = (uint32_t)sum;
    return true;
}

static attend_status read_line(const reading *r, const at_example *e, attend_error *err)
{
    const char *c = r->line[e->line - 1];
    bool swapped = r->g->what.swapped;
    unsigned sources = words_in(e->source), targets = words_in(e->target);
    for (c += strspn(c, " \t\r"); *c; c += strspn(c, " \t\r")) {
        link l, written;
        if (!number(&c, &written.source) || *c++ != '-' || !number(&c, &written.target)
            || (*c && !isspace((unsigned char)*c)))
            return at_error(err, ATTEND_FORMAT,
                            "%s:%ld: no link of the form 0-0, separated by blanks",
                            at_show(r->path).text, e->line);
        l = swapped ? (link){written.target, written.source} : written;
        if (l.source >= sources || l.target >= targets)
            return at_error(err, ATTEND_FORMAT,
                            "%s:%ld: link %u-%u, but the sentences have %u and %u words, from 0",
                            at_show(r->path).text, e->line, written.source, written.target,
                            swapped ? targets : sources, swapped ? sources : targets);
        if (!add(r->g, l))
            return at_error_memory(err);
    }
    return ATTEND_OK;
}

static attend_status read_items(const reading *r)
{
    at_guided_alignment *g = r->g;
    size_t items = at_encoded_size(g->what.ids);
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < items && status >= 0; i++) {
        uint32_t example = at_encoded_at(g->what.ids, i).example;
        at_example e;
        if (!at_corpus_at(g->what.corpus, example, NULL, &e))
            return at_error_memory(r->err);
        g->first[i] = g->count;
        g->item[example] = (uint32_t)i;
        if (e.line > r->lines)
            return at_error(r->err, ATTEND_FORMAT,
                            "%s: %ld lines, but there is a sentence pair in line %ld",
                            at_show(r->path).text, r->lines, e.line);
        status = read_line(r, &e, r->err);
    }
    g->first[items] = g->count;
    return status;
}

/* where each line of a text begins; the ends become zeros */
static char **cut_lines(char *text, size_t size, long *lines)
{
    size_t count = 0, room = 1;
    for (size_t i = 0; i < size; i++)
        room += text[i] == '\n';
    char **line = at_alloc(room * sizeof *line);
    for (char *c = text; line && c < text + size;) {
        char *end = memchr(c, '\n', (size_t)(text + size - c));
        line[count++] = c;
        if (!end)
            break;
        *end = '\0';
        c = end + 1;
    }
    *lines = (long)count;
    return line;
}

attend_status at_guided_alignment_load(const char *path, const at_guided_data *what,
                                       at_guided_alignment **out, attend_error *err)
{
    size_t examples = at_corpus_size(what->corpus), items = at_encoded_size(what->ids), size;
    at_guided_alignment *g = *out = at_alloc_zero(1, sizeof *g);
    char *text = NULL;
    reading r = {.g = g, .path = path, .err = err};
    attend_status status = g ? at_input_read(path, LIMIT, &text, &size, err) : at_error_memory(err);
    if (status >= 0) {
        g->what = *what;
        g->first = at_alloc((items + 1) * sizeof *g->first);
        g->item = at_alloc((examples ? examples : 1) * sizeof *g->item);
        r.line = cut_lines(text, size, &r.lines);
        if (g->item)
            memset(g->item, 0xFF, examples * sizeof *g->item);
        status = g->first && g->item && r.line ? read_items(&r) : at_error_memory(err);
    }
    at_free(r.line);
    at_free(text);
    if (status < 0) {
        at_guided_alignment_free(g);
        *out = NULL;
    }
    return status;
}

void at_guided_alignment_free(at_guided_alignment *g)
{
    if (!g)
        return;
    at_free(g->links);
    at_free(g->first);
    at_free(g->item);
    at_free(g);
}

/* ---- batches ------------------------------------------------------------------------------- */

/* what frames a sentence, and is no word of it */
static bool frames(const at_tokenizer *t, int id)
{
    return id == t->special[ATTEND_SPECIAL_BOS] || id == t->special[ATTEND_SPECIAL_EOS]
           || id == t->special[ATTEND_SPECIAL_CLS] || id == t->special[ATTEND_SPECIAL_SEP]
           || id == t->special[ATTEND_SPECIAL_PAD];
}

/* the word of each token, or NONE */
static void number_words(const at_tokenizer *t, const int32_t *token, int n, uint32_t *word)
{
    uint32_t last = NONE;
    for (int i = 0; i < n; i++) {
        bool framing = frames(t, at_token_id(token[i]));
        if (!framing && at_token_begins(token[i]))
            last++;
        word[i] = framing ? NONE : last;
    }
}

/* every piece of a word with every piece of the words that it is linked to */
static void put_links(const at_guided_alignment *g, size_t item, const uint32_t *source, int S,
                      const uint32_t *target, int T, bool reversed, int width, real *row)
{
    for (size_t k = g->first[item]; k < g->first[item + 1]; k++)
        for (int t = 1; t < T; t++)
            for (int s = 0; s < S && target[t] == g->links[k].target; s++)
                if (source[s] == g->links[k].source)
                    row[(t - 1) * width + (reversed ? S - 1 - s : s)] = 1;
}

static void norm_rows(real *row, int rows, int width)
{
    for (int t = 0; t < rows; t++, row += width) {
        real sum = 0;
        for (int s = 0; s < width; s++)
            sum += row[s];
        for (int s = 0; s < width && sum > 0; s++)
            row[s] /= sum;
    }
}

uint64_t at_guided_alignment_print(const at_guided_alignment *g)
{
    uint64_t print = g->count;
    for (size_t i = 0; i < g->count; i++)
        print = at_key_join(print, (uint64_t)g->links[i].source << 32 | g->links[i].target);
    for (size_t i = 0; i <= at_encoded_size(g->what.ids); i++)
        print = at_key_join(print, g->first[i]);
    return print;
}

real *at_guided_alignment_batch(const at_guided_alignment *g, const at_batch *batch, bool reversed,
                                at_arena *arena)
{
    int B = batch->source.B, S = batch->source.T, T = batch->target.T;
    size_t each = (size_t)(T > 1 ? T - 1 : 0) * (size_t)S;
    real *links = at_arena_alloc(arena, (size_t)B * each * sizeof *links);
    uint32_t *word = at_arena_alloc(arena, (size_t)(S + T) * sizeof *word);
    if (!links || !word)
        return NULL;
    memset(links, 0, (size_t)B * each * sizeof *links);
    for (int b = 0; b < B; b++) {
        uint32_t item = g->item[batch->examples[b]];
        if (item == NONE)
            continue;
        at_item_view v = at_encoded_at(g->what.ids, item);
        number_words(g->what.source, v.source, v.source_size, word);
        number_words(g->what.target, v.target, v.target_size, word + S);
        put_links(g, item, word, v.source_size, word + S, v.target_size, reversed, S,
                  links + (size_t)b * each);
        norm_rows(links + (size_t)b * each, T - 1, S);
    }
    return links;
}
