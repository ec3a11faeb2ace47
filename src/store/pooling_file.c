#include "store/pooling_file.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "models/pooling.h"
#include "store/safetensors.h"

/* ---- saving --------------------------------------------------------------------------------- */

/* ["x", .., "y"], or nothing */
static void add_names(const at_pooling *p, at_str *note)
{
    for (int i = 0; p->names && i <= p->columns; i++) {
        at_str_add(note, i ? ", " : "[");
        at_str_add_json(note, p->names[i]);
    }
    at_str_add(note, p->names ? "]" : "");
}

attend_status at_pooling_file_save(const at_model *m, const char *path, attend_error *err)
{
    const at_pooling *p = m->net;
    const at_pooling_settings *s = p->settings;
    char width[32];
    at_str names = {0};
    add_names(p, &names);
    const at_metadata notes[] = {{"model_type", m->kind->type},
                                 {"attention", !s->learned ? "gaussian"
                                               : s->each   ? "gaussian-w:vector"
                                                           : "gaussian-w"},
                                 {"kernel", s->kernel->about.name},
                                 {"width", at_number_print(width, s->width)},
                                 {"data", "x y"},
                                 {"names", at_str_text(&names)}};
    at_to_store tensors[] = {
        at_store_data("x", ATTEND_DTYPE_F64, SHAPE(p->rows, p->columns), p->x),
        at_store_data("y", ATTEND_DTYPE_F64, SHAPE(p->rows), p->y),
        at_store_data("weight", ATTEND_DTYPE_F64, SHAPE(s->each ? p->columns : 1), p->weight),
    };
    attend_status status = names.failed ? at_error_memory(err)
                                        : at_safetensors_save(path, tensors, s->learned ? 3 : 2,
                                                              notes, names.length ? 6 : 5, err);
    at_str_free(&names);
    return status;
}

/* ---- opening -------------------------------------------------------------------------------- */

bool at_pooling_file_is(const char *path)
{
    struct stat about;
    at_safetensors *file;
    if (stat(path, &about) < 0 || !S_ISREG(about.st_mode)
        || at_safetensors_open(path, &file, NULL) < 0)
        return false;
    const char *type = at_safetensors_metadata(file, "model_type");
    bool is = type && strcmp(type, at_model_pooling.type) == 0;
    at_safetensors_close(file);
    return is;
}

typedef struct {
    at_pooling_settings settings;
    const at_stored *about[3];
    double *x, *y, *weight;
} contents;

/* a tensor of doubles, copied since those of a file need not be aligned */
static attend_status load_doubles(const at_safetensors *file, const char *path, const char *name,
                                  int rank, const at_stored **stored, double **out,
                                  attend_error *err)
{
    const at_stored *t = at_safetensors_find(file, name);
    if (!t || t->dtype != ATTEND_DTYPE_F64 || t->rank != rank)
        return at_error(err, ATTEND_FORMAT,
                        "%s: no tensor %s of type F64 and rank %d; is this a file of attend fit?",
                        at_show(path).text, name, rank);
    attend_status status = at_safetensors_verify(file, t, err);
    if (status < 0)
        return status;
    *stored = t;
    *out = at_alloc(t->bytes);
    if (!*out)
        return at_error_memory(err);
    memcpy(*out, t->data, t->bytes);
    return ATTEND_OK;
}

static attend_status load_settings(const at_safetensors *file, const char *path,
                                   at_pooling_settings *settings, attend_error *err)
{
    const char *attention = at_safetensors_metadata(file, "attention");
    const char *kernel = at_safetensors_metadata(file, "kernel");
    const char *width = at_safetensors_metadata(file, "width");
    double h = 0;
    attend_error why;
    if (!attention || !kernel || !width || !at_number_real(width, strlen(width), &h) || !(h > 0))
        return at_error(err, ATTEND_FORMAT,
                        "%s: no notes of an attention, a kernel and its width; is this a file of "
                        "attend fit?",
                        at_show(path).text);
    if (at_pooling_settings_read(attention, kernel, h, settings, &why) < 0)
        return at_error(err, ATTEND_FORMAT, "%s: %.250s", at_show(path).text, why.message);
    return ATTEND_OK;
}

static attend_status check_sizes(const contents *c, const char *path, attend_error *err)
{
    const int64_t *x = c->about[0]->dim, *y = c->about[1]->dim;
    if (x[0] != y[0] || x[1] > INT_MAX)
        return at_error(err, ATTEND_FORMAT, "%s: sizes do not fit: x (%lld, %lld), y (%lld)",
                        at_show(path).text, (long long)x[0], (long long)x[1], (long long)y[0]);
    int64_t wanted = c->settings.each ? x[1] : 1;
    if (c->settings.learned && c->about[2]->dim[0] != wanted)
        return at_error(err, ATTEND_FORMAT, "%s: weight has %lld numbers, and x needs %lld",
                        at_show(path).text, (long long)c->about[2]->dim[0], (long long)wanted);
    return ATTEND_OK;
}

static attend_status load_contents(const at_safetensors *file, const char *path, contents *c,
                                   attend_error *err)
{
    attend_status status = load_settings(file, path, &c->settings, err);
    if (status >= 0 && (status = load_doubles(file, path, "x", 2, &c->about[0], &c->x, err)) >= 0)
        status = load_doubles(file, path, "y", 1, &c->about[1], &c->y, err);
    if (status >= 0 && c->settings.learned)
        status = load_doubles(file, path, "weight", 1, &c->about[2], &c->weight, err);
    return status < 0 ? status : check_sizes(c, path, err);
}

static attend_status take_weight(at_pooling *p, const contents *c, attend_error *err)
{
    if (!c->settings.learned)
        return ATTEND_OK;
    for (int i = 0; i < p->columns; i++)
        p->weight[i] = c->weight[c->settings.each ? i : 0];
    return at_pooling_set_weight(p, p->weight, err);
}

/* the model, with errors of the points as those of the file */
static attend_status make_model(const contents *c, const char *path, at_model **out,
                                attend_error *err)
{
    attend_error why;
    attend_status status = at_pooling_new((size_t)c->about[0]->dim[0], (int)c->about[0]->dim[1],
                                          c->x, c->y, &c->settings, out, &why);
    if (status >= 0)
        status = take_weight((*out)->net, c, &why);
    if (status == ATTEND_MEMORY)
        return at_error_memory(err);
    return status < 0 ? at_error(err, ATTEND_FORMAT, "%s: %s; fit it again", at_show(path).text,
                                 why.message)
                      : status;
}

/* as many strings as there are columns, and one for y */
static bool are_names(const json_t *list, int columns)
{
    bool well = json_is_array(list) && json_array_size(list) == (size_t)columns + 1;
    for (size_t i = 0; well && i < json_array_size(list); i++)
        well = json_is_string(json_array_get(list, i));
    return well;
}

static attend_status read_names(at_model *m, const char *note, const char *path, attend_error *err)
{
    int columns = ((const at_pooling *)m->net)->columns;
    json_t *list;
    if (!note)
        return ATTEND_OK;
    attend_status status = at_json_parse(path, note, strlen(note), &list, err);
    if (status < 0)
        return status;
    const char **names = NULL;
    if (!are_names(list, columns))
        status = at_error(err, ATTEND_FORMAT,
                          "%s: the note \"names\" must have %d names, of x and of y",
                          at_show(path).text, columns + 1);
    else if (!(names = at_alloc(((size_t)columns + 1) * sizeof *names)))
        status = at_error_memory(err);
    for (int i = 0; names && i <= columns; i++)
        names[i] = json_string_value(json_array_get(list, (size_t)i));
    if (status >= 0)
        status = at_pooling_set_names(m, names, err);
    at_free(names);
    json_decref(list);
    return status;
}

attend_status at_pooling_file_open(const char *path, at_model **out, attend_error *err)
{
    at_safetensors *file;
    contents c = {.x = NULL};
    *out = NULL;
    attend_status status = at_safetensors_open(path, &file, err);
    if (status < 0)
        return status;
    status = load_contents(file, path, &c, err);
    if (status >= 0 && (status = make_model(&c, path, out, err)) >= 0)
        status = read_names(*out, at_safetensors_metadata(file, "names"), path, err);
    if (status < 0) {
        at_model_free(*out);
        *out = NULL;
    }
    at_safetensors_close(file);
    at_free(c.x);
    at_free(c.y);
    at_free(c.weight);
    return status;
}
