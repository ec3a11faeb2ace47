#include "decode/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

static bool read_word(const char *text, size_t size, uint32_t *word)
{
    long long number;
    if (size == 0 || text[0] == '-' || !at_number_whole(text, size, &number)
        || number >= ATTEND_LINK_MAX)
        return false;
    *word = (uint32_t)number;
    return true;
}

attend_status at_links_parse(const char *text, at_link **out, size_t *count, attend_error *err)
{
    *count = 0;
    *out = at_alloc((strlen(text) / 3 + 1) * sizeof **out); /* "0-0" is the shortest */
    if (!*out)
        return at_error_memory(err);
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t size = strcspn(text, " "), dash = strcspn(text, "-");
        at_link *l = &(*out)[*count];
        if (dash >= size || !read_word(text, dash, &l->source)
            || !read_word(text + dash + 1, size - dash - 1, &l->target)) {
            at_free(*out);
            *out = NULL;
            return at_error(err, ATTEND_FORMAT, "\"%.*s\" is not a link; write links as 0-0 1-2",
                            (int)(size < 40 ? size : 40), text);
        }
        ++*count;
        text += size;
    }
    return ATTEND_OK;
}

/* ---- two directions ------------------------------------------------------------------------- */

enum { FORWARD = 1, BACKWARD = 2, TAKEN = 4 };

typedef struct {
    at_link link;
    unsigned in;
} point;

typedef struct {
    point *all; /* the union, ordered by target, then source */
    size_t count;
    bool *source_used, *target_used; /* [ATTEND_LINK_MAX at most]: words that have a link */
} points;

static int by_target(const void *a, const void *b)
{
    const at_link *x = &((const point *)a)->link, *y = &((const point *)b)->link;
    return x->target != y->target ? (x->target < y->target ? -1 : 1)
                                  : (x->source > y->source) - (x->source < y->source);
}

static void take(points *p, point *one)
{
    one->in |= TAKEN;
    p->source_used[one->link.source] = p->target_used[one->link.target] = true;
}

static bool is_free(const points *p, const point *one, bool both)
{
    bool source = !p->source_used[one->link.source], target = !p->target_used[one->link.target];
    return both ? source && target : source || target;
}

/* Takes the free points of the union around one that is taken; were there any? */
static bool grow_around(points *p, const point *from)
{
    static const int around[][2] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                    {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    bool grown = false;
    for (int i = 0; i < 8; i++) {
        point wanted = {{from->link.source + (uint32_t)around[i][0],
                         from->link.target + (uint32_t)around[i][1]},
                        0};
        point *next = bsearch(&wanted, p->all, p->count, sizeof wanted, by_target);
        if (next && !(next->in & TAKEN) && is_free(p, next, false)) {
            take(p, next);
            grown = true;
        }
    }
    return grown;
}

static void grow_diag_final_and(points *p)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < p->count; i++)
            grown |= p->all[i].in & TAKEN && grow_around(p, &p->all[i]);
    }
    for (unsigned direction = FORWARD; direction <= BACKWARD; direction *= 2)
        for (size_t i = 0; i < p->count; i++)
            if (p->all[i].in & direction && is_free(p, &p->all[i], true))
                take(p, &p->all[i]);
}

/* Sorts the points and makes one of two that are the same link. */
static void unite(points *p)
{
    size_t n = 0;
    qsort(p->all, p->count, sizeof *p->all, by_target);
    for (size_t i = 0; i < p->count; i++)
        if (n && by_target(&p->all[n - 1], &p->all[i]) == 0)
            p->all[n - 1].in |= p->all[i].in;
        else
            p->all[n++] = p->all[i];
    p->count = n;
}

static attend_status read_points(points *p, const char *const text[2], attend_error *err)
{
    at_link *link[2] = {NULL, NULL};
    size_t count[2] = {0, 0};
    uint32_t sources = 0, targets = 0;
    attend_status status = at_links_parse(text[0], &link[0], &count[0], err);
    if (status >= 0)
        status = at_links_parse(text[1], &link[1], &count[1], err);
    p->all = status >= 0 ? at_alloc((count[0] + count[1] + 1) * sizeof *p->all) : NULL;
    for (int k = 0; k < 2 && p->all; k++)
        for (size_t i = 0; i < count[k]; i++) {
            at_link l = link[k][i];
            p->all[p->count++] = (point){l, k ? BACKWARD : FORWARD};
            sources = l.source >= sources ? l.source + 1 : sources;
            targets = l.target >= targets ? l.target + 1 : targets;
        }
    at_free(link[0]);
    at_free(link[1]);
    p->source_used = at_alloc_zero((size_t)sources + 1, 1);
    p->target_used = at_alloc_zero((size_t)targets + 1, 1);
    if (status >= 0 && (!p->all || !p->source_used || !p->target_used))
        status = at_error_memory(err);
    return status;
}

attend_status at_links_symmetrise(const char *forward, const char *backward, attend_symmetrise how,
                                  at_str *out, attend_error *err)
{
    points p = {.count = 0};
    attend_status status = read_points(&p, (const char *const[]){forward, backward}, err);
    const char *space = "";
    if (status >= 0)
        unite(&p);
    for (size_t i = 0; i < p.count && status >= 0; i++)
        if (how == ATTEND_SYMMETRISE_UNION || p.all[i].in == (FORWARD | BACKWARD))
            take(&p, &p.all[i]);
    if (status >= 0 && how == ATTEND_SYMMETRISE_GROW_DIAG_FINAL_AND)
        grow_diag_final_and(&p);
    for (size_t i = 0; i < p.count && status >= 0; i++)
        if (p.all[i].in & TAKEN) {
            at_str_print(out, "%s%u-%u", space, p.all[i].link.source, p.all[i].link.target);
            space = " ";
        }
    at_free(p.all);
    at_free(p.source_used);
    at_free(p.target_used);
    return status;
}
