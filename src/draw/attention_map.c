#include "draw/attention_map.h"

#include <math.h>
#include <stddef.h>

#include "base/memory.h"

static attend_status check_row(const attend_attention_map *m, size_t i, attend_error *err)
{
    const attend_attention_row *r = &m->rows[i];
    if (r->query < 0 || r->query >= m->queries || r->keys < 1 || r->keys > m->keys || !r->weights)
        return at_error(err, ATTEND_OPTION,
                        "attention: row %zu has query %d and %d keys; the map has %d queries and "
                        "%d keys",
                        i, r->query, r->keys, m->queries, m->keys);
    if (r->layer < 0 || r->layer >= ATTEND_MAP_NUMBERS || r->head < 0
        || r->head >= ATTEND_MAP_NUMBERS)
        return at_error(err, ATTEND_OPTION,
                        "attention: row %zu is of layer %d and head %d; both can be 0 to %d", i,
                        r->layer, r->head, ATTEND_MAP_NUMBERS - 1);
    return ATTEND_OK;
}

attend_status at_attention_map_check(const attend_attention_map *m, attend_error *err)
{
    attend_status status = ATTEND_OK;
    size_t found = 0;
    if (m->queries < 1 || m->keys < 1 || m->queries > ATTEND_MAP_TOKENS
        || m->keys > ATTEND_MAP_TOKENS)
        return at_error(err, ATTEND_OPTION,
                        "attention: %d queries and %d keys; both can be 1 to %d", m->queries,
                        m->keys, ATTEND_MAP_TOKENS);
    if (!m->query_labels || !m->key_labels || (m->row_count && !m->rows))
        return at_error(err, ATTEND_OPTION, "attention: labels of the tokens, or rows, are NULL");
    for (size_t i = 0; i < m->row_count && status >= 0; i++)
        if (m->rows[i].kind == m->kind) {
            found++;
            status = check_row(m, i, err);
        }
    if (status >= 0 && !found)
        return at_error(err, ATTEND_OPTION,
                        "attention: none of the %zu rows is of the kind to draw; record that kind",
                        m->row_count);
    return status;
}

/* ---- the index ------------------------------------------------------------------------------ */

/* the numbers that occur, rising, and the index of each; the count, or 0 without memory */
static int number(const attend_attention_map *m, size_t field, int index[ATTEND_MAP_NUMBERS],
                  int **out)
{
    int count = 0;
    for (int i = 0; i < ATTEND_MAP_NUMBERS; i++)
        index[i] = -1;
    for (size_t i = 0; i < m->row_count; i++)
        if (m->rows[i].kind == m->kind)
            index[*(const int *)((const char *)&m->rows[i] + field)] = 0;
    for (int i = 0; i < ATTEND_MAP_NUMBERS; i++)
        if (index[i] == 0)
            index[i] = count++;
    if (!(*out = at_alloc((size_t)(count + 1) * sizeof **out)))
        return 0;
    for (int i = 0; i < ATTEND_MAP_NUMBERS; i++)
        if (index[i] >= 0)
            (*out)[index[i]] = i;
    return count;
}

static size_t at(const at_attention_index *a, int layer, int head, int query)
{
    return ((size_t)layer * (size_t)a->heads + (size_t)head) * (size_t)a->map->queries
           + (size_t)query;
}

bool at_attention_index_new(at_attention_index *a, const attend_attention_map *m)
{
    int layer[ATTEND_MAP_NUMBERS], head[ATTEND_MAP_NUMBERS];
    *a = (at_attention_index){.map = m};
    a->layers = number(m, offsetof(attend_attention_row, layer), layer, &a->layer);
    a->heads = number(m, offsetof(attend_attention_row, head), head, &a->head);
    if (a->layer && a->head)
        a->row = at_alloc_zero(at(a, a->layers, 0, 0), sizeof *a->row);
    if (!a->row) {
        at_attention_index_free(a);
        return false;
    }
    for (size_t i = 0; i < m->row_count; i++)
        if (m->rows[i].kind == m->kind)
            a->row[at(a, layer[m->rows[i].layer], head[m->rows[i].head], m->rows[i].query)] =
                &m->rows[i];
    return true;
}

void at_attention_index_free(at_attention_index *a)
{
    at_free(a->layer);
    at_free(a->head);
    at_free(a->row);
    *a = (at_attention_index){.map = NULL};
}

/* ---- weights -------------------------------------------------------------------------------- */

double at_attention_weight(const at_attention_index *a, int layer, int head, int query, int key)
{
    const attend_attention_row *r = a->row[at(a, layer, head, query)];
    return r && key < r->keys ? r->weights[key] : NAN;
}

double at_attention_over_layers(const at_attention_index *a, int head, int query, int key)
{
    double sum = 0;
    int count = 0;
    for (int l = 0; l < a->layers; l++) {
        double w = at_attention_weight(a, l, head, query, key);
        sum += isnan(w) ? 0 : w;
        count += !isnan(w);
    }
    return count ? sum / count : NAN;
}

attend_status at_attention_mean(const attend_attention_map *m, double *weights, attend_error *err)
{
    at_attention_index a;
    attend_status status = at_attention_map_check(m, err);
    if (status < 0)
        return status;
    if (!at_attention_index_new(&a, m))
        return at_error_memory(err);
    for (int q = 0; q < m->queries; q++)
        for (int k = 0; k < m->keys; k++) {
            double sum = 0;
            int count = 0;
            for (int h = 0; h < a.heads; h++) {
                double w = at_attention_over_layers(&a, h, q, k);
                sum += isnan(w) ? 0 : w;
                count += !isnan(w);
            }
            weights[(size_t)q * (size_t)m->keys + (size_t)k] = count ? sum / count : NAN;
        }
    at_attention_index_free(&a);
    return ATTEND_OK;
}
