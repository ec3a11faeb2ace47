#include "decode/point.h"

#include "api/model.h"
#include "base/memory.h"
#include "data/pointer_examples.h"

/* the line's items, scaled in place */
static attend_status read_items(const at_model *m, at_text line, at_item_row *r, attend_error *err)
{
    enum { ITEMS_MAX = 1 << 20 };
    attend_status status = at_item_row_parse(r, line, err);
    if (status >= 0 && r->count > 0 && r->width != m->width)
        return at_error(err, ATTEND_FORMAT,
                        "items have %d number%s each, and the model knows those of %d", r->width,
                        r->width == 1 ? "" : "s", m->width);
    if (status >= 0 && r->count > ITEMS_MAX)
        return at_error(err, ATTEND_FORMAT, "%zu items are too many; up to %d", r->count,
                        ITEMS_MAX);
    if (status >= 0)
        status = m->kind->points->check_items(m, r->count, err);
    for (size_t i = 0; i < r->count && status >= 0; i++) {
        real *item = r->values + i * (size_t)m->width;
        at_model_scale(m, item, item);
    }
    return status;
}

static attend_status point(const at_model *m, const at_item_row *row, int repeat, int *positions,
                           int *count, double *log_p, attend_error *err)
{
    at_point_options o = {.repeat = repeat != 0};
    at_tape *tape = at_tape_new(m->params, ATTEND_INFER);
    if (!tape)
        return at_error_memory(err);
    attend_status status = at_point(tape, m, (int)row->count, row->values, &o, positions, count,
                                    log_p, err);
    at_tape_free(tape);
    return status;
}

attend_status attend_point(const attend_model *m, const char *line, size_t size, int repeat,
                           int **positions, int *count, double *log_p, attend_error *err)
{
    at_item_row row = {.width = 0};
    *positions = NULL;
    *count = 0;
    *log_p = 0;
    attend_status status = attend_model_require(m, ATTEND_CAN_POINT, err);
    if (status >= 0)
        status = read_items(m->inside, (at_text){line, size}, &row, err);
    size_t n = row.count;
    if (status >= 0 && n > 0 && !(*positions = at_alloc(2 * n * sizeof **positions)))
        status = at_error_memory(err);
    if (status >= 0 && n > 0)
        status = point(m->inside, &row, repeat, *positions, count, log_p, err);
    at_item_row_free(&row);
    if (status < 0) {
        at_free(*positions);
        *positions = NULL;
        *count = 0;
    }
    return status;
}
