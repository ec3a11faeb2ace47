#include "data/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/key.h"

enum { FEW_DOCUMENTS = 100 };

const char *const at_part_names[ATTEND_PARTS] = {"train", "valid", "test"};

attend_status at_fraction_parse(at_fraction *s, const char *text, const char *option,
                                attend_error *err)
{
    size_t size = strlen(text);
    long long count;
    double number;
    bool percent = size && text[size - 1] == '%';
    *s = (at_fraction){0};
    if (!percent && at_number_whole(text, size, &count) && count >= 0 && count <= UINT32_MAX) {
        s->count = (size_t)count;
        return ATTEND_OK;
    }
    if (at_number_real(text, size - percent, &number)) {
        s->fraction = percent ? number / 100 : number;
        if (s->fraction >= 0 && s->fraction < 1)
            return ATTEND_OK;
    }
    return at_error(err, ATTEND_OPTION, "%s: \"%.40s\" is no share; write 5%%, 0.05 or 1000",
                    option, text);
}

/* ---- keys ------------------------------------------------------------------------------- */

static attend_status source_keys(const at_corpus *c, uint64_t *key, attend_error *err)
{
    at_keys keys = {0};
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < at_corpus_size(c) && status >= 0; i++) {
        at_example e;
        at_corpus_at(c, i, NULL, &e);
        at_text t = e.group.size ? e.group : e.source;
        if (!at_keys_of(&keys, t.text, t.size, &key[i]))
            status = at_error_memory(err);
    }
    at_keys_free(&keys);
    return status;
}

/* All lines of a document get one key, made of theirs. */
static void document_keys(const at_corpus *c, uint64_t *key)
{
    size_t size = at_corpus_size(c), first = 0;
    for (size_t i = 0; i <= size; i++) {
        at_example e = {.has = ATTEND_HAS_BREAK};
        if (i < size)
            at_corpus_at(c, i, NULL, &e);
        if (i == 0 || !(e.has & ATTEND_HAS_BREAK))
            continue;
        uint64_t whole = 0;
        for (size_t k = first; k < i; k++)
            whole = at_key_join(whole, key[k]);
        for (; first < i; first++)
            key[first] = whole;
    }
}

/* ---- thresholds ------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t *sorted_keys(const uint64_t *key, size_t size)
{
    uint64_t *sorted = at_alloc((size ? size : 1) * sizeof *sorted);
    if (!sorted)
        return NULL;
    memcpy(sorted, key, size * sizeof *sorted);
    qsort(sorted, size, sizeof *sorted, compare_keys);
    return sorted;
}

/* Of keys that lie anywhere, one is below 20 in n of the range, but for one time in 10^9. A corpus
 * without any was split before: its own keys begin where its first one is. */
static uint64_t beginning(const uint64_t *sorted, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += i == 0 || sorted[i] != sorted[i - 1];
    return size && (double)sorted[0] * (double)n > 20 * 0x1p64 ? sorted[0] : 0;
}

/* Keys below the result, and not below from, make the part: a share of all from base on. */
static uint64_t threshold(at_fraction s, uint64_t base, uint64_t from, const uint64_t *sorted,
                          size_t size)
{
    double top = (double)from + s.fraction * (0x1p64 - (double)base);
    if (!s.count)
        return s.fraction <= 0 ? from : top < 0x1p64 ? (uint64_t)top : UINT64_MAX;
    size_t low = 0, high = size; /* the first key that is not below from */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    size_t last = low + s.count - 1;
    return last < size && sorted[last] < UINT64_MAX ? sorted[last] + 1 : UINT64_MAX;
}

static attend_status assign(const uint64_t *key, size_t size, at_fraction valid, at_fraction test,
                            unsigned char *part, size_t sizes[ATTEND_PARTS], attend_error *err)
{
    uint64_t *sorted = sorted_keys(key, size);
    if (!sorted)
        return at_error_memory(err);
    uint64_t base = beginning(sorted, size);
    uint64_t test_end = threshold(test, base, base, sorted, size);
    uint64_t valid_end = threshold(valid, base, test_end, sorted, size);
    at_free(sorted);
    memset(sizes, 0, ATTEND_PARTS * sizeof *sizes);
    for (size_t i = 0; i < size; i++) {
        part[i] = key[i] < test_end    ? ATTEND_PART_TEST
                  : key[i] < valid_end ? ATTEND_PART_VALID
                                       : ATTEND_PART_TRAIN;
        sizes[part[i]]++;
    }
    return ATTEND_OK;
}

/* ---- running text --------------------------------------------------------------------------- */

/* examples from the end back, up to `end`, that make the part; the first of them */
static size_t part_before(const at_corpus *c, at_fraction s, double all, size_t end)
{
    double bytes = 0;
    size_t first = end;
    at_example e;
    while (first > 0 && at_corpus_at(c, first - 1, NULL, &e)) {
        bytes += (double)e.source.size;
        if (s.count ? end - first >= s.count : bytes > s.fraction * all)
            break;
        first--;
    }
    return first;
}

static void assign_ends(const at_corpus *c, at_fraction valid, at_fraction test,
                        unsigned char *part, size_t sizes[ATTEND_PARTS])
{
    size_t size = at_corpus_size(c);
    double all = 0;
    at_example e;
    for (size_t i = 0; i < size && at_corpus_at(c, i, NULL, &e); i++)
        all += (double)e.source.size;
    size_t last = part_before(c, test, all, size), first = part_before(c, valid, all, last);
    memset(sizes, 0, ATTEND_PARTS * sizeof *sizes);
    for (size_t i = 0; i < size; i++) {
        part[i] = i >= last ? ATTEND_PART_TEST : i >= first ? ATTEND_PART_VALID : ATTEND_PART_TRAIN;
        sizes[part[i]]++;
    }
}

static attend_status assign_keys(const at_corpus *c, at_fraction valid, at_fraction test,
                                 unsigned char *part, size_t sizes[ATTEND_PARTS], attend_error *err)
{
    size_t size = at_corpus_size(c);
    uint64_t *key = at_alloc((size ? size : 1) * sizeof *key);
    if (!key)
        return at_error_memory(err);
    attend_status status = source_keys(c, key, err);
    if (status >= 0 && at_corpus_count(c).documents >= FEW_DOCUMENTS)
        document_keys(c, key);
    if (status >= 0)
        status = assign(key, size, valid, test, part, sizes, err);
    at_free(key);
    return status;
}

attend_status at_split(const at_corpus *c, at_fraction valid, at_fraction test, unsigned char *part,
                       size_t sizes[ATTEND_PARTS], attend_error *err)
{
    size_t size = at_corpus_size(c);
    attend_status status = ATTEND_OK;
    if (at_corpus_runs(c))
        assign_ends(c, valid, test, part, sizes);
    else
        status = assign_keys(c, valid, test, part, sizes, err);
    if (status >= 0 && size && !sizes[ATTEND_PART_TRAIN])
        status = at_error(err, ATTEND_OPTION,
                          "validation and test take all %zu examples; leave some for training, or "
                          "give the validation examples as a file, --valid FILE",
                          size);
    return status;
}
