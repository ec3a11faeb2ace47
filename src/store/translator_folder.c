#include "store/translator_folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "store/model_folder.h"

static const char type[] = "attend-translator";

attend_status at_translator_folder_save(const char *folder, const at_translator *settings,
                                        const at_tokenizer *source, const at_tokenizer *target,
                                        attend_error *err)
{
    attend_status status = at_folder_make(folder, err);
    if (status >= 0)
        status = at_model_tokenizer_save(folder, source == target ? "tokenizer" : "source", source,
                                         err);
    if (status >= 0 && source != target)
        status = at_model_tokenizer_save(folder, "target", target, err);
    at_option_set set = {at_translator_options, (void *)settings};
    return status < 0 ? status : at_model_config_save(folder, type, set, NULL, err);
}

attend_status at_translator_folder_open(const char *folder, at_translator_folder *f,
                                        attend_error *err)
{
    *f = (at_translator_folder){.params = NULL};
    at_option_set set = {at_translator_options, &f->settings};
    attend_status status = at_model_config_load(folder, type, set, &f->strings, NULL, err);
    char *one = at_file_join(folder, "tokenizer");
    bool shared = one && at_file_exists(one);
    at_free(one);
    if (status >= 0)
        status = at_model_tokenizer_open(folder, shared ? "tokenizer" : "source", &f->source, err);
    if (status >= 0 && !shared)
        status = at_model_tokenizer_open(folder, "target", &f->target, err);
    if (status >= 0 && shared)
        f->target = f->source;
    if (status >= 0)
        status = at_translator_model(&f->settings, at_tokenizer_size(f->source),
                                     at_tokenizer_size(f->target), &f->model, err);
    if (status >= 0 && !(f->params = at_params_new(0)))
        status = at_error_memory(err);
    return status;
}

attend_status at_translator_folder_weights(at_translator_folder *f, const char *folder,
                                           const char *file, attend_error *err)
{
    return at_model_weights(folder, file, f->params, err);
}

void at_translator_folder_free(at_translator_folder *f)
{
    if (f->target != f->source)
        at_tokenizer_free(f->target);
    at_tokenizer_free(f->source);
    if (f->params)
        at_params_free(f->params);
    at_arena_free(&f->strings);
}
