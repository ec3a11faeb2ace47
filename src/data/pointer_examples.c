#include "data/pointer_examples.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* ---- a line ------------------------------------------------------------------------------- */

/* the next item of the line from *at on; empty behind the last */
static at_text next_item(at_text line, size_t *at)
{
    while (*at < line.size && line.text[*at] == ' ')
        ++*at;
    size_t begin = *at;
    while (*at < line.size && line.text[*at] != ' ')
        ++*at;
    return (at_text){line.text + begin, *at - begin};
}

static int numbers_of(at_text item)
{
    int n = 1;
    for (size_t i = 0; i < item.size; i++)
        n += item.text[i] == ',';
    return n;
}

static bool reserve(at_item_row *r)
{
    if (r->count < r->capacity)
        return true;
    size_t capacity = r->capacity ? 2 * r->capacity : 64;
    real *values = at_realloc(r->values, r->count * (size_t)r->width * sizeof *values,
                              capacity * (size_t)r->width * sizeof *values);
    if (!values)
        return false;
    r->values = values;
    at_text *text = at_realloc(r->text, r->count * sizeof *text, capacity * sizeof *text);
    if (!text)
        return false;
    r->text = text;
    r->capacity = capacity;
    return true;
}

static attend_status take_item(at_item_row *r, at_text item, attend_error *err)
{
    if (!reserve(r))
        return at_error_memory(err);
    size_t begin = 0;
    real *to = r->values + r->count * (size_t)r->width;
    for (int i = 0; i < r->width; i++) {
        size_t end = begin;
        double value;
        while (end < item.size && item.text[end] != ',')
            end++;
        if (!at_number_real(item.text + begin, end - begin, &value))
            return at_error(err, ATTEND_FORMAT,
                            "item %zu, '%.*s': numbers are wanted, with commas between them",
                            r->count + 1, (int)(item.size < 60 ? item.size : 60), item.text);
        to[i] = (real)value;
        begin = end + 1;
    }
    r->text[r->count++] = item;
    return ATTEND_OK;
}

attend_status at_item_row_parse(at_item_row *r, at_text line, attend_error *err)
{
    size_t at = 0;
    attend_status status = ATTEND_OK;
    r->count = 0;
    if (line.size && memchr(line.text, '\t', line.size))
        return at_error(err, ATTEND_FORMAT,
                        "there is a tab in it, and items have blanks between them; of pairs, cut "
                        "-f 1 takes the items without the answers");
    for (at_text item; status >= 0 && (item = next_item(line, &at)).size > 0;) {
        int width = numbers_of(item);
        if (!r->width)
            r->width = width;
        if (width != r->width)
            return at_error(err, ATTEND_FORMAT, "item %zu has %d numbers, and those before it %d",
                            r->count + 1, width, r->width);
        status = take_item(r, item, err);
    }
    return status;
}

void at_item_row_free(at_item_row *r)
{
    at_free(r->values);
    at_free(r->text);
    *r = (at_item_row){.count = 0};
}

/* ---- a corpus ------------------------------------------------------------------------------ */

struct at_pointer_examples {
    size_t size, capacity;
    size_t *first[2];     /* [size + 1]: an example's items in values, its places in places */
    uint32_t *lengths[2]; /* [size] */
    int width;
    real *values;
    int *positions;
    size_t used[2], held[2]; /* of values (in items) and places */
};

static bool grow(void **memory, size_t used, size_t need, size_t *held, size_t each)
{
    if (need <= *held)
        return true;
    size_t capacity = 2 * *held > need ? 2 * *held : need + 1024;
    void *more = at_realloc(*memory, used * each, capacity * each);
    if (!more)
        return false;
    *memory = more;
    *held = capacity;
    return true;
}

/* which of the source's items, not yet taken, is this one? */
static int find(const at_item_row *source, const real *item, const bool *taken)
{
    for (size_t i = 0; i < source->count; i++)
        if (!taken[i]
            && memcmp(source->values + i * (size_t)source->width, item,
                      (size_t)source->width * sizeof *item)
                   == 0)
            return (int)i;
    return -1;
}

/* The places of the target's items in the source, from 1 on, then 0; to may be NULL. */
static attend_status find_positions(const at_item_row *source, const at_item_row *target, int *to,
                                    attend_error *err)
{
    bool *taken = at_alloc_zero(source->count + 1, sizeof *taken);
    if (!taken)
        return at_error_memory(err);
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < target->count && status >= 0; i++) {
        int position = find(source, target->values + i * (size_t)target->width, taken);
        if (position < 0)
            status = at_error(
                err, ATTEND_FORMAT, "'%.*s' of the target is not among the items of the source",
                (int)(target->text[i].size < 60 ? target->text[i].size : 60), target->text[i].text);
        else
            taken[position] = true;
        if (to)
            to[i] = position + 1;
    }
    if (to)
        to[target->count] = 0;
    at_free(taken);
    return status;
}

attend_status at_pointer_examples_fit(at_item_row row[2], at_text source, at_text target,
                                      attend_error *err)
{
    enum { MAX_ITEMS = 1 << 12 }; /* items: finding those of the target takes their square */
    size_t at = 0;
    int width = numbers_of(next_item(source, &at));
    for (int side = 0; side < 2; side++)
        if (row[side].width != width) {
            at_item_row_free(&row[side]);
            row[side].width = width;
        }
    attend_status status = at_item_row_parse(&row[0], source, err);
    if (status >= 0)
        status = at_item_row_parse(&row[1], target, err);
    if (status >= 0 && row[0].count == 0)
        status = at_error(err, ATTEND_FORMAT, "there are no items");
    if (status >= 0 && row[0].count <= MAX_ITEMS)
        status = find_positions(&row[0], &row[1], NULL, err);
    return status;
}

static attend_status add(at_pointer_examples *s, const at_item_row *source,
                         const at_item_row *target, attend_error *err)
{
    size_t width = (size_t)source->width;
    if (s->width && source->width && s->width != source->width)
        return at_error(err, ATTEND_FORMAT, "items have %d numbers, and those of other lines %d",
                        source->width, s->width);
    s->width = source->width;
    if (!grow((void **)&s->values, s->used[0] * width, (s->used[0] + source->count) * width,
              &s->held[0], sizeof *s->values)
        || !grow((void **)&s->positions, s->used[1], s->used[1] + target->count + 1, &s->held[1],
                 sizeof *s->positions))
        return at_error_memory(err);
    attend_status status = find_positions(source, target, s->positions + s->used[1], err);
    if (status < 0)
        return status;
    memcpy(s->values + s->used[0] * width, source->values, source->count * width * sizeof(real));
    s->first[0][s->size] = s->used[0];
    s->first[1][s->size] = s->used[1];
    s->lengths[0][s->size] = (uint32_t)source->count;
    s->lengths[1][s->size] = (uint32_t)target->count + 1;
    s->used[0] += source->count;
    s->used[1] += target->count + 1;
    s->size++;
    return ATTEND_OK;
}

static attend_status read_example(at_pointer_examples *s, const at_corpus *corpus,
                                  const at_example *e, at_item_row row[2], attend_error *err)
{
    attend_error why;
    attend_status status = at_item_row_parse(&row[0], e->source, &why);
    if (status >= 0)
        status = at_item_row_parse(&row[1], e->target, &why);
    if (status >= 0 && row[0].count == 0)
        status = at_error(&why, ATTEND_FORMAT, "there are no items");
    if (status >= 0)
        status = add(s, &row[0], &row[1], &why);
    return status < 0 ? at_error(err, status, "%s:%ld: %s", at_corpus_file(corpus, e->file),
                                 e->line, why.message)
                      : status;
}

static bool make_examples(at_pointer_examples *s, size_t n)
{
    for (int side = 0; side < 2; side++) {
        s->first[side] = at_alloc((n + 1) * sizeof *s->first[side]);
        s->lengths[side] = at_alloc((n + 1) * sizeof *s->lengths[side]);
    }
    return s->first[0] && s->first[1] && s->lengths[0] && s->lengths[1];
}

attend_status at_pointer_examples_new(const at_corpus *corpus, const unsigned char *part,
                                      int wanted, at_pointer_examples **out, attend_error *err)
{
    size_t n = at_corpus_size(corpus);
    at_pointer_examples *s = *out = at_alloc_zero(1, sizeof *s);
    at_item_row row[2] = {{0}, {0}};
    attend_status status = s && make_examples(s, n) ? ATTEND_OK : at_error_memory(err);
    for (size_t i = 0; i < n && status >= 0; i++) {
        at_example e;
        if (part && part[i] != wanted)
            continue;
        status = at_corpus_at(corpus, i, NULL, &e) ? read_example(s, corpus, &e, row, err)
                                                   : at_error_memory(err);
    }
    at_item_row_free(&row[0]);
    at_item_row_free(&row[1]);
    if (status < 0) {
        at_pointer_examples_free(s);
        *out = NULL;
    }
    return status;
}

void at_pointer_examples_free(at_pointer_examples *s)
{
    if (!s)
        return;
    for (int side = 0; side < 2; side++) {
        at_free(s->first[side]);
        at_free(s->lengths[side]);
    }
    at_free(s->values);
    at_free(s->positions);
    at_free(s);
}

size_t at_pointer_examples_size(const at_pointer_examples *s) { return s->size; }
int at_pointer_examples_width(const at_pointer_examples *s) { return s->width; }

int at_pointer_examples_max_length(const at_pointer_examples *s)
{
    uint32_t max = 0;
    for (size_t i = 0; i < s->size; i++)
        max = s->lengths[0][i] > max ? s->lengths[0][i] : max;
    return (int)max;
}

const real *at_pointer_examples_at(const at_pointer_examples *s, int id)
{
    return s->values + (size_t)id * (size_t)s->width;
}

void at_pointer_examples_spread(const at_pointer_examples *s, double *mean, double *spread)
{
    for (int k = 0; k < s->width; k++) {
        double sum = 0, squares = 0, n = s->used[0] ? (double)s->used[0] : 1;
        for (size_t i = 0; i < s->used[0]; i++)
            sum += (double)s->values[i * (size_t)s->width + (size_t)k];
        mean[k] = sum / n;
        for (size_t i = 0; i < s->used[0]; i++) {
            double d = (double)s->values[i * (size_t)s->width + (size_t)k] - mean[k];
            squares += d * d;
        }
        spread[k] = squares > 0 ? sqrt(squares / n) : 1;
    }
}

/* ---- batches ------------------------------------------------------------------------------- */

static attend_status epoch(void *self, uint32_t epoch, size_t *items, const uint32_t **a,
                           const uint32_t **b, attend_error *err)
{
    const at_pointer_examples *s = self;
    (void)epoch, (void)err;
    *items = s->size;
    *a = s->lengths[0];
    *b = s->lengths[1];
    return ATTEND_OK;
}

static size_t max_length(const at_pointer_examples *s, int side, const uint32_t *items,
                         size_t count)
{
    size_t max = 0;
    for (size_t i = 0; i < count; i++)
        max = s->lengths[side][items[i]] > max ? s->lengths[side][items[i]] : max;
    return max;
}

static void fill_row(const at_pointer_examples *s, at_batch *b, size_t row, uint32_t item)
{
    int *ids = b->source.ids + row * (size_t)b->source.T;
    int *positions = b->target.ids + row * (size_t)b->target.T;
    b->source.lengths[row] = (int)s->lengths[0][item];
    b->target.lengths[row] = (int)s->lengths[1][item];
    for (size_t i = 0; i < s->lengths[0][item]; i++)
        ids[i] = (int)(s->first[0][item] + i);
    memcpy(positions, s->positions + s->first[1][item], s->lengths[1][item] * sizeof *positions);
    b->examples[row] = item;
}

static attend_status make(void *self, const uint32_t *items, size_t count, at_arena *arena,
                          at_batch *out, attend_error *err)
{
    const at_pointer_examples *s = self;
    if (!at_batch_make(out, count, max_length(s, 0, items, count), -1, false, arena)
        || !at_block_make(&out->target, count, max_length(s, 1, items, count), -1, arena))
        return at_error_memory(err);
    for (size_t i = 0; i < count; i++)
        fill_row(s, out, i, items[i]);
    return ATTEND_OK;
}

at_supply at_pointer_examples_supply(at_pointer_examples *s)
{
    uint64_t print = 1469598103934665603u;
    for (size_t i = 0; i < s->used[1]; i++)
        print = (print ^ (uint64_t)s->positions[i]) * 1099511628211u;
    for (size_t i = 0; i < s->size; i++)
        print = (print ^ s->lengths[0][i]) * 1099511628211u;
    return (at_supply){.self = s, .print = print, .epoch = epoch, .make = make};
}
