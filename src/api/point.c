#include "decode/point.h"
#include "attend.h"
#include "base/memory.h"
#include "data/items.h"
#include "store/model_folder.h"

struct attend_pointer {
    at_model *model;
    at_tape *tape;
    at_item_row row;
};

attend_status attend_pointer_open(const char *folder, attend_pointer **out, attend_error *err)
{
    attend_pointer *m = *out = at_alloc_zero(1, sizeof *m);
    if (!m)
        return at_error_memory(err);
    attend_status status = at_model_open_for(folder, ATTEND_CAN_POINT, &m->model, err);
    if (status >= 0 && !(m->tape = at_tape_new(m->model->params, ATTEND_INFER)))
        status = at_error_memory(err);
    if (status < 0) {
        attend_pointer_free(m);
        *out = NULL;
    }
    return status;
}

void attend_pointer_free(attend_pointer *m)
{
    if (!m)
        return;
    if (m->tape)
        at_tape_free(m->tape);
    at_item_row_free(&m->row);
    at_model_free(m->model);
    at_free(m);
}

/* the line's items, scaled in place */
static attend_status read_items(attend_pointer *m, at_text line, attend_error *err)
{
    enum { MOST_ITEMS = 1 << 20 };
    at_item_row *r = &m->row;
    int width = m->model->width;
    if (r->width != width) { /* a line of another width left this */
        at_item_row_free(r);
        r->width = 0;
    }
    attend_status status = at_item_row_parse(r, line, err);
    if (status >= 0 && r->count > 0 && r->width != width)
        return at_error(err, ATTEND_FORMAT,
                        "items have %d number%s each, and the model knows those of %d", r->width,
                        r->width == 1 ? "" : "s", width);
    if (status >= 0 && r->count > MOST_ITEMS)
        return at_error(err, ATTEND_FORMAT, "%zu items are too many; up to %d", r->count,
                        MOST_ITEMS);
    if (status >= 0)
        status = m->model->kind->points->check_items(m->model, r->count, err);
    for (size_t i = 0; i < r->count && status >= 0; i++) {
        real *item = r->values + i * (size_t)width;
        at_model_scale(m->model, item, item);
    }
    return status;
}

attend_status attend_point(attend_pointer *m, const char *line, size_t size, int repeat,
                           int **places, int *count, double *log_p, attend_error *err)
{
    *places = NULL;
    *count = 0;
    *log_p = 0;
    attend_status status = read_items(m, (at_text){line, size}, err);
    size_t n = m->row.count;
    if (status < 0 || n == 0)
        return status;
    if (!(*places = at_alloc(2 * n * sizeof **places)))
        return at_error_memory(err);
    at_point_options o = {.repeat = repeat != 0};
    status = at_point(m->tape, m->model, (int)n, m->row.values, &o, *places, count, log_p, err);
    if (status < 0) {
        at_free(*places);
        *places = NULL;
        *count = 0;
    }
    return status;
}

void attend_places_free(int *places) { at_free(places); }
