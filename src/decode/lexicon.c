#include "decode/lexicon.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "decode/links.h"
#include "measure/pairs.h"

typedef struct {
    const char *source, *target;
    uint32_t from, to; /* their numbers */
    uint32_t links;
} entry;

typedef struct {
    const at_word_lines *source, *target;
    at_pairs pairs;
    entry *entries; /* of each pair, from 1 */
    size_t room;
    uint32_t *from, *to; /* links of each word */
} work;

static bool count_link(work *w, uint32_t from, uint32_t to)
{
    uint32_t pair = at_pairs_add(&w->pairs, from, to);
    if (pair >= w->room) {
        size_t room = 2 * w->room + 1024;
        entry *more = at_alloc_zero(room, sizeof *more);
        if (!more)
            return false;
        if (w->room)
            memcpy(more, w->entries, w->room * sizeof *more);
        at_free(w->entries);
        w->entries = more;
        w->room = room;
    }
    entry *e = &w->entries[pair];
    e->from = from;
    e->to = to;
    e->links++;
    w->from[from]++;
    w->to[to]++;
    return pair != 0;
}

static attend_status count_line(work *w, size_t line, const char *links, attend_error *err)
{
    at_link *link;
    size_t count;
    attend_status status = at_links_parse(links, &link, &count, err);
    for (size_t i = 0; i < count && status >= 0; i++) {
        if (link[i].source >= at_word_lines_words(w->source, line)
            || link[i].target >= at_word_lines_words(w->target, line))
            status = at_error(err, ATTEND_FORMAT, "line %zu has no words for the link %u-%u",
                              line + 1, link[i].source, link[i].target);
        else if (!count_link(w, w->source->word[w->source->begin[line] + link[i].source],
                             w->target->word[w->target->begin[line] + link[i].target]))
            status = at_error_memory(err);
    }
    at_free(link);
    return status;
}

static int by_source(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = strcmp(x->source, y->source);
    if (order == 0)
        order = (x->links < y->links) - (x->links > y->links);
    return order ? order : strcmp(x->target, y->target);
}

static void print(work *w, at_str *out)
{
    size_t count = w->pairs.count;
    entry *e = w->entries + 1;
    for (size_t i = 0; i < count; i++) {
        e[i].source = at_word_lines_text(w->source, e[i].from);
        e[i].target = at_word_lines_text(w->target, e[i].to);
    }
    qsort(e, count, sizeof *e, by_source);
    for (size_t i = 0; i < count; i++)
        at_str_print(out, "%s\t%s\t%.6f\t%.6f\t%u\n", e[i].source, e[i].target,
                     (double)e[i].links / w->from[e[i].from], (double)e[i].links / w->to[e[i].to],
                     e[i].links);
}

attend_status at_lexicon_print(const at_word_lines *source, const at_word_lines *target,
                               const char *const *links, at_str *out, attend_error *err)
{
    work w = {.source = source, .target = target};
    attend_status status = ATTEND_OK;
    at_pairs_start(&w.pairs);
    w.from = at_alloc_zero((size_t)source->numbers + 1, sizeof *w.from);
    w.to = at_alloc_zero((size_t)target->numbers + 1, sizeof *w.to);
    if (!w.from || !w.to)
        status = at_error_memory(err);
    for (size_t i = 0; i < source->count && status >= 0; i++)
        status = count_line(&w, i, links[i], err);
    if (status >= 0 && w.pairs.count)
        print(&w, out);
    if (status >= 0 && out->failed)
        status = at_error_memory(err);
    at_pairs_free(&w.pairs);
    at_free(w.entries);
    at_free(w.from);
    at_free(w.to);
    return status;
}
