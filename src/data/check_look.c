/* The second half of a check: an example among all others. */
#include <string.h>

#include "base/utf8.h"
#include "data/check_work.h"

enum { FAR_APART = 30 }; /* characters: a side with no more is never called too long */

static bool is_empty(at_text t) { return !at_text_trim(t).size; }

static at_found look_at_blanks(at_text t)
{
    return t.size && (t.text[0] == ' ' || t.text[t.size - 1] == ' ') ? FOUND(blanks) : 0;
}

/* a key of all parts, byte for byte but for blanks at the ends */
static uint64_t example_key(const at_example *e)
{
    const at_text parts[] = {e->source, e->target, e->label, e->question};
    uint64_t key = e->has & ~(unsigned)ATTEND_HAS_BREAK;
    for (int i = 0; i < 4; i++) {
        at_text t = at_text_trim(parts[i]);
        key = at_key_join(key, t.size ? at_key_bytes(t.text, t.size) : 0);
    }
    for (int i = 0; i < e->answer_count; i++)
        key = at_key_join(key, at_key_join(e->answers[i].begin, e->answers[i].text.size));
    return key;
}

/* what examples have in common; *also receives where the other one is */
static at_found look_for_likes(at_check_work *w, const at_example *e, uint64_t *also)
{
    uint64_t here = (uint64_t)e->file << 48 | (uint64_t)e->line, key, source = 0;
    if (e->has & ATTEND_HAS_QUESTION) {
        *also = at_key_table_find_or_add(&w->examples, example_key(e), here);
        return *also ? FOUND(duplicate) : 0;
    }
    uint64_t again = at_key_table_find_or_add(&w->examples, example_key(e), here);
    if (!at_keys_of(&w->keys, e->source.text, e->source.size, &key)) {
        w->status = ATTEND_MEMORY;
        return 0;
    }
    source = at_key_table_find_or_add(&w->sources, key, here);
    *also = again ? again : source;
    if (again)
        return e->has & ~(unsigned)ATTEND_HAS_BREAK ? FOUND(duplicate) : FOUND(repeated);
    if (source && (e->has & ATTEND_HAS_TARGET))
        return FOUND(same_source);
    return source && (e->has & ATTEND_HAS_LABEL) ? FOUND(other_label) : 0;
}

static at_found look_at_lengths(const at_check_work *w, const at_example *e)
{
    double source = (double)at_utf8_count(e->source.text, e->source.size);
    double target = (double)at_utf8_count(e->target.text, e->target.size);
    double expected = source * w->ratio; /* characters of the target */
    bool target_long = target > FAR_APART && target > w->options->ratio * expected;
    bool source_long = source > FAR_APART && expected > w->options->ratio * target;
    return target_long || source_long ? FOUND(ratio) : 0;
}

static at_found look_at_pair(const at_check_work *w, const at_example *e)
{
    if (at_text_same(at_text_trim(e->source), at_text_trim(e->target)))
        return FOUND(copy);
    at_found found = look_at_lengths(w, e);
    at_pair_order order = at_swap_detector_ask(w->swap_detector, e->source, e->target);
    if (order == ATTEND_PAIR_SWAPPED)
        found |= FOUND(swapped);
    else if (order != ATTEND_PAIR_IN_ORDER)
        found |= FOUND(language);
    return found;
}

/* Does a pair differ from items that most pairs are? */
static at_found look_at_items(at_check_work *w, const at_example *e)
{
    attend_error ignored;
    attend_status status = at_pointer_examples_fit(w->items, e->source, e->target, &ignored);
    if (status == ATTEND_MEMORY)
        w->status = status;
    if (status >= 0 && w->items[0].width == w->item_width)
        return 0;
    w->c->refused++;
    return FOUND(items);
}

at_found at_check_look(at_check_work *w, const at_example *e, uint64_t *also)
{
    long max = w->options->max_words;
    at_found found = 0;
    bool pair = e->has & ATTEND_HAS_TARGET && !(e->has & ATTEND_HAS_LABEL);
    if (is_empty(e->source) || (e->has & ATTEND_HAS_TARGET && is_empty(e->target))
        || (e->has & ATTEND_HAS_LABEL && is_empty(e->label))
        || (e->has & ATTEND_HAS_QUESTION && is_empty(e->question)))
        return FOUND(empty);
    found |= look_for_likes(w, e, also);
    if (pair && !(found & FOUND(duplicate)))
        found |= look_at_pair(w, e);
    if (pair && w->item_width)
        found |= look_at_items(w, e);
    if (at_check_words(e->source) > max || at_check_words(e->target) > max)
        found |= FOUND(long_text);
    return found | look_at_blanks(e->source) | look_at_blanks(e->target);
}
