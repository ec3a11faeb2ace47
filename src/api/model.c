#include "api/model.h"

#include <string.h>

#include "api/options.h"
#include "base/config.h"
#include "base/file.h"
#include "base/memory.h"
#include "store/hub.h"

/* ---- opening -------------------------------------------------------------------------------- */

/* NULL without memory */
static const char *copy(attend_model *m, const char *text)
{
    size_t size = strlen(text) + 1;
    char *to = at_arena_alloc_small(&m->memory, size);
    return to ? memcpy(to, text, size) : NULL;
}

static attend_status read_settings(attend_model *m, attend_error *err)
{
    const at_option *option = m->inside->kind->options;
    size_t n = 0;
    while (option[n].name)
        n++;
    if (!(m->settings = at_arena_alloc(&m->memory, (n + 1) * sizeof *m->settings)))
        return at_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        at_str value = {0};
        at_option_print(&value, &option[i], m->inside->settings);
        m->settings[i] = (attend_setting){option[i].name, copy(m, at_str_text(&value))};
        bool failed = value.failed || !m->settings[i].value;
        at_str_free(&value);
        if (failed)
            return at_error_memory(err);
    }
    m->setting_count = n;
    return ATTEND_OK;
}

/* a setting of the training run; NULL where it is not known */
static const char *trained_with(attend_model *m, const at_config *config, const char *name)
{
    const at_config_entry *e = at_config_find(config, name);
    return e && e->value && *e->value ? copy(m, e->value) : NULL;
}

/* A model need not have a training folder, and one of another version is not an error. */
static attend_status read_training(attend_model *m, attend_error *err)
{
    at_config config = {0};
    attend_error ignored;
    char *file = at_file_join(m->path, "training/settings.yaml");
    if (!file)
        return at_error_memory(err);
    if (at_file_exists(file) && at_config_load(&config, file, &ignored) >= 0) {
        m->preset = trained_with(m, &config, "preset");
        m->source_language = trained_with(m, &config, "from");
        m->target_language = trained_with(m, &config, "to");
    }
    at_config_free(&config);
    at_free(file);
    return ATTEND_OK;
}

attend_status attend_model_open(const char *path, attend_model **out, attend_error *err)
{
    attend_model *m = at_alloc_zero(1, sizeof *m);
    *out = NULL;
    if (!m)
        return at_error_memory(err);
    attend_status status = at_model_open(path, &m->inside, err);
    if (status >= 0 && !(m->path = copy(m, path)))
        status = at_error_memory(err);
    if (status >= 0)
        status = read_settings(m, err);
    if (status >= 0)
        status = read_training(m, err);
    if (status >= 0)
        *out = m;
    else
        attend_model_free(m);
    return status;
}

void attend_model_free(attend_model *m)
{
    if (!m)
        return;
    at_model_free(m->inside);
    at_arena_free(&m->memory);
    at_free(m);
}

/* ---- description ---------------------------------------------------------------------------- */

static size_t bytes_of(const at_params *params)
{
    size_t bytes = 0;
    for (int i = 0; i < at_params_count(params); i++) {
        const at_parameter *p = at_params_at(params, i);
        bytes += p->len * at_element_size(p->type);
    }
    return bytes;
}

static const char *kind_of(const at_tokenizer *t) { return t ? t->kind->name : NULL; }

attend_status attend_model_describe(const attend_model *model, attend_model_info *info,
                                    attend_error *err)
{
    const at_model *m = model->inside;
    at_attention_layout layout[ATTEND_LAYOUT_MAX];
    size_t size = info->size;
    if (size <= sizeof size || size > 4096)
        return at_error(err, ATTEND_OPTION,
                        "attend_model_info of %zu bytes; set its size to sizeof(attend_model_info)",
                        size);
    attend_model_info own = {.size = size,
                             .kind = m->kind->name,
                             .preset = model->preset,
                             .can = at_model_can(m),
                             .parameters = at_params_len(m->params),
                             .source_language = model->source_language,
                             .target_language = model->target_language,
                             .source_tokenizer = kind_of(m->source),
                             .target_tokenizer = kind_of(m->target),
                             .source_vocabulary = m->source ? at_tokenizer_size(m->source) : 0,
                             .target_vocabulary = m->target ? at_tokenizer_size(m->target) : 0,
                             .features = m->width,
                             .label_count = m->labels ? (size_t)at_vocab_size(m->labels) : 0,
                             .setting_count = model->setting_count,
                             .bytes = bytes_of(m->params),
                             .hub = m->hub ? m->hub->hub->type : NULL};
    while (attend_model_unused_key(model, own.unused_key_count))
        own.unused_key_count++;
    for (int i = at_model_attention(m, layout) - 1; i >= 0; i--) {
        own.attention |= 1u << layout[i].kind;
        own.layers = layout[i].layers > own.layers ? layout[i].layers : own.layers;
        own.heads = layout[i].heads > own.heads ? layout[i].heads : own.heads;
    }
    memset(info, 0, size);
    memcpy(info, &own, size < sizeof own ? size : sizeof own);
    return ATTEND_OK;
}

const char *attend_model_label(const attend_model *m, size_t index)
{
    const at_vocab *labels = m->inside->labels;
    return labels && index < (size_t)at_vocab_size(labels)
               ? at_vocab_text(labels, (int32_t)index, NULL)
               : NULL;
}

int attend_model_setting(const attend_model *m, size_t index, attend_setting *setting)
{
    if (index >= m->setting_count)
        return 0;
    *setting = m->settings[index];
    return 1;
}

const char *attend_model_unused_key(const attend_model *m, size_t index)
{
    return m->inside->hub ? at_hub_unused_key(m->inside->hub, index) : NULL;
}

/* ---- what it can do ------------------------------------------------------------------------- */

/* "translate and embed" */
static void add_names(at_str *out, unsigned can)
{
    static const char *const names[] = {"translate", "generate", "classify", "tag",      "answer",
                                        "fill",      "embed",    "point",    "pretrain", "regress"};
    const char *before = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (can >> i & 1) {
            at_str_print(out, "%s%s", before, names[i]);
            before = " and ";
        }
}

const char *attend_capability_command(attend_capability can)
{
    switch (can) {
    case ATTEND_CAN_TRANSLATE: return "translate";
    case ATTEND_CAN_GENERATE: return "generate";
    case ATTEND_CAN_CLASSIFY: return "classify";
    case ATTEND_CAN_TAG: return "tag";
    case ATTEND_CAN_ANSWER: return "answer";
    case ATTEND_CAN_FILL: return "fill";
    case ATTEND_CAN_EMBED: return "embed";
    case ATTEND_CAN_POINT: return "point";
    case ATTEND_CAN_REGRESS: return "fit";
    default: return NULL;
    }
}

/* the command for the first capability that has one, or NULL */
static const char *command_for(unsigned can)
{
    const char *command = NULL;
    for (unsigned bit = 1; bit <= can && !command; bit <<= 1)
        if (can & bit)
            command = attend_capability_command((attend_capability)bit);
    return command;
}

attend_status attend_model_require(const attend_model *m, unsigned can, attend_error *err)
{
    const at_model_kind *kind = m->inside->kind;
    unsigned able = at_model_can(m->inside);
    at_str has = {0}, lacks = {0};
    bool text = kind->parts & (ATTEND_PART_TOKENIZER | ATTEND_PART_SIDES);
    if (!(can & ~able) && text && !m->inside->target)
        return at_error(err, ATTEND_FILE,
                        "%s: there are no tokenizer files in it, which text needs; copy them into "
                        "the folder",
                        at_show(m->path).text);
    if (!(can & ~able))
        return ATTEND_OK;
    add_names(&has, able);
    add_names(&lacks, can & ~able);
    const char *use = command_for(able);
    attend_status status = use ? at_error(err, ATTEND_FORMAT,
                                          "%s: is a %s, which can %s, not %s; attend %s takes this "
                                          "model (attend_%s in C)",
                                          at_show(m->path).text, kind->name, at_str_text(&has),
                                          at_str_text(&lacks), use, use)
                               : at_error(err, ATTEND_FORMAT,
                                          "%s: is a %s, which can %s, not %s; choose a model that "
                                          "can",
                                          at_show(m->path).text, kind->name,
                                          has.length ? at_str_text(&has) : "encode text",
                                          at_str_text(&lacks));
    at_str_free(&has);
    at_str_free(&lacks);
    return status;
}

/* ---- several models ------------------------------------------------------------------------- */

/* do both have the same tokens under the same ids? */
static bool alike(const at_tokenizer *a, const at_tokenizer *b)
{
    int n = at_tokenizer_size(a);
    if (a == b)
        return true;
    if (a->kind != b->kind || n != at_tokenizer_size(b))
        return false;
    for (int i = 0; i < n; i++) {
        size_t size, other;
        const char *text = at_vocab_text(a->vocab, i, &size);
        const char *second = at_vocab_text(b->vocab, i, &other);
        if (size != other || memcmp(text, second, size) != 0)
            return false;
    }
    return true;
}

static attend_status check_pair(const at_model *first, const attend_model *other, attend_error *err)
{
    const at_model *last = other->inside;
    if (!first->copying != !last->copying)
        return at_error(err, ATTEND_OPTION,
                        "%s: its output is %s, that of the first model %s; models of an ensemble "
                        "have the same",
                        at_show(other->path).text, last->copying ? "copy" : "words",
                        first->copying ? "copy" : "words");
    const char *side = NULL;
    if (first->width != last->width)
        return at_error(err, ATTEND_OPTION, "%s: it reads %s, and the first model %s",
                        at_show(other->path).text, at_source_kind(last->width).text,
                        at_source_kind(first->width).text);
    if (!alike(first->target, last->target))
        side = "target";
    else if (!first->width && !alike(first->source, last->source))
        side = "source";
    if (!side)
        return ATTEND_OK;
    return at_error(err, ATTEND_OPTION,
                    "%s: its %s vocabulary is not that of the first model; models of an ensemble "
                    "are trained on the same data, with other seeds or settings",
                    at_show(other->path).text, side);
}

static attend_status check_ensemble(const attend_model *model, const attend_model *const *others,
                                    size_t count, unsigned can, attend_error *err)
{
    if (count >= ATTEND_ENSEMBLE_MOST)
        return at_error(err, ATTEND_OPTION, "an ensemble has at most %d models",
                        (int)ATTEND_ENSEMBLE_MOST);
    attend_status status = attend_model_require(model, can, err);
    for (size_t i = 0; i < count && status >= 0; i++) {
        status = attend_model_require(others[i], can, err);
        if (status >= 0)
            status = check_pair(model->inside, others[i], err);
    }
    return status;
}

attend_status attend_model_check_ensemble(const attend_model *model,
                                          const attend_model *const *others, size_t count,
                                          attend_error *err)
{
    return check_ensemble(model, others, count, ATTEND_CAN_TRANSLATE, err);
}

attend_status at_model_session(const attend_model *model, const attend_model *const *others,
                               size_t count, unsigned can, at_session **out, attend_error *err)
{
    const at_model *all[ATTEND_ENSEMBLE_MOST] = {model->inside};
    *out = NULL;
    attend_status status = check_ensemble(model, others, count, can, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < count; i++)
        all[i + 1] = others[i]->inside;
    return at_session_new((int)count + 1, all, out, err);
}
