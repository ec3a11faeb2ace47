#include "measure/labels.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"

struct at_labels {
    at_pairs pairs;
    at_chars label; /* by the number of its sequence: label + 1, or 0 */
    char *name[ATTEND_LABELS_MAX];
    int count;
};

at_labels *at_labels_new(void)
{
    at_labels *l = at_alloc_zero(1, sizeof *l);
    if (l) {
        at_pairs_start(&l->pairs);
        at_chars_add(&l->label, 0); /* the empty label, if it occurs */
    }
    return l;
}

void at_labels_free(at_labels *l)
{
    if (!l)
        return;
    at_pairs_free(&l->pairs);
    at_chars_free(&l->label);
    for (int i = 0; i < l->count; i++)
        at_free(l->name[i]);
    at_free(l);
}

int at_labels_count(const at_labels *l) { return l->count; }

const char *at_labels_name(const at_labels *l, int label) { return l->name[label]; }

static void read_label(const char *line, at_chars *text)
{
    at_chars_set(text, line, strlen(line));
    at_chars_strip(text);
}

static bool keep_name(at_labels *l, const at_chars *text)
{
    at_str name = {0};
    at_str_add(&name, "");
    at_chars_print(&name, text);
    l->name[l->count] = at_str_take(&name);
    l->count += l->name[l->count] != NULL;
    return !name.failed;
}

/* false without memory */
static bool add(at_labels *l, const at_chars *text)
{
    uint32_t number = 0;
    for (size_t i = 0; i < text->count; i++)
        number = at_pairs_add(&l->pairs, number, text->at[i]);
    while (l->label.count <= number && !l->label.failed)
        at_chars_add(&l->label, 0);
    if (text->failed || l->pairs.failed || l->label.failed)
        return false;
    if (l->label.at[number])
        return true;
    int known = l->count;
    if (known == ATTEND_LABELS_MAX || !keep_name(l, text))
        return known == ATTEND_LABELS_MAX;
    l->label.at[number] = (uint32_t)l->count;
    return l->count > known;
}

attend_status at_labels_add(at_labels *l, const attend_lines *lines, attend_error *err)
{
    at_chars text = {0};
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < lines->count && status >= 0; i++) {
        read_label(lines->line[i], &text);
        if (!add(l, &text))
            status = at_error_memory(err);
        else if (l->count == ATTEND_LABELS_MAX)
            status = at_error(err, ATTEND_FORMAT,
                              "%s:%zu: the %dth different label; a line must be one label and "
                              "nothing else",
                              at_show(lines->name).text, i + 1, ATTEND_LABELS_MAX);
    }
    at_chars_free(&text);
    return status;
}

int at_labels_find(const at_labels *l, const char *line, at_chars *text)
{
    uint32_t number = 0;
    read_label(line, text);
    for (size_t i = 0; i < text->count; i++)
        number = at_pairs_find(&l->pairs, number, text->at[i]);
    return text->failed ? -1 : (int)l->label.at[number] - 1;
}
