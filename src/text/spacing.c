#include "text/spacing.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/unicode.h"

enum { ENOUGH = 5 }; /* times that a mark must be seen before its rule is believed */

/* ---- rules without a text --------------------------------------------------------------- */

static uint32_t first_code(at_text w)
{
    uint32_t code;
    return at_utf8_get(w.text, w.size, &code) ? code : 0xFFFD;
}

/* is the character in the list, which is UTF-8? */
static bool in(uint32_t code, const char *list)
{
    uint32_t other;
    for (size_t left = strlen(list); left;) {
        int length = at_utf8_get(list, left, &other);
        if (code == other)
            return true;
        list += length;
        left -= (size_t)length;
    }
    return false;
}

static at_glue usual(const at_spacing *s, at_text word)
{
    uint32_t code = first_code(word);
    if (at_is_wide(code))
        return (at_glue){true, true};
    if (s->all_split && in(code, "-/_@"))
        return (at_glue){true, true};
    if (in(code, ",.;:!?%)]}…”’»"))
        return (at_glue){.left = true};
    if (in(code, "([{¿¡“‘„«$£€¥#"))
        return (at_glue){.right = true};
    return (at_glue){0};
}

bool at_spacing_alternates(at_text word)
{
    return word.size == 1 && (*word.text == '"' || *word.text == '\'');
}

at_glue at_spacing_of(const at_spacing *s, at_text word)
{
    int32_t id = s->words ? at_vocab_find(s->words, word.text, word.size) : -1;
    return id >= 0 && s->item[id].known ? s->item[id].glue : usual(s, word);
}

/* ---- rules from a text ------------------------------------------------------------------ */

void at_spacing_free(at_spacing *s)
{
    at_vocab_free(s->words);
    at_free(s->item);
    *s = (at_spacing){0};
}

static at_spacing_word *item_of(at_spacing *s, at_text word)
{
    if (!s->words && !(s->words = at_vocab_new()))
        return NULL;
    int32_t id = at_vocab_add(s->words, word.text, word.size);
    if (id < 0)
        return NULL;
    if ((size_t)id >= s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 64, bytes = sizeof *s->item;
        at_spacing_word *item = at_realloc(s->item, s->capacity * bytes, capacity * bytes);
        if (!item)
            return NULL;
        memset(item + s->capacity, 0, (capacity - s->capacity) * bytes);
        s->item = item;
        s->capacity = capacity;
    }
    return &s->item[id];
}

bool at_spacing_see(at_spacing *s, at_text word, bool has_left, bool close_left, bool has_right,
                    bool close_right)
{
    at_spacing_word *item = item_of(s, word);
    if (!item)
        return false;
    item->seen[0] += has_left;
    item->seen[1] += has_right;
    item->close[0] += close_left;
    item->close[1] += close_right;
    return true;
}

void at_spacing_learn(at_spacing *s)
{
    for (int32_t id = 0; s->words && id < at_vocab_size(s->words); id++) {
        at_spacing_word *w = &s->item[id];
        at_text word;
        word.text = at_vocab_text(s->words, id, &word.size);
        at_glue rule = usual(s, word);
        rule.left = w->seen[0] < ENOUGH ? rule.left : w->close[0] > w->seen[0] / 2;
        rule.right = w->seen[1] < ENOUGH ? rule.right : w->close[1] > w->seen[1] / 2;
        w->glue = rule;
        w->known = w->seen[0] >= ENOUGH || w->seen[1] >= ENOUGH;
    }
}

static const char *const names[] = {"none", "left", "right", "both"};

json_t *at_spacing_write(const at_spacing *s)
{
    json_t *object = json_object();
    bool well = object != NULL;
    for (int32_t id = 0; well && s->words && id < at_vocab_size(s->words); id++) {
        const at_spacing_word *w = &s->item[id];
        if (w->known)
            well = json_object_set_new(object, at_vocab_text(s->words, id, NULL),
                                       json_string(names[w->glue.left + 2 * w->glue.right]))
                   == 0;
    }
    if (!well) {
        json_decref(object);
        return NULL;
    }
    return object;
}

attend_status at_spacing_read(at_spacing *s, const json_t *object, const char *file,
                              attend_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        int rule = 0;
        const char *text = json_is_string(value) ? json_string_value(value) : "";
        while (rule < 4 && strcmp(names[rule], text) != 0)
            rule++;
        if (rule == 4)
            return at_error(err, ATTEND_FORMAT,
                            "%s: the spacing of \"%.20s\" must be none, left, right or both",
                            at_show(file).text, at_show(key).text);
        at_spacing_word *item = item_of(s, at_text_of(key));
        if (!item)
            return at_error_memory(err);
        item->glue = (at_glue){rule & 1, rule & 2};
        item->known = true;
    }
    return ATTEND_OK;
}
