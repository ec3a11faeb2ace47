/* Pieces that are found in a text as they are written, before it is cut in any other way:
 * [MASK], <|endoftext|>, and what a user added to a vocabulary.
 *
 *     size_t length, at;
 *     int32_t id;
 *     while ((at = at_added_tokens_next(&added, text, size, from, &length, &id)) < size) {
 *         cut(text + from, at - from);
 *         at_tokens_add(out, id, at, at + length);
 *         from = at + length;
 *     }
 *     cut(text + from, size - from);
 */
#ifndef ATTEND_TEXT_ADDED_TOKENS_H
#define ATTEND_TEXT_ADDED_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *text; /* borrowed from the vocabulary */
    size_t size;
    int32_t id;
    bool special; /* leaves no trace when ids become text */
} at_added_token;

/* start with {0} */
typedef struct {
    at_added_token *item;
    size_t count, capacity;
    bool first[256]; /* bytes that one of them starts with */
} at_added_tokens;

/* text must outlive the list and is not empty; a second time for one id changes `special` alone.
 * False without memory. */
bool at_added_tokens_put(at_added_tokens *a, const char *text, size_t size, int32_t id,
                         bool special);
void at_added_tokens_free(at_added_tokens *a);

/* The first place from `from` on where one of them is, the longest of those there; size where
 * there is none. */
size_t at_added_tokens_next(const at_added_tokens *a, const char *text, size_t size, size_t from,
                            size_t *length, int32_t *id);

bool at_added_tokens_is_special(const at_added_tokens *a, int32_t id);

#endif
