/* One case: its files, and its tensors as the tape and the ops want them. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "oracle.h"

/* ---- files ------------------------------------------------------------------------------ */

static void open_json(at_case *c)
{
    char path[PATH_MAX];
    attend_error err;

    if (snprintf(path, sizeof path, "%s/expected.json", c->path) >= (int)sizeof path)
        at_case_fail(c, "the path is too long");
    else if (at_json_load(path, &c->json, &err) < 0)
        at_case_fail(c, "%s", err.message);
}

static void open_tensors(at_case *c, const char *name, at_safetensors **file)
{
    char path[PATH_MAX];
    attend_error err;

    if (snprintf(path, sizeof path, "%s/%s", c->path, name) >= (int)sizeof path)
        at_case_fail(c, "the path is too long");
    else if (access(path, F_OK) != 0 && errno == ENOENT)
        *file = NULL;
    else if (at_safetensors_open(path, file, &err) < 0)
        at_case_fail(c, "%s", err.message);
}

void at_case_open(at_case *c, const char *root, const at_found *found)
{
    struct stat s;

    *c = (at_case){.root = root, .path = found->path, .name = found->name};
    at_json_start();
    at_arena_init(&c->memory, 1 << 16);
    c->seen_tensors = json_object();
    c->seen_numbers = json_object();
    c->params = at_params_new(1);
    c->tape = c->params ? at_tape_new(c->params, ATTEND_GRAD) : NULL;
    if (stat(c->path, &s) == 0 && S_ISDIR(s.st_mode)) {
        open_json(c);
        open_tensors(c, "inputs.safetensors", &c->inputs);
        open_tensors(c, "model.safetensors", &c->model);
        open_tensors(c, "expected.safetensors", &c->expected);
        if (!c->expected && json_object_get(c->json, "tensor_max_abs"))
            at_case_fail(c, "expected.safetensors is missing, of which expected.json tells");
    }
    if (!c->seen_tensors || !c->seen_numbers || !c->tape)
        at_case_fail(c, "out of memory");
}

void at_case_close(at_case *c)
{
    at_tape_free(c->tape);
    at_params_free(c->params);
    at_safetensors_close(c->inputs);
    at_safetensors_close(c->model);
    at_safetensors_close(c->expected);
    json_decref(c->json);
    json_decref(c->seen_tensors);
    json_decref(c->seen_numbers);
    at_free(c->variables.item);
    at_free(c->outputs.item);
    at_arena_free(&c->memory);
}

/* ---- expected.json ---------------------------------------------------------------------- */

json_t *at_case_json(const at_case *c, const char *place)
{
    json_t *value = c->json;

    while (value && *place) {
        char key[ATTEND_CASE_NAME];
        size_t n = strcspn(place, ".");
        if (n >= sizeof key)
            return NULL;
        snprintf(key, sizeof key, "%.*s", (int)n, place);
        value = json_object_get(value, key);
        place += n + (place[n] == '.');
    }
    return value;
}

double at_case_number(const at_case *c, const char *place, double otherwise)
{
    json_t *value = at_case_json(c, place);

    return json_is_number(value) ? json_number_value(value) : otherwise;
}

int at_case_int(const at_case *c, const char *place, int otherwise)
{
    double value = at_case_number(c, place, otherwise);

    return value >= INT_MIN && value <= INT_MAX ? (int)value : otherwise;
}

const char *at_case_text(const at_case *c, const char *place)
{
    json_t *value = at_case_json(c, place);

    return json_is_string(value) ? json_string_value(value) : "";
}

/* ---- tensors of the files --------------------------------------------------------------- */

static const at_stored *find_stored(at_case *c, const at_safetensors *file, const char *name,
                                    at_shape *shape)
{
    const at_stored *stored = file ? at_safetensors_find(file, name) : NULL;

    if (stored && !at_stored_shape(stored, shape)) {
        at_case_fail(c, "%s: a tensor of rank %d that is too large for us", name, stored->rank);
        return NULL;
    }
    return stored;
}

const real *at_case_reals(at_case *c, const at_safetensors *file, const char *name, at_shape *shape)
{
    const at_stored *stored = find_stored(c, file, name, shape);
    attend_error err;
    real *value;

    if (!stored)
        return NULL;
    value = at_arena_alloc(&c->memory, stored->len * sizeof *value + 1);
    if (value && at_safetensors_read(file, stored, value, &err) >= 0)
        return value;
    at_case_fail(c, "%s", value ? err.message : "out of memory");
    return NULL;
}

/* integers, in memory of the case; NULL where they are absent, or bad and the case failed */
static const int64_t *read_whole(at_case *c, const char *name, at_shape *shape, size_t *len)
{
    const at_stored *stored = find_stored(c, c->inputs, name, shape);
    attend_error err;
    int64_t *value;

    if (!stored)
        return NULL;
    *len = stored->len;
    value = at_arena_alloc(&c->memory, stored->len * sizeof *value + 1);
    if (value && at_safetensors_read_int(c->inputs, stored, value, &err) >= 0)
        return value;
    at_case_fail(c, "%s", value ? err.message : "out of memory");
    return NULL;
}

at_ids at_case_ids(at_case *c, const char *name)
{
    at_ids ids = {SCALAR, NULL};
    size_t len = 0;
    const int64_t *whole = read_whole(c, name, &ids.shape, &len);
    int *id = whole ? at_arena_alloc(&c->memory, len * sizeof *id + 1) : NULL;

    if (whole && !id)
        at_case_fail(c, "out of memory");
    for (size_t i = 0; id && i < len; i++) {
        if (whole[i] < INT_MIN || whole[i] > INT_MAX) {
            at_case_fail(c, "%s: element %zu is %lld, too large for us", name, i,
                         (long long)whole[i]);
            return ids;
        }
        id[i] = (int)whole[i];
    }
    ids.id = id;
    return ids;
}

/* A mask in floats is added to the scores: 0 lets through, minus infinity hides. */
static const unsigned char *added_mask(at_case *c, const char *name, at_shape *shape, size_t len)
{
    const real *value = at_case_reals(c, c->inputs, name, shape);
    unsigned char *mask = value ? at_arena_alloc(&c->memory, len + 1) : NULL;

    for (size_t i = 0; mask && i < len; i++) {
        mask[i] = value[i] < 0 && isinf(value[i]);
        if (value[i] != 0 && !mask[i]) {
            at_case_fail(c, "%s: element %zu is neither 0 nor minus infinity", name, i);
            return NULL;
        }
    }
    return mask;
}

const real *at_case_added(at_case *c, const char *name, at_shape *shape)
{
    const at_stored *stored = find_stored(c, c->inputs, name, shape);

    return stored && at_dtype_is_float(stored->dtype) ? at_case_reals(c, c->inputs, name, shape)
                                                      : NULL;
}

const unsigned char *at_case_mask(at_case *c, const char *name, at_shape *shape)
{
    const at_stored *stored = find_stored(c, c->inputs, name, shape);
    const int64_t *whole;
    unsigned char *mask;
    size_t len;

    if (!stored)
        return NULL;
    if (at_dtype_is_float(stored->dtype))
        return added_mask(c, name, shape, stored->len);
    whole = read_whole(c, name, shape, &len);
    mask = whole ? at_arena_alloc(&c->memory, len + 1) : NULL;
    if (whole && !mask)
        at_case_fail(c, "out of memory");
    for (size_t i = 0; mask && i < len; i++)
        mask[i] = whole[i] != 0;
    return mask;
}

/* ---- variables -------------------------------------------------------------------------- */

void at_named_add(at_case *c, at_named_list *list, const char *name, at_tensor *x)
{
    at_named *item = list->item;

    if (strlen(name) >= sizeof item->name) {
        at_case_fail(c, "%s: the name is too long", name);
        return;
    }
    if (list->count == list->room) {
        int room = list->room ? 2 * list->room : 16;
        item = at_realloc(item, (size_t)list->room * sizeof *item, (size_t)room * sizeof *item);
        if (!item) {
            at_case_fail(c, "out of memory");
            return;
        }
        list->item = item;
        list->room = room;
    }
    strcpy(item[list->count].name, name);
    item[list->count++].tensor = x;
}

/* the variable called "kind.name", or NULL where there is none yet; full receives that name */
static at_tensor *find_variable(const at_case *c, const char *kind, const char *name,
                                char full[2 * ATTEND_CASE_NAME])
{
    snprintf(full, 2 * ATTEND_CASE_NAME, "%s.%s", kind, name);
    for (int i = 0; i < c->variables.count; i++) {
        if (strcmp(c->variables.item[i].name, full) == 0)
            return c->variables.item[i].tensor;
    }
    return NULL;
}

at_tensor *at_case_input_or_null(at_case *c, const char *name)
{
    char full[2 * ATTEND_CASE_NAME];
    at_tensor *x = find_variable(c, "input", name, full);
    const real *value;
    at_shape shape;

    if (x || !(value = at_case_reals(c, c->inputs, name, &shape)))
        return x;
    x = at_variable(c->tape, shape, value);
    at_named_add(c, &c->variables, full, x);
    return x;
}

/* into the parameters of the case, where layers find it too */
static at_parameter *load_parameter(at_case *c, const char *name)
{
    at_parameter *p = at_params_find(c->params, name);
    at_shape shape;
    const real *value = p ? NULL : at_case_reals(c, c->model, name, &shape);
    attend_error err;

    if (p || !value)
        return p;
    if (at_params_add(c->params, name, shape, INIT_ZERO, &p, &err) < 0)
        at_fail_with(c->tape, &err);
    else
        memcpy(p->value, value, p->len * sizeof *value);
    return p;
}

at_tensor *at_case_param_or_null(at_case *c, const char *name)
{
    char full[2 * ATTEND_CASE_NAME];
    at_tensor *x = find_variable(c, "param", name, full);
    at_parameter *p = x ? NULL : load_parameter(c, name);

    if (!p)
        return x;
    x = at_param(c->tape, at_root(), name, p->shape, INIT_ZERO);
    at_named_add(c, &c->variables, full, x);
    return x;
}

void at_case_params(at_case *c)
{
    for (int i = 0; c->model && i < at_safetensors_count(c->model); i++)
        at_case_param_or_null(c, at_safetensors_at(c->model, i)->name);
    at_params_seal(c->params);
}

void at_case_bind(at_case *c, const char *name, at_tensor *x)
{
    char *copy = at_arena_alloc(&c->memory, strlen(name) + 1);

    if (copy)
        at_tape_bind(c->tape, strcpy(copy, name), x);
    else
        at_fail_memory(c->tape);
}

at_tensor *at_case_input(at_case *c, const char *name)
{
    at_tensor *x = at_case_input_or_null(c, name);

    return x ? x : at_fail(c->tape, "inputs.safetensors has no %s", name);
}

at_tensor *at_case_param(at_case *c, const char *name)
{
    at_tensor *x = at_case_param_or_null(c, name);

    return x ? x : at_fail(c->tape, "model.safetensors has no %s", name);
}
