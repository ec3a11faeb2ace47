#include "api/trace.h"

#include "api/attention.h"
#include "base/error.h"
#include "base/memory.h"

/* of the vocabulary, or of the words that can be copied; NULL without memory */
static const char *token_text(at_arena *memory, const at_tokenizer *target, const at_translated *t,
                              int token)
{
    int known = at_tokenizer_size(target);
    if (token < known)
        return at_vocab_text(target->vocab, token, NULL);
    at_text word = at_copied_text(t->copied, token - known);
    return at_arena_text(memory, word.text, word.size);
}

static bool take_alternatives(at_arena *memory, const at_tokenizer *target, const at_translated *t,
                              attend_translation *out)
{
    int n = t->beam->options.alternatives;
    attend_alternative *all = at_arena_alloc(memory, (size_t)(t->count * n + 1) * sizeof *all);
    out->alternatives = all;
    out->alternative_count = n;
    for (int i = 0; all && i < t->count * n; i++) {
        const at_alternative *a = &t->alternative[i / n][i % n];
        const char *text = a->word < 0 ? "" : token_text(memory, target, t, a->word);
        if (!text)
            return false;
        all[i] = (attend_alternative){a->word, text, a->log_p};
    }
    return all;
}

static bool take_trace(at_arena *memory, const at_tokenizer *target, const at_translated *t,
                       attend_translation *out)
{
    size_t total = 0;
    int n;
    for (int step = 0; step < t->beam->steps; step++, total += (size_t)n)
        at_beam_trace(t->beam, step, &n);
    attend_candidate *all = at_arena_alloc(memory, (total + 1) * sizeof *all);
    out->trace = all;
    for (int step = 0; all && step < t->beam->steps; step++) {
        const at_beam_candidate *c = at_beam_trace(t->beam, step, &n);
        for (int i = 0; i < n; i++) {
            const char *text = token_text(memory, target, t, c[i].word);
            if (!text)
                return false;
            all[out->trace_count++] = (attend_candidate){step, c[i].from,  c[i].row,   c[i].word,
                                                         text, c[i].log_p, c[i].score, c[i].fate};
        }
    }
    return all;
}

bool at_trace_take(at_arena *memory, const at_tokenizer *target, const at_translated *t,
                   attend_translation *out)
{
    if (t->alternative && !take_alternatives(memory, target, t, out))
        return false;
    return !t->beam || !t->beam->options.trace || t->rank > 0 || take_trace(memory, target, t, out);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

const char *attend_trace_fate_name(attend_trace_fate fate)
{
    static const char *const names[] = {"pruned", "kept", "ended"};
    return (unsigned)fate < sizeof names / sizeof *names ? names[fate] : "unknown";
}

static void add_alternatives(at_json_out *j, const attend_translation *t)
{
    at_json_array(j, "alternatives");
    for (int i = 0; i < t->targets; i++) {
        const attend_alternative *a = t->alternatives + i * t->alternative_count;
        at_json_array(j, NULL);
        for (int k = 0; k < t->alternative_count && a[k].token >= 0; k++) {
            at_json_object(j, NULL);
            at_json_string(j, "token", a[k].text);
            at_json_real(j, "log_p", a[k].log_p, 9);
            at_json_end(j);
        }
        at_json_end(j);
    }
    at_json_end(j);
}

static void add_candidate(at_json_out *j, const attend_candidate *c)
{
    at_json_object(j, NULL);
    at_json_int(j, "parent", c->parent);
    at_json_string(j, "token", c->text);
    at_json_real(j, "log_p", c->log_p, 9);
    at_json_real(j, "score", c->score, 9);
    at_json_string(j, "fate", attend_trace_fate_name(c->fate));
    if (c->row >= 0)
        at_json_int(j, "row", c->row);
    at_json_end(j);
}

static void add_steps(at_json_out *j, const attend_translation *t)
{
    at_json_array(j, "steps");
    for (size_t i = 0; i < t->trace_count; i++) {
        bool first = i == 0 || t->trace[i].step != t->trace[i - 1].step;
        bool last = i + 1 == t->trace_count || t->trace[i].step != t->trace[i + 1].step;
        if (first)
            at_json_array(j, NULL);
        add_candidate(j, &t->trace[i]);
        if (last)
            at_json_end(j);
    }
    at_json_end(j);
}

attend_status attend_trace_json(const attend_translation *t, size_t line, char **text,
                                attend_error *err)
{
    at_str out = {0};
    at_json_out j = {.out = &out};
    at_translation_json(&j, t, line, -1, false);
    if (t->alternatives)
        add_alternatives(&j, t);
    if (t->trace)
        add_steps(&j, t);
    return at_json_give(&j, text, err);
}
