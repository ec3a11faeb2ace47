/* What attend inspect says of a folder of the Hugging Face hub. */
#include <stdio.h>
#include <string.h>

#include "cli/inspect_model.h"
#include "cli/table.h"

enum { LEFT = 24 };

static void row(at_str *out, const char *name, const at_str *value, int columns)
{
    at_str safe = {0};
    at_str_add_safe(&safe, at_str_text(value));
    at_table_pair(out, name, at_str_text(&safe), LEFT, columns);
    out->failed |= safe.failed || value->failed;
    at_str_free(&safe);
}

static void add(at_str *list, const char *name)
{
    at_str_print(list, "%s%s", list->length ? ", " : "", name);
}

/* "translate, align, score, evaluate, export" */
static void list_commands(at_str *list, const attend_model_info *info)
{
    bool reads = info->target_tokenizer, likely;
    for (unsigned bit = 1; bit && bit <= info->can; bit <<= 1) {
        const char *command = info->can & bit ? attend_capability_command((attend_capability)bit)
                                              : NULL;
        if (command && reads)
            add(list, command);
    }
    likely = info->can & (ATTEND_CAN_TRANSLATE | ATTEND_CAN_GENERATE);
    if (reads && info->can & ATTEND_CAN_TRANSLATE)
        add(list, "align");
    if (reads && likely)
        add(list, "score");
    if (reads && (likely || info->can & ATTEND_CAN_CLASSIFY))
        add(list, "evaluate");
    add(list, "export");
}

static void list_unused(at_str *list, const attend_model *model, const attend_model_info *info)
{
    for (size_t i = 0; i < info->unused_key_count; i++)
        add(list, attend_model_unused_key(model, i));
}

/* "source: marian, 120 tokens", where the sides have one each */
static void list_tokenizers(at_str *list, const attend_model_info *info)
{
    if (!info->target_tokenizer)
        at_str_add(list, "none; commands that read text need its files");
    else if (info->can & ATTEND_CAN_TRANSLATE)
        at_str_print(list, "source %s, %d tokens; target %s, %d tokens", info->source_tokenizer,
                     info->source_vocabulary, info->target_tokenizer, info->target_vocabulary);
    else
        at_str_print(list, "%s, %d tokens", info->target_tokenizer, info->target_vocabulary);
}

static void write_rows(at_str *out, const attend_model *model, const attend_model_info *info,
                       int columns)
{
    at_str value[5] = {{0}};
    static const char *const name[] = {"model", "memory", "tokenizer", "commands",
                                       "keys without effect"};
    at_str_print(&value[0], "%s, a %s folder of the Hugging Face hub", info->kind, info->hub);
    at_str_print(&value[1], "%zu parameters, %.1f MiB of weights", info->parameters,
                 (double)info->bytes / (1 << 20));
    list_tokenizers(&value[2], info);
    list_commands(&value[3], info);
    list_unused(&value[4], model, info);
    for (int i = 0; i < 5; i++) {
        if (value[i].length)
            row(out, name[i], &value[i], columns);
        at_str_free(&value[i]);
    }
}

static void write_json(at_json_out *j, const attend_model *model, const attend_model_info *info)
{
    at_str value[3] = {{0}};
    list_tokenizers(&value[0], info);
    list_commands(&value[1], info);
    list_unused(&value[2], model, info);
    at_json_line(j, 0);
    at_json_object(j, "hub");
    at_json_string(j, "kind", info->kind);
    at_json_string(j, "model_type", info->hub);
    at_json_int(j, "parameters", (long long)info->parameters);
    at_json_int(j, "bytes", (long long)info->bytes);
    at_json_string(j, "tokenizer", at_str_text(&value[0]));
    at_json_string(j, "commands", at_str_text(&value[1]));
    at_json_string(j, "keys_without_effect", at_str_text(&value[2]));
    at_json_end(j);
    for (int i = 0; i < 3; i++) {
        j->out->failed |= value[i].failed;
        at_str_free(&value[i]);
    }
}

attend_status at_inspect_hub(at_str *out, at_json_out *j, int columns, const char *folder,
                             attend_error *err)
{
    attend_model *model;
    attend_model_info info = {.size = sizeof info};
    attend_status status = attend_model_open(folder, &model, err);
    if (status < 0)
        return status;
    status = attend_model_describe(model, &info, err);
    if (status >= 0 && info.hub && j)
        write_json(j, model, &info);
    else if (status >= 0 && info.hub)
        write_rows(out, model, &info, columns);
    attend_model_free(model);
    return status;
}
