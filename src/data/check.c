#include "data/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "data/check_work.h"

void at_check_defaults(at_check_options *o)
{
    *o = (at_check_options){.ratio = 9, .max_words = 250, .locations = 5};
}

/* where in a text a finding shows, or 0 */
static size_t where(int finding, const char *text, size_t size)
{
    const char *zero = finding == ATTEND_FOUND_zero_byte ? memchr(text, 0, size) : NULL;
    if (zero)
        return (size_t)(zero - text);
    if (finding == ATTEND_FOUND_not_utf8)
        return at_utf8_valid(text, size);
    const at_found shown = FOUND(separator) | FOUND(control) | FOUND(lost) | FOUND(garbled)
                           | FOUND(invisible);
    size_t window = finding == ATTEND_FOUND_garbled ? 4 : 0; /* of two characters */
    for (size_t at = 0; (shown & 1u << finding) && at < size;) {
        uint32_t code;
        int length = at_utf8_get(text + at, size - at, &code);
        size_t step = length ? (size_t)length : 1, look = window ? window : step;
        if (at_look_at_text(text + at, look < size - at ? look : size - at) & 1u << finding)
            return at;
        at += step;
    }
    return 0;
}

/* Appends a character; one that would not be seen as its number. Returns its length. */
static size_t show_character(at_str *out, const char *text, size_t size)
{
    uint32_t code;
    int length = at_utf8_get(text, size, &code);
    if (length == 0)
        at_str_print(out, "<0x%02X>", (unsigned char)*text);
    else if (code == 0
             || at_look_at_text(text, (size_t)length)
                    & (FOUND(separator) | FOUND(control) | FOUND(invisible)))
        at_str_print(out, "<U+%04X>", (unsigned)code);
    else
        at_str_add_bytes(out, text, (size_t)length);
    return length ? (size_t)length : 1;
}

/* A part of the text in which the finding shows. */
static void excerpt(char out[ATTEND_EXCERPT_SIZE], int finding, const char *text, size_t size)
{
    enum { BEFORE = 12 };
    at_str shown = {0};
    size_t at = where(finding, text, size);
    at = at > BEFORE ? at - BEFORE : 0;
    while (at && at < size && (text[at] & 0xC0) == 0x80)
        at++;
    at_str_add(&shown, at ? "..." : "");
    *out = 0;
    while (at < size && !shown.failed) {
        at += show_character(&shown, text + at, size - at);
        if (shown.length >= ATTEND_EXCERPT_SIZE)
            break;
        memcpy(out, shown.text, shown.length + 1);
    }
    at_str_free(&shown);
}

static void find(at_check_work *w, int finding, at_finding_location location, const char *text,
                 size_t size)
{
    at_check *c = w->c;
    long n = c->count[finding]++;
    if (n >= c->locations)
        return;
    if (!c->location[finding])
        c->location[finding] = at_alloc((size_t)c->locations * sizeof *c->location[finding]);
    if (!c->location[finding]) {
        w->status = ATTEND_MEMORY;
        return;
    }
    excerpt(location.text, finding, text, size);
    c->location[finding][n] = location;
}

void at_check_find(at_check_work *w, at_found found, at_finding_location location, const char *text,
                   size_t size)
{
    for (int i = 0; found && i < ATTEND_FINDINGS; i++)
        if (found & 1u << i)
            find(w, i, location, text, size);
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

/* findings of an example, shown with both sides of a pair */
static void tell(at_check_work *w, at_found found, at_finding_location location,
                 const at_example *e)
{
    at_text text = at_text_trim(e->source);
    if (found && (e->has & ATTEND_HAS_TARGET)) {
        at_text target = at_text_trim(e->target);
        at_str_clear(&w->packed);
        at_str_add_bytes(&w->packed, text.text, text.size);
        at_str_add(&w->packed, " | ");
        at_str_add_bytes(&w->packed, target.text, target.size);
        text = (at_text){at_str_text(&w->packed), w->packed.length};
    }
    at_check_find(w, found, location, text.text, text.size);
}

static attend_status look_at_all(at_check_work *w, attend_error *err)
{
    attend_status status = ATTEND_OK;
    at_arena arena = {0};
    at_arena_init(&arena, 1 << 10);
    for (size_t i = 0; i < at_record_store_count(w->store) && status >= 0; i++) {
        at_example e;
        uint64_t also = 0;
        at_arena_reset(&arena);
        if (!at_example_unpack(&e, at_record_store_at(w->store, i), &arena))
            w->status = ATTEND_MEMORY;
        at_found found = at_check_look(w, &e, &also);
        at_finding_location location = {.file = e.file,
                                        .line = e.line,
                                        .also = (long)(also & 0xFFFFFFFFFFFF),
                                        .also_file = (int)(also >> 48)};
        tell(w, found, location, &e);
        if (w->copy)
            at_check_copy_add(w, &e, found);
        if (w->status < 0)
            status = at_error_memory(err);
    }
    at_arena_free(&arena);
    return status;
}

/* ---- all -------------------------------------------------------------------------------- */

/* The median over the pairs, which a few pairs of any length cannot move far; of the two middle
 * ones of an even number the one nearer to 1. */
static double median_ratio(const at_check_work *w)
{
    enum { ALL = 2 * ATTEND_RATIO_MAX + 1 };
    long pairs = 0, seen = 0, middle[2] = {0};
    for (int i = 0; i < ALL; i++)
        pairs += w->ratios[i];
    if (!pairs)
        return 1;
    const long rank[] = {(pairs - 1) / 2, pairs / 2};
    for (int i = 0, k = 0; i < ALL && k < 2; i++) {
        seen += w->ratios[i];
        for (; k < 2 && seen > rank[k]; k++)
            middle[k] = i - ATTEND_RATIO_MAX;
    }
    long nearer = labs(middle[0]) < labs(middle[1]) ? middle[0] : middle[1];
    return exp2((double)nearer / ATTEND_RATIO_STEPS);
}

static void summarise(at_check_work *w)
{
    at_check *c = w->c;
    w->ratio = median_ratio(w);
    for (int width = 1; width <= ATTEND_CHECK_WIDTHS; width++)
        if (2 * w->item_widths[width] > c->side[1].texts)
            w->item_width = width;
    for (int which = 0; which < 3; which++) {
        at_side_sizes *s = &c->side[which];
        long seen = 0, halves[] = {(s->texts + 1) / 2, s->texts - s->texts / 100};
        for (int words = 0, k = 0; words <= ATTEND_CHECK_WORDS && k < 2; words++) {
            seen += w->histogram[which][words];
            for (; k < 2 && seen >= halves[k]; k++)
                s->percentile[k] = words;
        }
    }
}

static attend_status run(at_check_work *w, const char *const *paths, int count, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < count && status >= 0; i++)
        status = at_check_read(w, paths[i], err);
    if (status >= 0)
        status = at_record_store_close(w->store, err);
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
    at_record_store_free(w->store);
    at_swap_detector_free(w->swap_detector);
    at_item_row_free(&w->items[0]);
    at_item_row_free(&w->items[1]);
    at_key_table_free(&w->examples);
    at_key_table_free(&w->sources);
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
    c->locations = options->locations;
    w->c = c;
    w->options = options;
    w->examples.limit = w->sources.limit = options->memory;
    w->store = at_record_store_new(0);
    w->swap_detector = at_swap_detector_new();
    if (!w->store || !w->swap_detector)
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
        at_free(c->location[i]);
    at_free(c->file);
    at_free(c->copy[0]);
    at_free(c->copy[1]);
    at_vocab_free(c->labels);
    at_free(c);
}
