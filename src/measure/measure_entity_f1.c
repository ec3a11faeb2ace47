/* F1 of entities: a line has a tag for each word. An entity is right if its words and its type are
 * those of the reference (conlleval). */
#include <string.h>

#include "base/entities.h"
#include "base/memory.h"
#include "measure/measure.h"

enum { RIGHT, FOUND, KNOWN, SAME, WORDS, WIDTH };

/* The tags of a line; NULL without memory. */
static at_word_tag *read_tags(const char *line, size_t *count)
{
    at_word_tag *tags = at_alloc((strlen(line) / 2 + 1) * sizeof *tags);
    *count = 0;
    for (const char *at = line; tags && *(at += strspn(at, " ")); at += tags[(*count)++].size)
        tags[*count] = (at_word_tag){at, strcspn(at, " ")};
    return tags;
}

static bool same(const at_entity *a, const at_entity *b)
{
    return a->begin == b->begin && a->end == b->end && a->size == b->size
           && memcmp(a->type, b->type, a->size) == 0;
}

static void compare(const at_word_tag *found, const at_word_tag *known, size_t words, double *s)
{
    at_entity a, b = {.end = 0};
    size_t at = 0;
    bool more = at_entity_next(known, words, 0, &b);
    s[KNOWN] = more;
    while (at_entity_next(found, words, at, &a)) {
        s[FOUND]++;
        at = a.end;
        while (more && b.begin < a.begin)
            s[KNOWN] += more = at_entity_next(known, words, b.end, &b);
        s[RIGHT] += more && same(&a, &b);
    }
    while (more)
        s[KNOWN] += more = at_entity_next(known, words, b.end, &b);
    for (size_t i = 0; i < words; i++)
        s[SAME] += found[i].size == known[i].size
                   && memcmp(found[i].text, known[i].text, found[i].size) == 0;
    s[WORDS] = (double)words;
}

static attend_status collect(const at_segment *g, at_workspace *w, double *statistics,
                             attend_error *err)
{
    size_t count, words;
    at_word_tag *found = read_tags(at_segment_hypothesis(g), &count);
    at_word_tag *known = read_tags(at_segment_reference(g, 0), &words);
    attend_status status = found && known ? ATTEND_OK : at_error_memory(err);
    (void)w;
    memset(statistics, 0, WIDTH * sizeof *statistics);
    if (status >= 0 && count != words)
        status = at_segment_error(g, -1, err, "%zu tags, and the reference has %zu", count, words);
    if (status >= 0)
        compare(found, known, words, statistics);
    at_free(found);
    at_free(known);
    return status;
}

static double score(const at_measurement *t, const double *sum, bool alone)
{
    (void)t, (void)alone;
    return at_percent(2 * sum[RIGHT], sum[FOUND] + sum[KNOWN]);
}

static void title(const at_measurement *t, at_str *out)
{
    (void)t;
    at_str_add(out, "entity-F1");
}

static void detail(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    at_str_print(out, "(precision %.2f, recall %.2f, %.0f entities; %.2f %% of the tags)",
                 at_percent(sum[RIGHT], sum[FOUND]), at_percent(sum[RIGHT], sum[KNOWN]), sum[KNOWN],
                 at_percent(sum[SAME], sum[WORDS]));
}

static void members(const at_measurement *t, const double *sum, at_str *out)
{
    (void)t;
    at_json_number(out, "precision", at_percent(sum[RIGHT], sum[FOUND]));
    at_json_number(out, "recall", at_percent(sum[RIGHT], sum[KNOWN]));
    at_json_number(out, "entities", sum[KNOWN]);
    at_json_number(out, "accuracy", at_percent(sum[SAME], sum[WORDS]));
}

const at_measure at_measure_entity_f1 = {
    .name = "entity-f1",
    .formula = "2 P R / (P + R) of entities, in per cent",
    .source = "Tjong Kim Sang and De Meulder 2003",
    .lines = "a tag for each word, with spaces between them",
    .min_references = 1,
    .max_references = 1,
    .width = WIDTH,
    .collect = collect,
    .score = score,
    .title = title,
    .detail = detail,
    .members = members,
};
