#include <string.h>

#include "cli/cli.h"
#include "cli/inspect_model.h"
#include "cli/table.h"

typedef struct {
    bool build, json, verify, update;
} inspect;

static const at_option options[] = {
    {.name = "build",
     OPTION_FLAG(inspect, build),
     .help = "This program: version, compiler, instruction set, threads, libraries",
     .example = {"attend inspect --build", "What this program is and what it runs on"}},
    {.name = "json",
     OPTION_FLAG(inspect, json),
     .help = "Write JSON",
     .example = {"attend inspect --json model.safetensors", "The same for a program to read"}},
    {.name = "verify",
     OPTION_FLAG(inspect, verify),
     .help = "Verify all checksums of a model, a tokenizer or a safetensors file: a line for each "
             "fault, and exit code 65",
     .example = {"attend inspect --verify model", "Is anything in the folder damaged?"}},
    {.name = "update-checksums",
     OPTION_FLAG(inspect, update),
     .help = "Accept settings and tokenizer files of the folder MODEL as they are, after an edit",
     .example = {"attend inspect --update-checksums model", "After an edit of config.json"}},
    {0}};

/* ---- the build -------------------------------------------------------------------------- */

/* one of the lines "name: value" */
static void build_line(at_str *out, at_json_out *j, const char *line, size_t length)
{
    at_str name = {0}, value = {0};
    size_t colon = strcspn(line, ":");
    at_str_add_bytes(&name, line, colon);
    at_str_add_bytes(&value, line + colon + 2, length - colon - 2);
    if (j) {
        at_json_line(j, 2);
        at_json_string(j, at_str_text(&name), at_str_text(&value));
    } else
        at_table_pair(out, at_str_text(&name), at_str_text(&value), 20, 80);
    out->failed |= name.failed || value.failed;
    at_str_free(&name);
    at_str_free(&value);
}

static attend_status show_build(const inspect *o, attend_error *err)
{
    at_str text = {0};
    at_json_out j = {.out = &text};
    if (o->json)
        at_json_object(&j, NULL);
    for (const char *line = attend_build_info(); *line;) {
        size_t length = strcspn(line, "\n");
        build_line(&text, o->json ? &j : NULL, line, length);
        line += length + (line[length] == '\n');
    }
    if (o->json) {
        at_json_line(&j, 0);
        at_json_end(&j);
        at_str_add(&text, "\n");
    }
    return at_cli_write(&text, err);
}

/* ---- a file ----------------------------------------------------------------------------- */

typedef struct {
    size_t tensors, parameters, data, bytes; /* data: numbers that are no parameters */
} total;

/* Is a tensor among those that the note "data" names? */
static bool is_data(const attend_tensors *tensors, const char *name)
{
    const char *key, *text;
    size_t length = strlen(name);
    for (size_t i = 0; attend_tensors_note(tensors, i, &key, &text); i++)
        for (const char *word = text; strcmp(key, "data") == 0 && *word;) {
            size_t n = strcspn(word, " ");
            if (n == length && memcmp(word, name, n) == 0)
                return true;
            word += n + strspn(word + n, " ");
        }
    return false;
}

static void shape_cell(at_table *table, const attend_tensor_info *info)
{
    at_str shape = {0};
    for (int i = 0; i < info->rank; i++)
        at_str_print(&shape, "%s%zu", i ? ", " : "", info->shape[i]);
    at_table_cell(table, "[%s]", at_str_text(&shape));
    table->cells.failed |= shape.failed;
    at_str_free(&shape);
}

static void fill(at_table *table, const attend_tensors *tensors, bool json, total *sum)
{
    attend_tensor_info info;
    at_str name = {0};
    for (size_t i = 0; attend_tensors_info(tensors, i, &info); i++) {
        at_str_clear(&name);
        if (json)
            at_str_add(&name, info.name);
        else
            at_str_add_safe(&name, info.name);
        at_table_cell(table, "%s", at_str_text(&name));
        at_table_cell(table, "%s", info.dtype);
        shape_cell(table, &info);
        at_table_cell(table, "%zu", info.count);
        at_table_cell(table, "%zu", info.bytes);
        sum->tensors++;
        *(is_data(tensors, info.name) ? &sum->data : &sum->parameters) += info.count;
        sum->bytes += info.bytes;
    }
    table->cells.failed |= name.failed;
    at_str_free(&name);
}

/* 1536 as "1.5 KiB" */
static void size_text(at_str *out, size_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    int unit = 0;
    while (size >= 1024 && unit < 4) {
        size /= 1024;
        unit++;
    }
    at_str_print(out, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

/* model: path is the folder of one */
static attend_status write_json(at_str *out, const attend_tensors *tensors, const at_table *table,
                                const total *sum, const char *path, bool model, attend_error *err)
{
    const char *name, *text;
    at_str list = {0};
    at_json_out j = {.out = out};
    at_json_object(&j, NULL);
    at_json_string(&j, "file", path);
    attend_status status = model ? at_inspect_model_json(&j, path, tensors, err) : ATTEND_OK;
    at_json_line(&j, 0);
    at_json_int(&j, "parameters", (long long)sum->parameters);
    at_json_int(&j, "bytes", (long long)sum->bytes);
    at_json_line(&j, 0);
    at_json_object(&j, "metadata");
    for (size_t i = 0; attend_tensors_note(tensors, i, &name, &text); i++)
        at_json_string(&j, name, text);
    at_json_end(&j);
    at_json_line(&j, 0);
    at_table_write(&list, table, ATTEND_TABLE_JSON, 0);
    at_json_raw(&j, "tensors", at_str_text(&list), list.length);
    at_json_end(&j);
    at_str_add(out, "\n");
    out->failed |= list.failed;
    at_str_free(&list);
    return status;
}

static void write_text(at_str *out, const attend_tensors *tensors, const at_table *table,
                       const total *sum, int columns)
{
    const char *name, *text;
    at_table_write(out, table, ATTEND_TABLE_TEXT, columns);
    at_str_print(out, "\n%zu tensor%s, %zu parameter%s, ", sum->tensors,
                 sum->tensors == 1 ? "" : "s", sum->parameters, sum->parameters == 1 ? "" : "s");
    if (sum->data)
        at_str_print(out, "%zu numbers of data, ", sum->data);
    size_text(out, sum->bytes);
    at_str_add(out, "\n");
    for (size_t i = 0; attend_tensors_note(tensors, i, &name, &text); i++) {
        at_str_add_safe(out, name);
        at_str_add(out, ": ");
        at_str_add_safe(out, text);
        at_str_add(out, "\n");
    }
}

static attend_status show_file(at_cli *cli, const inspect *o, const char *path, attend_error *err)
{
    static const at_column columns[] = {{"name", 0},
                                        {"dtype", 0},
                                        {"shape", ATTEND_COLUMN_VALUE},
                                        {"numbers", ATTEND_COLUMN_NUMBER},
                                        {"bytes", ATTEND_COLUMN_NUMBER},
                                        {0}};
    attend_tensors *tensors;
    cli->input = path;
    attend_status status = attend_tensors_open(path, &tensors, err);
    if (status < 0)
        return status;
    at_table table = {.columns = columns};
    at_str text = {0};
    total sum = {0};
    bool model = at_inspect_is_model(path);
    fill(&table, tensors, o->json, &sum);
    if (o->json)
        status = write_json(&text, tensors, &table, &sum, path, model, err);
    else if (model)
        status = at_inspect_model(&text, cli, path, tensors, err);
    if (!o->json)
        write_text(&text, tensors, &table, &sum, cli->columns);
    at_table_free(&table);
    attend_tensors_free(tensors);
    if (status >= 0)
        return at_cli_write(&text, err);
    at_str_free(&text);
    return status;
}

/* ---- checksums -------------------------------------------------------------------------- */

typedef struct {
    at_str text;
    size_t verified, faults;
} checked;

static attend_status take_verified(void *user, const attend_verified *found, attend_error *err)
{
    (void)err;
    checked *c = user;
    if (found->fault) {
        at_str_add_safe(&c->text, found->fault);
        at_str_add(&c->text, "\n");
        c->faults++;
    } else if (!found->checksums) {
        at_str_add_safe(&c->text, found->path);
        at_str_add(&c->text, ": no checksums, not verified\n");
    } else {
        c->verified++;
    }
    return ATTEND_OK;
}

static attend_status verify(at_cli *cli, const char *path, attend_error *err)
{
    checked c = {.verified = 0};
    attend_error fault;
    cli->input = path;
    attend_status status = attend_verify(path, take_verified, &c, err);
    if (!c.faults && status < 0)
        return at_str_free(&c.text), status;
    at_str_print(&c.text, "%zu file%s intact\n", c.verified, c.verified == 1 ? "" : "s");
    attend_status written = at_cli_write(&c.text, &fault);
    if (written < 0)
        return *err = fault, written;
    return c.faults ? at_error(err, status, "%.200s: %zu fault%s; the list is on standard output",
                               path, c.faults, c.faults == 1 ? "" : "s")
                    : ATTEND_OK;
}

static attend_status update(at_cli *cli, const char *path, attend_error *err)
{
    cli->input = path;
    attend_status status = attend_checksums_update(path, err);
    return status < 0 ? status : verify(cli, path, err);
}

static attend_status check_use(const inspect *o, int operands, char **operand, attend_error *err)
{
    if (o->build && operands)
        return at_error(err, ATTEND_OPTION, "--build shows this program; leave \"%.100s\" out",
                        operand[0]);
    if (!o->build && !operands)
        return at_error(err, ATTEND_OPTION, "which file? attend inspect FILE, or --build");
    if (o->build + o->verify + o->update > 1)
        return at_error(err, ATTEND_OPTION,
                        "--build, --verify and --update-checksums exclude each other; leave all "
                        "but one out");
    if (o->json && (o->verify || o->update))
        return at_error(err, ATTEND_OPTION,
                        "--json: only what a file holds is written as JSON; "
                        "leave it out");
    return ATTEND_OK;
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const inspect *o = fields;
    attend_status status = check_use(o, operands, operand, err);
    if (status < 0)
        return status;
    if (o->verify)
        return verify(cli, operand[0], err);
    if (o->update)
        return update(cli, operand[0], err);
    return o->build ? show_build(o, err) : show_file(cli, o, operand[0], err);
}

static const at_term examples[] = {
    {"attend inspect model.safetensors", "Names, types and shapes of all tensors"},
    {"attend inspect model", "A model's settings, vocabularies, parts and tensors"},
    {0}};

const at_command at_command_inspect = {
    .usage = {.name = "inspect",
              .summary = "Show what is in a model file, or in this program",
              .operands = "[MODEL|FILE.safetensors]",
              .description = "The header of the file is checked in full; the numbers themselves "
                             "are not read, so that this takes no time for a large model either. "
                             "--verify reads them all.",
              .options = options,
              .examples = examples},
    .size = sizeof(inspect),
    .max_operands = 1,
    .run = run,
};
