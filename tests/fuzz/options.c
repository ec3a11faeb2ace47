/* Fuzz target: any words, one per line, as a command line. Values stay in their ranges, operands
 * are words of the line, and what is printed is read back. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"

typedef struct {
    bool flag, on;
    int count, choice;
    double rate;
    size_t size;
    const char *text, *path;
    at_paths paths;
} fields;

static const at_option options[] = {
    {.name = "flag", .letter = 'f', OPTION_FLAG(fields, flag), .help = "F"},
    {.name = "on", .letter = 'n', OPTION_FLAG(fields, on), .value = "yes", .help = "O"},
    {.name = "count",
     .letter = 'c',
     OPTION_INT(fields, count),
     .value = "5",
     .min = 1,
     .max = 9,
     .help = "C"},
    {.name = "choice", OPTION_CHOICE(fields, choice), .choices = "one|two|three", .help = "C"},
    {.name = "rate",
     .letter = 'r',
     OPTION_REAL(fields, rate),
     .min = 0,
     .max = INFINITY,
     .help = "R"},
    {.name = "size", OPTION_SIZE(fields, size), .help = "S"},
    {.name = "text", .letter = 't', OPTION_STRING(fields, text), .help = "T"},
    {.name = "path", OPTION_PATH(fields, path), .help = "P"},
    {.name = "paths", .letter = 'p', OPTION_PATHS(fields, paths), .help = "P"},
    {0}};

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static size_t size_of(at_option_type type)
{
    switch (type) {
    case ATTEND_OPTION_FLAG: return sizeof(bool);
    case ATTEND_OPTION_REAL: return sizeof(double);
    case ATTEND_OPTION_SIZE: return sizeof(size_t);
    case ATTEND_OPTION_INT:
    case ATTEND_OPTION_CHOICE: return sizeof(int);
    default: return 0; /* strings point to what was printed */
    }
}

static void check_fields(const fields *f)
{
    require(f->count >= 1 && f->count <= 9, "an int stays in its range");
    require(f->choice >= 0 && f->choice < 3, "a choice is one of three");
    require(f->rate >= 0 && isfinite(f->rate), "a number stays in its range");
    require(!f->path || *f->path, "a path is not empty");
    require(f->paths.count >= 0 && f->paths.count <= ATTEND_PATHS_MAX, "paths have their room");
    for (int i = 0; i < f->paths.count; i++)
        require(*f->paths.item[i] != 0, "no path is empty");
    for (const at_option *o = options; o->name; o++) {
        fields again = *f;
        at_str text = {0};
        at_option_print(&text, o, f);
        if (size_of(o->type) > 0)
            require(at_option_assign(o, at_str_text(&text), &again, "again", NULL) == ATTEND_OK,
                    "what is printed is a value");
        require(
            memcmp((const char *)&again + o->offset, (const char *)f + o->offset, size_of(o->type))
                == 0,
            "and the same value");
        at_str_free(&text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 64 };
    char *argv[MOST], *line = malloc(size + 1);
    int argc = 0, operands = -1;
    fields f;
    attend_error err;
    require(line != NULL, "memory");
    memcpy(line, data, size);
    line[size] = 0;
    for (char *word = strtok(line, "\n"); word && argc < MOST; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    require(at_options_defaults(options, &f, &err) == ATTEND_OK, "the table is sound");
    at_option_set set = {options, &f};
    int words = argc;
    attend_status status = at_options_parse(&set, 1, argc, argv, &operands, &err);
    require(status == ATTEND_OK || status == ATTEND_OPTION, "nothing else can go wrong");
    require(operands >= 0 && operands <= words, "operands are words of the line");
    for (int i = 0; i < operands; i++)
        require(argv[i] >= line && argv[i] < line + size, "an operand lies in the line");
    check_fields(&f);
    free(line);
    return 0;
}
