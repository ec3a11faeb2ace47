/* Fuzz target: any bytes as a configuration. Values stay in their ranges, and what is printed reads
 * back the same. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"

typedef struct {
    bool flag;
    int count, choice;
    double rate;
    const char *text, *path;
    at_paths paths;
} fields;

static const at_option options[] = {
    {.name = "flag", OPTION_FLAG(fields, flag), .help = "F"},
    {.name = "count", OPTION_INT(fields, count), .value = "5", .min = 1, .max = 9, .help = "C"},
    {.name = "choice", OPTION_CHOICE(fields, choice), .choices = "one|two|three", .help = "C"},
    {.name = "rate", OPTION_REAL(fields, rate), .min = 0, .max = INFINITY, .help = "R"},
    {.name = "text", OPTION_STRING(fields, text), .help = "T"},
    {.name = "path", OPTION_PATH(fields, path), .help = "P"},
    {.name = "paths", OPTION_PATHS(fields, paths), .help = "P"},
    {0}};

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static attend_status take(at_config *c, const char *text, size_t size, fields *f)
{
    attend_error err;
    at_option_set set = {options, f};
    require(at_options_defaults(options, f, &err) == ATTEND_OK, "the table is sound");
    attend_status status = at_config_parse(c, "input", text, size, &err);
    if (status >= 0)
        status = at_config_apply(c, &set, 1, &err);
    require(status >= 0 || status == ATTEND_FORMAT || status == ATTEND_OPTION,
            "nothing else can go wrong");
    return status;
}

static bool same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_config c, again;
    fields f, g;
    attend_status status = take(&c, (const char *)data, size, &f);
    require(f.count >= 1 && f.count <= 9, "an int stays in its range");
    require(f.choice >= 0 && f.choice < 3, "a choice is one of three");
    require(f.rate >= 0 && isfinite(f.rate), "a number stays in its range");
    if (status >= 0) {
        at_option_set set = {options, &f};
        at_str text = {0};
        at_config_print(&text, &set, 1, NULL, NULL);
        require(take(&again, at_str_text(&text), text.length, &g) >= 0, "it reads what it prints");
        require(f.flag == g.flag && f.count == g.count && f.choice == g.choice && f.rate == g.rate,
                "the same values");
        require(same(f.text, g.text) && same(f.path, g.path), "the same texts");
        require(f.paths.count == g.paths.count, "the same files");
        for (int i = 0; i < f.paths.count; i++)
            require(same(f.paths.item[i], g.paths.item[i]), "and their names");
        at_str_free(&text);
        at_config_free(&again);
    }
    at_config_free(&c);
    return 0;
}
