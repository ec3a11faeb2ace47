/* Weights of a hub folder: stored tensors by the names of the network's parameters. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "store/hub.h"
#include "store/tensor_names.h"

/* which parameters were found, and what is wrong with the tensors, in lists of names */
typedef struct {
    const at_params *network;
    bool *found; /* [parameters of the network] */
    at_str missing, unexpected, shapes, types, copies;
} report;

static void note(at_str *list, const char *name)
{
    at_str_print(list, "%s%s", list->length ? ", " : "", name);
}

/* ---- names ---------------------------------------------------------------------------------- */

typedef struct {
    const at_parameter *parameter; /* NULL: none */
    unsigned use;
    bool ignored;
} match;

/* The parameter of the network that a stored name is of. */
static match find_parameter(const at_hub *hub, const at_params *network, const char *name)
{
    char ours[ATTEND_TENSOR_NAME_MAX];
    size_t n = hub->prefix ? strlen(hub->prefix) : 0;
    const char *bare = n && strncmp(name, hub->prefix, n) == 0 ? name + n : name;
    match m = {.parameter = at_params_find(network, name)};
    if (!m.parameter)
        m.parameter = at_params_find(network, bare);
    for (const at_hub_tensor *t = hub->tensors; t && t->theirs; t++) {
        if (!at_tensor_rename(bare, t->theirs, t->ours, ours))
            continue;
        const at_parameter *p = t->ours ? at_params_find(network, ours) : NULL;
        if (m.parameter && m.parameter == p)
            m.use = t->use;
        if (m.parameter)
            continue;
        m.parameter = p;
        m.use = t->use;
        m.ignored |= !t->ours;
    }
    return m;
}

/* May it be missing, and is zeros then? */
static bool is_optional(const at_hub *hub, const char *ours)
{
    char theirs[ATTEND_TENSOR_NAME_MAX];
    for (const at_hub_tensor *t = hub->tensors; t && t->theirs; t++)
        if (t->ours && t->use & ATTEND_HUB_ZERO
            && at_tensor_rename(ours, t->ours, t->theirs, theirs))
            return true;
    return false;
}

static bool same_shape(const at_stored *t, const at_parameter *p, unsigned use)
{
    at_shape shape;
    if (!at_stored_shape(t, &shape))
        return false;
    if (use & ATTEND_HUB_ROW && shape.rank == 2 && shape.dim[0] == 1)
        shape = SHAPE(shape.dim[1]);
    return at_shape_equal(shape, p->shape);
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Is a tensor equal to the parameter that was loaded from its copy? Numbers of a type that is not
 * borrowed were converted. */
static attend_status compare(const at_lent_file *from, const at_stored *t, const at_parameter *p,
                             bool *same, attend_error *err)
{
    if (!p->value || t->bytes == p->len * sizeof *p->value) {
        *same = t->bytes == p->len * at_element_size(p->type)
                && memcmp(t->data, p->data, t->bytes) == 0;
        return ATTEND_OK;
    }
    real *numbers = at_alloc((p->len + 1) * sizeof *numbers);
    attend_status status = numbers ? at_safetensors_read(from->file, t, numbers, err)
                                   : at_error_memory(err);
    *same = status >= 0 && memcmp(numbers, p->value, p->len * sizeof *numbers) == 0;
    at_free(numbers);
    return status;
}

static void wrong_shape(report *r, const at_stored *t, const at_parameter *p)
{
    note(&r->shapes, t->name);
    at_str_print(&r->shapes, " %s, not %s", at_sizes_print(t->rank, t->dim).text,
                 at_shape_print(p->shape).text);
}

static attend_status load_one(at_model *m, int index, report *r, attend_error *err)
{
    const at_lent_file *from;
    const at_stored *t = at_weight_files_at(&m->hub->files, index, &from);
    match is = find_parameter(m->hub->hub, r->network, t->name);
    if (!is.parameter) {
        if (!is.ignored && !m->adapts)
            note(&r->unexpected, t->name);
        return ATTEND_OK;
    }
    r->found[is.parameter->index] = true;
    const at_parameter *loaded = at_params_find(m->params, is.parameter->name);
    if (!at_dtype_is_float(t->dtype)) {
        note(&r->types, t->name);
        at_str_print(&r->types, " %s", at_dtype_name(t->dtype));
    } else if (!same_shape(t, is.parameter, is.use))
        wrong_shape(r, t, is.parameter);
    else if (!loaded)
        return at_weights_borrow_tensor(from, t, is.parameter->name, is.parameter->shape, m->params,
                                        err);
    else {
        bool same;
        attend_status status = compare(from, t, loaded, &same, err);
        if (status >= 0 && !same)
            note(&r->copies, t->name);
        return status;
    }
    return ATTEND_OK;
}

static attend_status add_missing(at_model *m, report *r, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < at_params_count(r->network) && status >= 0; i++) {
        const at_parameter *p = at_params_at(r->network, i);
        at_parameter *zeros;
        if (r->found[i])
            continue;
        if (is_optional(m->hub->hub, p->name))
            status = at_params_add(m->params, p->name, p->shape, INIT_ZERO, &zeros, err);
        else if (!m->adapts)
            note(&r->missing, p->name);
    }
    return status;
}

/* ---- what is wrong -------------------------------------------------------------------------- */

static void add_list(at_str *out, const char *what, const at_str *list)
{
    if (list->length)
        at_str_print(out, "%s%s: %s", out->length ? "; " : "", what, at_str_text(list));
}

static attend_status reported(const at_hub_folder *f, report *r, attend_error *err)
{
    at_str all = {0};
    attend_status status = ATTEND_OK;
    add_list(&all, "missing", &r->missing);
    add_list(&all, "unexpected", &r->unexpected);
    add_list(&all, "of another shape", &r->shapes);
    add_list(&all, "of whole numbers, and weights are F32, F16, BF16 or F64", &r->types);
    add_list(&all, "tied to another tensor, but not equal to it", &r->copies);
    if (all.failed || r->missing.failed || r->unexpected.failed || r->shapes.failed
        || r->types.failed || r->copies.failed)
        status = at_error_memory(err);
    else if (all.length)
        status = at_error(err, ATTEND_FORMAT, "%s: the tensors are not those of config.json; %s",
                          at_show(f->path).text, at_str_text(&all));
    at_str_free(&all);
    at_str_free(&r->missing);
    at_str_free(&r->unexpected);
    at_str_free(&r->shapes);
    at_str_free(&r->types);
    at_str_free(&r->copies);
    return status;
}

static attend_status load(at_model *m, report *r, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < at_weight_files_tensors(&m->hub->files) && status >= 0; i++)
        status = load_one(m, i, r, err);
    return status < 0 ? status : add_missing(m, r, err);
}

attend_status at_hub_load_weights(at_model *m, attend_error *err)
{
    attend_error why = {ATTEND_OK, ""};
    at_params *network = at_model_outline(m, &why);
    if (!network)
        return at_error(err, why.status, "%s: %s", at_show(m->hub->path).text, why.message);
    report r = {.network = network,
                .found = at_alloc_zero((size_t)at_params_count(network) + 1, sizeof *r.found)};
    attend_status status = r.found ? load(m, &r, err) : at_error_memory(err);
    attend_status fits = reported(m->hub, &r, status < 0 ? NULL : err);
    at_free(r.found);
    at_params_free(network);
    if (!m->adapts)
        at_params_seal(m->params);
    at_params_share(m->params);
    return status < 0 ? status : fits;
}
