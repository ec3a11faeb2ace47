/* attend detokenize: pieces or ids in, text out, a line for a line. */
#include <stdint.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/stream.h"
#include "cli/tokenizer.h"

typedef struct {
    const char *tokenizer, *kind;
    bool ids, special;
} detokenize;

/* clang-format off */
static const at_option options[] = {
    {.name = "tokenizer", .letter = 't', OPTION_PATH(detokenize, tokenizer), .meta = "PATH",
     .group = "Tokenizer", .help = "A folder or a file of a tokenizer"},
    {.name = "kind", .letter = 'k', OPTION_STRING(detokenize, kind), .meta = "KIND",
     .help = "Join without a vocabulary: words, chars or bytes",
     .example = {"attend detokenize --kind words words.txt",
                 "Bring punctuation back to the words"}},
    {.name = "ids", OPTION_FLAG(detokenize, ids), .group = "Input",
     .help = "Lines hold numbers of pieces",
     .example = {"attend detokenize -t pieces --ids ids.txt", "Read what a model says"}},
    {.name = "special", .letter = 's', OPTION_FLAG(detokenize, special),
     .help = "With --ids: write special pieces too"},
    {0}};
/* clang-format on */

typedef struct {
    const detokenize *o;
    const attend_tokenizer *t;
    const char **piece;
    size_t *sizes;
    int *ids;
    size_t count, room;
    at_str out;
} job;

/* ---- one line --------------------------------------------------------------------------- */

static bool reserve(job *j)
{
    if (j->count < j->room)
        return true;
    size_t room = j->room ? 2 * j->room : 256, old = j->room;
    const char **piece = at_realloc(j->piece, old * sizeof *piece, room * sizeof *piece);
    j->piece = piece ? piece : j->piece;
    size_t *sizes = at_realloc(j->sizes, old * sizeof *sizes, room * sizeof *sizes);
    j->sizes = sizes ? sizes : j->sizes;
    int *ids = at_realloc(j->ids, old * sizeof *ids, room * sizeof *ids);
    j->ids = ids ? ids : j->ids;
    if (!piece || !sizes || !ids)
        return false;
    j->room = room;
    return true;
}

static attend_status one_piece(job *j, const at_reader *r, const char *text, size_t size,
                               attend_error *err)
{
    long long id = 0;
    if (!reserve(j))
        return at_error_memory(err);
    if (j->o->ids && (!at_number_whole(text, size, &id) || id < 0 || id > INT32_MAX))
        return at_error(err, ATTEND_FORMAT, "%s:%ld: \"%.*s\" is not the number of a piece",
                        at_show(r->name).text, r->line, size < 40 ? (int)size : 40, text);
    j->piece[j->count] = text;
    j->sizes[j->count] = size;
    j->ids[j->count++] = (int)id;
    return ATTEND_OK;
}

static attend_status split(job *j, const at_reader *r, const char *text, size_t size,
                           attend_error *err)
{
    attend_status status = ATTEND_OK;
    j->count = 0;
    for (size_t at = 0; at < size && status >= 0;) {
        const char *blank = memchr(text + at, ' ', size - at);
        size_t length = blank ? (size_t)(blank - text) - at : size - at;
        if (length)
            status = one_piece(j, r, text + at, length, err);
        at += length + 1;
    }
    return status;
}

static attend_status one_line(job *j, const at_reader *r, const char *line, size_t length,
                              attend_error *err)
{
    char *text = NULL;
    size_t size;
    attend_error why;
    attend_status status = split(j, r, line, length, err);
    if (status < 0)
        return status;
    if (j->o->ids)
        status = attend_tokenizer_decode(j->t, j->ids, j->count, j->o->special, &text, &size, &why);
    else
        status = attend_tokenizer_join(j->t, j->piece, j->sizes, j->count, &text, &size, &why);
    if (status < 0)
        return at_error(err, status == ATTEND_OPTION ? ATTEND_FORMAT : status, "%s:%ld: %s",
                        at_show(r->name).text, r->line, why.message);
    at_str_add_bytes(&j->out, text, size);
    at_str_add(&j->out, "\n");
    attend_free(text);
    return at_cli_flush(&j->out, false, err);
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
        status = more < 0 ? (attend_status)more : one_line(j, r, text, size, err);
    return status < 0 ? status : at_cli_flush(&j->out, true, err);
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    const detokenize *o = fields;
    attend_tokenizer *t = NULL;
    at_reader reader = {.file = -1};
    if (o->special && !o->ids)
        return at_error(err, ATTEND_OPTION, "--special goes with --ids; pieces are all written");
    if (o->ids && o->kind)
        return at_error(err, ATTEND_OPTION, "--ids needs the vocabulary of a --tokenizer");
    at_cli_tokenizer which = {.path = o->tokenizer, .kind = o->kind};
    attend_status status = at_cli_tokenizer_open(cli, which, &t, err);
    if (status < 0)
        return status;
    job j = {.o = o, .t = t};
    status = at_reader_open(&reader, cli, operands ? operand[0] : "-", err);
    if (status >= 0)
        status = all_lines(&j, &reader, err);
    at_reader_close(&reader);
    at_free(j.piece);
    at_free(j.sizes);
    at_free(j.ids);
    at_str_free(&j.out);
    attend_tokenizer_free(t);
    return status;
}

static const at_term examples[] = {
    {"attend detokenize -t pieces pieces.txt", "Text from the pieces of attend tokenize"}, {0}};

const at_command at_command_detokenize = {
    .usage = {.name = "detokenize",
              .summary = "Join pieces into text again, line by line",
              .operands = "[FILE]",
              .description = "Reads FILE or standard input, whose lines hold pieces with blanks "
                             "between them, and writes a line of text for every line.",
              .options = options,
              .examples = examples},
    .size = sizeof(detokenize),
    .max_operands = 1,
    .run = run,
};
