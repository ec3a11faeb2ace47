#include "cli/forced.h"

attend_status at_forced_run(const at_forced *l, attend_error *err)
{
    at_models models = {.count = 0};
    attend_translate_options inside;
    at_sentence_pairs pairs = {.count = 0};
    attend_status status = at_models_add(&models, l->cli, l->model, err);
    if (status >= 0)
        status = at_models_add_all(&models, l->cli, l->ensemble, err);
    if (status >= 0)
        status = at_sentence_pairs_read(&pairs, l->cli, &l->from, err);
    attend_translate_defaults(&inside);
    inside.beam = inside.forced = 1;
    inside.attention = inside.target_words = l->attention;
    inside.batch = l->batch;
    inside.longest = l->longest;
    inside.prefix = pairs.target;
    if (status >= 0)
        status = at_sentence_pairs_give(&pairs, &models, &inside, err);
    if (status >= 0 && l->look->path)
        status = at_models_need_attention(&models, "--attention-out", err);
    if (status >= 0)
        status = at_attention_out_ask(l->look, &models, &inside, err);
    if (status >= 0)
        status = attend_translate(models.model[0], &inside, pairs.count, pairs.source, l->write,
                                  l->user, err);
    if (status >= 0)
        status = at_cli_flush(l->out, true, err);
    at_models_free(&models);
    at_sentence_pairs_free(&pairs);
    return status;
}
