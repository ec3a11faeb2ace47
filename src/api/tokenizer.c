/* attend_tokenizer and attend_tokens: the text folder's, seen from outside. */
#include <stdio.h>
#include <string.h>

#include "api/options.h"
#include "base/log.h"
#include "base/memory.h"
#include "text/tokenizer.h"

_Static_assert(sizeof(int) == sizeof(int32_t), "ids are handed out as they are");

struct attend_tokens {
    at_tokens list;
    at_str text; /* of all pieces, one after the other */
    size_t *end; /* of each in text; NULL: they are not spelled */
};

/* ---- making, keeping -------------------------------------------------------------------- */

attend_status attend_tokenizer_open(const char *path, attend_tokenizer **out, attend_error *err)
{
    return at_tokenizer_open(path, out, err);
}

void attend_tokenizer_free(attend_tokenizer *t) { at_tokenizer_free(t); }

attend_status attend_tokenizer_save(const attend_tokenizer *t, const char *folder,
                                    attend_error *err)
{
    return at_tokenizer_save(t, folder, err);
}

/* Are there pieces beside the special ones? */
static bool has_learned(const at_tokenizer *t)
{
    int32_t specials = 0;
    for (int i = 0; i < ATTEND_SPECIALS; i++)
        specials += t->special[i] >= 0;
    return at_vocab_size(t->vocab) > specials;
}

typedef struct {
    attend_line_function *next;
    void *user;
} lines;

/* the caller's lines as at_lines has them */
static int next_line(void *user, const char **text, size_t *size, attend_error *err)
{
    const lines *l = user;
    *text = NULL;
    attend_status status = l->next(l->user, text, size, err);
    return status < 0 ? status : *text != NULL;
}

attend_status attend_tokenizer_learn(const char *kind, const attend_learn_options *options,
                                     attend_line_function *next, void *user, attend_tokenizer **out,
                                     attend_error *err)
{
    attend_learn_options o;
    at_tokenizer *t = NULL;
    lines l = {next, user};
    *out = NULL;
    attend_learn_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_learn_defaults", err);
    if (status < 0)
        return status;
    status = at_tokenizer_learn(kind, (at_line_source){next_line, &l}, &o, &t, err);
    if (status >= 0 && at_tokenizer_cutting(t) && has_learned(t))
        at_log(ATTEND_LOG_INFO, "the text is %s", at_tokenizer_cutting(t));
    *out = t;
    return status;
}

/* ---- there ------------------------------------------------------------------------------ */

attend_status attend_tokenizer_encode(const attend_tokenizer *t, const char *text, size_t size,
                                      int framed, attend_tokens **pieces, attend_error *err)
{
    if (!*pieces)
        *pieces = at_alloc_zero(1, sizeof **pieces);
    if (!*pieces)
        return at_error_memory(err);
    at_tokens *list = &(*pieces)->list;
    at_tokens_clear(list);
    at_free((*pieces)->end);
    (*pieces)->end = NULL;
    return framed ? at_encode_framed(t, text, size, NULL, 0, list, NULL, err)
                  : at_encode(t, text, size, list, err);
}

attend_status attend_tokens_spell(attend_tokens *p, const attend_tokenizer *t, const char *text,
                                  size_t size, attend_error *err)
{
    at_free(p->end);
    at_str_clear(&p->text);
    p->end = at_alloc((p->list.count + 1) * sizeof *p->end);
    if (p->end)
        at_spell(t, text, size, &p->list, &p->text, p->end);
    if (p->end && !p->text.failed)
        return ATTEND_OK;
    at_free(p->end);
    p->end = NULL;
    return at_error_memory(err);
}

const char *attend_tokens_text(const attend_tokens *p, size_t index, size_t *size)
{
    if (!p->end || index >= p->list.count)
        return NULL;
    size_t begin = index ? p->end[index - 1] : 0;
    *size = p->end[index] - begin;
    return at_str_text(&p->text) + begin;
}

void attend_tokens_in_characters(attend_tokens *pieces, const char *text, size_t size)
{
    at_tokens_in_characters(&pieces->list, text, size);
}

const attend_token *attend_tokens_items(const attend_tokens *pieces, size_t *count)
{
    *count = pieces->list.count;
    return (const attend_token *)pieces->list.item;
}

size_t attend_tokens_invalid(const attend_tokens *pieces) { return pieces->list.invalid; }

void attend_tokens_free(attend_tokens *pieces)
{
    if (!pieces)
        return;
    at_tokens_free(&pieces->list);
    at_str_free(&pieces->text);
    at_free(pieces->end);
    at_free(pieces);
}

/* ---- and back --------------------------------------------------------------------------- */

static attend_status give(attend_status status, at_str *from, char **text, size_t *size,
                          attend_error *err)
{
    *text = NULL;
    if (size)
        *size = from->length;
    if (status >= 0) {
        *text = at_str_take(from);
        status = *text ? ATTEND_OK : at_error_memory(err);
    }
    at_str_free(from);
    return status;
}

attend_status attend_tokenizer_decode(const attend_tokenizer *t, const int *ids, size_t count,
                                      int special, char **text, size_t *size, attend_error *err)
{
    at_str out = {0};
    at_decoding how = special ? ATTEND_DECODE_SPECIAL : ATTEND_DECODE_PLAIN;
    return give(at_decode(t, ids, count, how, &out, err), &out, text, size, err);
}

attend_status attend_tokenizer_join(const attend_tokenizer *t, const char *const *pieces,
                                    const size_t *sizes, size_t count, char **text, size_t *size,
                                    attend_error *err)
{
    at_str out = {0};
    at_text *list = at_alloc((count + 1) * sizeof *list);
    attend_status status = list ? ATTEND_OK : at_error_memory(err);
    for (size_t i = 0; list && i < count; i++)
        list[i] = (at_text){pieces[i], sizes[i]};
    if (list)
        status = at_join(t, list, count, &out, err);
    at_free(list);
    return give(status, &out, text, size, err);
}

/* ---- what it has ------------------------------------------------------------------------ */

const char *attend_tokenizer_kind(const attend_tokenizer *t) { return t->kind->name; }
int attend_tokenizer_size(const attend_tokenizer *t) { return at_tokenizer_size(t); }

const char *attend_tokenizer_token(const attend_tokenizer *t, int id, size_t *size)
{
    if (id < 0 || id >= attend_tokenizer_size(t))
        return NULL;
    return at_vocab_text(t->vocab, id, size);
}

int attend_tokenizer_id(const attend_tokenizer *t, const char *piece, size_t size)
{
    return at_vocab_find(t->vocab, piece, size);
}

int attend_tokenizer_special(const attend_tokenizer *t, const char *name)
{
    for (int i = 0; i < ATTEND_SPECIALS; i++) {
        char full[16];
        snprintf(full, sizeof full, "%.8s_token", name);
        if (strcmp(full, at_special_names[i]) == 0)
            return t->special[i];
    }
    return -1;
}

int attend_tokenizer_is_special(const attend_tokenizer *t, int id)
{
    return at_tokenizer_is_special(t, id);
}
