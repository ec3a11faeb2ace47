/* Tokenizers against the tokenizers that others wrote: every id, piece and offset-free text. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "tokenizers.h"

static const at_token_check *const checks[] = {
    &at_token_check_bert,          &at_token_check_gpt2,  &at_token_check_albert,
    &at_token_check_sentencepiece, &at_token_check_xlnet, &at_token_check_marian,
    &at_token_check_roberta};

/* ---- comparing -------------------------------------------------------------------------- */

void at_token_fail(at_case *c, at_token_line *line, const char *format, ...)
{
    char what[300];
    va_list args;

    line->wrong++;
    if (line->optional)
        return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    at_case_fail(c, "line %ld (id %lld): %s", line->number,
                 (long long)json_integer_value(json_object_get(line->json, "id")), what);
}

static const json_t *expected_array(at_case *c, at_token_line *line, const char *key, size_t count)
{
    const json_t *array = json_object_get(line->json, key);

    c->comparisons++;
    if (!json_is_array(array)) {
        at_token_fail(c, line, "has no %s", key);
        return NULL;
    }
    if (json_array_size(array) != count)
        at_token_fail(c, line, "%zu %s, expected %zu", count, key, json_array_size(array));
    return array;
}

void at_token_compare_ids(at_case *c, at_token_line *line, const char *key, const at_tokens *got)
{
    const json_t *array = expected_array(c, line, key, got->count);

    for (size_t i = 0; i < got->count && i < json_array_size(array); i++) {
        json_int_t id = json_integer_value(json_array_get(array, i));
        if (id != got->item[i].id) {
            at_token_fail(c, line, "%s[%zu] is %d, expected %lld", key, i, got->item[i].id,
                          (long long)id);
            return;
        }
    }
}

void at_token_compare_texts(at_case *c, at_token_line *line, const char *key, const at_tokenizer *t,
                            const at_tokens *got)
{
    const json_t *array = expected_array(c, line, key, got->count);

    for (size_t i = 0; i < got->count && i < json_array_size(array); i++) {
        const json_t *text = json_array_get(array, i);
        size_t size;
        const char *piece = at_vocab_text(t->vocab, got->item[i].id, &size);
        if (json_string_length(text) != size || memcmp(json_string_value(text), piece, size) != 0) {
            at_token_fail(c, line, "%s[%zu] is \"%.40s\", expected \"%.40s\"", key, i, piece,
                          json_is_string(text) ? json_string_value(text) : "no text");
            return;
        }
    }
}

void at_token_compare_text(at_case *c, at_token_line *line, const char *key, const char *got,
                           size_t size)
{
    const json_t *text = json_object_get(line->json, key);

    c->comparisons++;
    if (!json_is_string(text) || json_string_length(text) != size
        || memcmp(json_string_value(text), got, size) != 0)
        at_token_fail(c, line, "%s is \"%.100s\", expected \"%.100s\"", key, got,
                      json_is_string(text) ? json_string_value(text) : "no text");
}

attend_status at_token_decode(const at_tokenizer *t, const at_tokens *p, at_str *out,
                              attend_error *err)
{
    int32_t *ids = at_alloc((p->count + 1) * sizeof *ids);

    if (!ids)
        return at_error_memory(err);
    for (size_t i = 0; i < p->count; i++)
        ids[i] = p->item[i].id;
    attend_status status = at_decode(t, ids, p->count, ATTEND_DECODE_SPECIAL, out, err);
    at_free(ids);
    return status;
}

/* ---- lines ------------------------------------------------------------------------------ */

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* the bytes that hex digits say, to be freed; NULL where they say none */
static char *from_hex(const json_t *value, size_t *size)
{
    const char *hex = json_string_value(value);
    size_t n = json_string_length(value) / 2;
    char *text = json_is_string(value) ? at_alloc(n + 1) : NULL;

    for (size_t i = 0; text && i < n; i++) {
        int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0) {
            at_free(text);
            return NULL;
        }
        text[i] = (char)(high << 4 | low);
    }
    *size = n;
    return text;
}

/* Returns whether the line was optional and different. */
static bool check_line(at_case *c, const at_token_check *check, const at_tokenizer *t, long number,
                       const char *begin, size_t size)
{
    json_error_t error;
    json_t *json = json_loadb(begin, size, JSON_ALLOW_NUL, &error);
    at_token_line line = {.json = json, .number = number};
    char *text = from_hex(json_object_get(json, "utf8_hex"), &line.size);
    char *pair = from_hex(json_object_get(json, "pair_utf8_hex"), &line.pair_size);

    if (text) {
        line.text = text;
        line.pair = pair;
        line.optional = json_is_true(json_object_get(json, "has_unassigned"));
        check->check(c, t, &line);
    } else {
        at_case_fail(c, "line %ld: %s", number, json ? "has no utf8_hex" : error.text);
    }
    at_free(text);
    at_free(pair);
    json_decref(json);
    return line.optional && line.wrong;
}

static void check_lines(at_case *c, const at_token_check *check, const at_tokenizer *t)
{
    attend_error err;
    char *text;
    size_t size;
    long number = 1;

    if (at_file_read(c->path, 1 << 30, &text, &size, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return;
    }
    for (char *line = text, *end; line < text + size; line = end + 1, number++) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        end = end ? end : text + size;
        if (end > line && check_line(c, check, t, number, line, (size_t)(end - line)))
            fprintf(stderr, "%s: line %ld differs, but depends on the version of Unicode\n",
                    c->name, number);
    }
    at_free(text);
}

/* ---- the family ------------------------------------------------------------------------- */

bool at_token_file(const at_case *c, const char *folder, const char *name, char path[PATH_MAX])
{
    int n = snprintf(path, PATH_MAX, "%s/%s/%s", c->root, folder, name);

    return n > 0 && n < PATH_MAX && access(path, R_OK) == 0;
}

static const at_token_check *check_for(const char *name)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (strncmp(name, checks[i]->prefix, strlen(checks[i]->prefix)) == 0)
            return checks[i];
    return NULL;
}

void at_check_tokenizers(at_case *c)
{
    const char *slash = strrchr(c->path, '/');
    char name[ATTEND_CASE_NAME];
    attend_error err;
    at_tokenizer *t;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    const at_token_check *check = check_for(name);
    if (!check) {
        at_case_unknown(c, "no check for tokenizers of this name");
        return;
    }
    if (check->open(c, name, &t, &err) < 0) {
        at_case_fail(c, "%s", err.message);
        return;
    }
    check_lines(c, check, t);
    at_tokenizer_free(t);
}
