/* What attend_read_file reads. JSON is one object,
 *
 *     {"attention": "additive", "queries": [[..], ..], "keys": [[..], ..], "values": ..,
 *      "labels": {"queries": ["a", ..], "keys": [..]}, "mask": .., "hidden": .., "lengths": ..,
 *      "centres": .., "causal": true, "first": 0, "parameters": {"score.key": .., ..}}
 *
 * of which queries and keys must be there. safetensors has the arrays as tensors, the parameters
 * under their own names, and the words as notes. What a saved reading has beside (scores, weights,
 * context, centre) is left alone, so that it can be read again. */
#include <string.h>

#include "api/loader.h"
#include "base/file.h"
#include "base/memory.h"
#include "store/safetensors.h"

enum { FILE_LIMIT = 1 << 30 };

bool at_loader_is_result(const char *name)
{
    static const char *const results[] = {"scores", "weights", "context", "centre"};
    for (int i = 0; i < 4; i++)
        if (strcmp(results[i], name) == 0)
            return true;
    return false;
}

/* the array that goes by this name; q, k and v are short for three of them */
attend_array *at_loader_array(at_loader *l, const char *name)
{
    const char *full = strcmp(name, "q") == 0   ? "queries"
                       : strcmp(name, "k") == 0 ? "keys"
                       : strcmp(name, "v") == 0 ? "values"
                                                : name;
    for (const at_read_array *a = at_read_arrays; a->name; a++)
        if (strcmp(a->name, full) == 0)
            return at_read_array_of(&l->in->options, a);
    return NULL;
}

void *at_loader_memory(at_loader *l, size_t count, size_t size)
{
    size_t bytes;
    return at_size_multiply(count + 1, size, &bytes) ? at_arena_alloc(&l->in->memory, bytes) : NULL;
}

const char *at_loader_text(at_loader *l, const char *text)
{
    char *copy = at_loader_memory(l, strlen(text), 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* what may be seen, from what is hidden */
attend_status at_loader_hide(at_loader *l, attend_array hidden)
{
    size_t len;
    double *mask = at_array_len(hidden, &len) ? at_loader_memory(l, len, sizeof *mask) : NULL;
    if (!mask)
        return at_error_memory(l->err);
    if (l->in->options.mask.data)
        return at_error(l->err, ATTEND_FORMAT,
                        "%s: mask (1: may be seen) and hidden (1: may not) say the same; leave one "
                        "out",
                        at_show(l->file).text);
    for (size_t i = 0; i < len; i++)
        mask[i] = hidden.data[i] == 0;
    l->in->options.mask = hidden;
    l->in->options.mask.data = mask;
    return ATTEND_OK;
}

/* ---- safetensors -------------------------------------------------------------------------- */

static attend_status take_tensor(at_loader *l, const at_safetensors *s, const at_stored *t,
                                 attend_array *out)
{
    *out = (attend_array){.rank = t->rank};
    if (t->rank > ATTEND_READ_AXES)
        return at_tensor_error(l->err, ATTEND_FORMAT, l->file, t->name,
                               "has %d axes; give it at most %d", t->rank, ATTEND_READ_AXES);
    real *numbers = at_loader_memory(l, t->len, sizeof *numbers);
    double *data = at_loader_memory(l, t->len, sizeof *data);
    if (!numbers || !data)
        return at_error_memory(l->err);
    attend_status status = at_safetensors_read(s, t, numbers, l->err);
    for (size_t i = 0; i < t->len && status >= 0; i++)
        data[i] = (double)numbers[i];
    for (int i = 0; i < t->rank; i++)
        out->shape[i] = (size_t)t->dim[i];
    out->data = data;
    return status;
}

static attend_status take_notes(at_loader *l, const at_safetensors *s)
{
    attend_read_options *o = &l->in->options;
    const char *attention = at_safetensors_metadata(s, "attention");
    const char *causal = at_safetensors_metadata(s, "causal");
    const char *first = at_safetensors_metadata(s, "first");
    const char *labels = at_safetensors_metadata(s, "labels");
    json_t *list;
    if (attention && !(o->attention = at_loader_text(l, attention)))
        return at_error_memory(l->err);
    o->causal = causal && strcmp(causal, "true") == 0;
    if (first
        && at_how_whole(first, "first", -ATTEND_READ_FARTHEST, ATTEND_READ_FARTHEST, &o->first,
                        l->err)
               < 0)
        return ATTEND_OPTION;
    if (!labels)
        return ATTEND_OK;
    attend_status status = at_json_parse(l->file, labels, strlen(labels), &list, l->err);
    if (status < 0)
        return status;
    status = at_loader_labels(l, list);
    json_decref(list);
    return status;
}

static attend_status take_tensors(at_loader *l, const at_safetensors *s)
{
    attend_read_options *o = &l->in->options;
    attend_array hidden = {0};
    int count = at_safetensors_count(s);
    attend_parameter *parameters = at_loader_memory(l, (size_t)count, sizeof *parameters);
    if (!parameters)
        return at_error_memory(l->err);
    o->parameters = parameters;
    attend_status status = take_notes(l, s);
    for (int i = 0; i < count && status >= 0; i++) {
        const at_stored *t = at_safetensors_at(s, i);
        attend_array *array = at_loader_array(l, t->name);
        if (at_loader_is_result(t->name))
            continue;
        if (strcmp(t->name, "hidden") == 0)
            array = &hidden;
        if (!array) {
            attend_parameter *p = &parameters[o->parameter_count++];
            if (!(p->name = at_loader_text(l, t->name)))
                return at_error_memory(l->err);
            array = &p->array;
        }
        status = take_tensor(l, s, t, array);
    }
    return status >= 0 && hidden.data ? at_loader_hide(l, hidden) : status;
}

static attend_status parse_tensors(at_loader *l, const char *bytes, size_t size)
{
    at_safetensors *s;
    attend_status status = at_safetensors_open_memory(l->file, bytes, size, &s, l->err);
    if (status < 0)
        return status;
    status = take_tensors(l, s);
    at_safetensors_close(s);
    return status;
}

/* ---- both --------------------------------------------------------------------------------- */

/* safetensors start with a length in eight bytes, of which some are 0, as no text has them */
static bool holds_tensors(const char *name, const char *bytes, size_t size)
{
    static const char end[] = ".safetensors";
    size_t length = strlen(name);
    return (size > 8 && bytes[8] == '{' && memchr(bytes, 0, 8))
           || (length >= sizeof end - 1 && strcmp(name + length - (sizeof end - 1), end) == 0);
}

attend_status at_read_parse(const char *name, const char *bytes, size_t size, at_read_inputs *in,
                            attend_error *err)
{
    at_loader l = {name, in, err};
    attend_read_defaults(&in->options);
    at_arena_init(&in->memory, 1 << 12);
    return holds_tensors(name, bytes, size) ? parse_tensors(&l, bytes, size)
                                            : at_loader_json(&l, bytes, size);
}

/* what the caller says goes before what the file says */
static void override(attend_read_options *o, const attend_read_options *given)
{
    o->attention = given->attention ? given->attention : o->attention;
    o->causal = given->causal ? given->causal : o->causal;
    o->first = given->first ? given->first : o->first;
    o->hidden_size = given->hidden_size ? given->hidden_size : o->hidden_size;
    o->seed = given->seed;
}

/* the same message, beginning with the file's name */
static attend_status in_file(const char *name, attend_error *err)
{
    attend_error copy;
    if (!err)
        return ATTEND_OK;
    copy = *err;
    return at_error(err, copy.status, "%s: %.250s", at_show(name).text, copy.message);
}

attend_status attend_read_file(const char *path, const attend_read_options *options,
                               attend_reading **out, attend_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    at_read_inputs in;
    char *bytes;
    size_t size;
    *out = NULL;
    attend_status status = at_input_read(standard ? "/dev/stdin" : path, FILE_LIMIT, &bytes, &size,
                                         err);
    if (status < 0)
        return status;
    status = at_read_parse(name, bytes, size, &in, err);
    at_free(bytes);
    if (status >= 0) {
        if (options)
            override(&in.options, options);
        status = attend_read(&in.options, out, err);
        if (status < 0 && status != ATTEND_MEMORY)
            in_file(name, err);
    }
    at_arena_free(&in.memory);
    return status;
}
