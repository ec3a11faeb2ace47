#include "api/head_links.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

bool at_head_links_new(at_head_links *h, const at_model *m, size_t lines, at_arena *memory)
{
    at_attention_layout layout[ATTEND_LAYOUT_MAX];
    *h = (at_head_links){.lines = lines, .memory = memory};
    for (int i = at_model_attention(m, layout) - 1; i >= 0; i--)
        if (layout[i].kind == ATTEND_ATTENTION_CROSS) {
            h->layers = layout[i].layers;
            h->heads = layout[i].heads;
        }
    size_t n = at_head_links_count(h) * lines;
    h->links = at_arena_alloc(memory, (n + 1) * sizeof *h->links);
    for (size_t i = 0; h->links && i < n; i++)
        h->links[i] = "";
    return h->links;
}

/* the weights [targets][sources] of a head, or of the mean over all (-1) */
static void fill(const at_head_links *h, const attend_translation *t, int layer, int head,
                 double *weights)
{
    double share = head < 0 ? 1.0 / h->heads : 1;
    memset(weights, 0, (size_t)t->targets * (size_t)t->sources * sizeof *weights);
    for (size_t i = 0; i < t->attention_count; i++) {
        const attend_attention_row *r = &t->attention[i];
        if (r->kind != ATTEND_ATTENTION_CROSS || r->layer != layer || (head >= 0 && r->head != head)
            || r->query >= t->targets)
            continue;
        for (int k = 0; k < r->keys && k < t->sources; k++)
            weights[(size_t)r->query * (size_t)t->sources + (size_t)k] += share * r->weights[k];
    }
}

static attend_status keep(at_head_links *h, size_t at, const attend_translation *t,
                          double threshold, attend_error *err)
{
    char *links;
    attend_status status = attend_translation_links(t, 0, threshold, &links, err);
    if (status < 0)
        return status;
    char *copy = at_arena_alloc_small(h->memory, strlen(links) + 1);
    if (copy)
        h->links[at] = strcpy(copy, links);
    attend_free(links);
    return copy ? ATTEND_OK : at_error_memory(err);
}

attend_status at_head_links_take(at_head_links *h, const attend_translation *t, double threshold,
                                 attend_error *err)
{
    attend_translation one = *t;
    double *weights = at_alloc(((size_t)t->targets * (size_t)t->sources + 1) * sizeof *weights);
    attend_status status = weights ? ATTEND_OK : at_error_memory(err);
    one.weights = weights;
    for (int layer = 0; layer < h->layers; layer++)
        for (int head = -1; head < h->heads && status >= 0; head++) {
            size_t which = (size_t)layer * (size_t)(1 + h->heads) + (size_t)(head + 1);
            fill(h, t, layer, head, weights);
            status = keep(h, which * h->lines + t->line, &one, threshold, err);
        }
    at_free(weights);
    return status;
}

attend_status at_head_links_measure(const at_head_links *h, const attend_measure_options *o,
                                    const attend_lines *gold, attend_head_aer *out,
                                    attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < at_head_links_count(h) && status >= 0; i++) {
        attend_lines found = {"links", h->lines, h->links + i * h->lines};
        attend_scores *scores;
        status = attend_measure("aer", o, 1, &found, 1, gold, &scores, err);
        if (status < 0)
            continue;
        out[i] = (attend_head_aer){.layer = (int)i / (1 + h->heads),
                                   .head = (int)i % (1 + h->heads) - 1,
                                   .aer = attend_scores_corpus(scores, 0)};
        attend_scores_free(scores);
    }
    return status;
}
