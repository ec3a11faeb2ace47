#include "store/translator_folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/threads.h"
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

/* Both tokenizers at once, each on a thread: reading them is half of the time that a program needs
 * until its first translation. */
typedef struct {
    const char *folder, *name[2];
    at_tokenizer *found[2];
    attend_status status[2];
    attend_error err[2];
} opening;

static void open_side(void *arg, int side)
{
    opening *o = arg;
    o->status[side] = at_model_tokenizer_open(o->folder, o->name[side], &o->found[side],
                                              &o->err[side]);
}

static attend_status open_tokenizers(const char *folder, at_translator_folder *f, attend_error *err)
{
    char *one = at_file_join(folder, "tokenizer");
    bool shared = one && at_file_exists(one);
    at_free(one);
    opening o = {.folder = folder, .name = {shared ? "tokenizer" : "source", "target"}};
    at_parallel_each(shared ? 1 : 2, 1e9, open_side, &o);
    f->source = o.found[0];
    f->target = shared ? o.found[0] : o.found[1];
    for (int side = 0; side < 2; side++)
        if (o.status[side] < 0)
            return at_error(err, o.status[side], "%s", o.err[side].message);
    return ATTEND_OK;
}

attend_status at_translator_folder_describe(at_translator_folder *f, attend_error *err)
{
    attend_status status = at_translator_model(&f->settings, at_tokenizer_size(f->source),
                                               at_tokenizer_size(f->target), &f->model, err);
    if (status < 0 || f->model.output != &at_output_copy)
        return status;
    f->model.unknown = at_copying_unknown(f->target);
    return f->copying ? ATTEND_OK : at_copying_new(f->source, f->target, &f->copying, err);
}

attend_status at_translator_folder_open(const char *folder, at_translator_folder *f,
                                        attend_error *err)
{
    *f = (at_translator_folder){.params = NULL};
    at_option_set set = {at_translator_options, &f->settings};
    attend_status status = at_model_config_load(folder, type, set, &f->strings, NULL, err);
    if (status >= 0)
        status = open_tokenizers(folder, f, err);
    if (status >= 0)
        status = at_translator_folder_describe(f, err);
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
    at_copying_free(f->copying);
    if (f->target != f->source)
        at_tokenizer_free(f->target);
    at_tokenizer_free(f->source);
    if (f->params)
        at_params_free(f->params);
    at_arena_free(&f->strings);
}
