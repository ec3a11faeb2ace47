#include "decode/align.h"

#include "attend.h"
#include "base/memory.h"

/* the unit of every piece, counted from 0: its word, or its place among those that have one */
static int units(int n, const unsigned *word, bool pieces, int *unit)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        bool none = word[i] == ATTEND_NO_WORD;
        unit[i] = none ? -1 : pieces ? count : (int)word[i];
        if (!none)
            count = unit[i] + 1 > count ? unit[i] + 1 : count;
    }
    return count;
}

/* Takes marks out of the words that have more than marks. */
static void drop_marks(const at_aligned *a, int *target)
{
    for (int i = 0, end; i < a->targets; i = end) {
        bool more = false;
        for (end = i; end < a->targets && target[end] == target[i]; end++)
            more = more || !a->target_mark[end];
        for (int k = i; more && k < end; k++)
            if (a->target_mark[k])
                target[k] = -1;
    }
}

/* w'[t][s], and in share how many pieces t has */
static void merge(const at_aligned *a, const int *target, const int *source, int S, double *w,
                  int *share)
{
    for (int i = 0; i < a->targets; i++) {
        if (target[i] < 0)
            continue;
        share[target[i]]++;
        for (int j = 0; j < a->sources; j++)
            if (source[j] >= 0)
                w[target[i] * S + source[j]] += a->weights[i * a->sources + j];
    }
}

static void write_links(int T, int S, const double *w, const int *share, double threshold,
                        at_str *out)
{
    const char *space = "";
    for (int t = 0; t < T; t++) {
        const double *row = w + (size_t)t * (size_t)S;
        int best = 0;
        for (int s = 1; s < S; s++)
            best = row[s] > row[best] ? s : best;
        for (int s = 0; s < S && share[t]; s++)
            if (threshold > 0 ? row[s] >= threshold * share[t] : s == best && row[s] > 0) {
                at_str_print(out, "%s%d-%d", space, s, t);
                space = " ";
            }
    }
}

attend_status at_align(const at_aligned *a, const at_align_options *o, at_str *out,
                       attend_error *err)
{
    int *target = at_alloc((size_t)(a->targets + 1) * sizeof *target);
    int *source = at_alloc((size_t)(a->sources + 1) * sizeof *source);
    if (!target || !source) {
        at_free(target);
        at_free(source);
        return at_error_memory(err);
    }
    int T = units(a->targets, a->target_word, o->pieces, target);
    int S = units(a->sources, a->source_word, o->pieces, source);
    double *w = at_alloc_zero((size_t)T * (size_t)S + 1, sizeof *w);
    int *share = at_alloc_zero((size_t)T + 1, sizeof *share);
    if (w && share && S > 0) {
        if (a->target_mark)
            drop_marks(a, target);
        merge(a, target, source, S, w, share);
        write_links(T, S, w, share, o->threshold, out);
    }
    attend_status status = w && share && !out->failed ? ATTEND_OK : at_error_memory(err);
    at_free(target);
    at_free(source);
    at_free(w);
    at_free(share);
    return status;
}
