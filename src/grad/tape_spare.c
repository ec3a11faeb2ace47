/* On the way back: memory of the step that nobody needs any more, for what comes. Gradients of
 * tensors come and go in the same few sizes and take each other's place as they are. Blocks are
 * what was large: panels of weights, the gates of a layer. They are cut, and joined again. */
#include "grad/tape_inside.h"

void at_spare_nothing(at_tape *t) { t->spares = t->blocks = 0; }

static real *take_out(at_spare *list, int *count, int i)
{
    real *memory = list[i].memory;
    list[i] = list[--*count];
    return memory;
}

void at_spare_gradient(at_tape *t, real *memory, size_t len)
{
    if (t->spares < ATTEND_MAX_SPARE)
        t->spare[t->spares++] = (at_spare){memory, len};
}

/* The smallest block that is large enough; its rest stays, from the next line on. */
static real *take_block(at_tape *t, size_t len)
{
    enum { LINE = 64 / sizeof(real), CRUMB = 16 << 10 };
    int best = -1;
    for (int i = 0; i < t->blocks && len >= CRUMB; i++)
        if (t->block[i].len >= len && (best < 0 || t->block[i].len < t->block[best].len))
            best = i;
    if (best < 0)
        return NULL;
    size_t lines = (len + LINE - 1) / LINE * LINE;
    if (t->block[best].len < lines + CRUMB)
        return take_out(t->block, &t->blocks, best);
    real *memory = t->block[best].memory;
    t->block[best] = (at_spare){memory + lines, t->block[best].len - lines};
    return memory;
}

real *at_spare_take(at_tape *t, size_t len)
{
    if (t->wasteful)
        return NULL;
    for (int i = t->spares - 1; i >= 0; i--)
        if (t->spare[i].len == len)
            return take_out(t->spare, &t->spares, i);
    return take_block(t, len);
}

void at_tape_spare(at_tape *t, real *memory, size_t len)
{
    int smallest = 0;
    for (int i = 0; i < t->blocks; i++) {
        at_spare b = t->block[i];
        if (b.memory + b.len == memory || memory + len == b.memory) {
            take_out(t->block, &t->blocks, i);
            at_tape_spare(t, b.memory < memory ? b.memory : memory, b.len + len);
            return;
        }
        if (b.len < t->block[smallest].len)
            smallest = i;
    }
    if (t->blocks < ATTEND_MAX_BLOCKS)
        t->block[t->blocks++] = (at_spare){memory, len};
    else if (t->block[smallest].len < len)
        t->block[smallest] = (at_spare){memory, len};
}
