/* attend tokenize: text in, pieces or ids out, a line for a line. */
#include <string.h>

#include "base/json_write.h"
#include "base/memory.h"
#include "cli/stream.h"
#include "cli/tokenizer.h"

typedef struct {
    const char *tokenizer, *kind;
    bool lower, ids, offsets, json, special, keep_unknown;
} tokenize;

/* clang-format off */
static const at_option options[] = {
    {.name = "tokenizer", .letter = 't', OPTION_PATH(tokenize, tokenizer), .meta = "PATH",
     .group = "Tokenizer", .help = "A folder or a file of a tokenizer"},
    {.name = "kind", .letter = 'k', OPTION_STRING(tokenize, kind), .meta = "KIND",
     .help = "Cut without a vocabulary: words, chars or bytes",
     .example = {"attend tokenize --kind words text.txt", "Cut punctuation off the words"}},
    {.name = "lower", OPTION_FLAG(tokenize, lower), .help = "With --kind: lower case"},
    {.name = "ids", OPTION_FLAG(tokenize, ids), .group = "Output",
     .help = "Write the pieces' numbers",
     .example = {"attend tokenize -t pieces --ids text.txt", "What a model gets"}},
    {.name = "offsets", OPTION_FLAG(tokenize, offsets),
     .help = "Write which characters of the line each piece stands for, as 0-5"},
    {.name = "json", OPTION_FLAG(tokenize, json),
     .help = "Write an object per line: pieces, ids, offsets, and the words they belong to",
     .example = {"attend tokenize -t pieces --json text.txt", "Everything, for a program to read"}},
    {.name = "special", .letter = 's', OPTION_FLAG(tokenize, special),
     .help = "With the special pieces that a model wants around a text"},
    {.name = "keep-unknown", OPTION_FLAG(tokenize, keep_unknown),
     .help = "Write unknown pieces as they are in the text; with --kind all are"},
    {0}};
/* clang-format on */

typedef struct {
    const tokenize *o;
    const attend_tokenizer *t;
    bool keep; /* unknown pieces are written as they are in the text */
    attend_tokens *pieces;
    at_str out;
} job;

/* ---- one line --------------------------------------------------------------------------- */

/* the pieces with spaces between them, or as a member of json */
static attend_status add_texts(job *j, at_json_out *json, const char *line, size_t length,
                               attend_error *err)
{
    size_t count, size;
    const attend_token *p = attend_tokens_items(j->pieces, &count);
    attend_status status = ATTEND_OK;
    if (j->keep)
        status = attend_tokens_spell(j->pieces, j->t, line, length, err);
    if (json)
        at_json_array(json, "pieces");
    for (size_t i = 0; i < count && status >= 0; i++) {
        const char *text = j->keep ? attend_tokens_text(j->pieces, i, &size)
                                   : attend_tokenizer_token(j->t, p[i].id, &size);
        if (json) {
            at_json_bytes(json, NULL, text, size);
            continue;
        }
        at_str_add(&j->out, i ? " " : "");
        at_str_add_bytes(&j->out, text, size);
    }
    if (json)
        at_json_end(json);
    return status;
}

static void add_numbers(job *j, bool offsets)
{
    size_t count;
    const attend_token *p = attend_tokens_items(j->pieces, &count);
    for (size_t i = 0; i < count; i++)
        if (offsets)
            at_str_print(&j->out, "%s%u-%u", i ? " " : "", p[i].begin, p[i].end);
        else
            at_str_print(&j->out, "%s%d", i ? " " : "", p[i].id);
}

static attend_status write_json(job *j, const char *line, size_t length, attend_error *err)
{
    size_t count;
    at_json_out out = {.out = &j->out};
    at_json_object(&out, NULL);
    attend_status status = add_texts(j, &out, line, length, err);
    attend_tokens_in_characters(j->pieces, line, length);
    const attend_token *p = attend_tokens_items(j->pieces, &count);
    at_json_array(&out, "ids");
    for (size_t i = 0; i < count; i++)
        at_json_int(&out, NULL, p[i].id);
    at_json_end(&out);
    at_json_array(&out, "offsets");
    for (size_t i = 0; i < count; i++) {
        at_json_array(&out, NULL);
        at_json_int(&out, NULL, p[i].begin);
        at_json_int(&out, NULL, p[i].end);
        at_json_end(&out);
    }
    at_json_end(&out);
    at_json_array(&out, "words");
    for (size_t i = 0; i < count; i++)
        if (p[i].word == ATTEND_NO_WORD)
            at_json_null(&out, NULL);
        else
            at_json_int(&out, NULL, p[i].word);
    at_json_end(&out);
    at_json_end(&out);
    at_str_add(&j->out, "\n");
    return status;
}

static attend_status write_plain(job *j, const char *line, size_t length, attend_error *err)
{
    attend_status status = ATTEND_OK;
    if (j->o->offsets)
        attend_tokens_in_characters(j->pieces, line, length);
    if (j->o->ids || j->o->offsets)
        add_numbers(j, j->o->offsets);
    else
        status = add_texts(j, NULL, line, length, err);
    at_str_add(&j->out, "\n");
    return status;
}

static attend_status one_line(job *j, const char *text, size_t size, attend_error *err)
{
    bool framed = j->o->special;
    attend_status status = attend_tokenizer_encode(j->t, text, size, framed, &j->pieces, err);
    if (status < 0)
        return status;
    status = j->o->json ? write_json(j, text, size, err) : write_plain(j, text, size, err);
    return status < 0 ? status : at_cli_flush(&j->out, false, err);
}

/* ---- the command ------------------------------------------------------------------------ */

static attend_status all_lines(job *j, at_reader *r, attend_error *err)
{
    const char *text;
    size_t size;
    int more;
    attend_status status = ATTEND_OK;
    r->flushed = &j->out;
    while (status >= 0 && (more = at_reader_next(r, &text, &size, err)) != 0)
        status = more < 0 ? (attend_status)more : one_line(j, text, size, err);
    return status < 0 ? status : at_cli_flush(&j->out, true, err);
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const tokenize *o = fields;
    attend_tokenizer *t = NULL;
    at_reader reader = {.file = -1};
    if (o->ids + o->offsets + o->json > 1)
        return at_error(err, ATTEND_OPTION, "--ids, --offsets and --json: choose one");
    if (o->ids && o->kind && strcmp(o->kind, "bytes") != 0)
        return at_error(err, ATTEND_OPTION, "--ids needs the vocabulary of a --tokenizer");
    attend_status status = at_cli_tokenizer_open(
        cli, (at_cli_tokenizer){o->tokenizer, o->kind, o->lower}, &t, err);
    if (status < 0)
        return status;
    job j = {.o = o, .t = t, .keep = o->keep_unknown || o->kind};
    status = at_reader_open(&reader, cli, operands ? operand[0] : "-", err);
    if (status >= 0)
        status = all_lines(&j, &reader, err);
    at_reader_close(&reader);
    attend_tokens_free(j.pieces);
    at_str_free(&j.out);
    attend_tokenizer_free(t);
    return status;
}

static const at_term examples[] = {
    {"attend tokenize -t pieces text.txt", "Cut a text with the tokenizer in the folder pieces"},
    {0}};

const at_command at_command_tokenize = {
    .usage = {.name = "tokenize",
              .summary = "Cut text into pieces, line by line",
              .operands = "[FILE]",
              .description = "Reads FILE or standard input and writes a line for every line: its "
                             "pieces with blanks between them. `attend vocab learn` makes a "
                             "tokenizer, `attend detokenize` is the way back.\n\nBytes that are no "
                             "UTF-8 are taken as U+FFFD, or kept by kinds that work on bytes; "
                             "how many lines have some is said at the end. Only \\n ends a "
                             "line; a \\r before it and a byte-order mark are skipped, and "
                             "said.",
              .options = options,
              .examples = examples},
    .size = sizeof(tokenize),
    .max_operands = 1,
    .run = run,
};
