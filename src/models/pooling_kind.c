/* Attention pooling as a kind of model: its settings, and the names of its columns. */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "models/pooling.h"

attend_status at_pooling_settings_read(const char *attention, const char *kernel, double width,
                                       at_pooling_settings *settings, attend_error *err)
{
    at_how how;
    attend_status status = at_how_parse(&how, attention ? attention : "gaussian-w:vector", err);
    if (status < 0)
        return status;
    if (!how.score->of_distance)
        return at_error(err, ATTEND_OPTION,
                        "a fit weighs points by their distance: gaussian-w, gaussian-w:vector or "
                        "gaussian, not %s",
                        how.score->about.name);
    if (!how.scope->sees_all || !how.pick->is_softmax || how.heads)
        return at_error(
            err, ATTEND_OPTION,
            "a fit sees all points, softly, with one head: leave out what follows %s in "
            "'%.60s'",
            how.score->about.name, attention);
    if (!(width >= 0) || !isfinite(width))
        return at_error(err, ATTEND_OPTION, "a kernel's width is positive, not %g", width);
    *settings = (at_pooling_settings){.learned = how.score->learns_width,
                                      .each = how.score_values.given > 0,
                                      .kernel = at_kernel_find(kernel ? kernel : "gaussian", err),
                                      .width = width};
    return settings->kernel ? ATTEND_OK : ATTEND_OPTION;
}

attend_status at_pooling_set_names(at_model *m, const char *const *names, attend_error *err)
{
    at_pooling *p = m->net;
    size_t n = (size_t)p->columns + 1;
    const char **copies = at_arena_alloc(&m->memory, n * sizeof *copies);
    for (size_t i = 0; i < n && copies; i++) {
        size_t size = strlen(names[i]);
        if (at_utf8_valid(names[i], size) < size)
            return at_error(err, ATTEND_OPTION, "the name of column %zu is no UTF-8", i + 1);
        if (!(copies[i] = at_arena_text(&m->memory, names[i], size)))
            return at_error_memory(err);
    }
    if (!copies)
        return at_error_memory(err);
    p->names = copies;
    return ATTEND_OK;
}

static const at_option no_options[] = {{0}};

const at_model_kind at_model_pooling = {
    .name = "pooling",
    .type = "pooling",
    .use = "fit",
    .can = ATTEND_CAN_REGRESS,
    .parts = ATTEND_PART_FILE,
    .options = no_options,
    .settings_size = sizeof(at_pooling_settings),
    .net_size = sizeof(at_pooling),
};
