#include "store/weights.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

/* ---- lists ---------------------------------------------------------------------------------- */

static bool grow(at_store_list *l)
{
    int room = l->room ? 2 * l->room : 64;
    at_to_store *more = at_realloc(l->item, (size_t)l->room * sizeof *more,
                                   (size_t)room * sizeof *more);
    if (!more)
        return false;
    l->item = more;
    l->room = room;
    return true;
}

void at_store_add(at_store_list *l, const char *prefix, const char *name, at_to_store t)
{
    if (l->failed || (l->count == l->room && !grow(l))) {
        l->failed = true;
        return;
    }
    size_t size = strlen(prefix) + strlen(name) + 1;
    char *full = at_arena_alloc_small(&l->names, size);
    l->failed = !full;
    if (!full)
        return;
    snprintf(full, size, "%s%s", prefix, name);
    t.name = full;
    l->item[l->count++] = t;
}

at_dtype at_dtype_of_real(void)
{
    return sizeof(real) == sizeof(double) ? ATTEND_DTYPE_F64 : ATTEND_DTYPE_F32;
}

static at_dtype dtype_of(at_element type)
{
    return type == ATTEND_ELEMENT_F16    ? ATTEND_DTYPE_F16
           : type == ATTEND_ELEMENT_BF16 ? ATTEND_DTYPE_BF16
                                         : ATTEND_DTYPE_F32;
}

void at_store_params(at_store_list *l, const char *prefix, at_params *params)
{
    for (int i = 0; i < at_params_count(params); i++) {
        const at_parameter *p = at_params_at(params, i);
        at_store_add(l, prefix, p->name,
                     p->value ? at_store_values(p->name, at_dtype_of_real(), p->shape, p->value)
                              : at_store_data(p->name, dtype_of(p->type), p->shape, p->data));
    }
}

void at_store_list_free(at_store_list *l)
{
    at_free(l->item);
    at_arena_free(&l->names);
    *l = (at_store_list){.item = NULL};
}

attend_status at_store_list_save(at_store_list *l, const char *path, const char *note,
                                 const char *text, attend_error *err)
{
    at_metadata m = {note, text};
    attend_status status = l->failed ? at_error_memory(err)
                                     : at_safetensors_save(path, l->item, l->count, &m,
                                                           note ? 1 : 0, err);
    at_store_list_free(l);
    return status;
}

/* ---- parameters ----------------------------------------------------------------------------- */

attend_status at_weights_save(const char *path, at_params *params, attend_error *err)
{
    at_store_list l = {.item = NULL};
    at_store_params(&l, "", params);
    return at_store_list_save(&l, path, NULL, NULL, err);
}

static attend_status too_large(const at_stored *t, attend_error *err)
{
    return at_error(err, ATTEND_SHAPE, "tensor '%s' has too many or too large dimensions", t->name);
}

static attend_status read_one(const at_safetensors *file, const at_stored *t, const char *name,
                              at_shape shape, at_params *params, attend_error *err)
{
    at_parameter *p;
    attend_status status = at_params_add(params, name, shape, INIT_NOT, &p, err);
    return status < 0 ? status : at_safetensors_read_weights(file, t, p->value, err);
}

attend_status at_weights_read(const at_safetensors *file, const char *prefix, at_params *params,
                              attend_error *err)
{
    attend_status status = ATTEND_OK;
    size_t n = strlen(prefix);
    at_shape shape;
    for (int i = 0; i < at_safetensors_count(file) && status >= 0; i++) {
        const at_stored *t = at_safetensors_at(file, i);
        if (strncmp(t->name, prefix, n) == 0)
            status = at_stored_shape(t, &shape) ? read_one(file, t, t->name + n, shape, params, err)
                                                : too_large(t, err);
    }
    return status;
}

/* ---- borrowed parameters -------------------------------------------------------------------- */

static at_stored stored_of(const at_parameter *v, at_dtype dtype)
{
    return (at_stored){.name = v->name,
                       .dtype = dtype,
                       .len = v->len,
                       .bytes = v->len * at_dtype_size(dtype),
                       .data = v->data};
}

static attend_status verify(void *user, const at_parameter *v, attend_error *err)
{
    at_stored t = stored_of(v, dtype_of(v->type));
    attend_status status = at_safetensors_verify(user, &t, err);
    return status < 0 ? status : at_safetensors_check_finite(user, &t, err);
}

static attend_status unchanged(void *user, attend_error *err)
{
    return at_safetensors_check_unchanged(user, err);
}

static void retire(void *user, const at_parameter *v)
{
    (void)user;
    at_map_retire(v->data, v->len * at_element_size(v->type));
}

/* a type that products take as it is stored */
static bool element_of(at_dtype dtype, at_element *type)
{
    *type = dtype == ATTEND_DTYPE_F16    ? ATTEND_ELEMENT_F16
            : dtype == ATTEND_DTYPE_BF16 ? ATTEND_ELEMENT_BF16
                                         : ATTEND_ELEMENT_REAL;
    return dtype == ATTEND_DTYPE_F32 || *type != ATTEND_ELEMENT_REAL;
}

attend_status at_weights_borrow_tensor(const at_lent_file *from, const at_stored *t,
                                       const char *name, at_shape shape, at_params *params,
                                       attend_error *err)
{
    at_element type;
    if (!element_of(t->dtype, &type) || sizeof(real) != sizeof(float))
        return read_one(from->file, t, name, shape, params, err);
    return at_params_borrow(params, name, shape, type, t->data, &from->lender, err);
}

static void close_lent(void *thing)
{
    at_lent_file *l = thing;
    at_safetensors_close(l->file);
    at_free(l);
}

attend_status at_weights_lend(const char *path, at_params *params, at_lent_file **out,
                              attend_error *err)
{
    at_lent_file *l = at_alloc_zero(1, sizeof *l);
    attend_status status = l ? at_safetensors_open(path, &l->file, err) : at_error_memory(err);
    if (status >= 0)
        status = at_params_own(params, l, close_lent, err);
    if (status < 0) {
        if (l)
            close_lent(l);
        return status;
    }
    l->lender = (at_lender){l->file, verify, unchanged, retire};
    *out = l;
    return ATTEND_OK;
}

attend_status at_weights_borrow(const char *path, at_params *params, attend_error *err)
{
    at_lent_file *l;
    at_shape shape;
    attend_status status = at_weights_lend(path, params, &l, err);
    for (int i = 0; status >= 0 && i < at_safetensors_count(l->file); i++) {
        const at_stored *t = at_safetensors_at(l->file, i);
        status = at_stored_shape(t, &shape)
                     ? at_weights_borrow_tensor(l, t, t->name, shape, params, err)
                     : too_large(t, err);
    }
    return status;
}

attend_status at_weights_load(const char *path, const char *prefix, at_params *params,
                              attend_error *err)
{
    at_safetensors *file;
    attend_status status = at_safetensors_open(path, &file, err);
    if (status < 0)
        return status;
    status = at_weights_read(file, prefix, params, err);
    at_safetensors_close(file);
    return status;
}
