#include "cli/led.h"

static attend_status open_models(const at_led *l, attend_translator **t, attend_error *err)
{
    l->cli->input = l->model;
    attend_status status = attend_translator_open(l->model, t, err);
    for (int i = 0; l->ensemble && i < l->ensemble->count && status >= 0; i++)
        status = attend_translator_add(*t, l->cli->input = l->ensemble->item[i], err);
    return status;
}

attend_status at_led_run(const at_led *l, attend_error *err)
{
    attend_translator *t = NULL;
    attend_translate_options inside;
    at_sentence_pairs pairs = {.count = 0};
    attend_status status = open_models(l, &t, err);
    if (status >= 0)
        status = at_sentence_pairs_read(&pairs, l->cli, &l->from, err);
    attend_translate_defaults(&inside);
    inside.beam = inside.forced = 1;
    inside.attention = inside.target_words = l->attention;
    inside.batch = l->batch;
    inside.longest = l->longest;
    inside.prefix = pairs.target;
    if (status >= 0)
        status = at_sentence_pairs_give(&pairs, t, &inside, err);
    if (status >= 0)
        status = attend_translate(t, &inside, pairs.count, pairs.source, l->write, l->user, err);
    if (status >= 0)
        status = at_cli_flush(l->out, true, err);
    attend_translator_free(t);
    at_sentence_pairs_free(&pairs);
    return status;
}
