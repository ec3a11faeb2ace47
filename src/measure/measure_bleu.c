/* BLEU (Papineni et al. 2002): n-grams of words that the hypothesis shares with its references,
 *
 *     BLEU = 100 BP exp(1/N sum_n log p_n),   p_n = matches / n-grams of the hypothesis
 *     BP   = min(1, exp(1 - r/c))             c words, r of the references nearest in length
 *
 * where an n-gram matches as often as the reference that has it most often. A precision without
 * matches would make the score 0; what smoothing puts in its place is method 1 (floor), 2 (add-k)
 * or 3 (exp) of Chen and Cherry 2014. Numbers and corner cases are those of sacreBLEU (Post 2018).
 */
#include <math.h>
#include <string.h>

#include "measure/bleu.h"

/* ---- statistics ------------------------------------------------------------------------- */

at_bleu_sum at_bleu_sum_of(const at_measurement *t, const double *sum)
{
    return (at_bleu_sum){sum[0], sum[1], sum + 2, sum + 2 + t->o.max_order};
}

static attend_status start(at_measurement *t, attend_error *err)
{
    (void)err;
    t->width = 2 + 2 * (size_t)t->o.max_order;
    return ATTEND_OK;
}

/* words of a line as numbers */
static void read_words(const at_measurement *t, at_workspace *s, const char *line, bool add,
                       at_chars *words)
{
    at_chars_set(&s->text, line, strlen(line));
    if (t->o.lowercase)
        at_chars_lower(&s->text, &s->spare);
    at_chars_strip_end(&s->text);
    t->tokenization->run(&s->text, &s->spare);
    at_pairs_words(&s->pairs, &s->text, add, words);
}

static bool is_nearer(double length, double other, double hypothesis)
{
    double distance = fabs(length - hypothesis), than = fabs(other - hypothesis);
    return distance < than || (distance == than && length < other);
}

static attend_status collect(const at_segment *g, at_workspace *s, double *statistics,
                             attend_error *err)
{
    const at_measurement *t = g->task;
    int order = t->o.max_order;
    bool failed = false;
    at_pairs_start(&s->pairs);
    at_ngrams_start(&s->grams);
    read_words(t, s, at_segment_hypothesis(g), true, &s->words);
    at_ngrams_count(&s->grams, s->words.at, s->words.count, order);
    statistics[0] = (double)s->words.count;
    for (int r = 0; r < t->references; r++) {
        at_chars *words = &s->reference_words;
        read_words(t, s, at_segment_reference(g, r), false, words);
        failed |= words->failed;
        at_ngrams_match(&s->grams, words->at, words->count, order);
        if (r == 0 || is_nearer((double)words->count, statistics[1], statistics[0]))
            statistics[1] = (double)words->count;
    }
    at_ngrams_matches(&s->grams, order, statistics + 2);
    for (int n = 0; n < order; n++)
        statistics[2 + order + n] = at_ngrams_in(s->words.count, n + 1);
    return failed || s->words.failed || s->grams.failed ? at_error_memory(err) : ATTEND_OK;
}

/* ---- the score -------------------------------------------------------------------------- */

static double brevity(double length, double reference)
{
    if (length >= reference)
        return 1;
    return length > 0 ? exp(1 - reference / length) : 0;
}

static double smooth_value(const at_measurement *t)
{
    if (t->o.smooth_value >= 0)
        return t->o.smooth_value;
    return t->smooth == ATTEND_SMOOTH_FLOOR ? 0.1 : 1;
}

/* precisions of the orders there are; returns the last of these */
static int precisions(const at_measurement *t, at_bleu *b)
{
    double halved = 1;
    int n = 0;
    for (; n < t->o.max_order; n++) {
        if (t->smooth == ATTEND_SMOOTH_ADD_K && n > 0) {
            b->match[n] += smooth_value(t);
            b->total[n] += smooth_value(t);
        }
        if (b->total[n] == 0)
            break;
        if (b->match[n] > 0)
            b->precision[n] = 100 * b->match[n] / b->total[n];
        else if (t->smooth == ATTEND_SMOOTH_EXP)
            b->precision[n] = 100 / ((halved *= 2) * b->total[n]);
        else if (t->smooth == ATTEND_SMOOTH_FLOOR)
            b->precision[n] = 100 * smooth_value(t) / b->total[n];
    }
    return n;
}

at_bleu at_bleu_of(const at_measurement *t, const double *sum, bool effective)
{
    at_bleu_sum s = at_bleu_sum_of(t, sum);
    at_bleu b = {.brevity = brevity(s.hypothesis_length, s.reference_length)};
    double any = 0, logs = 0;
    for (int n = 0; n < t->o.max_order; n++) {
        b.match[n] = s.match[n];
        b.total[n] = s.total[n];
        any += s.match[n];
    }
    if (any == 0)
        return b;
    int known = precisions(t, &b), orders = effective ? known : t->o.max_order;
    for (int n = 0; n < orders; n++) {
        if (b.precision[n] == 0)
            return b;
        logs += log(b.precision[n]);
    }
    b.score = b.brevity * exp(logs / orders);
    return b;
}

static double score(const at_measurement *t, const double *sum, bool alone)
{
    return at_bleu_of(t, sum, alone || t->o.effective_order).score;
}

/* ---- what is said of it ----------------------------------------------------------------- */

static void title(const at_measurement *t, at_str *out) { at_str_add(out, ((void)t, "BLEU")); }

static void signature(const at_measurement *t, at_str *out)
{
    static const char *const smooth[] = {"exp", "floor", "add-k", "none"};
    at_str_print(out, "case:%s|eff:%s|tok:%s|smooth:%s", t->o.lowercase ? "lc" : "mixed",
                 t->o.effective_order ? "yes" : "no", t->tokenization->name, smooth[t->smooth]);
    if (t->smooth == ATTEND_SMOOTH_FLOOR || t->smooth == ATTEND_SMOOTH_ADD_K)
        at_str_print(out, "[%.2f]", smooth_value(t));
    at_str_add(out, ATTEND_LIKE_SACREBLEU);
}

static double ratio(at_bleu_sum s)
{
    return s.reference_length > 0 ? s.hypothesis_length / s.reference_length : 0;
}

static void detail(const at_measurement *t, const double *sum, at_str *out)
{
    at_bleu_sum s = at_bleu_sum_of(t, sum);
    at_bleu b = at_bleu_of(t, sum, t->o.effective_order);
    for (int n = 0; n < t->o.max_order; n++)
        at_str_print(out, "%s%.1f", n ? "/" : "", b.precision[n]);
    at_str_print(out, " (BP = %.3f ratio = %.3f hyp_len = %.0f ref_len = %.0f)", b.brevity,
                 ratio(s), s.hypothesis_length, s.reference_length);
}

static void members(const at_measurement *t, const double *sum, at_str *out)
{
    at_bleu_sum s = at_bleu_sum_of(t, sum);
    at_bleu b = at_bleu_of(t, sum, t->o.effective_order);
    at_json_numbers(out, "precisions", b.precision, t->o.max_order);
    at_json_numbers(out, "counts", b.match, t->o.max_order);
    at_json_numbers(out, "totals", b.total, t->o.max_order);
    at_json_number(out, "bp", b.brevity);
    at_json_number(out, "ratio", ratio(s));
    at_json_number(out, "hyp_len", s.hypothesis_length);
    at_json_number(out, "ref_len", s.reference_length);
}

const at_measure at_measure_bleu = {
    .name = "bleu",
    .formula = "100 min(1, exp(1 - r/c)) (p_1 ... p_N)^(1/N), p_n the fraction of matching n-grams",
    .source = "Papineni et al. 2002; Post 2018",
    .lines = "text",
    .min_references = 1,
    .max_references = 1000,
    .start = start,
    .collect = collect,
    .score = score,
    .title = title,
    .signature = signature,
    .detail = detail,
    .members = members,
};
