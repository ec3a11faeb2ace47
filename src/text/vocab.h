/* A vocabulary: texts with numbers from 0 on, and how often each was seen.
 *
 *     at_vocab *v = at_vocab_new();
 *     int32_t id = at_vocab_add(v, "the", 3);
 *     at_vocab_find(v, "the", 3) == id
 *     at_vocab_text(v, id, NULL)                         "the"
 *     at_vocab_free(v);
 *
 * Texts are any bytes. Reading is safe from several threads. */
#ifndef ATTEND_TEXT_VOCAB_H
#define ATTEND_TEXT_VOCAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct at_vocab at_vocab;

at_vocab *at_vocab_new(void); /* NULL without memory */
void at_vocab_free(at_vocab *v);

int32_t at_vocab_size(const at_vocab *v);

/* The number of a text, a new one if it is not there yet; -1 without memory. */
int32_t at_vocab_add(at_vocab *v, const char *text, size_t size);

/* A new number even for a text that is there: find gives the newest one, as where a vocabulary
 * file has a line twice. */
int32_t at_vocab_append(at_vocab *v, const char *text, size_t size);

int32_t at_vocab_find(const at_vocab *v, const char *text, size_t size); /* -1: not there */

/* Ended by a zero that size does not count; borrowed until the vocabulary is freed. size may be
 * NULL. id is in range. */
const char *at_vocab_text(const at_vocab *v, int32_t id, size_t *size);

/* how often it was seen: 0 at first */
uint64_t at_vocab_count(const at_vocab *v, int32_t id);
void at_vocab_seen(at_vocab *v, int32_t id, uint64_t times);

/* Ids by falling count; of equal counts, by rising bytes. order has at_vocab_size members. */
void at_vocab_by_count(const at_vocab *v, int32_t *order);

/* the hash of find: for tables of the same keys */
uint64_t at_hash(const char *text, size_t size);

#endif
