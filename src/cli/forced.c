#include "cli/forced.h"

/* with the pairs and models, and the file of attention */
static attend_status translate(const at_forced *l, const at_models *models,
                               const at_sentence_pairs *pairs, attend_error *err)
{
    attend_status status;
    attend_translate_options inside;
    attend_translate_defaults(&inside);
    inside.beam = inside.forced = 1;
    inside.attention = inside.target_words = l->links || l->look->path;
    inside.batch = l->batch;
    inside.longest = l->longest;
    inside.prefix = pairs->target;
    if ((status = at_sentence_pairs_give(pairs, models, &inside, err)) < 0)
        return status;
    if (l->look->path && (status = at_models_need_attention(models, "--attention-out", err)) < 0)
        return status;
    if ((status = at_attention_out_ask(l->look, models, &inside, err)) < 0)
        return status;
    status = attend_translate(models->model[0], &inside, pairs->count, pairs->source, l->write,
                              l->user, err);
    if (status < 0 || (status = at_cli_flush(l->out, true, err)) < 0)
        return status;
    return at_attention_out_commit(l->attention, err);
}

attend_status at_forced_run(const at_forced *l, attend_error *err)
{
    at_models models = {.count = 0};
    at_sentence_pairs pairs = {.count = 0};
    attend_status status = at_attention_out_check(l->look, l->links, err);
    if (status >= 0 && (status = at_attention_out_open(l->attention, l->cli, l->look, err)) >= 0
        && (status = at_models_add(&models, l->cli, l->model, err)) >= 0
        && (status = at_models_add_all(&models, l->cli, l->ensemble, err)) >= 0
        && (l->pairs || (status = at_sentence_pairs_read(&pairs, l->cli, &l->from, err)) >= 0))
        status = translate(l, &models, l->pairs ? l->pairs : &pairs, err);
    at_models_free(&models);
    at_sentence_pairs_free(&pairs);
    return status;
}
