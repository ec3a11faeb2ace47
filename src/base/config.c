/* libyaml parses; of its events only those of a flat mapping are taken, so that nothing can nest,
 * repeat or refer. */
#include "base/config.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/option_alias.h"
#include "base/utf8.h"

enum { MAX_ENTRIES = 4096 };

/* ---- reading -------------------------------------------------------------------------------- */

/* a file while it is parsed */
typedef struct {
    at_config *c;
    yaml_parser_t parser;
    yaml_event_t event;
    size_t capacity;
    attend_error *err;
} reading;

static int line_of(const reading *r) { return (int)r->event.start_mark.line + 1; }

static attend_status wrong(const reading *r, const char *what)
{
    return at_error(r->err, ATTEND_FORMAT, "%s:%d: %s", at_show(r->c->path).text, line_of(r), what);
}

static attend_status broken(const reading *r)
{
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return at_error_memory(r->err);
    size_t line = p->error == YAML_READER_ERROR ? 0 : p->problem_mark.line + 1;
    char position[32] = "";
    if (line)
        snprintf(position, sizeof position, ":%zu", line);
    return at_error(r->err, ATTEND_FORMAT, "%s%s: no YAML: %s; a line is NAME: VALUE",
                    at_show(r->c->path).text, position, p->problem ? p->problem : "broken");
}

/* the next event; the last one is let go */
static attend_status next(reading *r)
{
    yaml_event_delete(&r->event);
    if (!yaml_parser_parse(&r->parser, &r->event))
        return broken(r);
    if (r->event.type == YAML_ALIAS_EVENT)
        return wrong(r, "references are not taken; write the value out");
    return ATTEND_OK;
}

static attend_status add(reading *r, at_config_entry e)
{
    at_config *c = r->c;
    if (c->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 32;
        at_config_entry *more = capacity > MAX_ENTRIES ? NULL : at_alloc(capacity * sizeof *more);
        if (capacity > MAX_ENTRIES)
            return wrong(r, "more values than any program has options");
        if (!more)
            return at_error_memory(r->err);
        if (c->count)
            memcpy(more, c->entry, c->count * sizeof *more);
        at_free(c->entry);
        c->entry = more;
        r->capacity = capacity;
    }
    c->entry[c->count++] = e;
    return ATTEND_OK;
}

/* the scalar of this event; *text stays NULL for null */
static attend_status scalar(reading *r, const char **text)
{
    const char *value = (const char *)r->event.data.scalar.value;
    size_t size = r->event.data.scalar.length;
    bool plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (memchr(value, 0, size))
        return wrong(r, "a value holds a zero byte");
    if (plain && (size == 0 || at_choice_find("~|null|Null|NULL", value) >= 0))
        return ATTEND_OK;
    *text = at_arena_text(&r->c->memory, value, size);
    return *text ? ATTEND_OK : at_error_memory(r->err);
}

static attend_status read_value(reading *r, at_config_entry e)
{
    attend_status status = next(r);
    if (status < 0)
        return status;
    if (r->event.type == YAML_SCALAR_EVENT) {
        status = scalar(r, &e.value);
        return status < 0 ? status : add(r, e);
    }
    if (r->event.type != YAML_SEQUENCE_START_EVENT)
        return wrong(r, "options do not nest: write NAME: VALUE at the left margin");
    e.listed = true;
    while ((status = next(r)) >= 0 && r->event.type != YAML_SEQUENCE_END_EVENT) {
        if (r->event.type != YAML_SCALAR_EVENT)
            return wrong(r, "a list holds values alone");
        e.value = NULL;
        status = scalar(r, &e.value);
        if (status >= 0)
            status = add(r, e);
        if (status < 0)
            return status;
    }
    return status;
}

/* two spellings of one option? */
static bool same_option(const char *a, const char *b)
{
    const at_option_alias *alias = at_option_alias_find(a, strlen(a));
    return strcmp(a, b) == 0 || at_option_alias_same(b, alias ? alias->name : a);
}

static attend_status read_entry(reading *r)
{
    at_config_entry e = {.line = line_of(r)};
    if (r->event.type != YAML_SCALAR_EVENT)
        return wrong(r, "the name of an option must be a word");
    attend_status status = scalar(r, &e.name);
    if (status < 0)
        return status;
    if (!e.name)
        return wrong(r, "the name of an option is missing");
    for (size_t i = 0; i < r->c->count; i++)
        if (same_option(r->c->entry[i].name, e.name))
            return at_error(r->err, ATTEND_FORMAT, "%s:%d: %s is given in line %d already",
                            at_show(r->c->path).text, e.line, at_show(e.name).text,
                            r->c->entry[i].line);
    return read_value(r, e);
}

static attend_status read_document(reading *r)
{
    attend_status status;
    do
        status = next(r);
    while (status >= 0
           && (r->event.type == YAML_STREAM_START_EVENT
               || r->event.type == YAML_DOCUMENT_START_EVENT));
    if (status < 0 || r->event.type == YAML_STREAM_END_EVENT)
        return status; /* an empty file sets nothing */
    if (r->event.type == YAML_SCALAR_EVENT && r->event.data.scalar.length == 0)
        return ATTEND_OK;
    if (r->event.type != YAML_MAPPING_START_EVENT)
        return wrong(r, "a configuration is lines of NAME: VALUE");
    while ((status = next(r)) >= 0 && r->event.type != YAML_MAPPING_END_EVENT)
        if ((status = read_entry(r)) < 0)
            return status;
    return status;
}

/* nothing may follow the mapping */
static attend_status read_end(reading *r)
{
    attend_status status = ATTEND_OK;
    while (status >= 0 && r->event.type != YAML_STREAM_END_EVENT) {
        status = next(r);
        if (status >= 0 && r->event.type == YAML_DOCUMENT_START_EVENT)
            return wrong(r, "a second document; a configuration is one");
    }
    return status;
}

attend_status at_config_parse(at_config *c, const char *path, const char *text, size_t size,
                              attend_error *err)
{
    reading r = {.c = c, .err = err};
    *c = (at_config){.count = 0};
    c->ended = size == 0 || text[size - 1] == '\n';
    if (!(c->path = at_arena_strdup(&c->memory, path)) || !yaml_parser_initialize(&r.parser))
        return at_error_memory(err);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
    attend_status status = read_document(&r);
    if (status >= 0)
        status = read_end(&r);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    return status;
}

attend_status at_config_load(at_config *c, const char *path, attend_error *err)
{
    char *text;
    size_t size;
    *c = (at_config){.count = 0};
    attend_status status = at_file_read(path, ATTEND_CONFIG_LARGEST, &text, &size, err);
    if (status < 0)
        return status;
    status = at_config_parse(c, path, text, size, err);
    at_free(text);
    return status;
}

void at_config_free(at_config *c)
{
    at_free(c->entry);
    at_arena_free(&c->memory);
    *c = (at_config){.count = 0};
}

/* ---- assigning ------------------------------------------------------------------------------ */

const at_config_entry *at_config_find(const at_config *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->entry[i].value && at_option_alias_same(c->entry[i].name, name))
            return &c->entry[i];
    return NULL;
}

static attend_status unknown(const at_config *c, const at_config_entry *e,
                             const at_option_set *sets, int n_sets, attend_error *err)
{
    const char *refusal = at_option_refusal(e->name);
    if (refusal)
        return at_error(err, ATTEND_OPTION, "%s:%d: %s: %s; leave the option out",
                        at_show(c->path).text, e->line, e->name, refusal);
    at_guess guess = {.word = e->name};
    at_option_guess(&guess, sets, n_sets, true);
    return at_error(err, ATTEND_OPTION, "%s:%d: there is no option '%s'%s%s%s",
                    at_show(c->path).text, e->line, at_show(e->name).text,
                    *guess.best ? "; did you mean '" : "; --help shows what there is", guess.best,
                    *guess.best ? "'?" : "");
}

static attend_status apply(const at_config *c, const at_config_entry *e, const at_option_set *sets,
                           int n_sets, attend_error *err)
{
    void *fields;
    const at_option *o = at_option_find(sets, n_sets, e->name, &fields);
    if (!o)
        return unknown(c, e, sets, n_sets, err);
    char where[240];
    snprintf(where, sizeof where, "%s:%d: %s", at_show(c->path).text, e->line, o->name);
    attend_status status = ATTEND_OK;
    if (o->line_only)
        status = at_error(err, ATTEND_OPTION, "%s is for the command line alone", where);
    else if (e->listed && o->type != ATTEND_OPTION_PATHS && o->type != ATTEND_OPTION_TEXTS)
        status = at_error(err, ATTEND_OPTION, "%s takes one value, not a list", where);
    else if (e->value)
        status = at_option_assign(o, e->value, fields, where, err);
    return status;
}

attend_status at_config_apply(const at_config *c, const at_option_set *sets, int n_sets,
                              attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (size_t i = 0; i < c->count && status >= 0; i++)
        status = apply(c, &c->entry[i], sets, n_sets, err);
    return status;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Does YAML take it for what it is without quotes? */
static bool plain(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_./%+=:-";
    size_t size = strlen(text);
    return size && strspn(text, safe) == size && !strchr("%=:-", text[0]) && text[size - 1] != ':'
           && at_choice_find("null|Null|NULL", text) < 0;
}

/* in double quotes, without what YAML takes in no other form */
static void quote(at_str *out, const char *text)
{
    uint32_t code;
    at_str_add(out, "\"");
    for (int n; *text; text += n) {
        n = at_utf8_get(text, strnlen(text, 4), &code);
        if (n < 1) {
            n = 1;
            code = 0xFFFD;
        }
        if (code == '"' || code == '\\')
            at_str_print(out, "\\%c", (char)code);
        else if (code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code < 0x202A)
                 || code == 0xFEFF || (code >= 0xFFFD && code <= 0xFFFF))
            at_str_print(out, "\\u%04X", (unsigned)code);
        else
            at_str_add_bytes(out, text, (size_t)n);
    }
    at_str_add(out, "\"");
}

static void print_value(at_str *out, const char *text, bool number)
{
    if (number || plain(text))
        at_str_add(out, text);
    else
        quote(out, text);
}

static void print_paths(at_str *out, const at_paths *paths)
{
    at_str_add(out, " [");
    for (int i = 0; i < paths->count; i++) {
        at_str_add(out, i ? ", " : "");
        quote(out, paths->item[i]);
    }
    at_str_add(out, "]");
}

static void print_field(at_str *out, const at_option *o, const void *fields)
{
    const void *field = (const char *)fields + o->offset;
    bool text = o->type == ATTEND_OPTION_STRING || o->type == ATTEND_OPTION_PATH
                || o->type == ATTEND_OPTION_SWITCH;
    at_str value = {0};
    at_str_print(out, "%s:", o->name);
    if (o->type == ATTEND_OPTION_PATHS || o->type == ATTEND_OPTION_TEXTS)
        print_paths(out, field);
    else if (!text || *(const char *const *)field) {
        at_option_print(&value, o, fields);
        at_str_add(out, " ");
        print_value(out, at_str_text(&value), !text);
    }
    at_str_add(out, "\n");
    out->failed |= value.failed;
    at_str_free(&value);
}

static void print_comment(at_str *out, const at_option *o, const char *origin)
{
    enum { RIGHT = 98 };
    at_str text = {0}, lines = {0};
    at_str_add(&text, o->help);
    if (o->choices)
        at_str_print(&text, ": %s", o->choices);
    if (origin && *origin)
        at_str_print(&text, " [%s]", origin);
    at_str_wrap(&lines, at_str_text(&text), 0, 0, RIGHT);
    at_str_add(out, "# ");
    for (const char *c = at_str_text(&lines); *c; c++) {
        at_str_add_bytes(out, c, 1);
        if (*c == '\n')
            at_str_add(out, "# ");
    }
    at_str_add(out, "\n");
    out->failed |= text.failed || lines.failed;
    at_str_free(&text);
    at_str_free(&lines);
}

void at_config_print(at_str *out, const at_option_set *sets, int n_sets, at_config_origin *origin,
                     void *user)
{
    const char *heading = NULL;
    for (int i = 0; i < n_sets; i++)
        for (const at_option *o = sets[i].options; o->name; o++) {
            heading = o->group ? o->group : heading;
            if (o->line_only)
                continue;
            if (heading)
                at_str_print(out, "%s# ---- %s\n\n", out->length ? "\n" : "", heading);
            heading = NULL;
            print_comment(out, o, origin ? origin(user, o) : NULL);
            print_field(out, o, sets[i].fields);
        }
}
