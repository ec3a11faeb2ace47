#include "data/check.h"

#include <string.h>

#include "base/memory.h"
#include "data/check_work.h"

void at_check_defaults(at_check_options *o)
{
    *o = (at_check_options){.ratio = 9, .longest_text = 250, .places = 5};
}

/* at most so many bytes, not into the middle of a character */
static void excerpt(char *out, const char *text, size_t size)
{
    size_t most = size < ATTEND_PLACE_TEXT - 1 ? size : ATTEND_PLACE_TEXT - 1;
    while (most && most < size && (text[most] & 0xC0) == 0x80)
        most--;
    memcpy(out, text, most);
    out[most] = 0;
}

static void find(at_check_work *w, int finding, at_place place, const char *text, size_t size)
{
    at_check *c = w->c;
    long n = c->count[finding]++;
    if (n >= c->places)
        return;
    if (!c->place[finding])
        c->place[finding] = at_alloc((size_t)c->places * sizeof *c->place[finding]);
    if (!c->place[finding]) {
        w->status = ATTEND_MEMORY;
        return;
    }
    excerpt(place.text, text, size);
    c->place[finding][n] = place;
}

void at_check_find(at_check_work *w, at_found found, at_place place, const char *text, size_t size)
{
    for (int i = 0; found && i < ATTEND_FINDINGS; i++)
        if (found & 1u << i)
            find(w, i, place, text, size);
}

long at_check_words(at_text t)
{
    long count = 0;
    bool inside = false;
    for (size_t i = 0; i < t.size; i++) {
        bool blank = t.text[i] == ' ' || t.text[i] == '\t' || t.text[i] == '\n';
        count += !blank && !inside;
        inside = !blank;
    }
    return count;
}

static attend_status look_at_all(at_check_work *w, attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_arena arena = {0};
    at_arena_init(&arena, 1 << 10);
    for (size_t i = 0; i < at_shelf_count(w->shelf) && status >= 0; i++) {
        at_example e;
        uint64_t also = 0;
        at_arena_reset(&arena);
        if (!at_example_unpack(&e, at_shelf_at(w->shelf, i), &arena))
            w->status = ATTEND_MEMORY;
        at_found found = at_check_look(w, &e, &also);
        at_place place = {.file = e.file,
                          .line = e.line,
                          .also = (long)(also & 0xFFFFFFFFFFFF),
                          .also_file = (int)(also >> 48)};
        at_check_find(w, found, place, e.source.text, e.source.size);
        if (w->copy)
            at_check_copy_add(w, &e, found);
        if (w->status < 0)
            status = at_error_memory(err);
    }
    at_arena_free(&arena);
    return status;
}

/* ---- all -------------------------------------------------------------------------------- */

static void summarise(at_check_work *w)
{
    at_check *c = w->c;
    w->ratio = c->side[0].characters && c->side[1].characters
                   ? (double)c->side[1].characters / (double)c->side[0].characters
                   : 1;
    for (int which = 0; which < 3; which++) {
        at_side_sizes *s = &c->side[which];
        long seen = 0, halves[] = {s->texts / 2, s->texts - s->texts / 100};
        for (int words = 0, k = 0; words <= ATTEND_CHECK_WORDS && k < 2; words++) {
            seen += w->histogram[which][words];
            for (; k < 2 && seen >= halves[k]; k++)
                s->most[k] = words;
        }
    }
}

static attend_status run(at_check_work *w, const char *const *paths, int count, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < count && status >= 0; i++)
        status = at_check_read(w, paths[i], err);
    if (status >= 0)
        status = at_shelf_close(w->shelf, err);
    if (status < 0)
        return status;
    summarise(w);
    if (w->options->fix)
        status = at_check_copy_open(w, err);
    if (status >= 0)
        status = look_at_all(w, err);
    w->c->sources = (long)w->sources.count;
    w->c->full = w->examples.full || w->sources.full;
    if (w->copy && status >= 0) {
        w->c->flattened = at_export_flattened(w->copy);
        status = at_export_commit(w->copy, err);
        w->copy = NULL;
    }
    return status;
}

static void release(at_check_work *w)
{
    at_export_abort(w->copy);
    at_shelf_free(w->shelf);
    at_sides_free(w->sides);
    at_seen_free(&w->examples);
    at_seen_free(&w->sources);
    at_keys_free(&w->keys);
    at_str_free(&w->packed);
    for (int i = 0; i < 3; i++)
        at_str_free(&w->clean[i]);
    at_free(w);
}

attend_status at_check_files(const char *const *paths, int count, const at_check_options *options,
                             at_check **out, attend_error *err)
{
    at_check *c = at_alloc_zero(1, sizeof *c);
    at_check_work *w = at_alloc_zero(1, sizeof *w);
    attend_status status = ATTEND_OK;
    *out = NULL;
    if (!c || !w) {
        at_free(c);
        at_free(w);
        return at_error_memory(err);
    }
    c->places = options->places;
    w->c = c;
    w->options = options;
    w->examples.limit = w->sources.limit = options->memory;
    w->shelf = at_shelf_new(0);
    w->sides = at_sides_new();
    if (!w->shelf || !w->sides)
        status = at_error_memory(err);
    if (status >= 0)
        status = run(w, paths, count, err);
    release(w);
    if (status < 0)
        at_check_free(c);
    else
        *out = c;
    return status;
}

void at_check_free(at_check *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->files; i++)
        at_free(c->file[i]);
    for (int i = 0; i < ATTEND_FINDINGS; i++)
        at_free(c->place[i]);
    at_free(c->file);
    at_free(c->copy[0]);
    at_free(c->copy[1]);
    at_vocab_free(c->labels);
    at_free(c);
}
