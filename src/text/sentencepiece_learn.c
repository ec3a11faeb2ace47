/* Learning a SentencePiece model. Its library drops lines that are long or hold the character by
 * which it marks what is rare, and ends the process when nothing is left; so lines are made fit for
 * it here, and what was done to them is said. It also ends the process where memory is short: it
 * runs in a child process, which inherits the lines and leaves the model in shared memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/sentencepiece.h"
#include "text/unicode.h"

enum { SIZE = 8000, MIN_SIZE = 16, MAX_SIZE = 1 << 20, MAX_LENGTH = 4000 };
static const char mark[] = "\xE2\x96\x85"; /* U+2585 */

/* lines on their way to the library */
typedef struct {
    at_line_source lines;
    at_str line;  /* the current one, without marks */
    size_t given; /* bytes of it that have been given */
    size_t bytes, cut, marks;
    bool visible; /* something was there to learn from */
} feeder;

/* What its normalisation is sure to leave: some symbols become blanks there. */
static bool has_visible(const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t code;
        int length = at_utf8_get(text + at, size - at, &code);
        if ((code > ' ' && code < 0x7F) || at_is_letter(code) || at_is_digit(code))
            return true;
        at += length ? (size_t)length : 1;
    }
    return false;
}

static int read_line(feeder *f, attend_error *err)
{
    const char *text;
    size_t size;
    int more = f->lines.next(f->lines.user, &text, &size, err);
    if (more <= 0)
        return more;
    at_str_clear(&f->line);
    f->given = 0;
    for (size_t at = 0; at < size;) {
        const char *found = memmem(text + at, size - at, mark, 3);
        size_t end = found ? (size_t)(found - text) : size;
        at_str_add_bytes(&f->line, text + at, end - at);
        if (found) {
            at_str_add(&f->line, " ");
            f->marks++;
        }
        at = end + (found ? 3 : 0);
    }
    f->bytes += f->line.length;
    if (f->line.failed)
        return at_error_memory(err);
    if (f->bytes > INT32_MAX)
        return at_error(err, ATTEND_OPTION,
                        "more than 2 GB of text to learn from; a part of it teaches the same");
    f->visible = f->visible || has_visible(at_str_text(&f->line), f->line.length);
    return 1;
}

/* how much of a long line to give: up to the last blank, or at least whole characters */
static size_t part_of(const char *text, size_t size)
{
    if (size <= MAX_LENGTH)
        return size;
    for (size_t at = MAX_LENGTH; at > MAX_LENGTH / 2; at--)
        if (text[at] == ' ')
            return at;
    size_t at = MAX_LENGTH;
    while (at > MAX_LENGTH - 4 && ((unsigned char)text[at] & 0xC0) == 0x80)
        at--;
    return at;
}

static int next(void *user, const char **text, size_t *size, attend_error *err)
{
    feeder *f = user;
    while (f->given == f->line.length) {
        int more = read_line(f, err);
        if (more <= 0)
            return more;
    }
    *text = at_str_text(&f->line) + f->given;
    *size = part_of(*text, f->line.length - f->given);
    f->given += *size;
    f->cut += f->given < f->line.length;
    return 1;
}

/* The library must not be called for nothing: lines are read up to the first with something in it,
 * and those before it teach nothing. */
static attend_status find_visible(feeder *f, attend_error *err)
{
    while (!f->visible) {
        int more = read_line(f, err);
        if (more < 0)
            return (attend_status)more;
        if (more == 0)
            return at_error(err, ATTEND_FORMAT,
                            "there are no letters, digits or punctuation to learn from");
    }
    return ATTEND_OK;
}

static void say(const feeder *f, int size, int wanted)
{
    if (f->cut)
        at_log(ATTEND_LOG_INFO, "long lines were cut at %zu places, each %d bytes at most", f->cut,
               (int)MAX_LENGTH);
    if (f->marks)
        at_log(ATTEND_LOG_WARNING, "U+2585 was taken as a blank %zu times: it is reserved",
               f->marks);
    if (size < wanted)
        at_log(ATTEND_LOG_INFO, "%d pieces, not %d: the text has no more", size, wanted);
}

/* ---- the child -------------------------------------------------------------------------- */

/* memory that both processes have */
typedef struct {
    size_t size, capacity;
    char model[];
} shared;

typedef struct {
    at_spiece_learning how;
    at_str text; /* lines, each after its size as a uint32_t */
    size_t at;
    shared *result;
} learner;

/* Takes all lines from the caller, whose functions are not called in the child. */
static attend_status gather(learner *l, feeder *f, attend_error *err)
{
    const char *text;
    size_t size;
    int more;
    while ((more = next(f, &text, &size, err)) > 0) {
        uint32_t bytes = (uint32_t)size;
        at_str_add_bytes(&l->text, (const char *)&bytes, sizeof bytes);
        at_str_add_bytes(&l->text, text, size);
        if (l->text.failed)
            return at_error_memory(err);
    }
    return (attend_status)more;
}

static int next_gathered(void *user, const char **text, size_t *size, attend_error *err)
{
    learner *l = user;
    uint32_t bytes;
    (void)err;
    if (l->at == l->text.length)
        return 0;
    memcpy(&bytes, l->text.text + l->at, sizeof bytes);
    *text = l->text.text + l->at + sizeof bytes;
    *size = bytes;
    l->at += sizeof bytes + bytes;
    return 1;
}

/* exit() in the child runs nothing of the caller's. */
static void leave(void) { _exit(EXIT_FAILURE); }

static attend_status learn_in_child(void *user, attend_error *err)
{
    learner *l = user;
    at_str model = {0};
    if (atexit(leave) != 0)
        return at_error_memory(err);
    attend_status status = at_spiece_learn(&l->how, &model, err);
    if (status < 0)
        return status;
    if (model.length > l->result->capacity)
        return at_error(err, ATTEND_MEMORY, "SentencePiece made a model of %zu bytes",
                        model.length);
    memcpy(l->result->model, at_str_text(&model), model.length);
    l->result->size = model.length;
    return ATTEND_OK;
}

/* Runs the trainer in a child. *model is released with at_free. */
static attend_status train(learner *l, char **model, size_t *size, attend_error *err)
{
    enum {
        RULES = 1 << 20,
        PIECE = 128
    };                          /* bytes: normalisation, and 16 characters with a score */
    enum { FOREVER = 1000000 }; /* seconds */
    size_t capacity = RULES + PIECE * (size_t)l->how.size, all = sizeof *l->result + capacity;
    l->result = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                     -1, 0);
    if (l->result == MAP_FAILED)
        return at_error_memory(err);
    l->result->capacity = capacity;
    attend_status status = at_child_run(learn_in_child, l, "SentencePiece", FOREVER, err);
    *size = l->result->size;
    *model = status < 0 ? NULL : at_alloc(*size + 1);
    if (*model)
        memcpy(*model, l->result->model, *size);
    else if (status >= 0)
        status = at_error_memory(err);
    munmap(l->result, all);
    return status;
}

/* ---- all -------------------------------------------------------------------------------- */

static attend_status check(const attend_learn_options *o, attend_error *err)
{
    if (o->model && strcmp(o->model, "unigram") != 0 && strcmp(o->model, "bpe") != 0)
        return at_error(err, ATTEND_OPTION,
                        "a model of SentencePiece is \"unigram\" or \"bpe\", not \"%.40s\"",
                        o->model);
    if (o->vocabulary >= 0 && (o->vocabulary < MIN_SIZE || o->vocabulary > MAX_SIZE))
        return at_error(err, ATTEND_OPTION, "a vocabulary has %d to %d pieces, not %d", MIN_SIZE,
                        MAX_SIZE, o->vocabulary);
    if (o->coverage > 0 && (o->coverage < 0.98 || o->coverage > 1))
        return at_error(err, ATTEND_OPTION, "the share of characters to cover is 0.98 to 1, not %g",
                        o->coverage);
    return ATTEND_OK;
}

attend_status at_sentencepiece_learn(at_line_source lines, const attend_learn_options *o,
                                     at_tokenizer **out, attend_error *err)
{
    char *model = NULL;
    size_t size = 0;
    feeder f = {.lines = lines};
    at_sentencepiece *s = NULL;
    learner l = {.how = {.type = o->model ? o->model : "unigram",
                         .size = o->vocabulary < 0 ? SIZE : o->vocabulary,
                         .coverage = o->coverage > 0 ? o->coverage : 0.9995,
                         .control = "<cls>,<sep>,<mask>",
                         .next = next_gathered,
                         .user = &l}};
    attend_status status = check(o, err);
    if (status >= 0 && (status = find_visible(&f, err)) >= 0)
        status = gather(&l, &f, err);
    at_str_free(&f.line);
    if (status >= 0)
        status = train(&l, &model, &size, err);
    at_str_free(&l.text);
    if (status >= 0)
        status = at_sentencepiece_new(model, size, "what was learned", &s, err);
    if (status >= 0) {
        say(&f, at_tokenizer_size(&s->base), l.how.size);
        *out = &s->base;
    }
    return status;
}
