/* Translation, from sentence pairs or from feature vectors and lines. */
#include "train/task_translate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "data/key.h"
#include "train/direction.h"

/* ---- settings ------------------------------------------------------------------------------ */

static const at_option options[] = {
    {.name = "swap",
     OPTION_FLAG(at_translate_settings, swap),
     .group = "Translation",
     .help = "Translate from the second side to the first"},
    {.name = "valid-tgt",
     OPTION_PATH(at_translate_settings, valid_tgt),
     .meta = "FILE",
     .help = "Translations of --valid, where that is a file of sources"},
    {.name = "max-frames",
     OPTION_INT(at_translate_settings, max_frames),
     .value = "0",
     .min = 0,
     .max = ATTEND_FEATURES_LONGEST,
     .meta = "N",
     .help = "Frames of a sequence of feature vectors at most; 0 is any number"},
    {.name = "teacher-forcing",
     OPTION_REAL(at_translate_settings, teacher_forcing),
     .value = "1",
     .min = 0,
     .max = 1,
     .meta = "RATIO",
     .help = "Share of right words that a translator is fed; the rest are its own"},
    {.name = "guided-alignment",
     OPTION_PATH(at_translate_settings, guided_alignment),
     .meta = "FILE",
     .help = "Teach attention to follow word alignments: Pharaoh's 0-0 1-2, a line for each pair"},
    {.name = "guided-weight",
     OPTION_REAL(at_translate_settings, guided_weight),
     .value = "0.5",
     .min = 0,
     .max = 1000,
     .meta = "R",
     .help = "How much that counts, beside a word's loss"},
    {.name = "guided-layer",
     OPTION_INT(at_translate_settings, guided_layer),
     .value = "-1",
     .min = -1,
     .max = 1023,
     .meta = "N",
     .help = "Layer of the cross-attention that follows the word alignments, counted from 0; -1: "
             "the last",
     .later = true},
    {.name = "guided-head",
     OPTION_INT(at_translate_settings, guided_head),
     .value = "-1",
     .min = -1,
     .max = 1023,
     .meta = "N",
     .help = "Head that follows the word alignments, counted from 0; -1: the mean over all",
     .later = true},
    {0}};

static const char *text_of(const at_option *table, const void *fields, const char *name)
{
    at_option_set set = {table, (void *)fields};
    void *found;
    const at_option *o = at_option_find(&set, 1, name, &found);
    return o ? *(const char **)((char *)found + o->offset) : NULL;
}

static attend_status choose(const at_run_settings *run, void *settings, const at_model_kind *kind,
                            void *model, attend_error *err)
{
    const char *from = text_of(kind->options, model, "from");
    const char *to = text_of(kind->options, model, "to");
    return at_direction_choose(run, from, to, &((at_translate_settings *)settings)->swap, err);
}

static const char *unused(const at_run_settings *run, const void *settings, const char *name)
{
    const at_translate_settings *s = settings;
    const char *from = run->data ? run->data : run->src;
    bool guides = strcmp(name, "guided-weight") == 0 || strcmp(name, "guided-layer") == 0
                  || strcmp(name, "guided-head") == 0;
    if (guides && !s->guided_alignment)
        return "has no links; --guided-alignment FILE has them";
    bool of_frames = strcmp(name, "max-frames") == 0 || strcmp(name, "feature-scaling") == 0;
    return of_frames && from && !at_features_is(from)
               ? "reads words here, which have no frames; leave it out"
               : NULL;
}

static attend_status check(at_run *r, attend_error *err)
{
    const at_translate_settings *s = at_translate_settings_of(r);
    const char *file[] = {s->valid_tgt, s->guided_alignment};
    if (s->valid_tgt && !at_run_valid_is_file(&r->settings))
        return at_error(err, ATTEND_OPTION,
                        "--valid-tgt %s: its sources are missing; --valid FILE has them",
                        at_show(s->valid_tgt).text);
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        if (file[i] && strcmp(file[i], "-") != 0 && access(file[i], R_OK) < 0)
            return at_file_fail(err, file[i], "cannot open");
    return at_translate_check_features(r, err);
}

static attend_status load(at_run *r, int which, at_corpus **out, attend_error *err)
{
    const at_run_settings *run = &r->settings;
    const at_translate_settings *s = at_translate_settings_of(r);
    const char *path = which ? run->valid : run->data ? run->data : run->src;
    const char *other = which ? s->valid_tgt : run->tgt;
    return at_run_is_features(r) ? at_translate_load_features(r, which, path, other, out, err)
                                 : at_run_load(r, path, other, s->swap, out, err);
}

/* ---- before the first step ----------------------------------------------------------------- */

/* learned from the data, or those of another model, or of this run before */
static attend_status tokenizers(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    if (m->target)
        return ATTEND_OK;
    bool shared = *(const bool *)at_run_model_setting(r, "shared");
    const char *preset = at_run_preset(r);
    if (m->width)
        return at_run_learn(r, false, true, preset, &m->target, err);
    attend_status status = at_run_learn(r, true, shared, preset, &m->source, err);
    if (status < 0 || !shared)
        return status < 0 ? status : at_run_learn(r, false, true, preset, &m->target, err);
    m->target = m->source;
    return ATTEND_OK;
}

static attend_status refuse_guided(const char *what, int number, int count, attend_error *err)
{
    return at_error(err, ATTEND_OPTION,
                    "--guided-%s %d: the model's cross-attention has %d %s%s; choose 0 to %d", what,
                    number, count, what, count == 1 ? "" : "s", count - 1);
}

/* the layer and head that follow the alignment */
static attend_status choose_guided(at_run *r, attend_error *err)
{
    const at_translate_settings *s = at_translate_settings_of(r);
    at_translate_loss *l = &at_translate_of(r)->loss;
    at_attention_layout layout[ATTEND_LAYOUT_MAX], cross = {.layers = 0};
    for (int i = at_model_attention(r->model, layout) - 1; i >= 0; i--)
        if (layout[i].kind == ATTEND_ATTENTION_CROSS)
            cross = layout[i];
    if (!cross.layers)
        return at_error(err, ATTEND_OPTION,
                        "--guided-alignment guides attention, and this model has none");
    if (s->guided_layer >= cross.layers)
        return refuse_guided("layer", s->guided_layer, cross.layers, err);
    if (s->guided_head >= cross.heads)
        return refuse_guided("head", s->guided_head, cross.heads, err);
    l->guided.head = s->guided_head;
    l->guided.layer = s->guided_layer < 0 ? cross.layers - 1 : s->guided_layer;
    l->guides_last = l->guided.layer == cross.layers - 1;
    return ATTEND_OK;
}

static attend_status read_alignment(at_run *r, attend_error *err)
{
    at_translate_task *task = at_translate_of(r);
    const at_translate_settings *s = at_translate_settings_of(r);
    const at_model *m = r->model;
    attend_status status = choose_guided(r, err);
    if (status < 0)
        return status;
    if (m->kind->decodes->draws(m))
        return at_error(err, ATTEND_OPTION,
                        "--guided-alignment guides weights, and hard attention draws a place; "
                        "take the pick soft or sparse");
    at_guided_data what = {.corpus = r->corpus,
                           .ids = r->ids[0],
                           .source = m->source,
                           .target = m->target,
                           .swapped = s->swap};
    status = at_guided_alignment_load(s->guided_alignment, &what, &task->alignment, err);
    if (status < 0)
        return status;
    uint64_t print = at_guided_alignment_print(task->alignment); /* resuming needs the same */
    r->supply[0].print = at_key_join(r->supply[0].print, print);
    return ATTEND_OK;
}

/* how frames are measured: by the data, or as another model, or this run before, did */
static attend_status features(at_run *r, attend_error *err)
{
    at_model *m = r->model;
    const at_features *file = at_translate_of(r)->frames[0].file;
    bool begun = m->target,
         scales = file && !begun && *(const int *)at_run_model_setting(r, "feature-scaling") == 0;
    int width = file ? at_features_width(file) : 0;
    if (begun && m->width != width)
        return at_error(err, ATTEND_FORMAT,
                        "the model reads %s, and --src has %s; frames of other width, or words, "
                        "need a new model",
                        at_source_kind(m->width).text, at_source_kind(width).text);
    m->width = width;
    attend_status status = scales ? at_model_scaling(m, err) : ATTEND_OK;
    if (status < 0 || !file)
        return status;
    return at_translate_scan(r, scales ? m->mean : NULL, scales ? m->spread : NULL, err);
}

/* the smaller of two limits; 0 is none */
static int limit(int a, int b) { return a && (!b || a < b) ? a : b; }

static attend_status encode(at_run *r, attend_error *err)
{
    const at_model *m = r->model;
    at_encode_options o = {.source = m->source,
                           .target = m->target,
                           .copying = m->copying,
                           .source_frame = m->width ? ATTEND_FRAME_NONE : ATTEND_FRAME_INPUT,
                           .target_frame = ATTEND_FRAME_OUTPUT,
                           .max_source = at_model_max_input(m, 0)};
    if (at_model_max_output(m, 0))
        o.max_target = at_model_max_output(m, 0) + 1; /* it begins with <bos> */
    if (m->width)
        o.max_source = limit(o.max_source, at_translate_settings_of(r)->max_frames);
    for (int which = 0; which < 2; which++) {
        const at_frames *f = at_translate_frames(r, which == 1);
        o.frames = f->file ? f->frames : NULL;
        attend_status status = at_run_encode(r, which, &o, err);
        if (status < 0)
            return status;
        if (f->file)
            r->supply[which].print = at_key_join(r->supply[which].print, f->print);
    }
    return ATTEND_OK;
}

static attend_status prepare(at_run *r, attend_error *err)
{
    at_translate_task *task = at_translate_of(r);
    const at_translate_settings *s = at_translate_settings_of(r);
    task->loss = (at_translate_loss){.model = r->model,
                                     .smoothing = (real)r->settings.label_smoothing,
                                     .forcing = s->teacher_forcing,
                                     .guidance = (real)s->guided_weight,
                                     .baseline = &task->baseline};
    attend_status status = features(r, err);
    if (status >= 0)
        status = tokenizers(r, err);
    if (status >= 0)
        status = at_model_describe(r->model, err);
    if (status >= 0)
        status = encode(r, err);
    if (status >= 0 && r->settings.init_embeddings)
        status = at_run_vectors(r, err);
    return status >= 0 && s->guided_alignment ? read_alignment(r, err) : status;
}

/* ---- batches ------------------------------------------------------------------------------- */

static attend_status take(at_run *r, const at_batch *batch, int shards, attend_error *err)
{
    at_translate_task *task = at_translate_of(r);
    at_translate_loss *l = &task->loss;
    if (!at_translate_loss_take(l, batch, shards, &r->memory))
        return at_error_memory(err);
    r->shards = l->shards;
    r->n_targets = (double)l->n_targets;
    if (task->alignment && !r->validating) {
        bool (*reads_reversed)(const at_model *) = r->kind->decodes->reversed;
        bool reversed = reads_reversed && reads_reversed(r->model);
        l->links = at_guided_alignment_batch(task->alignment, batch, reversed, &r->memory);
        if (!l->links)
            return at_error_memory(err);
    }
    return r->model->width ? at_translate_take_features(r, batch, &l->features, err) : ATTEND_OK;
}

static at_tensor *loss(void *run, at_tape *tape, int shard)
{
    return at_translate_loss_of(&at_translate_of(run)->loss, tape, shard);
}

static double done(at_run *r, double objective)
{
    return at_translate_loss_done(&at_translate_of(r)->loss, objective);
}

/* ---- checkpoints --------------------------------------------------------------------------- */

static json_t *save_state(const at_run *r)
{
    const at_baseline *b = &at_translate_of(r)->baseline;
    return json_pack("{so sb}", "baseline", at_checkpoint_number(b->mean), "started",
                     (int)b->started);
}

static void load_state(at_run *r, at_fields *f)
{
    at_translate_of(r)->baseline = (at_baseline){
        .mean = at_field_number(f, "baseline", 0, -INFINITY, INFINITY),
        .started = at_field_bool(f, "started", false),
    };
}

static void free_state(at_run *r)
{
    at_translate_task *task = at_translate_of(r);
    at_translate_loss_free(&task->loss);
    at_guided_alignment_free(task->alignment);
    at_frames_free(&task->frames[0]);
    at_frames_free(&task->frames[1]);
}

static attend_status save_test(at_run *r, attend_error *err)
{
    return at_run_is_features(r) ? at_translate_save_test(r, err) : at_run_save_test(r, err);
}

const at_task at_task_translate = {
    .name = "translate",
    .can = ATTEND_CAN_TRANSLATE,
    .metrics = "bleu loss perplexity",
    .use = {"translate", " < FILE"},
    .unit = "words",
    .perplexity = true,
    .features = true,
    .needs = ATTEND_HAS_TARGET,
    .lacking = "no sentence pairs, with a tab between the two; --src and --tgt take two files, "
               "--format says how one is written; --preset rnn-classifier and cnn-classifier learn "
               "from labels",
    .shared = {at_text_options, at_length_options},
    .options = options,
    .settings_size = sizeof(at_translate_settings),
    .state_size = sizeof(at_translate_task),
    .choose = choose,
    .unused = unused,
    .check = check,
    .load = load,
    .prepare = prepare,
    .save_test = save_test,
    .take = take,
    .loss = loss,
    .done = done,
    .validate = at_translate_validate,
    .save_state = save_state,
    .load_state = load_state,
    .free = free_state,
};
