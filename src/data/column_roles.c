/* Which column of a table, or which key of an object, is the source, the target and the label. The
 * names are those of GLUE, the Hugging Face data sets and common practice. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/table.h"

/* names of a source, and of the target that goes with it; those further up win */
static const struct {
    const char *source, *target;
} texts[] = {
    {"src", "tgt"},
    {"source", "target"},
    {"sentence1", "sentence2"},
    {"sentence_A", "sentence_B"},
    {"text_a", "text_b"},
    {"premise", "hypothesis"},
    {"question1", "question2"},
    {"question", "sentence"},
    {"#1 String", "#2 String"},
    {"prompt", "completion"},
    {"sentence", NULL},
    {"text", NULL},
    {"review", NULL},
    {"content", NULL},
    {"comment", NULL},
    {"tweet", NULL},
    {"document", NULL},
    {"body", NULL},
    {"question", NULL},
    {"description", NULL},
};

static const char *const labels[] = {
    "label",    "labels", "gold_label", "class", "category", "Quality", "is_duplicate", "sentiment",
    "polarity", "rating", "stars",      "score", "intent",   "topic",   "label-coarse"};

static int find(const at_text *name, int count, const char *word)
{
    for (int i = 0; word && i < count; i++)
        if (at_text_is(at_text_trim(name[i]), word))
            return i;
    return -1;
}

bool at_column_roles_of_names(at_column_roles *m, const at_text *name, int count)
{
    *m = (at_column_roles){.target = -1, .label = -1};
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !m->sources; i++) {
        int source = find(name, count, texts[i].source);
        int target = find(name, count, texts[i].target);
        if (source < 0 || (texts[i].target && target < 0))
            continue;
        m->source[m->sources++] = source;
        m->target = target;
    }
    for (size_t i = 0; i < sizeof labels / sizeof *labels && m->label < 0; i++)
        m->label = find(name, count, labels[i]);
    return m->sources || m->label >= 0;
}

/* ---- of a table ------------------------------------------------------------------------- */

/* "a, b, c" */
static const char *list_names(const at_table_reader *t, char text[160])
{
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < t->count && used < 110; i++) {
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)(t->cell[i].size < 39 ? t->cell[i].size : 39),
                 t->cell[i].text);
        used += (size_t)snprintf(text + used, 160 - used, "%s%s", i ? ", " : "",
                                 at_show(name).text);
    }
    return text;
}

/* the column that a word of the user's stands for: a name, or a number from 1 on */
static attend_status column_of(const at_example_reader *r, const at_table_reader *t, bool header,
                               const char *word, size_t size, int *column, attend_error *err)
{
    char names[160];
    long long number;
    for (*column = 0; header && *column < t->count; ++*column) {
        at_text name = at_text_trim(t->cell[*column]);
        if (name.size == size && memcmp(name.text, word, size) == 0)
            return ATTEND_OK;
    }
    bool whole = at_number_whole(word, size, &number);
    if (whole && number >= 1 && number <= t->count) {
        *column = (int)number - 1;
        return ATTEND_OK;
    }
    if (whole)
        return at_error(err, ATTEND_FORMAT, "%s:%ld: there is no column %lld, only %d", r->name,
                        t->line, number, t->count);
    return at_error(err, ATTEND_OPTION, "%s:%ld: no column is called \"%.*s\"; there are %s",
                    r->name, t->line, (int)(size < 60 ? size : 60), word, list_names(t, names));
}

/* what the user said, over what the names say */
static attend_status apply_options(at_column_roles *m, const at_example_reader *r,
                                   const at_table_reader *t, bool header, attend_error *err)
{
    const at_read_options *o = &r->options;
    attend_status status = ATTEND_OK;
    if (o->source_column) {
        m->sources = 0;
        m->target = -1;
    }
    for (const char *word = o->source_column; word && *word && status >= 0;) {
        size_t size = strcspn(word, ",");
        if (m->sources == ATTEND_TABLE_JOINED)
            return at_error(err, ATTEND_OPTION, "at most %d columns can be joined",
                            ATTEND_TABLE_JOINED);
        status = column_of(r, t, header, word, size, &m->source[m->sources++], err);
        word += size + (word[size] == ',');
    }
    if (status >= 0 && o->target_column)
        status = column_of(r, t, header, o->target_column, strlen(o->target_column), &m->target,
                           err);
    if (status >= 0 && o->label_column)
        status = column_of(r, t, header, o->label_column, strlen(o->label_column), &m->label, err);
    return status;
}

/* Without names: the column that looks like labels is the label, the others are the text, unless
 * all look like labels, or numbers. */
static void meaning_of_cells(at_column_roles *m, const at_table_reader *t)
{
    bool text = t->count == 1;
    *m = (at_column_roles){.target = -1, .label = -1};
    for (int i = 0; i < t->count && !text; i++)
        text = !at_looks_like_label(t->cell[i]);
    if (!text)
        return;
    if (t->count > 1)
        m->label = at_looks_like_label(t->cell[0])              ? 0
                   : at_looks_like_label(t->cell[t->count - 1]) ? t->count - 1
                                                                : -1;
    for (int i = 0; i < t->count && m->sources < ATTEND_TABLE_JOINED; i++)
        if (i != m->label)
            m->source[m->sources++] = i;
    if (m->label < 0 && t->count > 1) /* two sentences */
        m->target = m->source[1];
    m->sources = m->target >= 0 ? 1 : m->sources;
}

static bool is_name(const char *word)
{
    long long number;
    return word && !at_number_whole(word, strcspn(word, ","), &number);
}

attend_status at_column_roles_of_table(at_column_roles *m, at_example_reader *r, at_table_reader *t,
                                       attend_error *err)
{
    char names[160];
    const at_read_options *o = &r->options;
    bool known = at_column_roles_of_names(m, t->cell, t->count);
    bool called = is_name(o->source_column) || is_name(o->target_column)
                  || is_name(o->label_column);
    bool header = o->header == ATTEND_HEADER_YES
                  || (o->header == ATTEND_HEADER_GUESS && (known || called));
    if (!header)
        meaning_of_cells(m, t);
    attend_status status = apply_options(m, r, t, header, err);
    if (status < 0)
        return status;
    m->columns = t->count;
    if (!m->sources)
        return at_error(err, ATTEND_FORMAT,
                        "%s:%ld: which column is the text? They are %s; name it with --text",
                        r->name, t->line, list_names(t, names));
    if (!header)
        at_table_reader_again(t);
    return ATTEND_OK;
}

/* ---- examples --------------------------------------------------------------------------- */

static void join_cells(const at_column_roles *m, const at_table_reader *t, at_str *text)
{
    at_str_clear(text);
    for (int i = 0; i < m->sources; i++) {
        at_text cell = t->cell[m->source[i]];
        at_str_add(text, i && cell.size && text->length ? " " : "");
        at_str_add_bytes(text, cell.text, cell.size);
    }
}

static int last_column(const at_column_roles *m)
{
    int last = m->target > m->label ? m->target : m->label;
    for (int i = 0; i < m->sources; i++)
        last = m->source[i] > last ? m->source[i] : last;
    return last;
}

/* Cells that no column is there for are a text that was cut at a separator of its own. */
static bool overflows(const at_column_roles *m, const at_table_reader *t)
{
    for (int i = m->columns; i < t->count; i++)
        if (at_text_trim(t->cell[i]).size)
            return true;
    return false;
}

at_read at_column_roles_read(const at_column_roles *m, at_example_reader *r,
                             const at_table_reader *t, at_str *text, at_example *e,
                             attend_error *err)
{
    int needed = last_column(m) + 1;
    if (t->count < needed)
        return at_read_bad_at(r, t->line, err, "%d cell%s, but column %d is needed", t->count,
                              t->count == 1 ? "" : "s", needed);
    if (overflows(m, t))
        return at_read_bad_at(
            r, t->line, err, "%d cells, but the first row has %d; %s", t->count, m->columns,
            t->quotes ? "a text with separators stands in quotes" : "a text cannot hold tabs");
    e->line = t->line;
    e->source = t->cell[m->source[0]];
    if (m->sources > 1) {
        join_cells(m, t, text);
        if (text->failed) {
            at_error_memory(err);
            return ATTEND_READ_FAILED;
        }
        e->source = (at_text){at_str_text(text), text->length};
    }
    if (m->target >= 0) {
        e->target = t->cell[m->target];
        e->has |= ATTEND_HAS_TARGET;
    }
    if (m->label >= 0) {
        e->label = at_text_trim(t->cell[m->label]);
        e->has |= ATTEND_HAS_LABEL;
    }
    return ATTEND_READ_EXAMPLE;
}
