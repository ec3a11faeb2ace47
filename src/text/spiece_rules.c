/* The double array (darts-clone): a node is a place in the array, and has a base; its child for
 * byte c lies at base ^ c, if the unit there carries the label c. A unit is
 *
 *     bit 31 set     a leaf: the other bits are a value
 *     else           bits 0-7 label, bit 8 the unit at the base is a leaf, bit 9 and 10-30 offset;
 *                    the base is place ^ offset
 *
 * So a walk touches base ^ c for any c: the whole block of 256 around the base must be there. And a
 * node has a label of its own, so its parents are those whose base is place ^ label: children are
 * found without a search. Nodes may share children, but must not be their own ancestors. */
#include "text/spiece_rules.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { MAX_MATCHES = 32 }; /* rules for beginnings of one text, for which the library has room */

enum { NEW, OPEN, DONE };

typedef struct {
    const unsigned char *units;
    uint32_t count;                 /* of units */
    size_t texts;                   /* bytes of the texts */
    uint32_t *first;                /* by base: one of its children, or count */
    uint32_t *next;                 /* by place: another child of the same base, or count */
    unsigned char *state, *matches; /* by place: matches on the way down from here, at most */
    uint32_t *stack, *child;        /* the way from the root, and which child is next */
    const char *fault;
} trie;

static uint32_t unit_at(const trie *t, uint32_t node)
{
    const unsigned char *u = t->units + 4 * (size_t)node;
    return u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static bool is_leaf(uint32_t unit) { return unit >> 31; }
static bool has_leaf(uint32_t unit) { return unit >> 8 & 1; }

static uint32_t base_of(const trie *t, uint32_t node)
{
    uint32_t unit = unit_at(t, node);
    return node ^ (unit >> 10) << ((unit & 1u << 9) >> 6);
}

static bool index_children(trie *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        t->first[i] = t->count;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t unit = unit_at(t, i), base = base_of(t, i);
        if (is_leaf(unit))
            continue;
        if (base >= t->count || (base | 255) >= t->count) {
            t->fault = "a character rule leads out of the table";
            return false;
        }
        uint32_t parent = i ^ (unit & 255); /* in the same block, so it is there */
        t->next[i] = t->first[parent];
        t->first[parent] = i;
    }
    return true;
}

/* Does a match at this node lead to a text? */
static bool check_value(trie *t, uint32_t node)
{
    uint32_t value = unit_at(t, base_of(t, node)) & ~(1u << 31);
    if (value < t->texts)
        return true;
    t->fault = "a character rule leads behind the last text";
    return false;
}

/* The way down is done: what was found there counts for the node above. */
static bool close_node(trie *t, uint32_t node, uint32_t above)
{
    bool match = has_leaf(unit_at(t, node)) && node != 0;
    if (match && !check_value(t, node))
        return false;
    t->matches[node] += match;
    t->state[node] = DONE;
    if (t->matches[node] > MAX_MATCHES) {
        t->fault = "too many character rules begin each other";
        return false;
    }
    if (above < t->count && t->matches[node] > t->matches[above])
        t->matches[above] = t->matches[node];
    return true;
}

/* from the root, every node once */
static bool walk(trie *t)
{
    size_t depth = 1;
    t->stack[0] = 0;
    t->child[0] = t->first[base_of(t, 0)];
    t->state[0] = OPEN;
    while (depth) {
        uint32_t node = t->stack[depth - 1], child = t->child[depth - 1];
        if (child == t->count) {
            depth--;
            if (!close_node(t, node, depth ? t->stack[depth - 1] : t->count))
                return false;
            continue;
        }
        t->child[depth - 1] = t->next[child];
        if (t->state[child] == OPEN) {
            t->fault = "its character rules go in a circle";
            return false;
        }
        if (t->state[child] == DONE) {
            if (t->matches[child] > t->matches[node])
                t->matches[node] = t->matches[child];
            continue;
        }
        t->state[child] = OPEN;
        t->stack[depth] = child;
        t->child[depth++] = t->first[base_of(t, child)];
    }
    return true;
}

static attend_status check_trie(trie *t, attend_error *err)
{
    size_t n = t->count;
    t->first = at_alloc(n * sizeof *t->first);
    t->next = at_alloc(n * sizeof *t->next);
    t->stack = at_alloc(n * sizeof *t->stack);
    t->child = at_alloc(n * sizeof *t->child);
    t->state = at_alloc_zero(n, 1);
    t->matches = at_alloc_zero(n, 1);
    bool well = t->first && t->next && t->stack && t->child && t->state && t->matches;
    if (well && is_leaf(unit_at(t, 0)))
        t->fault = "its character rules have no root";
    else if (well && index_children(t))
        walk(t);
    void *const all[] = {t->first, t->next, t->stack, t->child, t->state, t->matches};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        at_free(all[i]);
    return well ? ATTEND_OK : at_error_memory(err);
}

attend_status at_spiece_rules_check(const void *rules, size_t size, const char **fault,
                                    attend_error *err)
{
    const unsigned char *start = rules;
    *fault = NULL;
    if (size == 0)
        return ATTEND_OK; /* no rules */
    uint32_t bytes = 0;
    if (size > 4)
        bytes = start[0] | (uint32_t)start[1] << 8 | (uint32_t)start[2] << 16
                | (uint32_t)start[3] << 24;
    if (bytes < 1024 || bytes % 1024 || bytes >= size - 4 || size > INT32_MAX || start[size - 1]) {
        *fault = "the sizes of its character rules do not go together";
        return ATTEND_OK;
    }
    trie t = {.units = start + 4, .count = bytes / 4, .texts = size - 4 - bytes};
    attend_status status = check_trie(&t, err);
    *fault = t.fault;
    return status;
}
