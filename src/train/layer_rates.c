#include "train/layer_rates.h"

#include <math.h>

static void rate_of(void *user, const at_parameter *p, at_optim_group *group)
{
    const at_layer_rates *l = user;
    group->lr_factor = pow(l->decay, l->top - l->model->kind->depth(l->model, p->name));
}

void at_layer_rates_set(at_layer_rates *l, const at_model *model, double decay, at_optim *optim)
{
    *l = (at_layer_rates){.model = model, .decay = decay};
    for (int i = 0; i < at_params_count(model->params); i++) {
        int depth = model->kind->depth(model, at_params_at(model->params, i)->name);
        l->top = depth > l->top ? depth : l->top;
    }
    at_optim_set_rule(optim, rate_of, l);
}

size_t at_layers_freeze(const at_model *model, int layers)
{
    size_t numbers = 0;
    for (int i = 0; i < at_params_count(model->params); i++) {
        at_parameter *p = at_params_at(model->params, i);
        if (model->kind->depth(model, p->name) > layers)
            continue;
        p->frozen = true;
        numbers += p->len;
    }
    return numbers;
}
