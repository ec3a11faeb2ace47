#include "store/translator_folder.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/threads.h"
#include "store/features.h"
#include "store/model_folder.h"

static const char type[] = "attend-translator";

/* what a source of features adds to the settings; NULL without memory */
static json_t *features_json(const at_translator_folder *f)
{
    json_t *more = json_pack("{si}", "source_features", f->features);
    if (more && f->mean
        && (json_object_set_new(more, "feature_mean", at_model_numbers_json(f->mean, f->features))
                < 0
            || json_object_set_new(more, "feature_spread",
                                   at_model_numbers_json(f->spread, f->features))
                   < 0)) {
        json_decref(more);
        return NULL;
    }
    return more;
}

/* Tokenizers of the model that was here before, which this one would be taken to have. */
static void forget_others(const char *folder, const at_translator_folder *f)
{
    bool one = f->source == f->target;
    if (one || !f->source)
        at_model_tokenizer_forget(folder, "source");
    at_model_tokenizer_forget(folder, one ? "target" : "tokenizer");
}

attend_status at_translator_folder_save(const char *folder, const at_translator_folder *f,
                                        attend_error *err)
{
    bool one = f->source == f->target;
    json_t *more = NULL;
    attend_status status = at_folder_make(folder, err);
    if (status >= 0 && f->source)
        status = at_model_tokenizer_save(folder, one ? "tokenizer" : "source", f->source, err);
    if (status >= 0 && !one)
        status = at_model_tokenizer_save(folder, "target", f->target, err);
    if (status >= 0)
        forget_others(folder, f);
    at_json_start();
    if (status >= 0 && f->features && !(more = features_json(f)))
        status = at_error_memory(err);
    at_option_set set = {at_translator_options, (void *)&f->settings};
    return status < 0 ? status : at_model_config_save(folder, type, set, more, err);
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
    if (f->features)
        open_side(&o, 1);
    else
        at_parallel_each(shared ? 1 : 2, 1e9, open_side, &o);
    f->source = o.found[0];
    f->target = shared && !f->features ? o.found[0] : o.found[1];
    for (int side = 0; side < 2; side++)
        if (o.status[side] < 0)
            return at_error(err, o.status[side], "%s", o.err[side].message);
    return ATTEND_OK;
}

/* ---- features ------------------------------------------------------------------------------ */

at_source_name at_source_kind(int features)
{
    at_source_name name = {"text"};
    if (features)
        snprintf(name.text, sizeof name.text, "feature vectors of %d number%s", features,
                 features == 1 ? "" : "s");
    return name;
}

attend_status at_translator_folder_scaling(at_translator_folder *f, attend_error *err)
{
    f->mean = at_arena_alloc(&f->strings, (size_t)f->features * sizeof *f->mean);
    f->spread = at_arena_alloc(&f->strings, (size_t)f->features * sizeof *f->spread);
    return f->mean && f->spread ? ATTEND_OK : at_error_memory(err);
}

static attend_status read_features(at_translator_folder *f, const char *folder, const json_t *json,
                                   attend_error *err)
{
    const json_t *width = json_object_get(json, "source_features");
    if (!width)
        return ATTEND_OK;
    json_int_t n = json_integer_value(width);
    attend_status status = ATTEND_OK;
    if (n < 1 || n > ATTEND_FEATURES_WIDEST)
        return at_error(err, ATTEND_FORMAT, "%s/config.json: source_features must be 1 to %d",
                        at_show(folder).text, ATTEND_FEATURES_WIDEST);
    f->features = (int)n;
    if (!json_object_get(json, "feature_mean"))
        return ATTEND_OK;
    status = at_translator_folder_scaling(f, err);
    if (status >= 0
        && (at_model_numbers(json, "feature_mean", (int)n, -INFINITY, f->mean) != n
            || at_model_numbers(json, "feature_spread", (int)n, 0, f->spread) != n))
        status = at_error(err, ATTEND_FORMAT,
                          "%s/config.json: feature_mean and feature_spread must be lists of %d "
                          "numbers, as source_features says",
                          at_show(folder).text, (int)n);
    return status;
}

/* x -> (x - mean) * (1 / spread) */
static attend_status set_scaling(at_translator_folder *f, attend_error *err)
{
    size_t n = (size_t)f->features;
    real *mean = at_arena_alloc(&f->strings, n * sizeof *mean);
    real *scale = at_arena_alloc(&f->strings, n * sizeof *scale);
    if (!mean || !scale)
        return at_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        mean[i] = (real)f->mean[i];
        scale[i] = (real)(1 / f->spread[i]);
    }
    f->model.feature_mean = mean;
    f->model.feature_scale = scale;
    return ATTEND_OK;
}

attend_status at_translator_folder_describe(at_translator_folder *f, attend_error *err)
{
    int words = at_tokenizer_size(f->target);
    attend_status status = ATTEND_OK;
    if (f->features)
        status = at_translator_model_features(&f->settings, f->features, words, &f->model, err);
    else
        status = at_translator_model(&f->settings, at_tokenizer_size(f->source), words, &f->model,
                                     err);
    if (status >= 0 && f->mean)
        status = set_scaling(f, err);
    if (status < 0)
        return status;
    if (f->model.output != &at_output_copy) {
        at_copying_free(f->copying);
        f->copying = NULL;
        return ATTEND_OK;
    }
    f->model.unknown = at_copying_unknown(f->target);
    return f->copying ? ATTEND_OK : at_copying_new(f->source, f->target, &f->copying, err);
}

/* ---- opening ------------------------------------------------------------------------------- */

attend_status at_translator_folder_open(const char *folder, at_translator_folder *f,
                                        attend_error *err)
{
    *f = (at_translator_folder){.params = NULL};
    at_option_set set = {at_translator_options, &f->settings};
    json_t *json = NULL;
    attend_status status = at_model_config_load(folder, type, set, &f->strings, &json, err);
    if (status >= 0)
        status = read_features(f, folder, json, err);
    json_decref(json);
    if (status >= 0)
        status = open_tokenizers(folder, f, err);
    if (status >= 0)
        status = at_model_config_error(folder, at_translator_folder_describe(f, err), err);
    if (status >= 0 && !(f->params = at_params_new(0)))
        status = at_error_memory(err);
    return status;
}

/* two steps on a source of one word, or frame: all that the model has takes part */
static void try_out(at_tape *t, const void *model)
{
    const at_seq2seq *m = model;
    static const int word[1] = {0}, length[1] = {1}, extra[1] = {0};
    at_ids one = {SHAPE(1, 1), word};
    at_copies copies = {.source = one, .extra = extra};
    at_source source;
    if (m->source_features)
        source = at_seq2seq_encode_features(t, m, at_zeros(t, SHAPE(1, 1, m->source_features)),
                                            length);
    else
        source = at_seq2seq_encode(t, m, one, length);
    if (at_failed(t))
        return;
    at_decoder state = at_seq2seq_start(m, &source);
    bool weights = m->place != ATTEND_PLACE_NONE;
    for (int step = 0; step < 2 && !at_failed(t); step++) {
        at_decoded d = at_seq2seq_decode(t, m, &source, &state, one, weights);
        if (!at_failed(t))
            at_seq2seq_log_p(t, m, &d, m->output == &at_output_copy ? &copies : NULL);
    }
}

attend_status at_translator_folder_weights(at_translator_folder *f, const char *folder,
                                           const char *file, attend_error *err)
{
    return at_model_weights(folder, file, f->params, try_out, &f->model, err);
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
