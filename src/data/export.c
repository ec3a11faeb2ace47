#include "data/export.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"

struct at_export {
    const at_format *format;
    at_writer *file[2];
    at_str text[2], flat[3];
    long count, flattened;
    bool failed; /* memory */
};

/* "pairs, aligned, jsonl": formats that take such examples */
static void list_formats(at_str *out, unsigned has)
{
    for (int i = 0; i < at_format_count; i++) {
        const at_format *f = at_formats[i];
        if (f->write && (f->needs & ~has) == 0 && (has & ~f->takes) == 0)
            at_str_print(out, "%s%s", out->length ? ", " : "", f->name);
    }
}

attend_status at_export_check(const at_format *format, unsigned has, attend_error *err)
{
    at_str names = {0};
    has &= ~(unsigned)ATTEND_HAS_BREAK;
    if (format->write && (format->needs & ~has) == 0 && (has & ~format->takes) == 0)
        return ATTEND_OK;
    list_formats(&names, has);
    attend_status status = at_error(err, ATTEND_OPTION,
                                    format->write ? "such examples cannot be written as %s; choose "
                                                    "--to %s"
                                                  : "%s is not written; choose --to %s",
                                    format->name, at_str_text(&names));
    at_str_free(&names);
    return status;
}

attend_status at_export_keep(const char *path, const char *second, attend_error *err)
{
    const char *there = at_file_exists(path)               ? path
                        : second && at_file_exists(second) ? second
                                                           : NULL;
    if (!there)
        return ATTEND_OK;
    return at_error(err, ATTEND_OPTION, "%s exists; --overwrite replaces it", at_show(there).text);
}

attend_status at_export_open(const char *path, const char *second, const at_format *format,
                             unsigned has, at_export **out, attend_error *err)
{
    *out = NULL;
    attend_status status = at_export_check(format, has, err);
    if (status < 0)
        return status;
    at_export *x = at_alloc_zero(1, sizeof *x);
    if (!x)
        return at_error_memory(err);
    x->format = format;
    status = at_writer_open(&x->file[0], path, err);
    if (status >= 0 && second)
        status = at_writer_open(&x->file[1], second, err);
    if (status < 0) {
        at_export_abort(x);
        return status;
    }
    if (format->write_head)
        format->write_head(&x->text[0], has);
    *out = x;
    return ATTEND_OK;
}

static void flush(at_export *x)
{
    for (int i = 0; i < 2; i++) {
        if (x->file[i] && x->text[i].length)
            at_writer_write(x->file[i], x->text[i].text, x->text[i].length);
        x->failed |= x->text[i].failed;
        at_str_clear(&x->text[i]);
    }
}

/* A text on one line, in memory that lasts until the next example. */
static void flatten(at_export *x, at_text *t, at_str *flat)
{
    bool found = false;
    for (size_t i = 0; i < t->size && !found; i++)
        found = t->text[i] == '\t' || t->text[i] == '\n' || t->text[i] == '\r';
    if (!found)
        return;
    at_str_clear(flat);
    at_str_add_bytes(flat, t->text, t->size);
    x->failed |= flat->failed;
    x->flattened++;
    for (size_t i = 0; i < flat->length; i++)
        if (flat->text[i] == '\t' || flat->text[i] == '\n' || flat->text[i] == '\r')
            flat->text[i] = ' ';
    *t = (at_text){at_str_text(flat), flat->length};
}

void at_export_write(at_export *x, const at_example *e)
{
    at_example copy = *e;
    if (x->format->one_line) {
        flatten(x, &copy.source, &x->flat[0]);
        flatten(x, &copy.target, &x->flat[1]);
        flatten(x, &copy.label, &x->flat[2]);
    }
    if (x->count == 0)
        copy.has &= ~(unsigned)ATTEND_HAS_BREAK;
    if (!x->failed)
        x->format->write(&x->text[0], &x->text[1], &copy);
    x->count++;
    if (x->text[0].length > 1 << 15 || x->text[1].length > 1 << 15)
        flush(x);
}

long at_export_count(const at_export *x) { return x->count; }
long at_export_flattened(const at_export *x) { return x->flattened; }

static void release(at_export *x)
{
    at_str_free(&x->text[0]);
    at_str_free(&x->text[1]);
    for (int i = 0; i < 3; i++)
        at_str_free(&x->flat[i]);
    at_free(x);
}

attend_status at_export_commit(at_export *x, attend_error *err)
{
    flush(x);
    if (x->failed) {
        at_export_abort(x);
        return at_error_memory(err);
    }
    attend_status status = at_writer_commit(x->file[0], err);
    if (x->file[1] && status < 0)
        at_writer_abort(x->file[1]);
    else if (x->file[1])
        status = at_writer_commit(x->file[1], err);
    release(x);
    return status;
}

void at_export_abort(at_export *x)
{
    if (!x)
        return;
    at_writer_abort(x->file[0]);
    at_writer_abort(x->file[1]);
    release(x);
}

/* ".en" of "train.tok.en", ".en" of "train.en.gz"; an empty text where there is none */
static at_text ending(const char *name)
{
    size_t size = strlen(name);
    if (size > 3 && strcmp(name + size - 3, ".gz") == 0)
        size -= 3;
    for (size_t i = size; i > 0 && name[i - 1] != '/'; i--)
        if (name[i - 1] == '.')
            return (at_text){name + i - 1, size - i + 1};
    return (at_text){"", 0};
}

char *at_export_side(const char *base, const char *name, const char *other, bool second)
{
    at_str path = {0};
    at_text one = ending(name), two = ending(other);
    bool differ = one.size > 1 && two.size > 1
                  && (one.size != two.size
                      || (one.size && memcmp(one.text, two.text, one.size) != 0));
    at_str_add(&path, base);
    if (differ)
        at_str_add_bytes(&path, second ? two.text : one.text, second ? two.size : one.size);
    else
        at_str_add(&path, second ? ".tgt" : ".src");
    return at_str_take(&path);
}
