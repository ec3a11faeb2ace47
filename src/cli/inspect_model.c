#include "cli/inspect_model.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/table.h"

enum { LEFT = 24 };

bool at_inspect_is_model(const char *path)
{
    struct stat about;
    char *config = at_file_join(path, "config.json");
    bool is = config && stat(path, &about) == 0 && S_ISDIR(about.st_mode) && at_file_exists(config);
    at_free(config);
    return is;
}

static void row(at_str *out, const char *name, const char *value, int columns)
{
    at_str safe_name = {0}, safe = {0};
    at_str_add_safe(&safe_name, name);
    at_str_add_safe(&safe, value);
    at_table_pair(out, at_str_text(&safe_name), at_str_text(&safe), LEFT, columns);
    out->failed |= safe_name.failed || safe.failed;
    at_str_free(&safe_name);
    at_str_free(&safe);
}

/* ---- config.json --------------------------------------------------------------------------- */

static void value_text(at_str *out, const json_t *value)
{
    if (json_is_string(value))
        at_str_add(out, json_string_value(value));
    else if (json_is_boolean(value))
        at_str_add(out, json_is_true(value) ? "yes" : "no");
    else if (json_is_integer(value))
        at_str_print(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        at_str_print(out, "%g", json_real_value(value));
    else if (json_is_array(value))
        at_str_print(out, "%zu numbers", json_array_size(value));
    else
        at_str_add(out, json_is_null(value) ? "none" : "...");
}

/* release it with json_decref */
static attend_status load_config(const char *folder, json_t **config, attend_error *err)
{
    char *path = at_file_join(folder, "config.json");
    *config = NULL;
    attend_status status = path ? at_checksum_list_verify(folder, NULL, NULL, err)
                                : at_error_memory(err);
    if (status >= 0)
        status = at_json_load(path, config, err);
    at_free(path);
    return status;
}

/* is it a folder of the hub, by its config.json? */
static bool is_hub(const json_t *config)
{
    const char *type = json_string_value(json_object_get(config, "model_type"));
    return type && strncmp(type, "attend-", 7) != 0;
}

static attend_status add_settings(at_str *out, at_json_out *j, int columns, const char *folder,
                                  attend_error *err)
{
    json_t *config, *value;
    const char *key;
    attend_status status = load_config(folder, &config, err);
    if (status < 0)
        return status;
    if (is_hub(config))
        status = at_inspect_hub(out, j, columns, folder, err);
    if (j) {
        at_json_line(j, 0);
        at_json_tree(j, "config", config);
    } else
        json_object_foreach(config, key, value)
        {
            at_str text = {0};
            value_text(&text, value);
            row(out, key, at_str_text(&text), columns);
            at_str_free(&text);
        }
    json_decref(config);
    return status;
}

/* ---- vocabularies -------------------------------------------------------------------------- */

static void add_vocabulary(at_str *out, at_json_out *j, int columns, const char *name,
                           const attend_tokenizer *t)
{
    char value[80];
    if (j) {
        at_json_object(j, name);
        at_json_string(j, "kind", attend_tokenizer_kind(t));
        at_json_int(j, "size", attend_tokenizer_size(t));
        at_json_end(j);
        return;
    }
    snprintf(value, sizeof value, "%s, %d pieces", attend_tokenizer_kind(t),
             attend_tokenizer_size(t));
    row(out, name, value, columns);
}

static attend_status add_vocabularies(at_str *out, at_json_out *j, int columns, const char *folder,
                                      attend_error *err)
{
    static const char *const names[] = {"source", "target", "tokenizer"};
    attend_status status = ATTEND_OK;
    if (j) {
        at_json_line(j, 0);
        at_json_object(j, "vocabularies");
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && status >= 0; i++) {
        char *path = at_file_join(folder, names[i]);
        attend_tokenizer *t = NULL;
        if (path && at_file_exists(path))
            status = attend_tokenizer_open(path, &t, err);
        if (t)
            add_vocabulary(out, j, columns, names[i], t);
        attend_tokenizer_free(t);
        at_free(path);
    }
    if (j)
        at_json_end(j);
    return status;
}

/* ---- parameters by part -------------------------------------------------------------------- */

enum { PARTS_MOST = 16 };

typedef struct {
    char name[32];
    size_t numbers;
} part;

/* by the first word of the names: "encoder", "attention" */
static int count_parts(const attend_tensors *tensors, part *parts)
{
    attend_tensor_info info;
    int count = 0;
    for (size_t i = 0; attend_tensors_info(tensors, i, &info); i++) {
        char name[32];
        int at = 0;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(info.name, "."), info.name);
        while (at < count && strcmp(parts[at].name, name) != 0)
            at++;
        if (at == count && count == PARTS_MOST)
            continue;
        if (at == count)
            snprintf(parts[count++].name, sizeof name, "%s", name);
        parts[at].numbers += info.count;
    }
    return count;
}

static void add_parts(at_str *out, int columns, const attend_tensors *tensors)
{
    part parts[PARTS_MOST] = {{.numbers = 0}};
    int count = count_parts(tensors, parts);
    at_str text = {0};
    for (int i = 0; i < count; i++)
        at_str_print(&text, "%s%s %zu", i ? ", " : "", parts[i].name, parts[i].numbers);
    row(out, "parameters", at_str_text(&text), columns);
    out->failed |= text.failed;
    at_str_free(&text);
}

static void parts_json(at_json_out *j, const attend_tensors *tensors)
{
    part parts[PARTS_MOST] = {{.numbers = 0}};
    int count = count_parts(tensors, parts);
    at_json_line(j, 0);
    at_json_object(j, "parts");
    for (int i = 0; i < count; i++)
        at_json_int(j, parts[i].name, (long long)parts[i].numbers);
    at_json_end(j);
}

/* ---- how training went --------------------------------------------------------------------- */

static bool is_json(const char *text)
{
    json_t *json;
    bool is = at_json_parse("", text, strlen(text), &json, NULL) >= 0;
    json_decref(json);
    return is;
}

/* "3 validations, the best at step 40, epoch 2.5: loss 0.69, training loss 0.99" */
static void add_best(at_str *out, int columns, int validations, const char *line)
{
    json_t *json, *value;
    const char *key;
    at_str text = {0};
    bool first = true;
    if (at_json_parse("", line, strlen(line), &json, NULL) < 0)
        return;
    at_str_print(&text, "%d validation%s, the best at step %.0f, epoch %.2f", validations,
                 validations == 1 ? "" : "s", json_number_value(json_object_get(json, "step")),
                 json_number_value(json_object_get(json, "epoch")));
    json_object_foreach(json, key, value)
    {
        if (!json_is_number(value) || strcmp(key, "step") == 0 || strcmp(key, "epoch") == 0
            || strcmp(key, "shards") == 0)
            continue;
        at_str_add(&text, first ? ": " : ", ");
        for (const char *c = key; *c; c++)
            at_str_add_bytes(&text, *c == '_' ? " " : c, 1);
        at_str_print(&text, " %.4g", json_number_value(value));
        first = false;
    }
    row(out, "training", at_str_text(&text), columns);
    out->failed |= text.failed;
    at_str_free(&text);
    json_decref(json);
}

/* the last line of metrics.jsonl that was the best */
static void add_training(at_str *out, at_json_out *j, int columns, const char *folder)
{
    char *path = at_file_join(folder, "training/metrics.jsonl"), *text = NULL;
    size_t size = 0;
    const char *best = NULL;
    int lines = 0;
    if (path && at_file_exists(path))
        at_file_read(path, (size_t)1 << 28, &text, &size, NULL);
    for (char *at = text; at && *at; lines++) {
        char *end = strchr(at, '\n');
        if (end)
            *end = '\0';
        if (strstr(at, "\"best\": true") && is_json(at))
            best = at;
        at = end ? end + 1 : at + strlen(at);
    }
    if (j && best) {
        at_json_line(j, 0);
        at_json_raw(j, "best", best, strlen(best));
    } else if (best)
        add_best(out, columns, lines, best);
    at_free(text);
    at_free(path);
}

attend_status at_inspect_model(at_str *out, at_cli *cli, const char *folder,
                               const attend_tensors *tensors, attend_error *err)
{
    attend_status status = add_settings(out, NULL, cli->columns, folder, err);
    if (status >= 0)
        status = add_vocabularies(out, NULL, cli->columns, folder, err);
    if (status < 0)
        return status;
    add_parts(out, cli->columns, tensors);
    add_training(out, NULL, cli->columns, folder);
    at_str_add(out, "\n");
    return ATTEND_OK;
}

attend_status at_inspect_model_json(at_json_out *j, const char *folder,
                                    const attend_tensors *tensors, attend_error *err)
{
    attend_status status = add_settings(j->out, j, 0, folder, err);
    if (status >= 0)
        status = add_vocabularies(j->out, j, 0, folder, err);
    if (status < 0)
        return status;
    parts_json(j, tensors);
    add_training(j->out, j, 0, folder);
    return ATTEND_OK;
}
