#include "cli/inspect_model.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checksum_list.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

enum { LEFT = 24 };

bool at_inspect_is_model(const char *path)
{
    struct stat about;
    char *config = at_file_join(path, "config.json");
    bool is = config && stat(path, &about) == 0 && S_ISDIR(about.st_mode) && at_file_exists(config);
    at_free(config);
    return is;
}

/* ---- a line, or a member ------------------------------------------------------------------- */

static void row(at_str *out, const char *name, const char *value, int columns)
{
    at_str safe = {0};
    at_str_add_safe(&safe, name);
    at_str_pad(out, at_str_text(&safe), LEFT);
    at_str_clear(&safe);
    at_str_add_safe(&safe, value);
    at_str_wrap(out, at_str_text(&safe), LEFT, LEFT, columns);
    at_str_add(out, "\n");
    out->failed |= safe.failed;
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

static attend_status add_settings(at_str *out, int columns, const char *folder, bool json,
                                  attend_error *err)
{
    json_t *config = NULL, *value;
    const char *key;
    char *path = at_file_join(folder, "config.json");
    attend_status status = path ? at_checksum_list_verify(folder, NULL, NULL, err)
                                : at_error_memory(err);
    if (status >= 0)
        status = at_json_load(path, &config, err);
    if (status >= 0 && json) {
        char *text = json_dumps(config, JSON_COMPACT);
        at_str_print(out, "\"config\": %s,\n", text ? text : "null");
        out->failed |= !text;
        json_free_t release;
        json_get_alloc_funcs(NULL, &release);
        release(text);
    } else if (status >= 0) {
        json_object_foreach(config, key, value)
        {
            at_str text = {0};
            value_text(&text, value);
            row(out, key, at_str_text(&text), columns);
            at_str_free(&text);
        }
    }
    json_decref(config);
    at_free(path);
    return status;
}

/* ---- vocabularies -------------------------------------------------------------------------- */

static attend_status add_vocabularies(at_str *out, int columns, const char *folder, bool json,
                                      attend_error *err)
{
    static const char *const names[] = {"source", "target", "tokenizer"};
    attend_status status = ATTEND_OK;
    bool first = true;
    at_str_add(out, json ? "\"vocabularies\": {" : "");
    for (size_t i = 0; i < sizeof names / sizeof *names && status >= 0; i++) {
        char *path = at_file_join(folder, names[i]), value[80];
        attend_tokenizer *t = NULL;
        if (path && at_file_exists(path))
            status = attend_tokenizer_open(path, &t, err);
        if (t) {
            if (json)
                at_str_print(out, "%s\"%s\": {\"kind\": \"%s\", \"size\": %d}", first ? "" : ", ",
                             names[i], attend_tokenizer_kind(t), attend_tokenizer_size(t));
            snprintf(value, sizeof value, "%s, %d pieces", attend_tokenizer_kind(t),
                     attend_tokenizer_size(t));
            if (!json)
                row(out, names[i], value, columns);
            first = false;
        }
        attend_tokenizer_free(t);
        at_free(path);
    }
    at_str_add(out, json ? "},\n" : "");
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

static void add_parts(at_str *out, int columns, const attend_tensors *tensors, bool json)
{
    part parts[PARTS_MOST] = {{.numbers = 0}};
    int count = count_parts(tensors, parts);
    at_str text = {0};
    for (int i = 0; i < count; i++) {
        at_str_add(&text, i ? ", " : "");
        if (json)
            at_str_add_json(&text, parts[i].name);
        else
            at_str_add(&text, parts[i].name);
        at_str_print(&text, json ? ": %zu" : " %zu", parts[i].numbers);
    }
    if (json)
        at_str_print(out, "\"parts\": {%s},\n", at_str_text(&text));
    else
        row(out, "parameters", at_str_text(&text), columns);
    out->failed |= text.failed;
    at_str_free(&text);
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
static void add_training(at_str *out, int columns, const char *folder, bool json)
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
    if (json && best)
        at_str_print(out, "\"best\": %s,\n", best);
    else if (best)
        add_best(out, columns, lines, best);
    at_free(text);
    at_free(path);
}

attend_status at_inspect_model(at_str *out, at_cli *cli, const char *folder,
                               const attend_tensors *tensors, bool json, attend_error *err)
{
    attend_status status = add_settings(out, cli->columns, folder, json, err);
    if (status >= 0)
        status = add_vocabularies(out, cli->columns, folder, json, err);
    if (status < 0)
        return status;
    add_parts(out, cli->columns, tensors, json);
    add_training(out, cli->columns, folder, json);
    at_str_add(out, json ? "" : "\n");
    return ATTEND_OK;
}
