#include "train/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "store/weights.h"

enum { VERSION = 2 }; /* 1 is that of attend 0.1, which wrote no number; see from_version_1 */

static const int64_t most_updates = (int64_t)1 << 53;

/* ---- the state of a run -------------------------------------------------------------------- */

void at_train_state_take(at_train_state *s, at_trainer *t)
{
    s->updates = at_trainer_updates(t);
    s->batches = at_trainer_batches(t);
    s->plateau = at_trainer_rate(t)->plateau;
    snprintf(s->isa, sizeof s->isa, "%s", at_isa_name(at_cpu_isa()));
}

void at_train_state_differs(const at_train_state *then, const at_train_state *now, char *text,
                            size_t size)
{
    text[0] = '\0';
    if (then->shards != now->shards)
        snprintf(text, size, "%d shard%s of a batch, not %d", now->shards,
                 now->shards == 1 ? "" : "s", then->shards);
    else if (strcmp(then->isa, now->isa) != 0)
        snprintf(text, size, "instruction set %s, not %s", now->isa, then->isa);
    else if (then->seed != now->seed)
        snprintf(text, size, "seed %llu, not %llu", (unsigned long long)now->seed,
                 (unsigned long long)then->seed);
}

json_t *at_checkpoint_number(double x)
{
    return isnan(x) ? json_null() : json_real(x > 1e300 ? 1e300 : x < -1e300 ? -1e300 : x);
}

static json_t *state_json(const at_train_state *s)
{
    json_t *(*number)(double) = at_checkpoint_number;
    return json_pack(
        "{si sI sI s{sI sI sI sI} so so sI si si sb so so s{so so si si} sI si ss}", "version",
        VERSION, "updates", (json_int_t)s->updates, "batches", (json_int_t)s->batches, "position",
        "print", (json_int_t)s->position.print, "batch", (json_int_t)s->position.batch, "step",
        (json_int_t)s->position.step, "epoch", (json_int_t)s->position.epoch, "best",
        number(s->best), "best_loss", number(s->best_loss), "best_update",
        (json_int_t)s->best_update, "best_mean", s->best_mean, "waited", s->waited, "due",
        (int)s->due, "loss", number(s->loss), "targets", number(s->n_targets), "plateau", "lr",
        number(s->plateau.lr), "best", number(s->plateau.best), "bad", s->plateau.bad, "cooling",
        s->plateau.cooling, "seed", (json_int_t)s->seed, "shards", s->shards, "isa", s->isa);
}

static double limitless(double x) { return x >= 1e300 ? INFINITY : x <= -1e300 ? -INFINITY : x; }

static attend_status state_read(const json_t *json, const char *file, at_train_state *s,
                                attend_error *err)
{
    const int64_t most = INT64_MAX;
    at_fields f = at_fields_of(json, file, err);
    int64_t version = at_field_int(&f, "version", VERSION, 0, most);
    if (f.status >= 0 && version != VERSION)
        return at_error(
            err, ATTEND_FORMAT,
            "%s: a checkpoint of format %lld, and this version of attend reads format %d",
            at_show(file).text, (long long)version, VERSION);
    at_fields position = at_fields_in(&f, "position"), plateau = at_fields_in(&f, "plateau");
    at_train_state own = *s;
    *s = (at_train_state){
        .updates = at_field_int(&f, "updates", 0, 0, most_updates),
        .batches = at_field_int(&f, "batches", 0, 0, most_updates),
        .position = {.print = (uint64_t)at_field_int(&position, "print", 0, INT64_MIN, most),
                     .batch = (uint64_t)at_field_int(&position, "batch", 0, 0, most),
                     .step = (uint64_t)at_field_int(&position, "step", 0, 0, most),
                     .epoch = (uint32_t)at_field_int(&position, "epoch", 0, 0, UINT32_MAX)},
        .best = at_field_number(&f, "best", NAN, -INFINITY, INFINITY),
        .best_loss = at_field_number(&f, "best_loss", NAN, -INFINITY, INFINITY),
        .best_update = at_field_int(&f, "best_update", 0, 0, most),
        .best_mean = (int)at_field_int(&f, "best_mean", 0, 0, INT32_MAX),
        .waited = (int)at_field_int(&f, "waited", 0, 0, INT32_MAX),
        .due = at_field_bool(&f, "due", false),
        .loss = at_field_number(&f, "loss", 0, -INFINITY, INFINITY),
        .n_targets = at_field_number(&f, "targets", 0, 0, INFINITY),
        .plateau = {.lr = at_field_number(&plateau, "lr", 0, -INFINITY, INFINITY),
                    .best = limitless(at_field_number(&plateau, "best", 0, -INFINITY, INFINITY)),
                    .bad = (int)at_field_int(&plateau, "bad", 0, 0, INT32_MAX),
                    .cooling = (int)at_field_int(&plateau, "cooling", 0, 0, INT32_MAX)},
        .seed = (uint64_t)at_field_int(&f, "seed", 0, INT64_MIN, most),
        .shards = (int)at_field_int(&f, "shards", 1, 1, INT32_MAX),
    };
    snprintf(s->isa, sizeof s->isa, "%s", at_field_string(&f, "isa", ""));
    memcpy(s->array, own.array, sizeof s->array);
    s->arrays = own.arrays;
    return f.status;
}

/* ---- saving --------------------------------------------------------------------------------- */

static void add_optim(at_store_list *l, at_optim *optim)
{
    at_optim_state s;
    for (int i = 0; at_optim_state_at(optim, i, &s); i++) {
        char name[256];
        snprintf(name, sizeof name, "%s.%s", s.parameter->name, s.name);
        at_store_add(l, "optim.", name,
                     s.value
                         ? at_store_values(name, at_dtype_of_real(), s.parameter->shape, s.value)
                         : at_store_data(name, ATTEND_DTYPE_I64, SCALAR, s.steps));
    }
}

static void add_arrays(at_store_list *l, const at_train_state *s)
{
    for (int i = 0; i < s->arrays; i++) {
        const at_task_array *a = &s->array[i];
        at_store_add(l, "task.", a->name,
                     at_store_values(a->name, at_dtype_of_real(), a->shape, a->value));
    }
}

/* both states in one text; NULL without memory */
static char *metadata(const at_train_state *s, json_t *task)
{
    at_json_start();
    json_t *json = state_json(s);
    if (json && task && json_object_set(json, "task", task) < 0) {
        json_decref(json);
        return NULL;
    }
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text;
}

attend_status at_checkpoint_save(const char *path, at_params *params, at_trainer *t,
                                 const at_train_state *s, json_t *task, attend_error *err)
{
    at_store_list l = {.item = NULL};
    char *text = metadata(s, task);
    if (!text)
        return at_error_memory(err);
    at_store_params(&l, "param.", params);
    add_optim(&l, at_trainer_optim(t));
    add_arrays(&l, s);
    attend_status status = at_store_list_save(&l, path, "state", text, err);
    json_free_t release;
    json_get_alloc_funcs(NULL, &release);
    release(text);
    return status;
}

/* ---- loading -------------------------------------------------------------------------------- */

static attend_status load_state(const at_safetensors *file, const at_stored *t, const char *name,
                                at_optim *optim, attend_error *err)
{
    at_optim_state s;
    attend_status status = at_optim_state_find(optim, name, &s, err);
    if (status < 0)
        return status;
    size_t len = s.value ? s.parameter->len : 1;
    if (t->len != len)
        return at_error(err, ATTEND_SHAPE, "tensor '%s' has %zu numbers, not %zu", t->name, t->len,
                        len);
    if (s.value)
        return at_safetensors_read_weights(file, t, s.value, err);
    status = at_safetensors_read_int(file, t, s.steps, err);
    if (status >= 0 && (*s.steps < 0 || *s.steps > most_updates))
        status = at_error(err, ATTEND_FORMAT, "tensor '%s' has %lld; steps are 0 to %lld", t->name,
                          (long long)*s.steps, (long long)most_updates);
    return status;
}

static attend_status load_states(const at_safetensors *file, at_optim *optim, attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < at_safetensors_count(file) && status >= 0; i++) {
        const at_stored *t = at_safetensors_at(file, i);
        if (strncmp(t->name, "optim.", 6) == 0)
            status = load_state(file, t, t->name + 6, optim, err);
    }
    return status;
}

/* one array of the task, which the run has made as large as it will be */
static attend_status load_array(const at_safetensors *file, const at_task_array *a,
                                attend_error *err)
{
    const at_stored *found = NULL;
    for (int i = 0; i < at_safetensors_count(file) && !found; i++) {
        const at_stored *t = at_safetensors_at(file, i);
        if (strncmp(t->name, "task.", 5) == 0 && strcmp(t->name + 5, a->name) == 0)
            found = t;
    }
    size_t len = 0;
    if (!found)
        return at_error(err, ATTEND_FORMAT, "the checkpoint has no tensor 'task.%s'", a->name);
    if (!at_shape_len(a->shape, &len) || found->len != len)
        return at_error(err, ATTEND_SHAPE, "tensor '%s' has %zu numbers, not %zu", found->name,
                        found->len, len);
    return at_safetensors_read_weights(file, found, a->value, err);
}

static attend_status load_arrays(const at_safetensors *file, const at_train_state *s,
                                 attend_error *err)
{
    attend_status status = ATTEND_OK;
    for (int i = 0; i < s->arrays && status >= 0; i++)
        status = load_array(file, &s->array[i], err);
    return status;
}

static attend_status load(const at_safetensors *file, const char *path, const json_t *json,
                          at_params *params, at_trainer *t, at_train_state *s, attend_error *err)
{
    attend_status status = state_read(json, path, s, err);
    if (status >= 0 && (status = at_weights_read(file, "param.", params, err)) >= 0)
        status = load_states(file, at_trainer_optim(t), err);
    if (status >= 0)
        status = load_arrays(file, s, err);
    if (status < 0)
        return status;
    at_trainer_set_updates(t, s->updates, s->batches);
    at_optim_set_steps(at_trainer_optim(t), s->updates);
    at_trainer_rate(t)->plateau = s->plateau;
    return ATTEND_OK;
}

/* Gives the state of a checkpoint of attend 0.1 the names of today; false without memory. */
static bool from_version_1(json_t *json)
{
    const json_t *baseline = json_object_get(json, "baseline");
    json_t *targets = json_object_get(json, "asked");
    json_t *task = json_pack("{sO* sO*}", "baseline", json_object_get(baseline, "mean"), "started",
                             json_object_get(baseline, "started"));
    return task && json_object_set_new(json, "task", task) == 0
           && (!targets || json_object_set(json, "targets", targets) == 0);
}

static attend_status read_metadata(const at_safetensors *file, const char *path, json_t **json,
                                   attend_error *err)
{
    const char *text = at_safetensors_metadata(file, "state");
    bool former = !text;
    if (former)
        text = at_safetensors_metadata(file, "standing");
    if (!text)
        return at_error(err, ATTEND_FORMAT,
                        "%s: no checkpoint of a training run; --init-from takes weights alone",
                        at_show(path).text);
    attend_status status = at_safetensors_verify_all(file, err);
    if (status >= 0)
        status = at_json_parse(path, text, strlen(text), json, err);
    if (status >= 0 && former && json_is_object(*json) && !from_version_1(*json))
        status = at_error_memory(err);
    return status;
}

attend_status at_checkpoint_load(const char *path, at_params *params, at_trainer *t,
                                 at_train_state *s, json_t **task, attend_error *err)
{
    at_safetensors *file;
    json_t *json = NULL;
    *task = NULL;
    attend_status status = at_safetensors_open(path, &file, err);
    if (status < 0)
        return status;
    status = read_metadata(file, path, &json, err);
    if (status >= 0)
        status = load(file, path, json, params, t, s, err);
    if (status >= 0)
        *task = json_incref(json_object_get(json, "task"));
    json_decref(json);
    at_safetensors_close(file);
    return status;
}
