#include "store/language_folder.h"

#include "base/file.h"
#include "store/model_folder.h"

static const char type[] = "attend-language-model";

attend_status at_language_folder_save(const char *folder, const at_language_folder *f,
                                      attend_error *err)
{
    at_option_set set = {at_language_options, (void *)&f->settings};
    attend_status status = at_folder_make(folder, err);
    if (status >= 0)
        status = at_model_tokenizer_save(folder, "tokenizer", f->tokenizer, err);
    return status < 0 ? status : at_model_config_save(folder, type, set, NULL, err);
}

attend_status at_language_folder_open(const char *folder, at_language_folder *f, attend_error *err)
{
    *f = (at_language_folder){.params = NULL};
    at_option_set set = {at_language_options, &f->settings};
    attend_status status = at_model_config_load(folder, type, set, &f->strings, NULL, err);
    if (status >= 0)
        status = at_model_tokenizer_open(folder, "tokenizer", &f->tokenizer, err);
    if (status >= 0)
        status = at_language_model(&f->settings, at_tokenizer_size(f->tokenizer), &f->model, err);
    status = at_model_config_error(folder, status, err);
    if (status >= 0 && !(f->params = at_params_new(0)))
        status = at_error_memory(err);
    return status;
}

/* a text of one word */
static void try_out(at_tape *t, const void *model)
{
    static const int word[1] = {0};
    at_tensor *read = at_language_read(t, model, (at_ids){SHAPE(1, 1), word}, NULL);
    if (!at_failed(t))
        at_language_logits(t, model, read);
}

attend_status at_language_folder_weights(at_language_folder *f, const char *folder,
                                         attend_error *err)
{
    return at_model_weights(folder, NULL, f->params, try_out, &f->model, err);
}

void at_language_folder_free(at_language_folder *f)
{
    at_tokenizer_free(f->tokenizer);
    if (f->params)
        at_params_free(f->params);
    at_arena_free(&f->strings);
}
