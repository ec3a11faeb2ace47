#include "store/average.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "store/weights.h"

/* checkpoints of a run have more than weights, which are called so then */
static const char *prefix_of(const at_safetensors *file)
{
    return at_safetensors_metadata(file, "standing") ? "param." : "";
}

static int count_weights(const at_safetensors *file)
{
    const char *prefix = prefix_of(file);
    int count = 0;
    for (int i = 0; i < at_safetensors_count(file); i++)
        count += strncmp(at_safetensors_at(file, i)->name, prefix, strlen(prefix)) == 0;
    return count;
}

/* the tensor of a file that stands for a parameter, or NULL with an error */
static const at_stored *find(const at_safetensors *file, const char *path, const at_parameter *p,
                             attend_error *err)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", prefix_of(file), p->name);
    const at_stored *t = at_safetensors_find(file, name);
    at_shape shape;
    if (!t)
        at_error(err, ATTEND_SHAPE, "%s: no tensor '%s'; only weights of one model have a mean",
                 at_show(path).text, p->name);
    else if (!at_stored_shape(t, &shape) || !at_shape_equal(shape, p->shape))
        at_error(err, ATTEND_SHAPE,
                 "%s: tensor '%s' has another shape; only weights of one model have a mean",
                 at_show(path).text, p->name);
    else
        return t;
    return NULL;
}

static attend_status add_file(const char *path, const at_params *params, double *sum,
                              attend_error *err)
{
    at_safetensors *file;
    attend_status status = at_safetensors_open(path, &file, err);
    if (status < 0)
        return status;
    if (count_weights(file) != at_params_count(params))
        status = at_error(err, ATTEND_SHAPE,
                          "%s: %d tensors, not %d; only weights of one model have a mean",
                          at_show(path).text, count_weights(file), at_params_count(params));
    for (int i = 0; i < at_params_count(params) && status >= 0; i++) {
        at_parameter *p = at_params_at(params, i);
        const at_stored *t = find(file, path, p, err);
        status = t ? at_safetensors_read_weights(file, t, p->value, err) : ATTEND_SHAPE;
        for (size_t j = 0; j < p->len && status >= 0; j++)
            sum[j] += (double)p->value[j];
        sum += p->len;
    }
    at_safetensors_close(file);
    return status;
}

static attend_status load_first(const char *path, at_params *out, attend_error *err)
{
    at_safetensors *file;
    attend_status status = at_safetensors_open(path, &file, err);
    if (status < 0)
        return status;
    status = at_weights_read(file, prefix_of(file), out, err);
    at_safetensors_close(file);
    return status;
}

attend_status at_weights_average(const char *const *path, int count, at_params *out,
                                 attend_error *err)
{
    attend_status status = load_first(path[0], out, err);
    size_t n = at_params_len(out);
    double *sum = status < 0 ? NULL : at_alloc_zero(n ? n : 1, sizeof *sum);
    if (status >= 0 && !sum)
        status = at_error_memory(err);
    for (int i = 0; i < count && status >= 0; i++)
        status = add_file(path[i], out, sum, err);
    const double *mean = sum;
    for (int i = 0; i < at_params_count(out) && status >= 0; i++) {
        at_parameter *p = at_params_at(out, i);
        for (size_t j = 0; j < p->len; j++)
            p->value[j] = (real)(*mean++ / count);
    }
    at_free(sum);
    return status;
}
