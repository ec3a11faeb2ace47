/* Marian's tokenizers: both sides, their ids and texts. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tokenizers.h"

/* "marian_small" has the files of vocab/marian, "marian_sep_small" those of vocab/marian_sep */
static bool find(const at_case *c, const char *name, const char *file, char path[PATH_MAX])
{
    char folder[ATTEND_CASE_NAME + 8];
    int n = (int)strlen(name) - (int)strlen("_small");
    snprintf(folder, sizeof folder, "vocab/%.*s", n > 0 ? n : 0, name);
    return at_token_file(c, folder, file, path);
}

static attend_status open_source(const at_case *c, const char *name, at_tokenizer **out,
                                 attend_error *err)
{
    char path[PATH_MAX];
    if (!find(c, name, "source.spm", path))
        return at_error(err, ATTEND_FILE, "no model for %s below %s", name, c->root);
    return at_tokenizer_open(path, out, err);
}

static void check_text(at_case *c, at_token_line *line, const char *key, const at_tokenizer *t,
                       const at_tokens *p, at_decoding how)
{
    at_str text = {0};
    attend_error err;
    int32_t *ids = at_alloc((p->count + 1) * sizeof *ids);
    for (size_t i = 0; ids && i < p->count; i++)
        ids[i] = p->item[i].id;
    if (!json_object_get(line->json, key)) {
        at_free(ids);
        return; /* of one vocabulary alone */
    }
    if (!ids || at_decode(t, ids, p->count, how, &text, &err) < 0)
        at_case_fail(c, "line %ld: %s", line->number, ids ? err.message : "out of memory");
    else
        at_token_compare_text(c, line, key, at_str_text(&text), text.length);
    at_free(ids);
    at_str_free(&text);
}

static void check_side(at_case *c, const at_tokenizer *t, at_token_line *line, bool target)
{
    at_tokens p = {0}, framed = {0};
    attend_error err;
    if (at_encode(t, line->text, line->size, &p, &err) < 0
        || at_encode_framed(t, line->text, line->size, NULL, 0, &framed, NULL, &err) < 0)
        at_case_fail(c, "line %ld: %s", line->number, err.message);
    else {
        if (!target)
            at_token_compare_ids(c, line, "ids", &p);
        at_token_compare_ids(c, line, target ? "target_ids_with_special" : "ids_with_special",
                             &framed);
        check_text(c, line, target ? "decoded" : "source_decoded", t, &framed, ATTEND_DECODE_PLAIN);
        if (target)
            check_text(c, line, "decoded_with_special", t, &framed, ATTEND_DECODE_SPECIAL);
    }
    at_tokens_free(&p);
    at_tokens_free(&framed);
}

static void check_line(at_case *c, const at_tokenizer *source, at_token_line *line)
{
    char path[PATH_MAX];
    at_tokenizer *target;
    attend_error err;
    char name[ATTEND_CASE_NAME];
    const char *slash = strrchr(c->path, '/');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    check_side(c, source, line, false);
    if (!find(c, name, "target.spm", path))
        at_case_fail(c, "no target.spm for %s", name);
    else if (at_tokenizer_open(path, &target, &err) < 0)
        at_case_fail(c, "%s", err.message);
    else {
        check_side(c, target, line, true);
        at_tokenizer_free(target);
    }
}

const at_token_check at_token_check_marian = {"marian_", open_source, check_line};
